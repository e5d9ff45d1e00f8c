package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"evolve/archive"
	"evolve/gates/review"
	"evolve/patch"
)

// TestNothingIsRecordedWhileGitIsLocked checks that an approval whose branch is locked,
// or whose file a sparse checkout leaves out, records nothing and writes no file.
func TestNothingIsRecordedWhileGitIsLocked(t *testing.T) {
	for name, prepare := range map[string]func(*office){
		"branch": func(o *office) { o.lock("refs/heads/main") },
		"HEAD":   func(o *office) { o.lock("HEAD") },
		"sparse": func(o *office) {
			o.git("sparse-checkout", "set", "--no-cone", "/*", "!agents/solver/config.yaml")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, true)
			p := o.propose()
			prepare(o)
			before := o.git("status", "--porcelain")
			_, err := o.desk().Approve(t.Context(), p.ID, alice)
			if !errors.As(err, new(*patch.LockedError)) && !errors.As(err, new(*patch.HinderedError)) {
				t.Fatal(err)
			}
			if p, err = o.desk().Find(t.Context(), p.ID); err != nil || p.State != archive.Awaiting {
				t.Errorf("%s, %v", p.State, err)
			}
			if left, err := review.Unfinished(t.Context(), o.archive); len(left) > 0 || err != nil {
				t.Errorf("left to do: %+v, %v", left, err)
			}
			if after := o.git("status", "--porcelain"); after != before {
				t.Errorf("git shows %q, before %q", after, before)
			}
		})
	}
}

// TestARejectionClosesAnApproval checks that an approval that git could not carry out
// leaves neither a file nor an unfinished intent after its rejection.
func TestARejectionClosesAnApproval(t *testing.T) {
	o := newOffice(t, true)
	p := o.propose()
	d := o.desk()
	d.Reached = func(step string) error {
		if step == review.StepIntended {
			o.lock("refs/heads/main")
		}
		return nil
	}
	if _, err := d.Approve(t.Context(), p.ID, alice); !errors.As(err, new(*patch.LockedError)) {
		t.Fatal(err)
	}
	if got := o.git("status", "--porcelain"); got != "" {
		t.Errorf("git shows %q", got)
	}
	left, err := review.Unfinished(t.Context(), o.archive)
	if err != nil || len(left) != 1 || left[0].Commit == "" {
		t.Fatalf("left to do: %+v, %v", left, err)
	}
	// The state after git was killed before it had restored anything.
	o.git("restore", "--source="+left[0].Commit, "--staged", "--worktree", "--", ".")
	if got := o.git("status", "--porcelain"); got == "" {
		t.Fatal("no file was written")
	}
	word := alice
	word.Reason = "not now"
	if _, err := o.desk().Reject(t.Context(), p.ID, word); err != nil {
		t.Fatal(err)
	}
	if got := o.git("status", "--porcelain"); got != "" {
		t.Errorf("after the rejection git shows %q", got)
	}
	withdrawn := ""
	for d, err := range o.archive.Decisions(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		withdrawn = d.Action + " " + d.Reason + ", " + d.Withdraws.Action + " by " + d.Withdraws.By
	}
	if want := "reject not now, approve by " + alice.By; withdrawn != want {
		t.Errorf("the ledger has %q, not %q", withdrawn, want)
	}
	if _, err := o.archive.Audit(t.Context()); err != nil {
		t.Error(err)
	}
	if now, err := review.Unfinished(t.Context(), o.archive); len(now) > 0 || err != nil {
		t.Errorf("left to do after the rejection: %+v, %v", now, err)
	}
	// An archive written by an older version holds such an intent.
	if err := o.archive.PutIntent(t.Context(), left[0]); err != nil {
		t.Fatal(err)
	}
	if in, err := o.desk().Finish(t.Context(), left[0]); err != nil || in.Stage != archive.IntentDone || in.Commit != "" {
		t.Errorf("%+v, %v", in, err)
	}
	_, err = o.desk().Approve(t.Context(), p.ID, alice)
	refused(t, err, "is rejected; it cannot be approved")
}

// lock makes the lock file of a ref.
func (o *office) lock(ref string) {
	o.t.Helper()
	if err := os.WriteFile(filepath.Join(o.root, ".git", filepath.FromSlash(ref)+".lock"), nil, 0o600); err != nil {
		o.t.Fatal(err)
	}
}
