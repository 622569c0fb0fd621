package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/loop/state"
)

// While its loop is away an attached room keeps the last picture, says since
// when and until when, and takes the loop up again.
func TestContactIsLostAndBack(t *testing.T) {
	t.Parallel()
	s := newStub()
	m := newModel(t.Context(), Options{Controller: s, Now: func() time.Time { return noon }, Attached: true, Contacts: make(chan state.Contact)})
	m.resize(120, 40)
	m.onSnapshot(snapshotMsg{snap: sample(), open: true, at: noon})
	m.onContact(contactMsg{Lost: ago(12 * time.Second), Again: noon.Add(3 * time.Second)})
	if got := screen(m); !strings.Contains(got, "no contact for 0:12") || !strings.Contains(got, "again in 3 s; workers go on") {
		t.Errorf("without contact it shows\n%s", got)
	}
	m.onContact(contactMsg{})
	if got := screen(m); strings.Contains(got, "no contact") {
		t.Errorf("with contact again it shows\n%s", got)
	}
}
