package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/git"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/workers/prompt"
)

// promptDir is where a repository's own prompts lie, in the main checkout.
var promptDir = filepath.Join(".dispatcher", "prompts")

// prompter gathers what a prompt says and renders it.
type prompter struct {
	cfg  *live
	repo Repo
	// landing is what a merge of its base brings to a pull request.
	landing func(ctx context.Context, name string, limit int) ([]git.Commit, []string, error)
}

var _ loop.Prompts = (*prompter)(nil)

func (p *prompter) Prompt(ctx context.Context, r loop.PromptRequest) (state.RunSpec, error) {
	set, err := p.set()
	if err != nil {
		return state.RunSpec{}, err
	}
	nonce := strings.ReplaceAll(uuid.NewString(), "-", "")
	spec := state.RunSpec{Dir: p.repo.Root}
	if spec.Role, err = set.RoleText(r.Run.Kind); err != nil {
		return state.RunSpec{}, err
	}
	task := p.task(r, nonce)
	switch r.Run.Kind {
	case board.KindDeveloper:
		spec.Dir = r.Run.Worktree
		spec.Prompt, err = set.Developer(prompt.DeveloperInput{
			Task: task, Branch: r.Run.Branch, Worktree: r.Run.Worktree, Existing: !r.Run.Fresh,
			OwnerRequests: r.Requests, Findings: reviews(r.PR, true),
		})
	case board.KindReviewer:
		spec.Prompt, err = set.Reviewer(prompt.ReviewerInput{Task: task, Prior: reviews(r.PR, true), MergeScoped: r.MergeScoped, HowToVerify: howToVerify(&r.Issue)})
	case board.KindCleaner:
		spec.Dir = r.Run.Worktree
		var in prompt.CleanerInput
		if in, err = p.cleaner(ctx, task, r); err == nil {
			spec.Prompt, err = set.Cleaner(in)
		}
	}
	if err != nil {
		return state.RunSpec{}, err
	}
	return spec, nil
}

func (p *prompter) task(r loop.PromptRequest, nonce string) prompt.Task {
	t := prompt.Task{
		Issue: r.Issue, PR: openPull(r.PR), DefaultBranch: p.repo.Base, Remote: p.repo.Remote,
		OnGitHub: p.cfg.now().Pulls.Kind == "github", UI: r.Issue.HasLabel(p.cfg.now().Labels().UI),
		Attempt: r.Run.Attempt, Resume: r.Run.Resume, Lost: r.Run.Resume && r.Made, HandedBack: r.Run.HandedBack, Failure: r.Run.Failure, Nonce: nonce,
	}
	if q, a, ok := board.AnswerTo(&r.Issue); ok {
		t.Question, t.Answer = board.WithoutMark(q.Body), a.Body
	}
	if trusted := p.cfg.now().Trust.Authors; len(trusted) > 0 {
		t.Trusted = func(author string) bool { return slices.Contains(trusted, author) }
	}
	return t
}

func openPull(pr *board.PullRequest) *board.PullRequest {
	if pr == nil || pr.State != board.PullOpen {
		return nil
	}
	return pr
}

// reviews are the reviews by our agents, or by people.
func reviews(pr *board.PullRequest, byAgents bool) []board.Review {
	if pr == nil {
		return nil
	}
	var out []board.Review
	for _, r := range pr.Reviews {
		if r.Bot == byAgents {
			out = append(out, r)
		}
	}
	return out
}

// howToVerify is what the loop wrote when the developer's work was verified.
func howToVerify(i *board.Issue) string {
	for _, c := range slices.Backward(i.Comments) {
		if c.Role != board.ActorDispatcher {
			continue
		}
		if _, text, ok := strings.Cut(board.WithoutMark(c.Body), "How to verify: "); ok {
			return strings.TrimSpace(text)
		}
	}
	return ""
}

// set is the prompts, with the repository's own in the place of ours.
func (p *prompter) set() (*prompt.Set, error) {
	overrides := map[string]string{}
	for _, name := range prompt.Names() {
		path := filepath.Join(p.repo.Root, promptDir, name)
		text, err := os.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, fmt.Errorf("read the prompt %s: %w", path, err)
		default:
			overrides[name] = string(text)
		}
	}
	return prompt.New(overrides)
}
