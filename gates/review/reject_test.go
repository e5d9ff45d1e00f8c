package review

import (
	"errors"
	"testing"
	"time"

	"evolve/archive"
)

// TestRejectionWithdrawsAnApproval checks that an approved patch whose branch could not be
// moved can be rejected, with git's writes undone, and that a patch already in the branch
// cannot.
func TestRejectionWithdrawsAnApproval(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	p := b.must(b.submit("agent", "solver", turned("64", "128")))
	cut := errors.New("cut off")
	b.Reached = func(at string) error {
		if at == StepIntended {
			return cut
		}
		return nil
	}
	if _, err := b.Approve(t.Context(), p.ID, robin); !errors.Is(err, cut) {
		t.Fatal(err)
	}
	b.Reached = nil
	in, err := b.store.Intent(t.Context(), p.ID)
	if err != nil || in.Commit == "" {
		t.Fatalf("%+v, %v", in, err)
	}
	b.git("restore", "--source="+in.Commit, "--staged", "--worktree", "--", ".")
	b.write("cache/own.go", "package cache\n")
	kim := Decision{By: "Kim Lee <kim@example.org>", Reason: "not now"}
	p = b.done(b.Reject(t.Context(), p.ID, kim))
	if p.State != archive.Rejected {
		t.Errorf("it is %s", p.State)
	}
	if got := b.git("status", "--porcelain"); got != "?? cache/own.go" {
		t.Errorf("git shows %q", got)
	}
	var last archive.DecisionRecord
	for d, err := range b.store.Decisions(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		last = d
	}
	if last.Action != "reject" || last.Withdraws.By != robin.By || last.Withdraws.Action != "approve" {
		t.Errorf("the ledger has %+v", last)
	}
	if left, err := Unfinished(t.Context(), b.store); len(left) > 0 || err != nil {
		t.Errorf("left to do: %+v, %v", left, err)
	}

	b.now = b.now.Add(2 * time.Hour)
	q := b.must(b.submit("agent", "solver", turned("64", "256")))
	b.Reached = func(at string) error {
		if at == StepMoved {
			return cut
		}
		return nil
	}
	if _, err := b.Approve(t.Context(), q.ID, robin); !errors.Is(err, cut) {
		t.Fatal(err)
	}
	b.Reached = nil
	_, err = b.Reject(t.Context(), q.ID, kim)
	refused(t, err, "is approved; it cannot be rejected")
}
