package review

import (
	"errors"
	"strings"
	"testing"
	"time"

	"evolve/archive"
)

// TestBranchDecidedHere checks that a decision made here deletes the branch, and that there
// is only one decision, whichever came first.
func TestBranchDecidedHere(t *testing.T) {
	f := newForge(t, false)
	f.propose()
	_, err := f.Approve(t.Context(), "P1", robin)
	refused(t, err, "P1 is adopted by merging its branch evolve/P1 on origin")
	f.done(f.Reject(t.Context(), "P1", robin))
	if s := f.sync(); s.Did != "deleted" || f.remoteRefs() != "main" {
		t.Fatalf("%+v, the remote has %s", s, f.remoteRefs())
	}
	if s := f.sync(); s.Proposal != "" {
		t.Errorf("again: %+v", s)
	}
	f.verified()

	f = newForge(t, false)
	f.propose()
	f.kim("fetch --quiet", "merge --quiet --no-ff --message=merged origin/evolve/P1", "push --quiet origin main")
	f.done(f.Reject(t.Context(), "P1", robin)) // before the merge is noticed
	if s := f.sync(); s.Did != "" || !strings.Contains(s.Note, "the proposal was rejected here and then merged into main on origin") || !strings.Contains(s.Note, "by Kim") {
		t.Fatalf("%+v", s)
	}
	if p := f.record(); p.State != archive.Rejected || p.Decision.By != robin.By {
		t.Errorf("%+v", p.Decision)
	}
	if s := f.sync(); s.Proposal != "" {
		t.Errorf("again: %+v", s)
	}
	if got := strings.Join(f.kinds(), " "); !strings.HasSuffix(got, "proposal.branch proposal.reject branch.conflict") {
		t.Error(got)
	}
	f.verified()
}

// TestMergeFromACopy covers a branch that was rejected here and deleted at the remote: if
// a person nevertheless merges it from a copy, the merge must be noticed, once. The same
// change made by hand must not count as such a merge, and after a month such a merge is
// no longer looked for.
func TestMergeFromACopy(t *testing.T) {
	for name, c := range map[string]struct {
		merge []string
		later time.Duration
		found bool
	}{
		"merge":         {[]string{"merge --quiet --no-ff --message=merged origin/evolve/P1"}, time.Hour, true},
		"squash":        {[]string{"merge --quiet --squash origin/evolve/P1", "commit --quiet --reuse-message=origin/evolve/P1"}, time.Hour, true},
		"same change":   {[]string{"merge --quiet --squash origin/evolve/P1", "commit --quiet --message=mine"}, time.Hour, false},
		"after a month": {[]string{"merge --quiet --no-ff --message=merged origin/evolve/P1"}, lateTime, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newForge(t, false)
			f.propose()
			f.kim("fetch --quiet")
			f.done(f.Reject(t.Context(), "P1", robin))
			if s := f.sync(); s.Did != "deleted" {
				t.Fatalf("%+v", s)
			}
			now := f.Now().Add(c.later)
			f.Now = func() time.Time { return now }
			if s := f.sync(); s.Proposal != "" {
				t.Errorf("before the merge: %+v", s)
			}
			f.kim(append(c.merge, "push --quiet origin main")...)
			if s := f.sync(); strings.Contains(s.Note, "the proposal was rejected here and then merged into main on origin") != c.found {
				t.Errorf("%+v", s)
			}
			if s := f.sync(); s.Proposal != "" {
				t.Errorf("again: %+v", s)
			}
			if p := f.record(); p.State != archive.Rejected || (p.Branch.Against != "") != c.found {
				t.Errorf("%s %+v", p.State, p.Branch)
			}
			if got := strings.Join(f.kinds(), " "); strings.HasSuffix(got, " branch.conflict") != c.found {
				t.Error(got)
			}
			f.verified()
		})
	}
}

// TestRewrittenBase checks that a proposal whose base was replaced with another history
// is reported to lack its base commit, even though its branch exists.
func TestRewrittenBase(t *testing.T) {
	f := newForge(t, false)
	f.propose()
	f.kim("checkout --quiet --orphan other", "commit --quiet --allow-empty --message=other", "push --quiet --force origin other:main")
	if s := f.sync(); !strings.Contains(s.Trouble, "main on origin does not contain the commit") {
		t.Errorf("%+v", s)
	}
}

