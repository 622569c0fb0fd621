package pulls_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
)

func TestParseName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]int{"#3": 3, "3": 3, " #12 ": 12, "": 0, "#": 0, "0": 0, "-1": 0, "#x": 0, "99999999999": 0, "##3": 0} {
		got, err := pulls.ParseName(in)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("ParseName(%q) = %d, %v", in, got, err)
		}
	}
}

func TestFixes(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]board.Ref{
		"":                            nil,
		"Fixes DSP-3":                 {"DSP-3"},
		"what\r\n\r\nfixes dsp-3\r\n": {"DSP-3"},
		"- Fixes: DSP-3, dsp-4 and #12.\nFixes DSP-3": {"DSP-3", "DSP-4", "#12"},
		"Fixes the login":                        nil,
		"This fixes DSP-3":                       nil,
		"Prefixes DSP-3":                         nil,
		"Fixes DSP-3 and the rest of DSP-9":      {"DSP-3"},
		"```\nFixes DSP-3\n```\nFixes DSP-4":     {"DSP-4"},
		"~~~~\n```\nFixes DSP-3\n~~~~\nFixes #1": {"#1"},
		"```\nFixes DSP-3":                       nil,
		"Fixes DSP-99999999999":                  nil,
		"Fixes <DSP-3>":                          nil,
	} {
		if diff := cmp.Diff(want, pulls.Fixes(body)); diff != "" {
			t.Errorf("Fixes(%q): %s", body, diff)
		}
	}
}

func FuzzFixes(f *testing.F) {
	f.Add("Fixes DSP-3, #4\n```\nFixes X-1")
	f.Fuzz(func(t *testing.T, body string) {
		for _, ref := range pulls.Fixes(body) {
			if strings.ContainsAny(string(ref), " \t\r\n/\\.") || strings.ToUpper(string(ref)) != string(ref) {
				t.Errorf("Fixes(%q) has %q", body, ref)
			}
		}
	})
}

func TestParseFindings(t *testing.T) {
	t.Parallel()
	got, err := pulls.ParseFindings([]byte(`[{"path": "a.go", "line": 3, "severity": "blocking", "body": "why"}, {"path": "b", "severity": "nit", "body": "x"}]`))
	want := []board.Finding{{Path: "a.go", Line: 3, Severity: "blocking", Body: "why"}, {Path: "b", Severity: "nit", Body: "x"}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if got, err := pulls.ParseFindings([]byte("[]")); err != nil || len(got) != 0 {
		t.Errorf("none: %v, %v", got, err)
	}
	for in, wants := range map[string][]string{
		"":                {"JSON array"},
		"{}":              {"JSON array"},
		"[] []":           {"more after"},
		`[{"file": "x"}]`: {"unknown field"},
		`[{"path": "/etc", "line": -1, "severity": "major", "body": " "}]`: {"findings[0].path", "findings[0].line", "findings[0].severity", "findings[0].body"},
	} {
		_, err := pulls.ParseFindings([]byte(in))
		if err == nil {
			t.Errorf("ParseFindings(%q) is accepted", in)
			continue
		}
		for _, w := range wants {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("ParseFindings(%q): %q lacks %q", in, err, w)
			}
		}
	}
}
