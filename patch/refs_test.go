package patch

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRefs checks that each loose or packed ref below a prefix is listed once, without
// locks, even from a linked worktree.
func TestRefs(t *testing.T) {
	t.Parallel()
	b := newFixture(t, map[string]string{"a": "1\n"})
	list := func() []string {
		t.Helper()
		got, err := b.repo.Refs("refs/evolve/code/x/")
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := list(); len(got) != 0 {
		t.Errorf("the refs of nothing are %v", got)
	}
	for _, name := range []string{"x/v1", "x/v2", "xy/v3"} {
		b.git("update-ref", "refs/evolve/code/"+name, "HEAD")
	}
	b.git("pack-refs", "--all")
	b.git("update-ref", "refs/evolve/code/x/v4", "HEAD")
	b.git("update-ref", "refs/evolve/code/x/v2", "HEAD")
	b.write(".git/refs/evolve/code/x/v5.lock", "")
	want := []string{"refs/evolve/code/x/v1", "refs/evolve/code/x/v2", "refs/evolve/code/x/v4"}
	if d := cmp.Diff(want, list()); d != "" {
		t.Error(d)
	}
	linked := t.TempDir() + "/linked"
	b.git("worktree", "add", "--quiet", "--detach", linked)
	b.open(linked)
	if d := cmp.Diff(want, list()); d != "" {
		t.Errorf("in a linked worktree: %s", d)
	}
	for _, bad := range []string{"refs/evolve", "heads/", "refs/../x/"} {
		if got, err := b.repo.Refs(bad); err == nil {
			t.Errorf("%q lists %v", bad, got)
		}
	}
}
