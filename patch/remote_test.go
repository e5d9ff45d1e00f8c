package patch

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// TestPushLease checks that a push creates, moves or deletes a branch only if the branch is
// at the expected commit.
func TestPushLease(t *testing.T) {
	b := newFixture(t, map[string]string{"a.txt": "a\n"})
	bare := filepath.Join(t.TempDir(), "remote.git")
	b.git("init", "--quiet", "--bare", "--initial-branch=main", bare)
	b.git("remote", "add", "origin", bare)
	b.git("push", "--quiet", "origin", "main")
	one := b.git("rev-parse", "HEAD")
	b.git("commit", "--quiet", "--allow-empty", "--message=two")
	two := b.git("rev-parse", "HEAD")
	m, err := b.repo.Remote(t.Context(), "origin")
	if err != nil {
		t.Fatal(err)
	}
	at := func() string {
		t.Helper()
		tips, err := m.Tips(t.Context(), "evolve/", "main", "other")
		if err != nil || tips.Default != "main" || tips.Branches["main"] != one {
			t.Fatal(err, tips)
		}
		return tips.Branches["evolve/P1"]
	}
	for _, step := range []struct {
		name, commit, was string
		ok                bool
		want              string
	}{
		{"moved before it is there", two, one, false, ""},
		{"made", one, "", true, one},
		{"made again", two, "", false, one},
		{"moved from elsewhere", two, two, false, one},
		{"moved", two, one, true, two},
		{"moved back, which is no fast-forward", one, two, true, one},
		{"deleted from elsewhere", "", two, false, one},
		{"deleted", "", one, true, ""},
	} {
		if err := m.Push(t.Context(), "evolve/P1", step.commit, step.was); (err == nil) != step.ok {
			t.Errorf("%s: %v", step.name, err)
		}
		if got := at(); got != step.want {
			t.Fatalf("%s: it is at %q, want %q", step.name, got, step.want)
		}
	}
	var none *NoRemoteError
	for _, name := range []string{"upstream", bare, "--upload-pack=touch", "."} {
		if _, err := b.repo.Remote(t.Context(), name); !errors.As(err, &none) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWithoutUser checks that the user and password are removed from every address.
func TestWithoutUser(t *testing.T) {
	got := WithoutUser("fatal: 'https://robin:p@ss@example.org/x' and ssh://git@h/y, git@h:z")
	if strings.Contains(got, "p@ss") || strings.Contains(got, "robin") || !strings.Contains(got, "https://example.org/x") {
		t.Error(got)
	}
}

// TestBroughtBy checks which commit brought another commit into a branch.
func TestBroughtBy(t *testing.T) {
	b := newFixture(t, map[string]string{"a.txt": "a\n"})
	start := b.git("rev-parse", "HEAD")
	b.git("switch", "--quiet", "--create", "side")
	b.git("commit", "--quiet", "--allow-empty", "--message=side")
	side := b.git("rev-parse", "HEAD")
	b.git("switch", "--quiet", "main")
	b.git("commit", "--quiet", "--allow-empty", "--message=main")
	if in, err := b.repo.Contains(t.Context(), b.git("rev-parse", "main"), side); err != nil || in {
		t.Error(err, in)
	}
	b.git("merge", "--quiet", "--no-ff", "--message=merge", "side")
	merge := b.git("rev-parse", "HEAD")
	b.git("commit", "--quiet", "--allow-empty", "--message=after")
	tip := b.git("rev-parse", "HEAD")
	if in, err := b.repo.Contains(t.Context(), tip, side); err != nil || !in {
		t.Error(err, in)
	}
	if got, err := b.repo.BroughtBy(t.Context(), side, tip); err != nil || got != merge {
		t.Errorf("%v %s, want the merge %s", err, got, merge)
	}
	if got, err := b.repo.BroughtBy(t.Context(), merge, tip); err != nil || got != merge {
		t.Errorf("%v %s, want itself", err, got)
	}
	if root, err := b.repo.Root(t.Context(), tip); err != nil || root != b.git("rev-list", "--max-parents=0", "HEAD") {
		t.Errorf("the history begins with %q: %v", root, err)
	}
	if list, err := b.repo.FirstParents(t.Context(), start, tip); err != nil || len(list) != 3 || list[1] != merge || list[2] != tip {
		t.Error(err, list)
	}
}
