package board

import "strings"

// OneLine makes a text from outside fit into a message: without control
// characters, on one line, and not long.
func OneLine(s string) string {
	const most = 300
	s = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return ' '
		}
		return r
	}, s)), " ")
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return s
}
