package tui

import (
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/tui/widget"
)

// EditorRun is an editor that waits to be run on the terminal.
type EditorRun interface {
	Run() error
	SetStdin(r io.Reader)
	SetStdout(w io.Writer)
	SetStderr(w io.Writer)
}

// Editor makes a text ready for the owner's editor: what to run, and how to
// read the text back, which also removes what was made. It is called in a
// command.
type Editor func(text string) (run EditorRun, read func() (string, error), err error)

// runEditorMsg brings an editor that is ready, editedMsg what was written.
type runEditorMsg struct {
	id   string
	run  EditorRun
	read func() (string, error)
	err  error
}

type editedMsg struct {
	id   string
	text string
	err  error
}

// openEditor takes the text of the open field into the owner's editor.
func (m *Model) openEditor() tea.Cmd {
	if m.opts.Editor == nil {
		m.mutter("no editor is set: $VISUAL or $EDITOR names one")
		return nil
	}
	f := m.field
	f.editor = true
	edit, id, text := m.opts.Editor, f.ID, f.Input.Value()
	return func() tea.Msg {
		run, read, err := edit(text)
		return runEditorMsg{id, run, read, err}
	}
}

func (m *Model) onEditor(msg runEditorMsg) tea.Cmd {
	if msg.err != nil {
		return m.onEdited(editedMsg{id: msg.id, err: msg.err})
	}
	return tea.Exec(msg.run, func(err error) tea.Msg {
		text, readErr := msg.read()
		if err == nil {
			err = readErr
		}
		return editedMsg{msg.id, text, err}
	})
}

// onEdited puts what was written into the field; it is never sent by itself.
func (m *Model) onEdited(msg editedMsg) tea.Cmd {
	if m.field != nil && m.field.ID == msg.id {
		m.field.editor = false
	}
	if msg.err != nil {
		m.insist("the editor: " + widget.Clean(msg.err.Error()) + "; your text is as it was")
		return nil
	}
	text := strings.TrimRight(msg.text, "\n")
	if m.field == nil || m.field.ID != msg.id {
		m.drafts.Put(msg.id, text)
		return nil
	}
	m.field.Input.SetValue(text)
	m.noteDraft()
	if m.snap != nil {
		m.checkField()
	}
	return nil
}

// keptMsg says how writing the drafts down went.
type keptMsg struct{ err error }

// keepAgain is how long it waits with drafts that could not be written.
const keepAgain = 5 * time.Second

// keepDrafts writes the drafts down once they have changed.
func (m *Model) keepDrafts() tea.Cmd {
	v := m.drafts.Version()
	again := m.keepFailed && m.now().Sub(m.keptAt) > keepAgain
	if m.opts.Keep == nil || (v == m.kept && !again) || m.keeping {
		return nil
	}
	m.kept, m.keptAt, m.keeping = v, m.now(), true
	keep, all := m.opts.Keep, m.drafts.All()
	return func() tea.Msg { return keptMsg{keep(all)} }
}

// keepLast writes down what was typed last, when the room has ended.
func (m *Model) keepLast() {
	if m.opts.Keep != nil && (m.drafts.Version() != m.kept || m.keeping || m.keepFailed) {
		_ = m.opts.Keep(m.drafts.All()) // nobody is there to be told; the texts before it are kept
	}
}

func (m *Model) onKept(msg keptMsg) {
	m.keeping = false
	told := m.keepFailed
	m.keepFailed = msg.err != nil
	if msg.err != nil && !told {
		m.insist("drafts are not kept on disk: " + widget.Clean(msg.err.Error()))
	}
}
