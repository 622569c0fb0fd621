package supervise

import (
	"os"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/workers"
	"github.com/backside4charter/dispatcher/workers/claude"
	"github.com/backside4charter/dispatcher/workers/command"
)

// A run whose output cannot be read says so, and is not one that said nothing,
// whichever language its agent speaks. Who was told how it ended needs no more.
func TestFinishOfAnOutputThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, agent := range map[string]workers.Agent{"tells": claude.Agent{}, "is closed": command.Agent{}} {
		folder := workers.OpenFolder(t.TempDir())
		if err := os.Mkdir(folder.TranscriptPath(), 0o700); err != nil { // which opens, and cannot be read
			t.Fatal(err)
		}
		s := &supervisor{folder: folder, agent: agent, follow: workers.NewFollower(folder.TranscriptPath()), course: newCourse("", 0)}
		x := s.finish(ended{})
		if !strings.HasPrefix(x.Problem, "the agent exited 0 without a result: its output cannot be read: ") {
			t.Errorf("%s: the problem is %q", name, x.Problem)
		}
		s.problem = "too much memory"
		if x := s.finish(ended{}); x.Problem != "too much memory" {
			t.Errorf("%s: the supervisor's own is %q", name, x.Problem)
		}
		s.problem = ""
		s.course.result(&workers.Result{Text: "done", Subtype: "success"})
		if x := s.finish(ended{}); x.Problem != "" || x.Final != "done" {
			t.Errorf("%s: with a result it is %+v", name, x)
		}
	}
}
