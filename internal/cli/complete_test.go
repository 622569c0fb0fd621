package cli

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/app"
)

func fixed(words ...cobra.Completion) choices {
	return func(context.Context, *app.Factory) []cobra.Completion { return words }
}

func TestCompletingByPosition(t *testing.T) {
	t.Parallel()
	first, rest := fixed("DSP-1\tOne", "DSP-2\tTwo"), fixed("m1", "m2", "m3")
	for _, tt := range []struct {
		name     string
		complete cobra.CompletionFunc
		args     []string
		want     []cobra.Completion
	}{
		{"first", completing(nil, first, rest), nil, []cobra.Completion{"DSP-1\tOne", "DSP-2\tTwo"}},
		{"second", completing(nil, first, rest), []string{"DSP-1"}, []cobra.Completion{"m1", "m2", "m3"}},
		{"further, without those there", completing(nil, first, rest), []string{"DSP-1", "m2"}, []cobra.Completion{"m1", "m3"}},
		{"once", completingOnce(nil, first), []string{"DSP-1"}, nil},
		{"nothing to choose from", completing(nil), nil, nil},
	} {
		got, directive := tt.complete(&cobra.Command{}, tt.args, "")
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if directive&cobra.ShellCompDirectiveNoFileComp == 0 {
			t.Errorf("%s: files would be offered", tt.name)
		}
	}
}

func TestRefChoicesAreSafeToShow(t *testing.T) {
	t.Parallel()
	got := refChoices([]board.Issue{
		{Ref: "DSP-1", Title: "Two\nlines\tand \x1b[31mred"},
		{Ref: "DSP-2"},
		{Ref: "DSP-3", Title: strings.Repeat("ä", 100)},
	})
	want := []cobra.Completion{
		"DSP-1\tTwo lines and  [31mred",
		"DSP-2",
		"DSP-3\t" + strings.Repeat("ä", 59) + "…",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("choices (-want +got):\n%s", diff)
	}
}

func TestRolesAreWhatTheCommandLineTakes(t *testing.T) {
	t.Parallel()
	all := roles(t.Context(), nil)
	if len(all) != len(board.Roles()) {
		t.Errorf("%d choices of %d roles", len(all), len(board.Roles()))
	}
	for _, c := range all {
		word, _, _ := strings.Cut(c, "\t")
		if _, ok := board.ParseRole(word); !ok {
			t.Errorf("%q is offered and not understood", word)
		}
	}
}

func TestCompletionWithoutABoardIsEmpty(t *testing.T) {
	t.Parallel()
	f := &app.Factory{Getenv: func(string) string { return "" }, Dir: t.TempDir()}
	if got := refs(t.Context(), f); got != nil {
		t.Errorf("refs = %v", got)
	}
	if got := milestones(t.Context(), f); got != nil {
		t.Errorf("milestones = %v", got)
	}
}
