//go:build unix

package review

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"evolve/archive"
	"evolve/patch/scope"
	"evolve/runtime/sandbox"
)

// decider is the variable that makes the test binary a process that decides on P1 and kills
// itself. Its value holds the action, the step, and the folders of the archive and the
// repository.
const decider = "EVOLVE_PATCHING_TEST_DECIDE"

// playDecider runs the process that decides on P1 and kills itself; see [decider].
func playDecider(args []string) error {
	ctx, b := context.Background(), &bureau{root: args[3]}
	a, err := archive.Open(args[2], archive.Options{Owner: "a test"})
	if err != nil {
		return err
	}
	b.Reviewer = reviewerOn(a, args[3])
	b.Reviewer.tests = b.stand
	reached := func(step string) error {
		if step == args[1] {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		return nil
	}
	b.Reached = reached
	if args[0] == "approve" {
		_, err = b.Approve(ctx, "P1", robin)
	} else {
		_, err = b.Rollback(ctx, "P1", robin)
	}
	if err == nil {
		_, err = program(a, args[3], reached).RunProgram(ctx, "P1")
	}
	return errors.Join(fmt.Errorf("it lives: %w", err), a.Close())
}

// program returns a reviewer with an operator's program that logs each of its starts.
func program(a *archive.Archive, root string, reached func(string) error) *Reviewer {
	rev := reviewerOn(a, root)
	rev.Reached = reached
	return rev
}

// reviewerOn returns a reviewer with a real archive and repository.
func reviewerOn(a *archive.Archive, root string) *Reviewer {
	return &Reviewer{
		Archive: Opened(a), Scratch: root + "-scratch", Now: time.Now, Workspace: &Workspace{Root: root},
		Program: []string{"sh", "-c", "echo $EVOLVE_DECISION-$EVOLVE_ATTEMPT >> .git/after.log"},
		Env: []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + root, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
			"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.org", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.org",
		},
		Targets: []Target{{Name: "code", Repo: root, Named: true, Policy: scope.Policy{Allow: []string{"cache"}}}},
		Sandbox: func() sandbox.Sandbox { return sandbox.None("a test") },
	}
}

// TestKilledWhileDeciding kills a process at every step of an approval and of a rollback,
// and checks that what another process completes agrees with what was begun.
func TestKilledWhileDeciding(t *testing.T) {
	for _, action := range []string{"approve", "rollback"} {
		steps := Steps
		if testing.Short() {
			steps = []string{StepIntended, StepMoved, StepRan}
		}
		for _, step := range steps {
			t.Run(action+" "+step, func(t *testing.T) {
				t.Parallel()
				killedAt(t, action, step)
			})
		}
	}
}

func killedAt(t *testing.T, action, step string) {
	b := newBureau(t)
	dir := filepath.Join(t.TempDir(), "archive")
	store, err := archive.Open(dir, archive.Options{Owner: "a test"})
	if err != nil {
		t.Fatal(err)
	}
	b.store, b.Reviewer = store, reviewerOn(store, b.root)
	b.Reviewer.tests = b.stand
	b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
	if action == "rollback" {
		b.done(b.Approve(t.Context(), "P1", robin))
		if _, err := program(store, b.root, nil).RunProgram(t.Context(), "P1"); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(b.root, ".git", "after.log")); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(os.Args[0], action, step, dir, b.root)
	c.Env = append(os.Environ(), decider+"=1")
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("it was not killed: %v\n%s", err, out)
	}
	if store, err = archive.Open(dir, archive.Options{Owner: "a test"}); err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	b.store, b.Reviewer = store, reviewerOn(store, b.root)
	b.Reviewer.tests = b.stand
	left, err := Unfinished(t.Context(), store)
	if err != nil || (len(left) == 1) == (step == StepNoted) {
		t.Fatalf("left to do: %+v %v", left, err)
	}
	for _, in := range left {
		if _, err := b.Finish(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		if _, err := program(store, b.root, nil).RunProgram(t.Context(), "P1"); err != nil {
			t.Fatal(err)
		}
	}
	moved := slices.Index(Steps, step) >= slices.Index(Steps, StepMoved)
	p := b.must(b.Find(t.Context(), "P1"))
	var ledger []string
	for _, k := range b.kinds() {
		if !strings.HasPrefix(k, "patch.") && k != "proposal.create" {
			ledger = append(ledger, k)
		}
	}
	after, _ := os.ReadFile(filepath.Join(b.root, ".git", "after.log"))
	got := strings.Join([]string{string(p.State), b.git("rev-list", "--count", "HEAD"), strings.Join(ledger, " "), strings.Join(strings.Fields(string(after)), " ")}, "; ")
	runs := map[string]string{StepStarting: "2", StepRan: "1 " + action + "-2"}[step]
	if runs == "" {
		runs = "1"
	}
	want := "approved; 1; proposal.approve; "
	switch {
	case action == "approve" && moved:
		want = "adopted; 2; proposal.approve proposal.adopted adoption.after; approve-" + runs
	case action == "rollback" && !moved:
		want = "adopted; 2; proposal.approve proposal.adopted adoption.after rollback.unfinished; "
	case action == "rollback":
		want = "rolled_back; 3; proposal.approve proposal.adopted adoption.after proposal.rollback adoption.after; rollback-" + runs
	}
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if !moved { // the same command, given again, completes the decision
		if action == "approve" {
			p = b.done(b.Approve(t.Context(), "P1", robin))
		} else {
			p = b.done(b.Rollback(t.Context(), "P1", robin))
		}
		if state := map[string]archive.ProposalState{"approve": archive.Adopted, "rollback": archive.RolledBack}[action]; p.State != state {
			t.Errorf("then it is %s", p.State)
		}
	}
	if _, _, err := store.VerifyLedger(t.Context()); err != nil {
		t.Error(err)
	}
}
