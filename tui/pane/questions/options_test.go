package questions

import "testing"

const asked = `Which one?

1. ISO 8601 everywhere
  2) Local dates
- **3.** Both, by a flag
10. not an option of one digit`

func TestInFull(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"1":                    "1. ISO 8601 everywhere",
		"2.":                   "2. Local dates",
		"2)":                   "2. Local dates",
		"3":                    "3. Both, by a flag",
		"1 and say so":         "1. ISO 8601 everywhere\nand say so",
		"1\nand say so":        "1. ISO 8601 everywhere\nand say so",
		"4":                    "4",
		"10":                   "10",
		"":                     "",
		"ISO":                  "ISO",
		"take 1":               "take 1",
		"1st of the two, then": "1st of the two, then",
	} {
		if got := InFull(asked, in); got != want {
			t.Errorf("InFull(%q) = %q, want %q", in, got, want)
		}
	}
	if got := InFull("no options here", "1"); got != "1" {
		t.Errorf("an option out of nothing: %q", got)
	}
}

func FuzzInFull(f *testing.F) {
	f.Add(asked, "1")
	f.Add("1.  \n2. x", "2 y")
	f.Fuzz(func(t *testing.T, question, answer string) {
		if got := InFull(question, answer); len(got) < len(answer)-8 {
			t.Errorf("InFull(%q, %q) = %q loses words", question, answer, got)
		}
	})
}
