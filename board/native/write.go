package native

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/statefile"
)

// errSame ends a change that would change nothing: not an error.
var errSame = errors.New("nothing to change")

// change is one write to one issue, under way.
type change struct {
	r      *record
	m      *meta
	by     board.Actor
	kind   string         // event type; empty writes no event and keeps rev
	fields map[string]any // of the event
	claim  bool           // nothing but a claim is written
}

// update reads an issue under its lock, lets fn change it, and writes it back:
// file first, then the event. what names the write in an error.
func (b *Board) update(ctx context.Context, by board.Actor, ref board.Ref, what string, fn func(c *change) error) error {
	canonical, err := b.canonical(ref)
	if err == nil {
		err = b.fencedOut(by, canonical)
	}
	if err == nil {
		// An issue that does not exist gets no lock file.
		_, err = os.Lstat(b.issuePath(canonical))
		if errors.Is(err, os.ErrNotExist) {
			err = fmt.Errorf("%w: there is no issue %s", board.ErrNotFound, canonical)
		}
	}
	if err == nil {
		err = b.withOwnLock(ctx, by, canonical, func() error {
			return b.locked(ctx, string(canonical)+".lock", func() error { return b.updateLocked(ctx, by, canonical, fn) })
		})
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", what, ref, err)
	}
	return nil
}

// withOwnLock holds the worker's own issue too while it writes to a sub-issue:
// the fence is the own issue's epoch.
func (b *Board) withOwnLock(ctx context.Context, by board.Actor, ref board.Ref, fn func() error) error {
	own, err := b.canonical(by.Ref)
	if !by.Worker() || err != nil || own == ref {
		return fn()
	}
	return b.locked(ctx, string(own)+".lock", func() error {
		if err := b.fencedOut(by, ref); err != nil {
			return err
		}
		return fn()
	})
}

// fencedOut refuses a worker whose own issue has moved on to another run, and
// any other actor that says under which epoch it writes (design.md, section 6,
// Fence).
func (b *Board) fencedOut(by board.Actor, ref board.Ref) error {
	if !by.Worker() && by.Epoch == 0 {
		return nil
	}
	own := ref
	if by.Ref != "" {
		var err error
		if own, err = b.canonical(by.Ref); err != nil {
			return err
		}
	}
	r, err := b.readRecord(own)
	if err != nil {
		return err
	}
	if r.Epoch != by.Epoch || by.Run != "" && r.LastRun != "" && r.LastRun != by.Run {
		return fmt.Errorf("%w: another run has taken %s over (epoch %d, this run's is %d); stop here", board.ErrClaimConflict, own, r.Epoch, by.Epoch)
	}
	return nil
}

func (b *Board) updateLocked(ctx context.Context, by board.Actor, ref board.Ref, fn func(c *change) error) error {
	m, err := b.readMeta()
	if err != nil {
		return err
	}
	r, err := b.readRecord(ref)
	if err != nil {
		return err
	}
	if err := b.fencedOut(by, ref); err != nil {
		return err
	}
	log := b.openLogged(ref)
	defer log.close()
	known, ok := log.read()
	if !ok {
		known = logged{rev: r.Rev, epoch: r.Epoch}
	}
	r.Epoch = max(r.Epoch, known.epoch)
	events := missing(r, known)
	r.Rev = max(r.Rev, known.rev)
	if r.handEdited {
		r.Rev++
		events = append(events, Event{At: r.Moved.At, Type: "hand-edit", Ref: ref, Rev: r.Rev, Actor: board.ActorOwner})
	}
	c := &change{r: r, m: &m, by: by}
	if err := fn(c); err != nil {
		if errors.Is(err, errSame) {
			return nil
		}
		return err
	}
	return b.save(ctx, c, log, events)
}

// missing are the events of changes that reached the disk without one.
func missing(r *record, known logged) []Event {
	var events []Event
	for rev := known.rev + 1; rev <= r.Rev && !r.handEdited; rev++ {
		events = append(events, Event{At: r.UpdatedAt, Type: "edit", Ref: r.Ref, Rev: rev, Filled: true})
	}
	return events
}

// save writes the changed record and then its events. Once the file is
// written the change has happened: an event that cannot be appended is filled
// in by the next write.
func (b *Board) save(ctx context.Context, c *change, log loggedFile, events []Event) error {
	r := c.r
	if c.kind != "" {
		r.Rev++
		r.UpdatedAt = b.now()
		events = append(events, c.event())
	}
	r.handEdited = false
	data, err := r.encode()
	if err != nil {
		return err
	}
	if err := c.write(b.issuePath(r.Ref), data); err != nil {
		return err
	}
	if len(events) == 0 {
		return nil
	}
	if err := b.logEvents(context.WithoutCancel(ctx), events); err == nil {
		log.write(logged{rev: r.Rev, epoch: r.Epoch})
	}
	return nil
}

