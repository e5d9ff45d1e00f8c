package review

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/runtime/agent"
)

// confirmed submits a version of searched code that a night confirmed. The version sets
// the constant Size.
func (b *bureau) confirmed(variant agent.ConfigID, run, size string) (archive.ProposalRecord, error) {
	return b.ProposePatch(b.t.Context(), Submission{
		Target: "code", Author: "search over code", Origin: OriginBlocks, Rationale: "set Size to " + size, Diff: turned("64", size), Variant: variant, Run: run,
		Gain: "more room",
	})
}

// waits checks that a version waits as a draft, with the reason.
func (b *bureau) waits(p archive.ProposalRecord, err error, id, why string) {
	b.t.Helper()
	var left *LeftError
	if !errors.As(err, &left) || left.ID != id || !strings.Contains(err.Error(), id+" waits for its gates: ") || !strings.Contains(err.Error(), why) || p.ID != id {
		b.t.Fatalf("%s: %v", p.ID, err)
	}
	b.drafted(id, why)
}

func (b *bureau) drafted(id, why string) {
	b.t.Helper()
	if p := b.must(b.Find(b.t.Context(), id)); p.State != archive.Drafted || !strings.Contains(p.Patch.Waits, why) || len(p.Gates) > 0 {
		b.t.Fatalf("%s is %s and waits because %q", p.ID, p.State, p.Patch.Waits)
	}
}

