package review

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"evolve/archive"
	"evolve/gates"
	"evolve/gates/gotest"
	"evolve/runtime/model"
)

// lent records whether and how often the archive is lent.
type lent struct {
	now   bool
	times int
}

// watch makes a bureau record each time that its archive is lent to a function. Whenever
// a gateRun reaches its first gate that starts Go, the parameter at is called.
func (b *bureau) watch(at func()) *lent {
	l := &lent{}
	b.Reviewer.Archive = func(_ context.Context, work func(*archive.Archive) error) error {
		if l.now {
			b.t.Error("the archive is lent twice at once")
		}
		l.now = true
		l.times++
		defer func() { l.now = false }()
		return work(b.store)
	}
	b.Reviewer.tests = func(c gotest.Change) []gates.Gate {
		list := b.stand(c)
		first := list[0].Check
		list[0].Check = func(ctx context.Context) (gates.Verdict, string) {
			at()
			return first(ctx)
		}
		return list
	}
	return l
}

// TestGatesHoldNoArchive checks that others may write while gates run and reviewers work.
func TestGatesHoldNoArchive(t *testing.T) {
	b := newBureau(t)
	asked := 0
	var l *lent
	l = b.watch(func() {
		if asked++; l.now {
			t.Error("a gate runs with the archive held")
		}
	})
	c := &critic{answer: approves}
	aide := c.reviewer("aide")
	open := aide.Open
	aide.Open = func(ctx context.Context) (m model.Model, done func() error, err error) {
		if l.now {
			t.Error("a reviewer is asked with the archive held")
		}
		return open(ctx)
	}
	b.CodeReviewers = []CodeReviewer{aide}
	b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
	b.must(b.ReviewCode(t.Context(), "P1", ""))
	b.git("commit", "--quiet", "--allow-empty", "--message=moved")
	b.done(b.Approve(t.Context(), "P1", robin)) // gated again, with the same evidence
	b.done(b.Rollback(t.Context(), "P1", robin))
	if asked != 5 { // two gate runs with a rehearsal each, and the rollback
		t.Errorf("gates ran %d times, want 5", asked)
	}
	if _, _, err := b.store.VerifyLedger(t.Context()); err != nil {
		t.Error(err)
	}
}

// left lists the contents of the folders that a gateRun uses.
func (b *bureau) left() []string {
	trees, _ := filepath.Glob(filepath.Join(b.Scratch, "trees", "*"))
	claims, _ := filepath.Glob(filepath.Join(b.Scratch, "claims", "*"))
	return append(trees, claims...)
}

