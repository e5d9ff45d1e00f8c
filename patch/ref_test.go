package patch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestClashesOfRefs checks that no ref lies inside another ref, in whatever order they are
// created and however they are stored, and that empty folders do not count as refs.
func TestClashesOfRefs(t *testing.T) {
	for _, c := range []struct {
		have, want string
		clash      bool
	}{
		{"refs/evolve/a", "refs/evolve/a/b", true},
		{"refs/evolve/a", "refs/evolve/a/b/c", true},
		{"refs/evolve/a/b", "refs/evolve/a", true},
		{"refs/evolve/a/b/c", "refs/evolve/a", true},
		{"refs/evolve/ab", "refs/evolve/a", false},
		{"refs/evolve/a", "refs/evolve/ab", false},
		{"refs/evolve/a-b", "refs/evolve/a", false},
	} {
		b := newFixture(t, start())
		head := b.git("rev-parse", "HEAD")
		for _, stored := range []string{"loose", "packed"} {
			b.git("update-ref", c.have, head)
			if stored == "packed" {
				b.git("pack-refs", "--all", "--prune")
			}
			_, native := b.try("update-ref", c.want, head)
			if native == nil {
				b.git("update-ref", "-d", c.want)
			}
			err := b.repo.MoveRef(c.want, "", head)
			var clash *ClashError
			if (err != nil) != c.clash || err != nil && (!errors.As(err, &clash) || clash.With != c.have) || (native != nil) != c.clash {
				t.Errorf("%s beside %s %s: %v; native git: %v", c.want, stored, c.have, err, native)
			}
			if err == nil {
				b.git("update-ref", "-d", c.want)
			}
		}
		b.git("update-ref", "-d", c.have)
		if err := b.repo.MoveRef(c.want, "", head); err != nil {
			t.Errorf("%s after %s is gone: %v", c.want, c.have, err)
		}
		if locks, err := filepath.Glob(filepath.Join(b.dir, ".git/refs/evolve/*.lock")); err != nil || len(locks) > 0 {
			t.Errorf("locks are left: %v, %v", locks, err)
		}
	}
}