// resumed resumes waiting proposals and returns them with their states.
func (b *bureau) resumed() string {
	b.t.Helper()
	done, err := b.Resume(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	var out []string
	for _, p := range done {
		out = append(out, p.ID+" "+string(p.State))
	}
	return strings.Join(out, ", ")
}

func (b *bureau) state(id string) archive.ProposalState {
	b.t.Helper()
	return b.must(b.Find(b.t.Context(), id)).State
}

func (b *bureau) attempts() int {
	b.t.Helper()
	return strings.Count(strings.Join(b.kinds(), " "), entryAttempt)
}

// TestLimitLetsAVersionWait checks that a version is not attempted, but waits, until an
// hour has passed since the author's last attempt. Running its gates then counts as an
// attempt.
func TestLimitLetsAVersionWait(t *testing.T) {
	b := newBureau(t)
	b.must(b.confirmed("va", "1-a", "128"))
	b.now = b.now.Add(10 * time.Minute)
	p, err := b.confirmed("vb", "2-b", "256")
	b.waits(p, err, "P2", "search over code may attempt one patch an hour; the next patch is possible at 2026-11-21T13:00:00Z")
	if b.attempts() != 1 || b.state("P1") != archive.Awaiting || b.git("for-each-ref", "--format=%(refname)", "refs/evolve") != "refs/evolve/proposals/P1" {
		t.Errorf("%d attempts, P1 is %s", b.attempts(), b.state("P1"))
	}
	if kinds := b.kinds(); kinds[len(kinds)-1] != entryWait {
		t.Errorf("the ledger ends with %s", kinds[len(kinds)-1])
	}

	b.now = b.now.Add(49 * time.Minute)
	if got := b.resumed(); got != "P2 drafted" || b.attempts() != 1 {
		t.Errorf("before the hour is over: %s, %d attempts", got, b.attempts())
	}
	b.now = b.now.Add(time.Minute)
	if got := b.resumed(); got != "P2 awaiting" || b.attempts() != 2 || b.state("P1") != archive.Superseded {
		t.Errorf("after the hour: %s, %d attempts, P1 is %s", got, b.attempts(), b.state("P1"))
	}
	if p := b.must(b.Find(t.Context(), "P2")); p.Patch.Waits != "" || p.Patch.Interrupted != 0 || p.Patch.Attempt == 0 {
		t.Errorf("%+v", p.Patch)
	}
	if got := b.resumed(); got != "" {
		t.Errorf("taken up again: %s", got)
	}

	// The draft counts as an attempt from then on. This does not affect the author for
	// another target.
	b.now = b.now.Add(59 * time.Minute)
	p, err = b.confirmed("vc", "3-c", "512")
	b.waits(p, err, "P3", "one patch an hour")
	if _, _, err := b.store.VerifyLedger(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestOtherPatchesDoNotWait checks that what an agent asks for does not wait, because the
// agent can ask again.
func TestOtherPatchesDoNotWait(t *testing.T) {
	b := newBureau(t)
	b.must(b.submit(OriginAgent, "aide", turned("64", "128")))
	_, err := b.submit(OriginAgent, "aide", turned("64", "256"))
	refused(t, err, "one patch an hour")
	// Neither does a version that cannot be applied or that a person rejected.
	b.done(b.Reject(t.Context(), "P1", robin))
	b.must(b.confirmed("va", "1-a", "512"))
	for size, why := range map[string]string{"128": "P1 is the same patch and is rejected", "64": "the file would not change"} {
		_, err = b.confirmed("vb", "2-b", size)
		refused(t, err, why)
	}
	if _, err := b.Find(t.Context(), "P3"); err == nil {
		t.Error("a patch that cannot pass waits")
	}
}

// TestNewerVersionReplacesADraft checks that only one version at a time waits for its
// gates, even if the newer version passes through them at once.
func TestNewerVersionReplacesADraft(t *testing.T) {
	b := newBureau(t)
	b.must(b.confirmed("va", "1-a", "128"))
	p, err := b.confirmed("vb", "2-b", "256")
	b.waits(p, err, "P2", "one patch an hour")
	b.now = b.now.Add(time.Minute)
	p, err = b.confirmed("vc", "3-c", "512")
	b.waits(p, err, "P3", "one patch an hour")
	if b.state("P2") != archive.Superseded || b.state("P1") != archive.Awaiting {
		t.Errorf("P2 is %s, P1 %s", b.state("P2"), b.state("P1"))
	}
	b.now = b.now.Add(time.Hour)
	b.must(b.confirmed("vd", "4-d", "1024"))
	for id, want := range map[string]archive.ProposalState{"P1": archive.Superseded, "P3": archive.Superseded, "P4": archive.Awaiting} {
		if b.state(id) != want {
			t.Errorf("%s is %s", id, b.state(id))
		}
	}
	if got := b.resumed(); got != "" {
		t.Errorf("taken up: %s", got)
	}
}

// TestDecisionsWhileAVersionWaits checks that the gates of a version take into account
// what a person decided and committed before the gates began.
func TestDecisionsWhileAVersionWaits(t *testing.T) {
	waiting := func(t *testing.T) *bureau {
		b := newBureau(t)
		b.must(b.confirmed("va", "1-a", "128"))
		p, err := b.confirmed("vb", "2-b", "256")
		b.waits(p, err, "P2", "one patch an hour")
		return b
	}
	later := func(b *bureau) archive.ProposalRecord {
		b.now = b.now.Add(2 * time.Hour)
		if got := b.resumed(); !strings.HasPrefix(got, "P2 ") {
			b.t.Fatalf("taken up: %s", got)
		}
		return b.must(b.Find(b.t.Context(), "P2"))
	}
	t.Run("it is rejected", func(t *testing.T) {
		b := waiting(t)
		b.done(b.Reject(t.Context(), "P2", robin))
		b.now = b.now.Add(2 * time.Hour)
		if got := b.resumed(); got != "" || b.state("P2") != archive.Rejected {
			t.Errorf("taken up: %s", got)
		}
	})
	t.Run("another one is rejected", func(t *testing.T) {
		b := waiting(t)
		b.done(b.Reject(t.Context(), "P1", robin))
		if p := later(b); p.State != archive.Awaiting {
			t.Errorf("%s: %+v", p.State, p.Gates)
		}
	})
	t.Run("the same patch is rejected", func(t *testing.T) {
		b := waiting(t)
		same := b.must(b.Find(t.Context(), "P2"))
		same.State = archive.Rejected
		if _, err := b.store.NewProposal(t.Context(), same); err != nil {
			t.Fatal(err)
		}
		if p := later(b); p.State != archive.GateFailed || !strings.Contains(p.Gates[0].Evidence, "when it was resumed: P3 is the same patch and is rejected") {
			t.Errorf("%s: %+v", p.State, p.Gates)
		}
	})
	t.Run("a person hands the same patch in", func(t *testing.T) {
		b := waiting(t)
		p := b.must(b.submit(OriginPerson, "Kim", turned("64", "256")))
		if p.ID != "P2" || p.State != archive.Awaiting || p.Patch.Waits != "" || p.Patch.Interrupted != 0 || p.Patch.Attempt == 0 {
			t.Errorf("%s is %s: %+v", p.ID, p.State, p.Patch)
		}
	})
	t.Run("the code moves elsewhere", func(t *testing.T) {
		b := waiting(t)
		b.write("cache/other.go", "package cache\n")
		b.git("add", "--all")
		b.git("commit", "--quiet", "--message=meanwhile")
		p := later(b)
		if p.State != archive.Awaiting || p.Patch.BaseCommit != b.git("rev-parse", "HEAD") || !strings.Contains(p.Patch.Gain, "more room; measured on ") {
			t.Errorf("%s: %+v", p.State, p.Patch)
		}
	})
	t.Run("the code moves where the version changes it", func(t *testing.T) {
		b := waiting(t)
		b.done(b.Approve(t.Context(), "P1", robin))
		if p := later(b); p.State != archive.GateFailed || !strings.Contains(p.Gates[0].Evidence, "the target has since changed passages that the patch also changes: cache/cache.go") {
			t.Errorf("%s: %+v", p.State, p.Gates)
		}
	})
	t.Run("what it was measured against is adopted", func(t *testing.T) {
		b := waiting(t)
		if err := b.store.PutPlan(t.Context(), archive.AgentPlan{Run: "2-b", Agent: "code", Champion: "v0", Against: "va"}); err != nil {
			t.Fatal(err)
		}
		b.done(b.Approve(t.Context(), "P1", robin))
		p := later(b)
		if p.State != archive.Awaiting || p.Patch.BaseCommit != b.git("rev-parse", "HEAD") || strings.Contains(p.Patch.Gain, "measured on") {
			t.Fatalf("%s: %+v, gates %+v", p.State, p.Patch, p.Gates)
		}
		if got := Unified(p); !strings.Contains(got, "-const Size = 128\n+const Size = 256\n") {
			t.Errorf("the patch is\n%s", got)
		}
		b.done(b.Approve(t.Context(), "P2", robin))
		if got := b.git("show", "HEAD:cache/cache.go"); !strings.Contains(got, "Size = 256") {
			t.Errorf("committed is %s", got)
		}
	})
	t.Run("what it was measured against is adopted and changed", func(t *testing.T) {
		b := waiting(t)
		if err := b.store.PutPlan(t.Context(), archive.AgentPlan{Run: "2-b", Agent: "code", Champion: "v0", Against: "va"}); err != nil {
			t.Fatal(err)
		}
		b.done(b.Approve(t.Context(), "P1", robin))
		b.write("cache/cache.go", strings.Replace(source, "64", "130", 1))
		b.git("commit", "--quiet", "--all", "--message=by hand")
		if p := later(b); p.State != archive.GateFailed || !strings.Contains(p.Gates[0].Evidence, "the target has since") {
			t.Errorf("%s: %+v", p.State, p.Gates)
		}
	})
	t.Run("the target is no longer named", func(t *testing.T) {
		b := waiting(t)
		b.Targets[0].Name = "another"
		if p := later(b); p.State != archive.GateFailed || !strings.Contains(p.Gates[0].Evidence, "there is no target") {
			t.Errorf("%s: %+v", p.State, p.Gates)
		}
	})
}

// TestCrashWhileAVersionWaits checks that after a crash the attempt counts and the version
// still waits.
func TestCrashWhileAVersionWaits(t *testing.T) {
	for _, step := range []string{"attempt", "tree", "gates", "ref"} {
		t.Run(step, func(t *testing.T) {
			b := newBureau(t)
			b.must(b.confirmed("va", "1-a", "128"))
			p, err := b.confirmed("vb", "2-b", "256")
			b.waits(p, err, "P2", "one patch an hour")
			b.now = b.now.Add(time.Hour)
			b.stopAt(step)
			if _, err := b.Resume(t.Context()); !errors.Is(err, errPower) {
				t.Fatal(err)
			}
			b.Reached = nil
			if b.attempts() != 2 || b.state("P2") != archive.Drafted {
				t.Fatalf("%d attempts, P2 is %s", b.attempts(), b.state("P2"))
			}
			b.now = b.now.Add(time.Hour)
			if got := b.resumed(); got != "P2 awaiting" {
				t.Errorf("taken up: %s", got)
			}
			if n := strings.Count(strings.Join(b.kinds(), " "), entryCreate); n != 2 {
				t.Errorf("the ledger tells %d times of gates", n)
			}
		})
	}
}

// TestDraftsTellWhyTheyWait checks that the reason is stored with the draft and is removed
// once the draft's gates have run.
func TestDraftsTellWhyTheyWait(t *testing.T) {
	b := newBureau(t)
	stopped := func() context.Context {
		ctx, stop := context.WithCancelCause(t.Context())
		b.watch(func() { stop(errors.New("it is morning")) })
		return ctx
	}
	if _, err := b.ProposePatch(stopped(), Submission{Target: "code", Author: "Robin", Origin: OriginPerson, Diff: turned("64", "128")}); err == nil {
		t.Fatal("the gates were not stopped")
	}
	b.drafted("P1", "the gates were stopped: it is morning")
	done, err := b.Resume(stopped())
	if err != nil || len(done) != 1 || done[0].State != archive.Drafted {
		t.Errorf("%v %v", done, err)
	}
	b.drafted("P1", "the gates were stopped: it is morning")
	b.watch(func() {})
	b.stopAt("gates")
	if _, err := b.Resume(t.Context()); !errors.Is(err, errPower) {
		t.Errorf("an error of the machine is %v", err)
	}
	b.Reached = nil
	b.drafted("P1", "the gates were stopped: the power went out")
	b.watch(func() {
		if p := b.must(b.Find(t.Context(), "P1")); p.Patch.Waits != "" {
			t.Errorf("at its gates it waits because %s", p.Patch.Waits)
		}
	})
	if got := b.resumed(); got != "P1 awaiting" {
		t.Errorf("taken up: %s", got)
	}
}
