package tui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/loop/state"
)

// contactMsg says that contact with a loop in another process is lost, or back.
type contactMsg state.Contact

// contacts waits for the next word on the contact.
func (m *Model) contacts() tea.Cmd {
	ctx, ch := m.ctx, m.opts.Contacts
	if ch == nil {
		return nil
	}
	return func() tea.Msg {
		select {
		case c, open := <-ch:
			if open {
				return contactMsg(c)
			}
		case <-ctx.Done():
		}
		return nil
	}
}

// onContact keeps the last picture while there is no contact; what acts says no.
func (m *Model) onContact(c contactMsg) tea.Cmd {
	m.contact = state.Contact(c)
	m.lost, m.lostAt = !m.contact.Lost.IsZero(), m.contact.Lost
	m.dirty = true
	return m.contacts()
}

// againText says when it is tried again.
func (m *Model) againText(now time.Time) string {
	if wait := m.contact.Again.Sub(now); wait > 0 {
		return fmt.Sprintf(", again in %d s", int((wait+time.Second-1)/time.Second))
	}
	return ", trying now"
}