func TestEmptyFoldersAreNoRefs(t *testing.T) {
	b := newFixture(t, start())
	head := b.git("rev-parse", "HEAD")
	if err := os.MkdirAll(filepath.Join(b.dir, ".git/refs/evolve/a/b/c"), 0o755); err != nil {
		t.Fatal(err)
	}
	if h, err := b.repo.Ref("refs/evolve/a"); h != "" || err != nil {
		t.Errorf("a folder reads as %q, %v", h, err)
	}
	if err := os.MkdirAll(filepath.Join(b.dir, ".git/logs/refs/heads/side/line"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := b.repo.MoveRef("refs/heads/side", "", head); err != nil || len(b.git("reflog", "side")) == 0 {
		t.Errorf("a log in the place of empty folders: %v", err)
	}
	if err := b.repo.MoveRef("refs/evolve/a", "", head); err != nil || b.git("rev-parse", "refs/evolve/a") != head {
		t.Errorf("%v", err)
	}
	if h, err := b.repo.Ref("refs/evolve/a/b"); h != "" || err != nil {
		t.Errorf("a ref inside a ref reads as %q, %v", h, err)
	}
	b.write(".git/refs/evolve/half", "0123")
	b.write(".git/refs/evolve/symbolic", "ref: refs/heads/main\n")
	for _, name := range []string{"refs/evolve/half", "refs/evolve/symbolic"} {
		if h, err := b.repo.Ref(name); err == nil {
			t.Errorf("%s reads as %q", name, h)
		}
		if err := b.repo.MoveRef(name, head, head); err == nil {
			t.Errorf("%s was moved", name)
		}
	}
}

// TestLogsOfRefs compares the refs for which this package appends log entries with those
// for which native git appends them.
func TestLogsOfRefs(t *testing.T) {
	for _, value := range []string{"", "true", "false", "always"} {
		b := newFixture(t, start())
		if b.git("config", "--unset", "core.logAllRefUpdates"); value != "" {
			b.git("config", "core.logAllRefUpdates", value)
		}
		head := b.git("rev-parse", "HEAD")
		next := b.next("main").New
		for i, dir := range []string{"refs/heads/", "refs/evolve/", "refs/notes/"} {
			for _, existing := range []bool{false, true} {
				ours, theirs := dir+"ours", dir+"theirs"
				if existing {
					ours, theirs = ours+"-old", theirs+"-old"
					for _, ref := range []string{ours, theirs} {
						b.write(".git/logs/"+ref, "")
					}
				}
				for _, step := range []struct{ old, new string }{{"", head}, {head, next}} {
					if err := b.repo.Move(Move{Ref: ours, Old: step.old, New: step.new, By: someone, Reason: "why\nnot"}); err != nil {
						t.Fatal(err)
					}
					b.git("-c", "user.name="+someone.Name, "update-ref", "-m", "why not", theirs, step.new, step.old)
				}
				one, err := os.ReadFile(filepath.Join(b.dir, ".git/logs", ours))
				two, native := os.ReadFile(filepath.Join(b.dir, ".git/logs", theirs))
				if (err == nil) != (native == nil) {
					t.Errorf("%q, %s (%d): our log: %v, native git's: %v", value, ours, i, err, native)
					continue
				}
				if shape(string(one)) != shape(string(two)) {
					t.Errorf("our log\n%s\nnative git's\n%s", one, two)
				}
				if err == nil && existing && b.git("reflog", "show", "--format=%gs", ours) != "why not\nwhy not" {
					t.Errorf("native git does not read our log of %s:\n%s", ours, one)
				}
			}
		}
	}
}

// shape returns a log without authors and times.
func shape(log string) string {
	var b strings.Builder
	for line := range strings.Lines(log) {
		head, reason, _ := strings.Cut(line, "\t")
		b.WriteString(head[:min(len(head), 82)] + reason)
	}
	return b.String()
}

// TestNamesOfRefs compares the accepted names with native git's check-ref-format.
func TestNamesOfRefs(t *testing.T) {
	b := newFixture(t, nil)
	for _, part := range []string{
		"a", "feature#1", "über", ".a", "a.", "a.lock", "a..b", "a b", "a~", "a^", "a:", "a?", "a*", "a[", `a\`, "a@{b", "@", "", "-x", "a\x7f", "a\n",
	} {
		for _, name := range []string{"refs/" + part + "/b", "refs/a/" + part} {
			_, native := b.try("check-ref-format", name)
			if ours := checkRef(name); (ours == nil) != (native == nil) {
				t.Errorf("%q: %v; native git: %v", name, ours, native)
			}
		}
	}
	for _, name := range []string{"HEAD", "refs", "refs/", "refs/bisect/bad", "refs/worktree/x", "refs/rewritten/y", "main"} {
		if checkRef(name) == nil {
			t.Errorf("%s is read as a shared ref", name)
		}
	}
}

// TestDeleteRef removes a loose or packed ref, and no other ref.
func TestDeleteRef(t *testing.T) {
	b := newFixture(t, start())
	head := b.git("rev-parse", "HEAD")
	for _, stored := range []string{"loose", "packed"} {
		b.git("update-ref", "refs/evolve/proposals/P1", head)
		b.git("update-ref", "refs/evolve/proposals/P12", head)
		if stored == "packed" {
			b.git("pack-refs", "--all", "--prune")
		}
		for range 2 { // the second time the ref does not exist
			if err := b.repo.DeleteRef(t.Context(), "refs/evolve/proposals/P1"); err != nil {
				t.Errorf("%s: %v", stored, err)
			}
		}
		if got := b.git("for-each-ref", "--format=%(refname)", "refs/evolve"); got != "refs/evolve/proposals/P12" {
			t.Errorf("%s: %s are left", stored, got)
		}
	}
	if err := b.repo.DeleteRef(t.Context(), "refs/../HEAD"); err == nil {
		t.Error("a bad name was accepted")
	}
}
