package text

import (
	"io"
	"testing"
)

func TestEnds(t *testing.T) {
	for _, c := range []struct {
		most       int
		head, tail string
	}{
		{0, "", ""},
		{3, "abc", "fgh"},
		{5, "abcde", "defgh"},
		{9, "abcdefgh", "abcdefgh"},
	} {
		h, e := &Head{Most: c.most}, &Tail{Most: c.most}
		for _, piece := range []string{"ab", "", "cdefg", "h"} {
			for _, w := range []io.Writer{h, e} {
				if n, err := io.WriteString(w, piece); n != len(piece) || err != nil {
					t.Errorf("writing %q gave %d, %v", piece, n, err)
				}
			}
		}
		if h.String() != c.head || e.String() != c.tail {
			t.Errorf("of at most %d bytes: %q and %q, want %q and %q", c.most, h, e, c.head, c.tail)
		}
	}
}