// write replaces the issue's file. A claim needs no sync of the folder: the
// power cut that could undo it ends its worker too.
func (c *change) write(path string, data []byte) error {
	if c.claim {
		return statefile.ReplaceFile(path, data, 0o644)
	}
	return writeIssue(path, data)
}

// writeIssue replaces an issue's file. A write that may not survive a power
// cut has happened all the same, and says so.
func writeIssue(path string, data []byte) error {
	err := statefile.WriteAtomic(path, data, 0o644)
	if errors.Is(err, statefile.ErrUnsynced) {
		return fmt.Errorf("%w: %w", board.ErrUnknownOutcome, err)
	}
	return err
}

func (c *change) event() Event {
	return Event{
		At: c.r.UpdatedAt, Type: c.kind, Ref: c.r.Ref, Rev: c.r.Rev,
		Actor: c.by.Kind, Name: c.by.Name, Run: c.by.Run, Fields: c.fields,
	}
}

// did names the change for its event; pairs are keys and values.
func (c *change) did(kind string, pairs ...any) {
	c.kind = kind
	for n := 0; n+1 < len(pairs); n += 2 {
		if c.fields == nil {
			c.fields = map[string]any{}
		}
		c.fields[fmt.Sprint(pairs[n])] = pairs[n+1]
	}
}

// SetState moves a row to a column, named in any case.
func (b *Board) SetState(ctx context.Context, by board.Actor, ref board.Ref, state string, from board.Role) error {
	return b.update(ctx, by, ref, "move", func(c *change) error {
		to, ok := c.m.columnNamed(state)
		if !ok {
			return fmt.Errorf("%w: the board has no state %q", board.ErrNotFound, state)
		}
		was := c.m.column(c.r.State)
		if from != board.RoleNone && was.Role != from {
			return fmt.Errorf("%w: it is in %s", board.ErrChanged, was.Name)
		}
		if was.id() == to.id() {
			return errSame
		}
		c.r.State = to.id()
		c.r.Moved = moved{From: was.id(), To: to.id(), At: b.now(), By: by.Kind}
		c.did("state", "from", was.id(), "to", to.id())
		return nil
	})
}

// Comment adds a comment; comments are never changed or removed.
func (b *Board) Comment(ctx context.Context, by board.Actor, ref board.Ref, as board.ActorKind, body string) (board.Comment, error) {
	var made board.Comment
	err := b.update(ctx, by, ref, "comment on", func(c *change) error {
		made = board.Comment{
			ID: "c" + strconv.Itoa(len(c.r.Comments)+1), Role: as, Author: by.Name, Body: body, At: b.now(), Run: by.Run,
		}
		c.r.Comments = append(c.r.Comments, made)
		c.did("comment", "id", made.ID, "role", as)
		return nil
	})
	return made, err
}

// Label adds a label that the board knows, or removes one.
func (b *Board) Label(ctx context.Context, by board.Actor, ref board.Ref, name string, add bool) error {
	what := "take label " + strconv.Quote(name) + " from"
	if add {
		what = "put label " + strconv.Quote(name) + " on"
	}
	return b.update(ctx, by, ref, what, func(c *change) error {
		same := func(l string) bool { return strings.EqualFold(l, name) }
		has := slices.ContainsFunc(c.r.Labels, same)
		if has == add {
			return errSame
		}
		if !add {
			c.r.Labels = slices.DeleteFunc(c.r.Labels, same)
			c.did("label", "removed", name)
			return nil
		}
		known := slices.IndexFunc(c.m.Labels, same)
		if known < 0 {
			return fmt.Errorf("%w: the board has no label %q; it has %s", board.ErrNotFound, name, listOf(c.m.Labels))
		}
		c.r.Labels = append(c.r.Labels, c.m.Labels[known])
		c.did("label", "added", c.m.Labels[known])
		return nil
	})
}

func listOf(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// LinkPR attaches a pull request by name or URL.
func (b *Board) LinkPR(ctx context.Context, by board.Actor, ref board.Ref, pr string) error {
	return b.update(ctx, by, ref, "link a pull request to", func(c *change) error {
		pr = strings.Join(strings.Fields(pr), " ")
		if pr == "" {
			return fmt.Errorf("%w: no pull request named", board.ErrForbidden)
		}
		if slices.ContainsFunc(c.r.PRs, func(p string) bool { return strings.EqualFold(p, pr) }) {
			return errSame
		}
		c.r.PRs = append(c.r.PRs, pr)
		c.did("link", "pr", pr)
		return nil
	})
}

// Tick sets or clears a checkbox of the description.
func (b *Board) Tick(ctx context.Context, by board.Actor, ref board.Ref, box board.Box) error {
	return b.update(ctx, by, ref, "tick a box of", func(c *change) error {
		body, err := board.Tick(c.r.Body, box)
		if err != nil {
			return err
		}
		if body == c.r.Body {
			return errSame
		}
		c.r.Body = body
		c.did("tick", "n", box.N, "text", box.Text, "set", box.Set)
		return nil
	})
}
