package linear

import (
	"context"
	"errors"
	"slices"
	"strings"
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