// TestInterruptedGates checks that a proposal whose gates are stopped stays a draft, leaves
// no other traces, and is resumed by a nightly run or by submitting the same patch again.
func TestInterruptedGates(t *testing.T) {
	for name, again := range map[string]func(*bureau) (archive.ProposalRecord, error){
		"resumed": func(b *bureau) (archive.ProposalRecord, error) {
			done, err := b.Resume(b.t.Context())
			if len(done) != 1 {
				b.t.Fatalf("%d were taken up, %v", len(done), err)
			}
			return done[0], err
		},
		"handed in again": func(b *bureau) (archive.ProposalRecord, error) {
			return b.submit(OriginPerson, "Robin", turned("64", "128"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBureau(t)
			ctx, stop := context.WithCancelCause(t.Context())
			reason := errors.New("it is morning")
			b.watch(func() { stop(reason) })
			p, err := b.ProposePatch(ctx, Submission{Target: "code", Author: "Robin", Origin: OriginPerson, Diff: turned("64", "128")})
			var left *LeftError
			if !errors.As(err, &left) || left.ID != "P1" || !errors.Is(err, reason) || p.State != archive.Drafted || len(p.Gates) > 0 {
				t.Fatalf("%v %+v", err, p)
			}
			if files := b.left(); len(files) > 0 {
				t.Errorf("left behind: %v", files)
			}
			if p := b.must(b.Find(t.Context(), "P1")); p.State != archive.Drafted {
				t.Error(p.State)
			}
			b.watch(func() {})
			p = b.must(again(b))
			if p.ID != "P1" || p.State != archive.Awaiting || p.Patch.Interrupted != 1 {
				t.Errorf("%s is %s, %+v", p.ID, p.State, p.Patch)
			}
			if kinds := strings.Join(b.kinds(), " "); !strings.HasSuffix(kinds, "patch.resume proposal.create") {
				t.Errorf("the ledger tells of %s", kinds)
			}
			if again, err := b.Resume(t.Context()); err != nil || len(again) > 0 {
				t.Errorf("taken up again: %v %v", again, err)
			}
			b.done(b.Approve(t.Context(), "P1", robin))
		})
	}
}

// TestMeanwhile checks that changes by others during the gates are not overwritten.
func TestMeanwhile(t *testing.T) {
	t.Run("a person rejects it", func(t *testing.T) {
		b := newBureau(t)
		b.watch(func() {
			b.Reviewer.tests = b.stand
			b.done(b.Reject(t.Context(), "P1", robin))
		})
		p, err := b.submit(OriginAgent, "aide", turned("64", "128"))
		refused(t, err, "the verdicts on P1 were discarded, because the patch is now rejected")
		if p.State != archive.Rejected || b.git("for-each-ref", "refs/evolve") != "" {
			t.Errorf("%s, refs %s", p.State, b.git("for-each-ref", "refs/evolve"))
		}
	})
	t.Run("the same is handed in again", func(t *testing.T) {
		b := newBureau(t)
		tries := 0
		b.watch(func() {
			if tries++; tries == 1 {
				_, err := b.submit(OriginPerson, "Kim", turned("64", "128"))
				refused(t, err, fmt.Sprintf("the gates of P1 are running in another command (process %d on ", os.Getpid()))
				if kinds := b.kinds(); kinds[len(kinds)-1] != entryRefused {
					t.Errorf("the ledger tells of %v", kinds)
				}
				done, err := b.Resume(t.Context())
				if err != nil || len(done) > 0 {
					t.Errorf("another process took it up: %v %v", done, err)
				}
			}
		})
		b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
	})
	t.Run("the same comes to wait", func(t *testing.T) {
		b := newBureau(t)
		b.watch(func() {
			p := b.must(b.Find(t.Context(), "P1"))
			p.State, p.Ref = archive.Awaiting, ""
			if _, err := b.store.NewProposal(t.Context(), p); err != nil {
				t.Error(err)
			}
			b.Reviewer.tests = b.stand
		})
		p := b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
		last := p.Gates[len(p.Gates)-1]
		if p.State != archive.GateFailed || last.Gate != gateUnique || !strings.Contains(last.Evidence, "P2 is the same patch and is awaiting") {
			t.Errorf("%s %+v", p.State, last)
		}
	})
	t.Run("the target moves", func(t *testing.T) {
		b := newBureau(t)
		b.watch(func() {
			b.Reviewer.tests = b.stand
			b.write("cache/other.go", "package cache\n")
			b.git("add", "--all")
			b.git("commit", "--quiet", "--message=meanwhile")
		})
		p := b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
		if p.State != archive.Awaiting || !strings.Contains(b.StalePatch(p), "HEAD is now commit") {
			t.Errorf("%s, stale: %q", p.State, b.StalePatch(p))
		}
		_, err := b.Approve(t.Context(), "P1", robin)
		refused(t, err, "were out of date; they ran again on")
	})
	t.Run("it is vetoed while it is gated again", func(t *testing.T) {
		b := newBureau(t)
		b.CodeReviewers = []CodeReviewer{(&critic{answer: rejects}).reviewer("clerk")}
		b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
		b.git("commit", "--quiet", "--allow-empty", "--message=moved")
		b.watch(func() {
			b.Reviewer.tests = b.stand
			b.must(b.ReviewCode(t.Context(), "P1", ""))
		})
		_, err := b.Approve(t.Context(), "P1", robin)
		refused(t, err, "the patch is now failed")
		if p := b.must(b.Find(t.Context(), "P1")); vetoed(p) == nil {
			t.Error("the veto is gone")
		}
	})
	t.Run("three others are adopted while it is gated again", func(t *testing.T) {
		b := newBureau(t)
		b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
		b.git("commit", "--quiet", "--allow-empty", "--message=moved")
		b.watch(func() {
			b.Reviewer.tests = b.stand
			for range 3 {
				if _, err := (&session{b.Reviewer, b.store}).note(t.Context(), entryAdopted, "Kim", "P9", map[string]any{"kind": archive.KindPatch}); err != nil {
					t.Error(err)
				}
			}
		})
		_, err := b.Approve(t.Context(), "P1", robin)
		refused(t, err, "3 patches a day")
	})
	t.Run("the target moves while the way back is at its gates", func(t *testing.T) {
		b := newBureau(t)
		b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
		b.done(b.Approve(t.Context(), "P1", robin))
		b.watch(func() { b.git("commit", "--quiet", "--allow-empty", "--message=moved") })
		_, err := b.Rollback(t.Context(), "P1", robin)
		refused(t, err, "the target's HEAD changed while the gates were checking the rollback of P1")
		b.Reviewer.tests = b.stand
		b.done(b.Rollback(t.Context(), "P1", robin))
	})
}

// TestLostAttempt checks that an attempt counts even if a crash left no other trace of it,
// and that the ledger records the loss once.
func TestLostAttempt(t *testing.T) {
	b := newBureau(t)
	b.must(b.submit(OriginPerson, "Robin", turned("64", "65")))
	b.stopAt("attempt")
	if _, err := b.submit(OriginAgent, "aide", turned("64", "128")); !errors.Is(err, errPower) {
		t.Fatal(err)
	}
	b.Reached = nil
	_, err := b.submit(OriginPerson, "Robin", turned("64", "65")) // a refused attempt is not lost
	refused(t, err, "P1 is the same patch")
	for range 2 {
		if done, err := b.Resume(t.Context()); err != nil || len(done) > 0 {
			t.Fatal(done, err)
		}
	}
	kinds := strings.Join(b.kinds(), " ")
	if strings.Count(kinds, "patch.lost") != 1 || !strings.HasSuffix(kinds, "patch.refused patch.lost") {
		t.Errorf("the ledger tells of %s", kinds)
	}
	if _, _, err := b.store.VerifyLedger(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestUnreachable checks that a patch whose target is gone does not block the others.
func TestUnreachable(t *testing.T) {
	b := newBureau(t)
	for _, size := range []string{"65", "66"} {
		b.stopAt("tree")
		if _, err := b.submit(OriginPerson, "Robin", turned("64", size)); !errors.Is(err, errPower) {
			t.Fatal(err)
		}
	}
	b.Reached = nil
	p := b.must(b.Find(t.Context(), "P1"))
	p.Patch.Target = "gone"
	if err := b.store.PutProposal(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	done, err := b.Resume(t.Context())
	if err != nil || len(done) != 2 || done[0].State != archive.GateFailed || done[1].State != archive.Awaiting {
		t.Fatalf("%v %+v", err, done)
	}
	if !strings.Contains(done[0].Gates[0].Evidence, `there is no target "gone"`) {
		t.Errorf("%+v", done[0].Gates)
	}
}

// TestResumeElsewhere checks that a patch that is resumed after its target has moved is
// gated on the new state, unless it no longer fits or another patch like it already waits.
func TestResumeElsewhere(t *testing.T) {
	for name, c := range map[string]struct {
		move  func(*bureau)
		state archive.ProposalState
		says  string
	}{
		"another file": {func(b *bureau) { b.write("cache/other.go", "package cache\n") }, archive.Awaiting, ""},
		"the same line": {func(b *bureau) {
			b.write("cache/cache.go", strings.Replace(source, "Size = 64", "Size = 65", 1))
		}, archive.GateFailed, "the target has since changed passages that the patch also changes: cache/cache.go"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBureau(t)
			b.stopAt("gates")
			if _, err := b.submit(OriginPerson, "Robin", turned("64", "128")); !errors.Is(err, errPower) {
				t.Fatal(err)
			}
			b.Reached = nil
			c.move(b)
			b.git("add", "--all")
			b.git("commit", "--quiet", "--message=meanwhile")
			done, err := b.Resume(t.Context())
			if err != nil || len(done) != 1 || done[0].State != c.state || done[0].Patch.BaseCommit != b.git("rev-parse", "HEAD") || !strings.Contains(done[0].Gates[0].Evidence, c.says) {
				t.Fatalf("%v %+v", err, done)
			}
			if c.state == archive.Awaiting {
				b.done(b.Approve(t.Context(), "P1", robin))
			}
		})
	}
	t.Run("another like it waits", func(t *testing.T) {
		b := newBureau(t)
		b.stopAt("gates")
		if _, err := b.submit(OriginPerson, "Robin", turned("64", "128")); !errors.Is(err, errPower) {
			t.Fatal(err)
		}
		b.Reached = nil
		b.git("commit", "--quiet", "--allow-empty", "--message=meanwhile")
		b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
		done, err := b.Resume(t.Context())
		if err != nil || len(done) != 1 || done[0].State != archive.GateFailed || !strings.Contains(done[0].Gates[0].Evidence, "P2 is the same patch and is awaiting") {
			t.Fatalf("%v %+v", err, done)
		}
	})
}

// TestSweep checks that the next gateRun removes the trees of a dead process and keeps
// those of a live one.
func TestSweep(t *testing.T) {
	b := newBureau(t)
	for _, id := range []string{"P7", "P8"} {
		if err := os.MkdirAll(filepath.Join(b.Scratch, "trees", id, "base"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	alive, err := b.tryClaimGates("P8")
	if err != nil || alive == nil {
		t.Fatal(alive, err)
	}
	b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
	if got := strings.Join(b.left(), " "); strings.Contains(got, "P7") || strings.Count(got, "P8") != 2 || strings.Contains(got, "P1") {
		t.Errorf("left: %s", got)
	}
	if other, err := b.tryClaimGates("P8"); other != nil || err != nil {
		t.Error("two have the same right", err)
	}
	alive.Release()
	if other, err := b.tryClaimGates("P8"); other == nil || err != nil {
		t.Error("the right is not given back", err)
	}
}

// TestOneAtATime checks that a user's patches pass their gates one at a time, and that a
// waiting patch reports that it is waiting.
func TestOneAtATime(t *testing.T) {
	b := newBureau(t)
	free, err := b.waitForGates(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	b.Notify = func(text string) {
		told = append(told, text)
		free()
	}
	b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
	if want := fmt.Sprintf("the gates of another patch are running in another command (process %d on ", os.Getpid()); len(told) != 1 || !strings.HasPrefix(told[0], want) {
		t.Errorf("told %q", told)
	}
}

// TestPatience checks that Patiently waits for short commands and not for a nightly run.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		busy := func(until int) WithStore {
			return func(_ context.Context, work func(*archive.Archive) error) error {
				if tries++; tries <= until {
					return &archive.LockedError{Owner: "evolve run", PID: 1}
				}
				return work(nil)
			}
		}
		done := false
		work := func(ctx context.Context, _ *archive.Archive) error {
			done = true
			return ctx.Err()
		}
		sleep := func(_ context.Context, d time.Duration) error {
			time.Sleep(d)
			return nil
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if err := busy(3).RetryLocked(ctx, sleep, work); err != nil || !done || tries != 4 {
			t.Errorf("after %d tries: %v", tries, err)
		}
		start := time.Now()
		if err := busy(1<<30).RetryLocked(ctx, sleep, work); !errors.Is(err, archive.ErrLocked) || time.Since(start) != maxLockWait {
			t.Errorf("after %s: %v", time.Since(start), err)
		}
		start = time.Now()
		patient := WithStore(func(context.Context, func(*archive.Archive) error) error { // a store that has itself waited
			time.Sleep(maxLockWait / 2)
			return &archive.LockedError{Owner: "evolve bench calibrate", PID: 1, Waited: maxLockWait / 2}
		})
		if err := patient.RetryLocked(ctx, sleep, work); !errors.Is(err, archive.ErrLocked) || time.Since(start) > maxLockWait+lockPause {
			t.Errorf("after %s, most of it in the opening: %v", time.Since(start), err)
		}
	})
}
