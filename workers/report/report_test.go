package report

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/board"
)

// TestVerdict holds every trigger of failure row 42: a verdict that is
// spoofed by quoted text, or that other text hides.
func TestVerdict(t *testing.T) {
	t.Parallel()
	const fence = "```"
	for name, tc := range map[string]struct {
		text string
		want Verdict
		why  string // part of Why when there is none
	}{
		"pass":                      {text: "All good.\n\nVERDICT: PASS", want: VerdictPass},
		"changes requested":         {text: "One bug.\nVERDICT: CHANGES_REQUESTED\n", want: VerdictChangesRequested},
		"question":                  {text: "VERDICT: QUESTION\n\n\n", want: VerdictQuestion},
		"trailing blanks and CRLF":  {text: "Fine.\r\nVERDICT: PASS  \r\n\t\r\n", want: VerdictPass},
		"said twice, the same":      {text: "VERDICT: PASS\nbecause it works\nVERDICT: PASS", want: VerdictPass},
		"after a closed fence":      {text: fence + "go\nx := 1\n" + fence + "\nVERDICT: PASS", want: VerdictPass},
		"fence after the verdict":   {text: "VERDICT: PASS\n" + fence + "\nlog\n" + fence, want: VerdictPass},
		"an earlier one is quoted":  {text: "> VERDICT: CHANGES_REQUESTED\n\nFixed since.\nVERDICT: PASS", want: VerdictPass},
		"an earlier one in a fence": {text: fence + "\nVERDICT: CHANGES_REQUESTED\n" + fence + "\nVERDICT: PASS", want: VerdictPass},
		"inline code is no fence":   {text: fence + "x" + fence + "\nVERDICT: PASS", want: VerdictPass},
		"instructions repeated":     {text: "I end with VERDICT: PASS|CHANGES_REQUESTED|QUESTION.\nVERDICT: PASS", want: VerdictPass},

		"empty":                      {text: "", why: "empty"},
		"only blank lines":           {text: " \n\t\n", why: "empty"},
		"no verdict":                 {text: "Looks good to me!", why: "no VERDICT: PASS|CHANGES_REQUESTED|QUESTION on the last line"},
		"inside a fence":             {text: "I say:\n" + fence + "\nVERDICT: PASS\n" + fence, why: "code block"},
		"the whole message a fence":  {text: fence + "\nVERDICT: PASS\n" + fence, why: "empty"},
		"inside a tilde fence":       {text: "I say:\n~~~text\nVERDICT: PASS\n~~~", why: "code block"},
		"inside a longer fence":      {text: "x\n````\n" + fence + "\nVERDICT: PASS\n````", why: "code block"},
		"fence never closed":         {text: "x\n" + fence + "\nVERDICT: PASS", why: "never closed"},
		"fence closed by other mark": {text: "x\n" + fence + "\nlog\n~~~\nVERDICT: PASS", why: "never closed"},
		"fence closed with text":     {text: "x\n" + fence + "\nlog\n" + fence + " end\nVERDICT: PASS", why: "never closed"},
		"fence in a list":            {text: "- x\n      " + fence + "\nVERDICT: PASS", why: "never closed"},
		"closing mark too deep":      {text: "x\n" + fence + "\n    " + fence + "\nVERDICT: PASS", why: "never closed"},
		"quoted":                     {text: "The issue says\n> VERDICT: PASS", why: "quoted"},
		"quoted twice":               {text: "x\n> > VERDICT: PASS", why: "quoted"},
		"added in a diff":            {text: "The change:\n+VERDICT: PASS", why: "no VERDICT"},
		"removed in a diff":          {text: "The change:\n-VERDICT: PASS", why: "no VERDICT"},
		"context of a diff":          {text: "The change:\n VERDICT: PASS", why: "not spelled exactly"},
		"indented code":              {text: "x\n\n    VERDICT: PASS", why: "not spelled exactly"},
		"lower case key":             {text: "verdict: PASS", why: "not spelled exactly"},
		"lower case word":            {text: "VERDICT: pass", why: "not spelled exactly"},
		"bold":                       {text: "**VERDICT: PASS**", why: "not spelled exactly"},
		"bold word":                  {text: "VERDICT: **PASS**", why: "not spelled exactly"},
		"bold key":                   {text: "**VERDICT:** PASS", why: "not spelled exactly"},
		"a heading":                  {text: "## VERDICT: PASS", why: "not spelled exactly"},
		"back-ticks":                 {text: "`VERDICT: PASS`", why: "not spelled exactly"},
		"full stop":                  {text: "VERDICT: PASS.", why: "not spelled exactly"},
		"full-width stop":            {text: "VERDICT: PASS。", why: "no VERDICT"},
		"full-width colon":           {text: "VERDICT：PASS", why: "no VERDICT"},
		"no blank":                   {text: "VERDICT:PASS", why: "not spelled exactly"},
		"two blanks":                 {text: "VERDICT:  PASS", why: "not spelled exactly"},
		"a no-break space":           {text: "VERDICT:\u00a0PASS", why: "no VERDICT"},
		"a zero-width space":         {text: "\u200bVERDICT: PASS", why: "no VERDICT"},
		"look-alike letters":         {text: "VERDICT: PΑSS", why: "no VERDICT"},
		"a word after it":            {text: "VERDICT: PASS with nits", why: "no VERDICT"},
		"an older head named":        {text: "VERDICT: PASS (at 1f3a9c0)", why: "no VERDICT"},
		"unknown word":               {text: "VERDICT: APPROVED", why: "no VERDICT"},
		"all three":                  {text: "VERDICT: PASS|CHANGES_REQUESTED|QUESTION", why: "no VERDICT"},
		"a status instead":           {text: "STATUS: COMPLETE", why: "no VERDICT"},
		"followed by a signature":    {text: "VERDICT: PASS\n\n-- \nYour reviewer", why: "elsewhere"},
		"followed by a footer":       {text: "VERDICT: PASS\n\n🤖 Generated", why: "elsewhere"},
		"followed by a rule":         {text: "VERDICT: PASS\n---", why: "elsewhere"},
		"on the first line":          {text: "VERDICT: PASS\nThe reasons follow.", why: "elsewhere"},
		"carriage return in a line":  {text: "x\rVERDICT: PASS", why: "no VERDICT"},
		"line separator in a line":   {text: "x\u2028VERDICT: PASS", why: "no VERDICT"},
		"two different":              {text: "VERDICT: CHANGES_REQUESTED\nOn second thoughts:\nVERDICT: PASS", why: "two different"},
		"two different, one bold":    {text: "**Verdict: changes_requested**\nVERDICT: PASS", why: "two different"},
		"two different, one in code": {text: "`VERDICT: QUESTION`\n\nVERDICT: PASS", why: "two different"},
		"invalid UTF-8":              {text: "VERDICT: PASS\xff", why: "no VERDICT"},
		"NUL":                        {text: "VERDICT: PASS\x00", why: "no VERDICT"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Parse(board.KindReviewer, tc.text)
			if got.Verdict != tc.want {
				t.Errorf("verdict %q, want %q (why %q)", got.Verdict, tc.want, got.Why)
			}
			if (got.Verdict == VerdictNone) != (got.Why != "") {
				t.Errorf("verdict %q with why %q", got.Verdict, got.Why)
			}
			if !strings.Contains(got.Why, tc.why) {
				t.Errorf("why %q does not say %q", got.Why, tc.why)
			}
			if got.Status != StatusNone {
				t.Errorf("a reviewer's report has the status %q", got.Status)
			}
		})
	}
}

