package github

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Hook is where a repository's deliveries go.
type Hook struct {
	URL, Secret string
	Events      []string // their names; none is all
}

// Delivery is one event, as it is told to hooks.
type Delivery struct {
	ID, Event, Action string
	Repo              string // owner/name
	Body              []byte
}

// Sent is a delivery to a hook, and how that answered; 0 where it did not.
type Sent struct {
	Delivery
	URL  string
	Code int
}

// AddHook has deliveries of a repository sent.
func (s *Server) AddHook(repo string, h Hook) error {
	return s.change(func() error {
		s.repos[repo].hooks = append(s.repos[repo].hooks, h)
		return nil
	})
}

// Sent are the deliveries so far, once all that is under way has arrived.
func (s *Server) Sent() []Sent {
	s.telling.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.sent)
}

// told says whether anybody is told of the repository's events.
func (s *Server) told(r *Repo) bool { return s.o.Notify != nil || len(r.hooks) > 0 }

// emit has an event told. The lock is held.
func (s *Server) emit(r *Repo, event, action, by string, more map[string]any) {
	if !s.told(r) {
		return
	}
	full := r.Owner + "/" + r.Name
	body := map[string]any{
		"action": action, "sender": s.userJSON(by), "organization": map[string]any{"login": r.Owner},
		"repository": map[string]any{
			"node_id": "R_" + full, "name": r.Name, "full_name": full, "private": !r.Public, "default_branch": r.Default,
			"html_url": s.web() + "/" + full, "owner": map[string]any{"login": r.Owner, "type": "Organization"},
		},
	}
	maps.Copy(body, more)
	text, err := json.Marshal(body)
	if err != nil {
		panic("github: a delivery that is no JSON: " + err.Error())
	}
	s.deliveries++
	s.outbox = append(s.outbox, Delivery{
		ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", s.deliveries), Event: event, Action: action, Repo: full, Body: text,
	})
}

func (s *Server) emitPull(r *Repo, p *Pull, action, by string, more map[string]any) {
	if !s.told(r) {
		return
	}
	v := s.pullJSON(r, p)
	v["mergeable"] = nil // not known yet when it is told
	all := map[string]any{"number": p.Number, "pull_request": v}
	maps.Copy(all, more)
	s.emit(r, "pull_request", action, by, all)
}

// emitReview tells of a review. Its pull request is told in short, and the
// state in lower case.
func (s *Server) emitReview(r *Repo, p *Pull, v *Review) {
	if !s.told(r) {
		return
	}
	short, review := s.pullJSON(r, p), s.reviewJSON(v)
	delete(short, "merged")
	if _, is := short["merged_at"]; !is {
		short["merged_at"] = nil
	}
	review["state"] = strings.ToLower(v.State)
	s.emit(r, "pull_request_review", "submitted", v.Author, map[string]any{"review": review, "pull_request": short})
}

func (s *Server) emitIssue(r *Repo, i *Issue, action, by string, more map[string]any) {
	all := map[string]any{"issue": s.issueJSON(r, i)}
	maps.Copy(all, more)
	event := "issues"
	if more["comment"] != nil {
		event = "issue_comment"
	}
	s.emit(r, event, action, by, all)
}

func (s *Server) issueJSON(r *Repo, i *Issue) map[string]any {
	state, labels, people := "open", []any{}, []any{}
	if i.Closed {
		state = "closed"
	}
	for _, l := range i.Labels {
		labels = append(labels, map[string]any{"name": l})
	}
	for _, a := range i.Assignees {
		people = append(people, s.userJSON(a))
	}
	v := map[string]any{
		"number": i.Number, "node_id": issueID(r, i.Number), "title": i.Title, "body": i.Body, "state": state, "user": s.userJSON(i.Author),
		"labels": labels, "assignees": people, "comments": len(i.Comments), "milestone": nil,
		"created_at": stamp(i.Created), "updated_at": stamp(i.Updated),
		"html_url": fmt.Sprintf("%s/%s/%s/issues/%d", s.web(), r.Owner, r.Name, i.Number),
	}
	if i.Milestone != "" {
		v["milestone"] = map[string]any{"title": i.Milestone, "number": slices.Index(r.milestones, i.Milestone) + 1}
	}
	return v
}

func (s *Server) commentJSON(c *Comment) map[string]any {
	return map[string]any{"id": c.ID, "body": c.Body, "user": s.userJSON(c.Author), "created_at": stamp(c.At), "author_association": association(c.Author)}
}

// pushed tells of open pull requests whose branch has moved. The lock is held.
func (s *Server) pushed(r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/git-receive-pack") {
		return
	}
	_, token, _ := r.BasicAuth()
	for name, repo := range s.repos {
		if strings.HasPrefix(r.URL.Path, "/git/"+name+".git/") {
			s.headsMoved(repo, s.tokens[token].login())
		}
	}
}

func (s *Server) headsMoved(r *Repo, by string) {
	if !s.told(r) {
		return
	}
	for _, p := range r.pulls {
		head := r.head(p)
		if p.State == "open" && p.Told != "" && p.Told != head {
			s.emitPull(r, p, "synchronize", by, map[string]any{"before": p.Told, "after": head})
		}
		p.Told = head
	}
}

// tell sends what there is to tell, one after another.
func (s *Server) tell() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.outbox) == 0 || s.sending {
		return
	}
	s.sending = true
	s.telling.Go(func() {
		for {
			s.mu.Lock()
			if len(s.outbox) == 0 {
				s.sending = false
				s.mu.Unlock()
				return
			}
			d := s.outbox[0]
			s.outbox = s.outbox[1:]
			var hooks []Hook
			if r := s.repos[d.Repo]; r != nil {
				hooks = slices.Clone(r.hooks)
			}
			s.mu.Unlock()
			s.deliver(d, hooks)
		}
	})
}

func (s *Server) deliver(d Delivery, hooks []Hook) {
	if s.o.Notify != nil {
		s.o.Notify(d)
	}
	for _, h := range hooks {
		if len(h.Events) > 0 && !slices.Contains(h.Events, d.Event) {
			continue
		}
		sent := Sent{Delivery: d, URL: h.URL, Code: h.send(d)}
		s.mu.Lock()
		s.sent = append(s.sent, sent)
		s.mu.Unlock()
	}
}

// hookPatience is how long a hook may take to answer.
const hookPatience = 10 * time.Second

// send posts a delivery, signed; one that fails is not sent again.
func (h *Hook) send(d Delivery) int {
	req, err := http.NewRequestWithContext(bg(), http.MethodPost, h.URL, bytes.NewReader(d.Body))
	if err != nil {
		return 0
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "GitHub-Hookshot/fake")
	req.Header.Set("X-Github-Event", d.Event)
	req.Header.Set("X-Github-Delivery", d.ID)
	if h.Secret != "" {
		req.Header.Set("X-Hub-Signature-256", Signature(h.Secret, d.Body))
	}
	resp, err := (&http.Client{Timeout: hookPatience}).Do(req)
	if err != nil {
		return 0
	}
	_ = resp.Body.Close() // nothing in it is for us
	return resp.StatusCode
}

// Signature is what GitHub signs a delivery with.
func Signature(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write(body) // a hash takes everything
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}
