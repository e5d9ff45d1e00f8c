package sandbox

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestLines(t *testing.T) {
	for name, c := range map[string]struct {
		in    string
		limit int
		want  []string
		err   error
	}{
		"lines":          {"a\nb\r\n\n  c \n", 10, []string{"a", "b\r", "", "  c "}, io.EOF},
		"unfinished":     {"a\nb", 10, []string{"a", "b"}, io.EOF},
		"nothing":        {"", 10, nil, io.EOF},
		"just fits":      {"abc\n", 3, []string{"abc"}, io.EOF},
		"just too long":  {"abcd\n", 3, nil, ErrOverlong},
		"never ends":     {strings.Repeat("x", 10_000), 100, nil, ErrOverlong},
		"over a buffer":  {strings.Repeat("x", 10_000) + "\ny\n", 10_000, []string{strings.Repeat("x", 10_000), "y"}, io.EOF},
		"after too long": {"a\nabcd\nb\n", 3, []string{"a"}, ErrOverlong},
	} {
		for _, r := range []io.Reader{strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in))} {
			l := NewLines(r, c.limit)
			var got []string
			for {
				line, err := l.Next()
				if err != nil {
					if len(line) > 0 {
						got = append(got, string(line))
					}
					if !errors.Is(err, c.err) {
						t.Errorf("%s: %v, want %v", name, err, c.err)
					}
					break
				}
				got = append(got, string(line))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
}