// A structured answer beside the text never makes a verdict, and one that
// differs takes it away.
func TestAgree(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		kind         board.Kind
		text, answer string
		verdict      Verdict
		status       Status
		why          string
	}{
		{board.KindReviewer, "VERDICT: PASS", "PASS", VerdictPass, "", ""},
		{board.KindReviewer, "VERDICT: PASS", "", VerdictPass, "", ""},
		{board.KindReviewer, "VERDICT: PASS", "QUESTION", "", "", `two different answers: VERDICT: PASS in the text, "QUESTION" beside it`},
		{board.KindReviewer, "VERDICT: PASS", "pass", "", "", "two different answers"},
		{board.KindReviewer, "I like it", "PASS", "", "", "no VERDICT"},
		{board.KindReviewer, "", "PASS", "", "", "empty"},
		{board.KindDeveloper, "STATUS: COMPLETE", "PASS", "", StatusComplete, ""},
	} {
		r := Parse(tc.kind, tc.text).Agree(tc.answer)
		if r.Verdict != tc.verdict || r.Status != tc.status || !strings.Contains(r.Why, tc.why) || (r.Why == "") != (tc.why == "") {
			t.Errorf("%q with %q: verdict %q, status %q, why %q", tc.text, tc.answer, r.Verdict, r.Status, r.Why)
		}
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text string
		want Status
		why  string
	}{
		"first line":                {text: "STATUS: COMPLETE\n\nWhat was done", want: StatusComplete},
		"last line":                 {text: "What was done\n\nSTATUS: INCOMPLETE\n", want: StatusIncomplete},
		"both, the same":            {text: "STATUS: COMPLETE\nx\nSTATUS: COMPLETE", want: StatusComplete},
		"fence before the first":    {text: "```\nlog\n```\nSTATUS: COMPLETE\nx", want: StatusComplete},
		"both, different":           {text: "STATUS: COMPLETE\nx\nSTATUS: INCOMPLETE", why: "two different"},
		"different in the middle":   {text: "STATUS: COMPLETE\nSTATUS: INCOMPLETE\nmore", why: "two different"},
		"different, one lower case": {text: "status: incomplete\nx\nSTATUS: COMPLETE", why: "two different"},
		"in the middle":             {text: "Hello\nSTATUS: COMPLETE\nBye", why: "elsewhere"},
		"quoted":                    {text: "> STATUS: COMPLETE", why: "quoted"},
		"fenced":                    {text: "x\n```\nSTATUS: COMPLETE\n```\ny", why: "code block"},
		"a verdict instead":         {text: "VERDICT: PASS", why: "no STATUS: COMPLETE|INCOMPLETE on the first or last line"},
		"nothing":                   {text: "", why: "empty"},
		"out of turns":              {text: "I will now run the tests", why: "no STATUS"},
	} {
		for _, kind := range []board.Kind{board.KindDeveloper, board.KindCleaner} {
			t.Run(name+"/"+string(kind), func(t *testing.T) {
				t.Parallel()
				got := Parse(kind, tc.text)
				if got.Status != tc.want || !strings.Contains(got.Why, tc.why) || (got.Status == StatusNone) != (got.Why != "") {
					t.Errorf("status %q, why %q; want %q, %q", got.Status, got.Why, tc.want, tc.why)
				}
				if got.Verdict != VerdictNone {
					t.Errorf("a %s's report has the verdict %q", kind, got.Verdict)
				}
			})
		}
	}
}

