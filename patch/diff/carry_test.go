package diff

import (
	"strings"
	"testing"
)

// TestCarry checks that a change is carried over to another version of its file if the
// replaced lines are unchanged and their position is certain, and in no other case.
func TestCarry(t *testing.T) {
	lines := func(names string) []byte {
		if names == "" {
			return []byte{}
		}
		return []byte(strings.ReplaceAll(names, " ", "\n") + "\n")
	}
	for name, c := range map[string]struct{ old, now, have, want string }{
		"both neighbours changed":                 {"m a n", "m b n", "x a y", "x b y"},
		"lines far away changed":                  {"m a n o p q", "m b n o p q", "m a n o p x y", "m b n o p x y"},
		"its own line changed":                    {"m a n", "m b n", "m c n", ""},
		"its own line is gone":                    {"m a n", "m b n", "m n", ""},
		"a line between its lines":                {"m a b n", "m c n", "m a x b n", ""},
		"two places without a neighbour":          {"m a n a o", "m b n a o", "x a y a z", ""},
		"two places, three lines as they were":    {"m a n a o p", "m b n a o p", "x a n a o p", "x b n a o p"},
		"a removal beside a changed line":         {"m a n o p q", "m n o p q", "x a n o p q", "x n o p q"},
		"an insertion between its neighbours":     {"k m n o", "k m a n o", "x m n y", "x m a n y"},
		"an insertion beside one neighbour":       {"m n o p", "m a n o p", "x n o p", "x a n o p"},
		"an insertion beside too few lines":       {"m n o p q", "m a n o p q", "x n y p q", ""},
		"an insertion where lines came in":        {"m n o p", "m a n o p", "m x n o p", ""},
		"an insertion at the end":                 {"m n", "m n a", "x n", "x n a"},
		"all lines removed, in an empty file now": {"a", "", "", ""},
		"two changes":                             {"m a n o c p", "m b n o d p", "x a y z c w", "x b y z d w"},
		"one of two changes has no place":         {"m a n o c p", "m b n o d p", "x a n o e p", ""},
	} {
		f := File{Path: "f", Old: lines(c.old), New: lines(c.now)}
		got, ok := Carry(f, lines(c.have))
		if ok != (c.want != "") || ok && string(got.New) != string(lines(c.want)) {
			t.Errorf("%s: %v %q, want %q", name, ok, got.New, c.want)
		}
	}
	bare, ok := Carry(File{Old: []byte("m\na"), New: []byte("m\nb")}, []byte("x\na"))
	if !ok || string(bare.New) != "x\nb" {
		t.Errorf("without a last newline: %v %q", ok, bare.New)
	}
	if got, ok := Carry(File{Old: []byte("m\na"), New: []byte("m\nb")}, []byte("x\na\n")); ok {
		t.Errorf("with a newline that was added: %q", got.New)
	}
}
