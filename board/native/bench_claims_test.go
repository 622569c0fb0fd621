package native_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/native"
)

const claimingDir = "NATIVE_TEST_CLAIMING_DIR"

// claimer claims one row of a board after the other, again and again: every
// second one, from the first or from the second on.
type claimer struct {
	policy *board.Policy
	id     string
	from   int
	n      int
}

func (c *claimer) next(ctx context.Context) error {
	ref := board.Ref(fmt.Sprint("DSP-", (2*c.n+c.from)%200+1))
	c.n++
	_, err := c.policy.Claim(ctx, ref, board.ClaimRequest{Kind: board.KindDeveloper, Session: fmt.Sprint(c.id, c.n), Steal: true})
	return err
}

// TestClaimingProcess is the other process of BenchmarkClaimTwoProcesses: it
// says when it has begun, claims until its input ends, and answers how many
// claims a second that were.
func TestClaimingProcess(t *testing.T) {
	dir := os.Getenv(claimingDir)
	if dir == "" {
		t.Skip("is started by a benchmark")
	}
	c := claimer{policy: claiming(t, native.Options{Dir: dir}), id: "child", from: 1}
	over := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // its end is all that counts
		close(over)
	}()
	for began := time.Now(); ; {
		if err := c.next(t.Context()); err != nil {
			t.Fatal(err)
		}
		if c.n == 1 {
			fmt.Println("begun")
		}
		select {
		case <-over:
			fmt.Printf("rate %g\n", float64(c.n)/time.Since(began).Seconds())
			return
		default:
		}
	}
}

func claiming(tb testing.TB, o native.Options) *board.Policy {
	tb.Helper()
	return board.NewPolicy(open(tb, o), board.Actor{Kind: board.ActorDispatcher}, board.PolicyOptions{})
}

// BenchmarkClaimTwoProcesses is BenchmarkClaim with another process that claims
// other rows of the same board all the while; claims/s counts both.
func BenchmarkClaimTwoProcesses(b *testing.B) {
	o := filled(b, 200)
	cmd := exec.CommandContext(b.Context(), os.Args[0], "-test.run=^TestClaimingProcess$")
	cmd.Env, cmd.Stderr = append(os.Environ(), claimingDir+"="+o.Dir), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	said := bufio.NewScanner(out)
	for said.Scan() && said.Text() != "begun" {
		continue
	}
	c := claimer{policy: claiming(b, o), id: "parent"}
	for b.Loop() {
		if err := c.next(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	mine := float64(b.N) / b.Elapsed().Seconds()
	_ = in.Close() // its wait tells whether it heard
	var other float64
	for said.Scan() {
		if rate, ok := strings.CutPrefix(said.Text(), "rate "); ok {
			if _, err := fmt.Sscan(rate, &other); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err != nil || other == 0 {
		b.Fatalf("the other process: %v, %g claims/s", err, other)
	}
	b.ReportMetric(mine+other, "claims/s")
}