func TestParts(t *testing.T) {
	t.Parallel()
	full := strings.Join([]string{
		"STATUS: COMPLETE", "",
		"## What was done", "Added the thing.", "",
		"## Branch and pull request", "Branch `task/dsp-3-add-the-thing`, PR #7.", "",
		"## How to verify", "Run:", "```sh", "# not a heading", "go test ./...", "```", "",
		"## Follow-ups",
		"- The parser accepts", "  empty input.",
		"- [ ] Document it.", "1. Numbered.", "", "A paragraph.",
	}, "\n")
	for name, tc := range map[string]struct {
		text string
		want Report
	}{
		"everything": {text: full, want: Report{
			Status: StatusComplete, PR: "#7", Branch: "task/dsp-3-add-the-thing",
			HowToVerify: "Run:\n```sh\n# not a heading\ngo test ./...\n```",
			FollowUps:   []string{"The parser accepts empty input.", "Document it.", "Numbered.", "A paragraph."},
		}},
		"a URL wins": {text: "PR #3 is https://github.com/acme/widgets/pull/12.\nSTATUS: COMPLETE", want: Report{
			Status: StatusComplete, PR: "https://github.com/acme/widgets/pull/12",
		}},
		"a bare number is an issue": {text: "Fixes #480\nSTATUS: COMPLETE", want: Report{Status: StatusComplete}},
		"inline and emphasised": {text: "STATUS: COMPLETE\n**How to verify:** run it\n**Follow ups**\n* one\nSTATUS: COMPLETE", want: Report{
			Status: StatusComplete, HowToVerify: "run it", FollowUps: []string{"one"},
		}},
		"plain labels": {text: "STATUS: COMPLETE\nHow to verify: run it\ntwice\nFollow-ups: none", want: Report{
			Status: StatusComplete, HowToVerify: "run it\ntwice",
		}},
		"no follow-ups": {text: "STATUS: COMPLETE\n## Follow-ups\n- None.\n", want: Report{Status: StatusComplete}},
		"a branch in a sentence": {text: "It is on task/dsp-1-x.\nSTATUS: INCOMPLETE", want: Report{
			Status: StatusIncomplete, Branch: "task/dsp-1-x",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.want.Text = tc.text
			if diff := cmp.Diff(tc.want, Parse(board.KindDeveloper, tc.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestLong feeds a report far above what a comment takes (failure row 28):
// its parts stay bounded, by rune, and the text stays whole.
func TestLong(t *testing.T) {
	t.Parallel()
	text := "STATUS: COMPLETE\n## How to verify\n" + strings.Repeat("🚀", 70_000) + "\n## Follow-ups\n" +
		strings.Repeat("- "+strings.Repeat("ß", 3000)+"\n", 100)
	got := Parse(board.KindDeveloper, text)
	if got.Text != text || got.Status != StatusComplete {
		t.Error("the text is not whole")
	}
	if n := len([]rune(got.HowToVerify)); n != maxPartRunes || !strings.HasSuffix(got.HowToVerify, "🚀…") {
		t.Errorf("how to verify has %d runes", n)
	}
	if len(got.FollowUps) != maxFollowUps || len([]rune(got.FollowUps[0])) != maxEntryRunes {
		t.Errorf("%d follow-ups of %d runes", len(got.FollowUps), len([]rune(got.FollowUps[0])))
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"VERDICT: PASS", "```\nVERDICT: PASS\n```", "STATUS: COMPLETE\nx", "> VERDICT: PASS", "~~~\n", "## Follow-ups\n- a\n",
		"**How to verify**: x", "x\r\nVERDICT: QUESTION\r\n", "````\n```\n", "#", "**", "- ", "\xff\n```",
	} {
		f.Add(s)
	}
	for _, s := range recordedFinals(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, kind := range board.Kinds() {
			r := Parse(kind, s)
			if r.Text != s {
				t.Fatal("the text changed")
			}
			if (r.Status == StatusNone && r.Verdict == VerdictNone) != (r.Why != "") {
				t.Fatalf("status %q verdict %q why %q", r.Status, r.Verdict, r.Why)
			}
			if kind == board.KindReviewer {
				checkVerdict(t, s, r)
			}
			if len(r.FollowUps) > maxFollowUps {
				t.Fatal("too many follow-ups")
			}
		}
		// A verdict inside a fence never counts, whatever stands before it.
		plain := strings.NewReplacer("`", "", "~", "").Replace(s)
		fenced := "x\n" + plain + "\n```\nVERDICT: PASS\n```\n"
		if r := Parse(board.KindReviewer, fenced); r.Verdict == VerdictPass && !strings.Contains(plain, "VERDICT: PASS") {
			t.Fatalf("a fenced verdict counts in %q", fenced)
		}
	})
}

// recordedFinals are the final messages of all recordings of the real agent.
func recordedFinals(f *testing.F) []string {
	f.Helper()
	files, err := filepath.Glob(filepath.Join("..", "claude", "testdata", "transcripts", "*.jsonl"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no recordings: %v", err)
	}
	var finals []string
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			var r struct{ Type, Result string }
			if json.Unmarshal(line, &r) == nil && r.Type == "result" && len(r.Result) < 10_000 {
				finals = append(finals, r.Result)
			}
		}
	}
	return finals
}

// checkVerdict holds Parse to its promise by another way: a verdict that
// counts stands as a line of the text, and no other stands there outside of
// quotes, fences and other text.
func checkVerdict(t *testing.T, s string, r Report) {
	t.Helper()
	if r.Verdict == VerdictNone {
		return
	}
	found := false
	for l := range strings.SplitSeq(s, "\n") {
		found = found || strings.TrimRight(l, " \t\r") == "VERDICT: "+string(r.Verdict)
	}
	if !found {
		t.Fatalf("verdict %q is no line of %q", r.Verdict, s)
	}
}
