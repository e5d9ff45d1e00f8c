package review

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"evolve/archive"
	"evolve/gates"
	"evolve/gates/gotest"
	"evolve/patch"
)

const replaced = "--- a/cache/cache.go\n+++ b/cache/cache.go\n@@ -12,2 +12,2 @@\n // Full says whether n entries are too many.\n-func Full(n int) bool { return n > Size }\n+func Full(n int) bool { return n >= Size+1 }\n"

func TestRollbackOverLaterChanges(t *testing.T) {
	b := newBureau(t)
	b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
	b.done(b.Approve(t.Context(), "P1", robin))
	b.must(b.submit(OriginPerson, "Robin", replaced))
	b.done(b.Approve(t.Context(), "P2", robin))
	d, err := b.Rollback(t.Context(), "P1", robin)
	p := b.must(d.Proposal, err)
	text := b.git("show", "HEAD:cache/cache.go")
	if p.State != archive.RolledBack || !strings.Contains(text, "Size = 64") || !strings.Contains(text, "n >= Size+1") {
		t.Fatalf("%s\n%s", p.State, text)
	}
	if strings.Join(d.Later, " ") != "P2" {
		t.Errorf("later adoptions %v, want P2", d.Later)
	}
}

func TestRollbackConflict(t *testing.T) {
	b := newBureau(t)
	b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
	b.done(b.Approve(t.Context(), "P1", robin))
	b.must(b.submit(OriginPerson, "Robin", turned("128", "256")))
	b.done(b.Approve(t.Context(), "P2", robin))
	head := b.git("rev-parse", "HEAD")
	_, err := b.Rollback(t.Context(), "P1", robin)
	refused(t, err, "these files changed after P1 was adopted: cache/cache.go")
	if b.git("rev-parse", "HEAD") != head {
		t.Error("the branch moved")
	}
	b.done(b.Rollback(t.Context(), "P2", robin))
	b.done(b.Rollback(t.Context(), "P1", robin))
	if got := b.git("show", "HEAD:cache/cache.go"); got != strings.TrimSpace(source) {
		t.Error(got)
	}
}

// TestRollbackOfTheReplaced checks that a patch is not rolled back while the state before
// or after it is the work of a patch adopted later.
func TestRollbackOfTheReplaced(t *testing.T) {
	b := newBureau(t)
	for i, d := range []string{turned("64", "128"), turned("128", "64"), turned("64", "128")} {
		id := fmt.Sprintf("P%d", i+1)
		b.must(b.submit(OriginPerson, "Robin", d))
		b.done(b.Approve(t.Context(), id, robin))
		for _, earlier := range []string{"P1", "P2"}[:i] {
			head := b.git("rev-parse", "HEAD")
			_, err := b.Rollback(t.Context(), earlier, robin)
			refused(t, err, "these files changed after "+earlier+" was adopted: cache/cache.go")
			var why *RefusedError
			if errors.As(err, &why) && !strings.Contains(why.Hint, "roll these back first: "+id) {
				t.Errorf("the hint is %q", why.Hint)
			}
			if b.git("rev-parse", "HEAD") != head || b.must(b.Find(t.Context(), earlier)).State != archive.Adopted {
				t.Error("something was done")
			}
		}
	}
	for _, id := range []string{"P3", "P2", "P1"} {
		b.done(b.Rollback(t.Context(), id, robin))
	}
	if got := b.git("show", "HEAD:cache/cache.go"); got != strings.TrimSpace(source) {
		t.Error(got)
	}
}

// TestRollbackOfTheRestored checks that a rollback of files that a person restored by hand
// has its own commit, and that the audit finds a rollback that names another commit.
func TestRollbackOfTheRestored(t *testing.T) {
	b := newBureau(t)
	b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
	b.done(b.Approve(t.Context(), "P1", robin))
	b.git("revert", "--no-edit", "HEAD")
	head := b.git("rev-parse", "HEAD")
	d, err := b.Rollback(t.Context(), "P1", robin)
	p := b.must(d.Proposal, err)
	if p.Decision.Commit == head || p.Decision.Commit != b.git("rev-parse", "HEAD") || b.git("rev-parse", "HEAD^{tree}") != b.git("rev-parse", head+"^{tree}") || !d.Restored {
		t.Errorf("commit %s after %s, restored: %t", p.Decision.Commit, head, d.Restored)
	}
	repo, err := patch.Open(b.root, b.Env)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := AuditCommits(t.Context(), b.store, repo, Audit{}); err != nil {
		t.Error(err)
	}
	p.Decision.Commit = head
	if err := b.store.PutProposal(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	var found *archive.AuditError
	if _, err := AuditCommits(t.Context(), b.store, repo, Audit{}); !errors.As(err, &found) || !strings.Contains(found.Reason, "is recorded as its rollback, but does not name this proposal") {
		t.Errorf("the audit found %v", err)
	}
}

// TestRollbackIsGated checks that a patch is not rolled back if the target would not
// build without it.
func TestRollbackIsGated(t *testing.T) {
	b := newBureau(t)
	b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
	b.done(b.Approve(t.Context(), "P1", robin))
	b.says[gotest.Affected] = gates.Failed
	_, err := b.Rollback(t.Context(), "P1", robin)
	refused(t, err, `if P1 is rolled back, the verdict of the gate "affected" is failed`)
	if p := b.must(b.Find(t.Context(), "P1")); p.State != archive.Adopted {
		t.Error(p.State)
	}
}

// TestRehearsalCounts checks that a patch that cannot be reverted fails.
func TestRehearsalCounts(t *testing.T) {
	b := newBureau(t)
	asked := 0
	stand := b.Reviewer.tests
	b.Reviewer.tests = func(c gotest.Change) []gates.Gate {
		if asked++; asked > 1 { // the second call is the rehearsal
			b.says[gotest.Affected] = gates.Failed
		}
		return stand(c)
	}
	p := b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
	last := p.Gates[len(p.Gates)-1]
	if p.State != archive.GateFailed || last.Gate != "rollback" || last.Verdict != "failed" || !strings.Contains(last.Evidence, "rolled back") {
		t.Fatalf("%s %+v", p.State, p.Gates)
	}
}

// TestNewTestsGoWithThePatch checks that a rollback removes the tests that the patch
// added and does not run them.
func TestNewTestsGoWithThePatch(t *testing.T) {
	b := newBureau(t)
	both := turned("64", "128") + "--- /dev/null\n+++ b/cache/cache_test.go\n@@ -0,0 +1,3 @@\n+package cache\n+\n+import _ \"testing\"\n"
	p := b.must(b.submit(OriginPerson, "Robin", both))
	if p.State != archive.Awaiting || len(p.Patch.NewTests) != 1 {
		t.Fatalf("%s %+v", p.State, p.Gates)
	}
	b.done(b.Approve(t.Context(), "P1", robin))
	b.done(b.Rollback(t.Context(), "P1", robin))
	if files := b.git("ls-tree", "-r", "--name-only", "HEAD"); strings.Contains(files, "cache_test.go") {
		t.Error(files)
	}
}
