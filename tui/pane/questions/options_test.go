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
		"1":                      "1. ISO 8601 everywhere",
		"2.":                     "2. Local dates",
		"2)":                     "2. Local dates",
		"3":                      "3. Both, by a flag",
		"1. and say so":          "1. ISO 8601 everywhere\nand say so",
		"2) and say so":          "2. Local dates\nand say so",
		"1 and say so":           "1 and say so",
		"3 hours":                "3 hours",
		"1.5 hours":              "1.5 hours",
		"1. ISO 8601 everywhere": "1. ISO 8601 everywhere",
		"1\nand say so":          "1. ISO 8601 everywhere\nand say so",
		"4":                      "4",
		"10":                     "10",
		"":                       "",
		"ISO":                    "ISO",
		"take 1":                 "take 1",
		"1st of the two, then":   "1st of the two, then",
	} {
		if got := InFull(asked, in); got != want {
			t.Errorf("InFull(%q) = %q, want %q", in, got, want)
		}
	}
	if got := InFull("no options here", "1"); got != "1" {
		t.Errorf("an option out of nothing: %q", got)
	}
}

// TestTheLastListIsChosenFrom: what was done is often listed before.
func TestTheLastListIsChosenFrom(t *testing.T) {
	t.Parallel()
	const did = "Done so far:\n\n1. read the tests\n2. ran them\n3. wrote one\n\nFor how long?\n\n1. a day\n   1. of work\n   2. of the calendar\n2. for ever\n"
	for in, want := range map[string]string{"1": "1. a day", "2": "2. for ever", "3": "3"} {
		if got := InFull(did, in); got != want {
			t.Errorf("InFull(%q) = %q, want %q", in, got, want)
		}
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
