package linear

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

var uuid4 = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// fresh is the id of something new: the client's own, which must be a new
// version 4 UUID, or one of ours.
func (m *writer) fresh(entity string, input map[string]any, taken func(string) bool) (string, error) {
	id, _ := input["id"].(string)
	switch {
	case id == "":
		return m.d.newID(), nil
	case !uuid4.MatchString(id):
		return "", invalid("Argument Validation Error", "id must be a UUID.")
	case taken(id):
		return "", invalid("conflict on insert of "+entity, "Entity "+entity+" with id "+id+" already exists.")
	}
	return id, nil
}

func (m *writer) body(input map[string]any) (string, error) {
	body, _ := input["body"].(string)
	if strings.TrimSpace(body) == "" {
		return "", invalid("Argument Validation Error", "body must not be empty.")
	}
	if n := len([]rune(body)); n > maxComment {
		return "", invalid("Argument Validation Error", fmt.Sprintf("body must be shorter than or equal to %d characters, it has %d.", maxComment, n))
	}
	return body, nil
}

func (m *writer) commentCreate(input map[string]any) (any, error) {
	ref, _ := input["issueId"].(string)
	i, err := m.find(ref)
	if err != nil {
		return nil, err
	}
	body, err := m.body(input)
	if err != nil {
		return nil, err
	}
	id, err := m.fresh("Comment", input, func(id string) bool { return m.d.comment(id) != nil })
	if err != nil {
		return nil, err
	}
	at := m.w.now()
	c := &Comment{ID: id, Issue: i.ID, Body: body, User: m.me.ID, Created: at, Updated: at}
	m.d.Comments = append(m.d.Comments, c)
	m.touch(i, at)
	return m.payload("comment", m.comment(c)), nil
}

// touch lets a comment or an attachment move its issue's updatedAt, where the
// workspace does.
func (m *writer) touch(i *Issue, at time.Time) {
	if !m.o.QuietComments {
		i.Updated = at
	}
}

func (m *writer) ownComment(id string) (*Comment, *Issue, error) {
	c := m.d.comment(id)
	if c == nil {
		return nil, nil, notFound("Comment")
	}
	i, err := m.find(c.Issue)
	if err != nil {
		return nil, nil, err
	}
	if c.User != m.me.ID {
		return nil, nil, forbidden("You can only change your own comments.")
	}
	return c, i, nil
}

func (m *writer) commentUpdate(id string, input map[string]any) (any, error) {
	c, i, err := m.ownComment(id)
	if err != nil {
		return nil, err
	}
	if c.Body, err = m.body(input); err != nil {
		return nil, err
	}
	c.Updated = m.w.now()
	m.touch(i, c.Updated)
	return m.payload("comment", m.comment(c)), nil
}

func (m *writer) commentDelete(id string) (any, error) {
	c, i, err := m.ownComment(id)
	if err != nil {
		return nil, err
	}
	m.d.Comments = slices.DeleteFunc(m.d.Comments, func(o *Comment) bool { return o == c })
	m.touch(i, m.w.now())
	return m.payload("entityId", id), nil
}

// attach links a URL; the same URL on the same issue is the same attachment.
func (m *writer) attach(input map[string]any, source string) (any, error) {
	ref, _ := input["issueId"].(string)
	i, err := m.find(ref)
	if err != nil {
		return nil, err
	}
	url, _ := input["url"].(string)
	if !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://") {
		return nil, invalid("Argument Validation Error", "url must be a URL.")
	}
	at := m.w.now()
	n := slices.IndexFunc(m.d.Attachments, func(a *Attachment) bool { return a.Issue == i.ID && a.URL == url })
	if n < 0 {
		id, err := m.fresh("Attachment", input, func(id string) bool { return m.d.attachment(id) != nil })
		if err != nil {
			return nil, err
		}
		n = len(m.d.Attachments)
		m.d.Attachments = append(m.d.Attachments, &Attachment{ID: id, Issue: i.ID, URL: url, Created: at})
	}
	a := m.d.Attachments[n]
	a.Updated, a.Source = at, source
	if title, ok := input["title"].(string); ok {
		a.Title = title
	}
	m.touch(i, at)
	return m.payload("attachment", m.attachment(a)), nil
}
