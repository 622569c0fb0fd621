package themes

// Signs are the one-cell marks beside a word. Each is one cell wide in every
// theme, so that columns never depend on the theme.
type Signs struct {
	Alive, Stale, Starting, Tool, Done, Failed   string
	Blocked, Held, Question, Attention, Next, No string
	Bar, Ellipsis, Dot, Rule, Cross, Left, Right string
	Cursor                                       string
}

// Borders are the pieces of a box: thin for panes at rest, thick for the one
// that has the focus.
type Borders struct {
	Thin, Thick Border
}

// Border is one kind of line. All pieces are one cell wide.
type Border struct {
	TopLeft, TopRight, BottomLeft, BottomRight string
	Horizontal, Vertical                       string
	TeeLeft, TeeRight                          string
}

var drawnSigns = Signs{
	Alive: "●", Stale: "○", Starting: "◐", Tool: "▸", Done: "✓", Failed: "✗",
	Blocked: "⊘", Held: "=", Question: "?", Attention: "!", Next: "↑", No: "–",
	Bar: "▌", Ellipsis: "…", Dot: "·", Rule: "─", Cross: "×", Left: "←", Right: "→",
	Cursor: "█",
}

// asciiSigns serve terminals that draw ambiguous characters two cells wide.
var asciiSigns = Signs{
	Alive: "*", Stale: "o", Starting: "%", Tool: ">", Done: "v", Failed: "x",
	Blocked: "0", Held: "=", Question: "?", Attention: "!", Next: "^", No: "-",
	Bar: ">", Ellipsis: "~", Dot: "|", Rule: "-", Cross: "x", Left: "<", Right: ">",
	Cursor: "_",
}

var drawnBorders = Borders{
	Thin:  Border{"╭", "╮", "╰", "╯", "─", "│", "├", "┤"},
	Thick: Border{"┏", "┓", "┗", "┛", "━", "┃", "┣", "┫"},
}

var asciiBorders = Borders{
	Thin:  Border{"+", "+", "+", "+", "-", "|", "+", "+"},
	Thick: Border{"#", "#", "#", "#", "=", "#", "#", "#"},
}
