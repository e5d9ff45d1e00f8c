package gotest

import (
	"slices"
	"testing"
)

// TestNewComplaints checks that the patch is not blamed for a message that go vet also
// prints for the base, unless go vet prints it more often for the patch. The line that
// the message names does not matter.
func TestNewComplaints(t *testing.T) {
	const base = "# example.org/p\n# [example.org/p]\n./a.go:3:2: unreachable code\n./a.go:9:2: unreachable code\n./b.go:5:1: struct field N repeats json tag \"n\" also at b.go:4:3\n"
	for name, c := range map[string]struct {
		now  string
		want []string
	}{
		"the same":      {base, nil},
		"moved":         {"./a.go:13:2: unreachable code\n./b.go:6:1: struct field N repeats json tag \"n\" also at b.go:5:3\n", nil},
		"once more":     {base + "./a.go:20:2: unreachable code\n", []string{"./a.go: unreachable code"}},
		"elsewhere":     {"./c.go:3:2: unreachable code\n", []string{"./c.go: unreachable code"}},
		"something new": {"./a.go:3:2: self-assignment of x\n", []string{"./a.go: self-assignment of x"}},
		"nothing":       {"", nil},
	} {
		if got := newComplaints(c.now, complaints(base)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