// TestBranchRollback checks that what a merge adopted is undone by another merge, proposed
// either here or by a person at the remote.
func TestBranchRollback(t *testing.T) {
	for _, here := range []bool{true, false} {
		f := newForge(t, false)
		f.propose()
		f.kim("fetch --quiet", "merge --quiet --no-ff --message=merged origin/evolve/P1", "push --quiet origin main :evolve/P1")
		f.sync()
		adopted := f.record().AdoptedCommit
		f.edit("other.txt", "other\n")
		f.kim("push --quiet origin main")
		if here {
			done, err := f.Rollback(t.Context(), "P1", robin)
			if err != nil || done.Branch != "evolve/P1-rollback" || done.Proposal.State != archive.Adopted {
				t.Fatalf("%v %+v", err, done)
			}
			if _, err := f.Rollback(t.Context(), "P1", robin); err != nil {
				t.Errorf("again: %v", err)
			}
			if s := f.sync(); s.Did != "" || len(f.opened) != 3 {
				t.Errorf("%+v, opened %d", s, len(f.opened))
			}
			f.kim("fetch --quiet", "merge --quiet --no-ff --message=back origin/evolve/P1-rollback", "push --quiet origin main :evolve/P1-rollback")
		} else {
			f.kim("revert --no-edit -m 1 "+adopted, "push --quiet origin main")
		}
		s := f.sync()
		if p := f.record(); s.Did != "reverted" || s.By != "Kim <kim@example.org>" || p.State != archive.RolledBack || p.Decision.Commit != f.at("rev-parse", "main") || p.Decision.Merge == nil {
			t.Fatalf("%+v %+v", s, p.Decision)
		}
		if s := f.sync(); s.Proposal != "" {
			t.Errorf("again: %+v", s)
		}
		f.verified()
	}
}

// TestSupersededBranch checks that the branch of a proposal is deleted when a newer
// proposal replaces it, and that merging the branch still counts.
func TestSupersededBranch(t *testing.T) {
	for name, c := range map[string]struct{ merged, late bool }{"deleted": {}, "merged": {merged: true}, "merged from a copy": {true, true}} {
		f := newForge(t, false)
		f.propose()
		p := f.record()
		p.State = archive.Superseded
		if err := f.with(t.Context(), func(s *session) error {
			return s.record(t.Context(), p, "proposal.supersede", robot, map[string]string{"by": "P2"})
		}); err != nil {
			t.Fatal(err)
		}
		want := "deleted"
		if c.late {
			f.kim("fetch --quiet")
			if s := f.sync(); s.Did != want {
				t.Errorf("%s: %+v, want %s first", name, s, want)
			}
			f.kim("merge --quiet --no-ff --message=merged origin/evolve/P1", "push --quiet origin main")
			want = "merged"
		} else if c.merged {
			f.kim("fetch --quiet", "merge --quiet --no-ff --message=merged origin/evolve/P1", "push --quiet origin main")
			want = "merged"
		}
		if s := f.sync(); s.Did != want {
			t.Errorf("%s: %+v, want %s", name, s, want)
		}
		f.verified()
	}
}

// TestForgedMerge checks that the audit notices a merge in the records that is not a merge
// in the repository.
func TestForgedMerge(t *testing.T) {
	f := newForge(t, false)
	f.propose()
	f.kim("fetch --quiet", "merge --quiet --no-ff --message=merged origin/evolve/P1", "push --quiet origin main")
	f.sync()
	p := f.record()
	p.AdoptedCommit = f.git("rev-parse", "main")
	if err := f.store.PutProposal(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	repo, err := f.open(f.Targets[0])
	if err != nil {
		t.Fatal(err)
	}
	var odd *archive.AuditError
	if _, err := AuditCommits(t.Context(), f.store, repo, Audit{}); !errors.As(err, &odd) {
		t.Error(err)
	}
}
