package issue

import (
	"fmt"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// Brief is an issue in short, to stand beside a list: title, where it stands,
// why, its boxes, at most h lines of w cells. It takes only the lines it needs.
func Brief(s *state.Snapshot, row *state.Row, w, h int, now time.Time, st *themes.Styles) []string {
	if row == nil || w <= 0 || h <= 0 {
		return nil
	}
	issue := &row.Issue
	worker, pull := present.LastWorker(s, issue.Ref), present.PullOf(s, issue.Ref)
	var out []string
	for _, l := range widget.Wrap(widget.Clean(string(issue.Ref)+" "+issue.Title), w) {
		out = append(out, widget.Line{}.Add(st.Title, l).Render(w, false, st))
		if len(out) == 2 {
			break
		}
	}
	where := []string{issue.Role.DefaultName()}
	if issue.Milestone != "" {
		where = append(where, widget.Clean(issue.Milestone))
	}
	if worker != nil && row.Run != "" {
		where = append(where, "try "+fmt.Sprint(max(worker.Run.Attempt, 1)))
	}
	if b := Boxes(issue.Body); b != "" {
		where = append(where, b)
	}
	out = append(out, widget.Line{}.Add(st.Muted, strings.Join(where, " · ")).Render(w, false, st))
	why := present.Describe(row, present.WorkerOf(s, row), pull, now, &st.Signs)
	for i, l := range widget.Wrap(why.Text, max(w-2, 1)) {
		sign := why.Sign + " "
		if i > 0 {
			sign = "  "
		}
		out = append(out, widget.Line{}.Add(st.Tone(why.Tone), sign).Add(st.Text, l).Render(w, false, st))
	}
	if worker != nil && row.Run != "" && worker.Run.Branch != "" {
		out = append(out, widget.Line{}.Add(st.Muted, "branch "+widget.Clean(worker.Run.Branch)).Render(w, false, st))
	}
	if len(out) > h {
		out = out[:h]
	}
	return out
}

// asked is what an issue asks its owner, in full; nothing if it asks nothing.
func asked(s *state.Snapshot, row *state.Row, w int, st *themes.Styles) []string {
	n := present.NeedOf(s, row.Issue.Ref)
	if n == nil || strings.TrimSpace(n.Text) == "" {
		return nil
	}
	return widget.Markdown(n.Text, w, st)
}

// askedUnder is the same under a heading that says what it is, and since when.
func askedUnder(s *state.Snapshot, row *state.Row, w int, now time.Time, st *themes.Styles) []string {
	text := asked(s, row, w, st)
	if len(text) == 0 {
		return nil
	}
	n := present.NeedOf(s, row.Issue.Ref)
	if !strings.Contains(strings.TrimSpace(n.Text), "\n") && widget.Width(n.Text) < w-12 && n.Kind != state.NeedQuestion {
		// One line says itself what it is.
		sign, tone := present.NeedSign(n.Kind, &st.Signs)
		line := widget.Line{}.Add(st.Tone(tone), sign+" ").Add(st.Text, widget.Clean(n.Text)).Add(st.Muted, ", "+widget.Since(n.Since, now))
		return []string{line.Render(w, false, st)}
	}
	sign, tone := present.NeedSign(n.Kind, &st.Signs)
	head := map[state.NeedKind]string{
		state.NeedQuestion: "asks you", state.NeedReview: "waits for your review",
		state.NeedConfirm: "waits for your word", state.NeedStale: "claim is stale",
	}[n.Kind]
	if head == "" {
		head = "needs you"
	}
	line := widget.Line{}.Add(st.Tone(tone), sign+" "+head)
	if age := widget.Since(n.Since, now); age != "" {
		line = line.Add(st.Muted, ", "+age)
	}
	return append([]string{line.Render(w, false, st)}, text...)
}

// repeats says whether a comment is what the issue asks, which stands above
// already.
func repeats(s *state.Snapshot, issue *board.Issue, comment string) bool {
	n := present.NeedOf(s, issue.Ref)
	return n != nil && strings.Contains(comment, strings.TrimSpace(n.Text))
}

// Below is Reading for the room below Brief, which has said already why the
// issue waits.
func Below(s *state.Snapshot, row *state.Row, w, h int, now time.Time, st *themes.Styles) []string {
	if row == nil || w <= 0 || h <= 0 {
		return nil
	}
	text := asked(s, row, w, st)
	why := present.Describe(row, present.WorkerOf(s, row), present.PullOf(s, row.Issue.Ref), now, &st.Signs).Text
	if n := present.NeedOf(s, row.Issue.Ref); n != nil && strings.Contains(widget.Clean(why), widget.Clean(strings.TrimSpace(n.Text))) {
		text = nil
	}
	return reading(s, row, text, w, h, now, st)
}

// Reading is an issue to read, when no worker is to be watched: what it asks,
// its description, and the last comment.
func Reading(s *state.Snapshot, row *state.Row, w, h int, now time.Time, st *themes.Styles) []string {
	if row == nil || w <= 0 || h <= 0 {
		return nil
	}
	return reading(s, row, asked(s, row, w, st), w, h, now, st)
}

func reading(s *state.Snapshot, row *state.Row, out []string, w, h int, now time.Time, st *themes.Styles) []string {
	if len(out) > 0 {
		out = append(out, widget.Blank(w, 1)...)
	}
	out = append(out, description(&row.Issue, w, st)...)
	if n := len(row.Issue.Comments); n > 0 && !repeats(s, &row.Issue, row.Issue.Comments[n-1].Body) {
		last := comment(&row.Issue.Comments[n-1], w, now, st)
		last = last[:len(last)-1]
		if len(out)+1+len(last) > h {
			out = out[:max(min(len(out), h-1-len(last)), min(len(out), h/3))]
		}
		out = append(append(out, widget.Blank(w, 1)...), last...)
	}
	return widget.Fill(out, w, h)
}
