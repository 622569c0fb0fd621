package linear

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/backside4charter/dispatcher/board"
)

// fixesNumber is a line that names an issue of GitHub's own, from before the
// board was on Linear.
var fixesNumber = regexp.MustCompile(`(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\s*:?\s+#([1-9][0-9]{0,8})\b`)

// maxNamed is how many issues the words of a pull request may name, each way:
// whoever writes them must not use up the hour's requests with them.
const maxNamed = 20

// IssuesOf answers the rows that a pull request may belong to, by its link on
// them, by what it says it fixes, by their refs in its branch, title or body,
// or by the GitHub issue that its body names and that is linked to them
// (dispatcher-system.md, Review sync). Rows of other boards are none, and of
// many names the first count: the branch's, the title's, then the body's.
func (b *Board) IssuesOf(ctx context.Context, pr board.PullRequest) ([]board.Issue, error) {
	var refs []board.Ref
	add := func(s string) {
		if ref, err := b.ParseRef(s); err == nil && !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	urls := []string{pr.URL}
	if url, ok := PullURL(b.o.Repository, pr.Name, b.o.LocalPulls); ok && url != pr.URL {
		urls = append(urls, url) // a record of this machine has no URL but this
	}
	linked := len(urls)
	for _, m := range fixesNumber.FindAllStringSubmatch(pr.Body, -1) {
		url := "https://github.com/" + b.o.Repository + "/issues/" + m[1]
		if len(urls)-linked < maxNamed && !slices.Contains(urls, url) {
			urls = append(urls, url)
		}
	}
	for _, url := range urls {
		if url == "" {
			continue
		}
		var q struct {
			AttachmentsForURL struct {
				Nodes []struct{ Issue struct{ Identifier string } }
			} `graphql:"attachmentsForURL(url: $url, first: 50)"`
		}
		if err := b.client.query(ctx, toRead, &q, map[string]any{"url": text(url)}); err != nil {
			return nil, fmt.Errorf("look for the issues of %s: %w", board.OneLine(pr.Name), err)
		}
		for _, n := range q.AttachmentsForURL.Nodes {
			add(n.Issue.Identifier)
		}
	}
	named := regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(b.o.TeamKey) + `-[1-9][0-9]{0,8}\b`)
	known := len(refs)
	for _, s := range slices.Concat(named.FindAllString(pr.Head+"\n"+pr.Title, -1), fixed(pr), named.FindAllString(pr.Body, -1)) {
		if len(refs)-known == maxNamed {
			break
		}
		add(s)
	}
	var rows []board.Issue
	for _, ref := range refs {
		i, err := b.Issue(ctx, ref)
		if errors.Is(err, board.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, i)
	}
	return rows, nil
}

func fixed(pr board.PullRequest) []string {
	var refs []string
	for _, ref := range pr.Issues {
		refs = append(refs, string(ref))
	}
	return refs
}
