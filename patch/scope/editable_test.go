package scope

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEditable(t *testing.T) {
	var tree Tree
	for _, path := range []string{
		"a/a.go", "a/a_test.go", "a/testdata/in.go", "a/asm_amd64.s", "a/deep/b.go", "a/secret/key.go", "b/b.go", "go.mod", "Makefile", "a/large.go",
	} {
		tree = append(tree, Entry{Path: path, Mode: Regular, Hash: path, Size: 10})
	}
	tree[len(tree)-1].Size = 1 << 20
	tree = append(tree, Entry{Path: "a/link.go", Mode: Symlink, Hash: "l", Size: 3})
	p := Policy{Allow: []string{"a"}, Deny: []string{"a/secret"}, MaxFiles: 1}
	got := p.Editable(tree)
	if diff := cmp.Diff([]string{"a/a.go", "a/deep/b.go"}, got); diff != "" {
		t.Error(diff)
	}
	// The result agrees with the result of Judge for each file by itself.
	for i, e := range tree {
		other := append(Tree(nil), tree...)
		other[i].Hash = "other"
		alone := len(p.Judge(tree, other).Refused) == 0
		if listed := slices.Contains(got, e.Path); listed != alone {
			t.Errorf("%s: listed %v, allowed %v", e.Path, listed, alone)
		}
	}
	if got := (Policy{}).Editable(tree); len(got) != 0 {
		t.Errorf("a policy that allows nothing: %v", got)
	}
	if got := (Policy{Allow: []string{".", "../x"}}).Editable(tree); len(got) != 0 {
		t.Errorf("a policy that cannot be read: %v", got)
	}
}
