package view

import (
	"slices"
	"testing"
)

// TestShorten checks that short forms of names differ where the names do.
func TestShorten(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ names, want []string }{
		{[]string{"short", "research-1", "research-12"}, []string{"short", "res…ch-1", "res…h-12"}},
		{[]string{"albino-test", "albums-test"}, []string{"a…o-test", "a…s-test"}},
		{[]string{"station-alpha-answer", "station-beta-answer"}, []string{"…alpha-a", "…beta-an"}},
		{[]string{"größer-als-1", "größer-als-2"}, []string{"grö…ls-1", "grö…ls-2"}},
		{nil, nil},
	} {
		if got := shorten(c.names); !slices.Equal(got, c.want) {
			t.Errorf("%q are shortened to %q, want %q", c.names, got, c.want)
		}
	}
}
