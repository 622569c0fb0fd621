package linear

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/shurcooL/graphql"

	"github.com/backside4charter/dispatcher/board"
)

// attach links a URL to an issue: as a pull request where the workspace knows
// GitHub, else as a plain link. The URL is the attachment's key, so that a link
// whose answer was lost may be sent again.
func (b *Board) attach(ctx context.Context, r *row, url string) error {
	attached := func() (bool, error) {
		now, _, err := b.read(ctx, r.ID)
		return err == nil && slices.Contains(now.links, url), err
	}
	vars := map[string]any{"id": text(r.ID), "url": text(url)}
	if strings.HasPrefix(url, "https://github.com/") && githubPull().MatchString(url) {
		err := b.once(ctx, func() error {
			var m struct {
				AttachmentLinkGitHubPR payload `graphql:"attachmentLinkGitHubPR(issueId: $id, url: $url)"`
			}
			err := b.client.mutate(ctx, &m, vars)
			return m.AttachmentLinkGitHubPR.confirmed(err)
		}, attached)
		if _, refused := errors.AsType[*RefusedError](err); !refused {
			return err
		}
	}
	if name, ok := b.pullName(url); ok {
		vars["title"] = text("Pull request " + name)
	} else {
		vars["title"] = text(url)
	}
	return b.once(ctx, func() error {
		var m struct {
			AttachmentLinkURL payload `graphql:"attachmentLinkURL(issueId: $id, url: $url, title: $title)"`
		}
		err := b.client.mutate(ctx, &m, vars)
		return m.AttachmentLinkURL.confirmed(err)
	}, attached)
}

// labelWire is one label that the team's issues may carry.
type labelWire struct {
	ID      string
	Name    string
	IsGroup bool
	Parent  *struct{ Name string }
}

func (l *labelWire) full() string {
	if l.Parent == nil {
		return l.Name
	}
	return l.Parent.Name + "/" + l.Name
}

// labelID finds a label by its name, with or without its group. A group itself
// is no label.
func (b *Board) labelID(ctx context.Context, name, group, leaf string, grouped bool) (string, error) {
	all, err := b.labels(ctx)
	if err != nil {
		return "", err
	}
	var found []labelWire
	var names []string
	for _, l := range all {
		if l.IsGroup {
			if equalFold(l.Name, name) {
				return "", fmt.Errorf("%w: %q is a group of labels; name one of its labels", board.ErrNotFound, board.OneLine(l.Name))
			}
			continue
		}
		names = append(names, l.full())
		if equalFold(l.Name, name) || grouped && l.Parent != nil && equalFold(l.Parent.Name, group) && equalFold(l.Name, leaf) {
			found = append(found, l)
		}
	}
	switch len(found) {
	case 1:
		return found[0].ID, nil
	case 0:
		return "", fmt.Errorf("%w: the board has no label %q; it has %s", board.ErrNotFound, name, someOf(name, names))
	}
	names = nil
	for _, l := range found {
		names = append(names, board.OneLine(l.full()))
	}
	return "", fmt.Errorf("%w: %q may be %s; name it with its group", board.ErrNotFound, name, strings.Join(names, " or "))
}

// labels are the team's own and the workspace's.
func (b *Board) labels(ctx context.Context) ([]labelWire, error) {
	vars := map[string]any{"labels": IssueLabelFilter{"or": []any{
		map[string]any{"team": map[string]any{"id": eq(b.o.TeamID)}},
		map[string]any{"team": map[string]any{"null": true}},
	}}, "after": (*graphql.String)(nil)}
	var all []labelWire
	for {
		var q struct {
			IssueLabels struct {
				Nodes    []labelWire
				PageInfo pageInfo
			} `graphql:"issueLabels(filter: $labels, first: 100, after: $after)"`
		}
		if err := b.client.query(ctx, toRead, &q, vars); err != nil {
			return nil, fmt.Errorf("list the labels: %w", err)
		}
		all = append(all, q.IssueLabels.Nodes...)
		page := q.IssueLabels.PageInfo
		if !page.more() {
			return all, nil
		}
		vars["after"] = cursorVar(page.EndCursor)
	}
}
