package linear

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/backside4charter/dispatcher/board"
)

// fixesNumber is a line that names an issue of GitHub's own, from before the
// board was on Linear.
var fixesNumber = regexp.MustCompile(`(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\s*:?\s+#([1-9][0-9]{0,8})\b`)

// maxNamed is how many issues the words of a pull request may name, each way:
// whoever writes them must not use up the hour's requests with them.
const maxNamed = 20

// IssuesOf answers the rows that a pull request belongs to, by its link on
// them, by their refs in its branch, title or body, or by the GitHub issue that
// its body names and that is linked to them (dispatcher-system.md, Review
// sync). Rows of other boards are none, and of many names the first count:
// the branch's, the title's, then the body's.
func (b *Board) IssuesOf(ctx context.Context, pr board.PullRequest) ([]board.Issue, error) {
	var refs []board.Ref
	add := func(s string) {
		if ref, err := b.ParseRef(s); err == nil && !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	urls := []string{pr.URL}
	for _, m := range fixesNumber.FindAllStringSubmatch(pr.Body, -1) {
		url := "https://github.com/" + b.o.Repository + "/issues/" + m[1]
		if len(urls) <= maxNamed && !slices.Contains(urls, url) {
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
			return nil, fmt.Errorf("look for the issues of %s: %w", oneLine(pr.Name), err)
		}
		for _, n := range q.AttachmentsForURL.Nodes {
			add(n.Issue.Identifier)
		}
	}
	named := regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(b.o.TeamKey) + `-[1-9][0-9]{0,8}\b`)
	linked := len(refs)
	for _, s := range named.FindAllString(strings.Join([]string{pr.Head, pr.Title, pr.Body}, "\n"), -1) {
		if len(refs)-linked == maxNamed {
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
