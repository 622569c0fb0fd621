package drafts

import "testing"

func TestBook(t *testing.T) {
	t.Parallel()
	b := New(map[string]string{"answer ACM-7": "1", "steer r1": "  "})
	if b.Len() != 1 || b.Get(Answer, "ACM-7") != "1" {
		t.Fatalf("kept: %v", b.All())
	}
	v := b.Version()
	b.Set(Answer, "ACM-7", "1")
	if b.Version() != v {
		t.Error("the same text is a change")
	}
	b.Set(Request, "#41", "see line 3\nand 4")
	if b.Version() == v {
		t.Error("a new text is no change")
	}
	again := New(b.All())
	if again.Get(Request, "#41") != "see line 3\nand 4" || again.Get(Reply, "#41") != "" {
		t.Errorf("again: %v", again.All())
	}
	b.Set(Request, "#41", " \n")
	if b.Len() != 1 || again.Len() != 2 {
		t.Errorf("an empty draft stays, or a copy is none: %v, %v", b.All(), again.All())
	}
}

func TestDraftsByName(t *testing.T) {
	t.Parallel()
	b := New(nil)
	b.Put(ID(Deny, "req 1"), "too early")
	if b.Get(Deny, "req 1") != "too early" || b.Text(ID(Deny, "req 1")) != "too early" {
		t.Fatalf("by name: %v", b.All())
	}
}
