package review

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"evolve/archive"
)

var errPower = errors.New("the power went out")

// stopAt makes the next call end at a step, as a crash would.
func (b *bureau) stopAt(step string) {
	b.Reached = func(at string) error {
		if at == step {
			return errPower
		}
		return nil
	}
}

// TestCrashWhileProposing checks that an interrupted submission is gated by the next
// Resume, counts as an attempt, and leaves no files.
func TestCrashWhileProposing(t *testing.T) {
	for _, step := range []string{"attempt", "record", "tree", "gates", "ref"} {
		t.Run(step, func(t *testing.T) {
			b := newBureau(t)
			b.stopAt(step)
			if _, err := b.submit(OriginAgent, "aide", turned("64", "128")); !errors.Is(err, errPower) {
				t.Fatal(err)
			}
			b.Reached = nil
			_, err := b.submit(OriginAgent, "aide", turned("64", "128"))
			refused(t, err, "one patch an hour")

			done, err := b.Resume(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if step == "attempt" { // nothing but the attempt was recorded
				if len(done) != 0 {
					t.Fatalf("taken up: %v", done)
				}
				return
			}
			p := b.must(b.Find(t.Context(), "P1"))
			if len(done) != 1 || p.State != archive.Awaiting || p.Patch.Digest != Digest(p) || b.git("rev-parse", p.Ref) != p.Commit {
				t.Fatalf("%d were taken up: %+v", len(done), p)
			}
			if got := strings.Count(strings.Join(b.kinds(), " "), "proposal.create"); got != 1 {
				t.Errorf("the ledger tells %d times of its gates", got)
			}
			if again, err := b.Resume(t.Context()); err != nil || len(again) != 0 {
				t.Errorf("taken up again: %v %v", again, err)
			}
			b.done(b.Approve(t.Context(), "P1", robin))
		})
	}
}

// TestCrashWithoutFiles checks that a patch that could not be applied is not applied
// later.
func TestCrashWithoutFiles(t *testing.T) {
	b := newBureau(t)
	b.stopAt("record")
	if _, err := b.submit(OriginAgent, "aide", "no diff"); !errors.Is(err, errPower) {
		t.Fatal(err)
	}
	b.Reached = nil
	done, err := b.Resume(t.Context())
	if err != nil || len(done) != 1 || done[0].State != archive.GateFailed {
		t.Fatalf("%v %+v", err, done)
	}
}

// TestCrashWhileDeciding checks that repeating the command finishes an interrupted approval
// exactly once.
func TestCrashWhileDeciding(t *testing.T) {
	for _, step := range []string{"decided", "written", "intended", "moved"} {
		t.Run(step, func(t *testing.T) {
			b := newBureau(t)
			b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
			b.stopAt(step)
			if _, err := b.Approve(t.Context(), "P1", robin); !errors.Is(err, errPower) {
				t.Fatal(err)
			}
			b.Reached = nil
			p := b.done(b.Approve(t.Context(), "P1", robin))
			if p.State != archive.Adopted || p.AdoptedCommit != b.git("rev-parse", "HEAD") || b.git("rev-list", "--count", "HEAD") != "2" {
				t.Fatalf("%+v after %s commits", p, b.git("rev-list", "--count", "HEAD"))
			}
			if got := strings.Count(strings.Join(b.kinds(), " "), "proposal.adopted"); got != 1 {
				t.Errorf("the ledger tells %d times of the adoption", got)
			}
		})
	}
	t.Run("rollback", func(t *testing.T) {
		b := newBureau(t)
		b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
		b.done(b.Approve(t.Context(), "P1", robin))
		b.stopAt("moved")
		if _, err := b.Rollback(t.Context(), "P1", robin); !errors.Is(err, errPower) {
			t.Fatal(err)
		}
		b.Reached = nil
		p := b.done(b.Rollback(t.Context(), "P1", robin))
		if p.State != archive.RolledBack || b.git("rev-list", "--count", "HEAD") != "3" {
			t.Fatalf("%+v", p)
		}
	})
}

// TestOvertakenApproval checks an approval whose target moved before the commit was made.
func TestOvertakenApproval(t *testing.T) {
	b := newBureau(t)
	b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
	b.stopAt("decided")
	if _, err := b.Approve(t.Context(), "P1", robin); !errors.Is(err, errPower) {
		t.Fatal(err)
	}
	b.Reached = nil
	b.write("cache/other.go", "package cache\n")
	b.git("add", "--all")
	b.git("commit", "--quiet", "--message=meanwhile")
	_, err := b.Approve(t.Context(), "P1", robin)
	refused(t, err, "the target changed before the approval")
	p := b.done(b.Approve(t.Context(), "P1", robin))
	if p.State != archive.Adopted {
		t.Fatalf("%+v", p)
	}
}

// TestForeignRef checks that two workspaces may patch one repository without overwriting
// each other's refs.
func TestForeignRef(t *testing.T) {
	b := newBureau(t)
	b.git("update-ref", "refs/evolve/proposals/P1", "HEAD")
	p := b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
	if p.Ref != fmt.Sprintf("refs/evolve/proposals/P1-%.12s", p.Commit) || b.git("rev-parse", p.Ref) != p.Commit || b.git("rev-parse", "refs/evolve/proposals/P1") != b.git("rev-parse", "HEAD") {
		t.Fatalf("%+v", p)
	}
	b.done(b.Approve(t.Context(), "P1", robin))
}

// TestAlteredAfterTheMove checks that files that differ from the commit just made are
// named in the error and in the ledger.
func TestAlteredAfterTheMove(t *testing.T) {
	b := newBureau(t)
	b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
	b.Program = []string{"true"}
	b.Reached = func(step string) error {
		if step == StepMoved {
			b.write("cache/cache.go", "package evil\n")
		}
		return nil
	}
	_, err := b.Approve(t.Context(), "P1", robin)
	refused(t, err, "cache/cache.go")
	p := b.must(b.Find(t.Context(), "P1"))
	left, err := Unfinished(t.Context(), b.store)
	kinds := b.kinds()
	if err != nil || p.State != archive.Adopted || p.AdoptedCommit != b.git("rev-parse", "HEAD") || len(left) != 0 || kinds[len(kinds)-1] != AlteredKind {
		t.Errorf("%s, left %v, %v %v", p.State, left, kinds, err)
	}
}
