package review

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/gates"
)

// behind is the note about a merge that was not pulled.
const behind = "the branch that is checked out here does not contain the merge yet: git pull --ff-only origin main"

// TestBranchMerged checks that each way of merging is recorded once, as the approval.
func TestBranchMerged(t *testing.T) {
	for name, c := range map[string]struct {
		merge func(*forge)
		by    string
		// commit is the adoption's commit in the clone.
		commit, note string
	}{
		"merge": {merge: func(f *forge) {
			f.kim("merge --quiet --no-ff --message=merged origin/evolve/P1", "push --quiet origin main")
		}, by: "Kim <kim@example.org>", commit: "main"},
		"merge of a moved base": {merge: func(f *forge) {
			f.edit("other.txt", "other\n")
			f.kim("merge --quiet --message=merged origin/evolve/P1")
			f.edit("more.txt", "more\n")
			f.kim("push --quiet origin main :evolve/P1")
		}, by: "Kim <kim@example.org>", commit: "main^"},
		"squash": {merge: func(f *forge) {
			f.kim("merge --quiet --squash origin/evolve/P1", "commit --quiet --message=squashed", "push --quiet origin main :evolve/P1")
		}, by: "Kim <kim@example.org>", commit: "main"},
		"squash where the file changed": {merge: func(f *forge) {
			f.edit("cache/cache.go", strings.Replace(source, "return n > Size", "return n >= Size+1", 1))
			f.kim("merge --quiet --squash origin/evolve/P1", "commit --quiet --message=squashed", "push --quiet origin main")
		}, by: "Kim <kim@example.org>", commit: "main"},
		"rebase": {merge: func(f *forge) {
			f.edit("other.txt", "other\n")
			f.kim("cherry-pick origin/evolve/P1", "push --quiet origin main :evolve/P1")
		}, by: "Kim <kim@example.org>", commit: "main"},
		"fast-forward": {merge: func(f *forge) {
			f.kim("merge --quiet --ff-only origin/evolve/P1", "push --quiet origin main :evolve/P1")
		}, by: "an unknown person at the remote origin", commit: "main"},
		"amended and squashed": {merge: func(f *forge) {
			f.kim("switch --quiet --detach origin/evolve/P1")
			f.edit("cache/cache.go", strings.Replace(source, "Size = 64", "Size = 96", 1))
			f.kim("switch --quiet main", "merge --quiet --squash @{-1}")
			message := f.at("log", "-1", "--format=%B", "origin/evolve/P1")
			f.at("commit", "--quiet", "--message=squashed\n\n* "+message+"\n\n* edited")
			f.kim("push --quiet origin main :evolve/P1")
		}, by: "t <t@example.org>", commit: "main", note: "merged with other changes in cache/cache.go"},
		"amended and merged": {merge: func(f *forge) {
			f.kim("switch --quiet --detach origin/evolve/P1")
			f.edit("cache/cache.go", strings.Replace(source, "Size = 64", "Size = 96", 1))
			f.kim("push --quiet origin HEAD:evolve/P1", "switch --quiet main", "merge --quiet --no-ff --message=merged @{-1}", "push --quiet origin main")
		}, by: "Kim <kim@example.org>", commit: "main", note: "merged with other changes in cache/cache.go"},
		"moved, looked at, and squashed": {merge: func(f *forge) {
			f.kim("switch --quiet --detach origin/evolve/P1")
			f.edit("cache/cache.go", strings.Replace(source, "Size = 64", "Size = 96", 1))
			f.kim("push --quiet origin HEAD:evolve/P1")
			if s := f.sync(); !strings.Contains(s.Note, "someone else moved the branch") {
				f.t.Fatalf("%+v", s)
			}
			f.kim("switch --quiet main", "merge --quiet --squash @{-1}", "commit --quiet --message=squashed", "push --quiet origin main :evolve/P1")
		}, by: "Kim <kim@example.org>", commit: "main", note: "merged with other changes in cache/cache.go"},
		"amended, squashed and named": {merge: func(f *forge) {
			f.kim("switch --quiet --detach origin/evolve/P1")
			f.edit("cache/cache.go", strings.Replace(source, "Size = 64", "Size = 96", 1))
			f.kim("switch --quiet main", "merge --quiet --squash @{-1}", "commit --quiet --message=squashed", "push --quiet origin main :evolve/P1")
			commit := f.at("rev-parse", "main")
			if s := f.sync(); s.State != archive.Awaiting || !strings.Contains(s.Trouble, "evolve adopt sync --merged P1="+commit+"`") {
				f.t.Fatalf("%+v", s)
			}
			f.Branching.Merged = map[string]string{"P1": f.at("rev-parse", "main^")}
			if s := f.sync(); s.State != archive.Awaiting || !strings.Contains(s.Trouble, "is not a commit on the branch main of origin that changes files of P1") {
				f.t.Fatalf("%+v", s)
			}
			f.Branching.Merged = map[string]string{"P1": commit[:7]}
		}, by: "Kim <kim@example.org>", commit: "main", note: "merged with other changes in cache/cache.go"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newForge(t, false)
			if s := f.propose(); s.Did != "pushed" || s.Branch != "evolve/P1" || s.Base != "main" || s.Trouble != "" {
				t.Fatalf("%+v", s)
			}
			f.kim("fetch --quiet")
			c.merge(f)
			s := f.sync()
			want := f.at("rev-parse", c.commit)
			if s.Did != "merged" || s.By != c.by || s.Commit != want || s.Note != strings.TrimPrefix(c.note+"; "+behind, "; ") {
				t.Errorf("%+v, want %s by %s", s, want, c.by)
			}
			p := f.record()
			if p.State != archive.Adopted || p.AdoptedCommit != want || p.Decision.By != c.by || p.Decision.Merge == nil || p.Decision.Merge.Base != "main" {
				t.Errorf("%+v %+v", p, p.Decision)
			}
			head := f.git("rev-parse", "HEAD")
			if s := f.sync(); s.Did != "" || s.Note != behind || head != f.git("rev-parse", "HEAD") || f.git("status", "--porcelain") != "" {
				t.Errorf("again: %+v", s)
			}
			f.git("pull", "--quiet", "--ff-only", "origin", "main")
			if s := f.sync(); s.Proposal != "" {
				t.Errorf("once it is here: %+v", s)
			}
			if got := strings.Join(f.kinds(), " "); got != "patch.attempt proposal.create proposal.branch proposal.approve proposal.adopted" {
				t.Errorf("the ledger tells of %s", got)
			}
			f.verified()
			if _, err := f.Reject(t.Context(), "P1", robin); err == nil {
				t.Error("what is merged was rejected")
			}
		})
	}
}

// TestBranchOverHTTP checks the whole process against a git server that requires a
// password: no hooks in the repository run, and the password is not disclosed.
func TestBranchOverHTTP(t *testing.T) {
	f := newForge(t, true)
	for _, hook := range []string{"pre-push", "reference-transaction", "post-checkout", "post-merge"} {
		f.write(".git/hooks/"+hook, "#!/bin/sh\ntouch "+f.root+"/ran\n")
		if err := os.Chmod(filepath.Join(f.root, ".git/hooks", hook), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if s := f.propose(); s.Did != "pushed" || s.Trouble != "" {
		t.Fatalf("%+v", s)
	}
	f.kim("fetch --quiet", "merge --quiet --no-ff --message=merged origin/evolve/P1", "push --quiet origin main")
	if s := f.sync(); s.Did != "merged" {
		t.Fatalf("%+v", s)
	}
	if _, err := os.Stat(filepath.Join(f.root, "ran")); err == nil {
		t.Error("a hook of the repository ran")
	}
	f.must(f.submit(OriginPerson, "Robin", replaced))
	f.git("remote", "set-url", "origin", strings.Replace(f.git("remote", "get-url", "origin"), "pa55-Wort", "wr0ng-Wort", 1))
	states, err := f.trySync()
	if err != nil || len(states) != 2 || states[0].Trouble == "" || states[1].Trouble == "" || strings.Contains(fmt.Sprint(states), "Wort") {
		t.Fatalf("%v %+v", err, states)
	}
	p := f.must(f.Find(t.Context(), "P2"))
	if p.Branch.Trouble != states[1].Trouble || p.State != archive.Awaiting {
		t.Errorf("%+v", p.Branch)
	}
}

// TestBranchClosed checks that deleting a branch without a merge is a rejection, and that a
// remote that is a different repository rejects nothing.
func TestBranchClosed(t *testing.T) {
	f := newForge(t, false)
	f.propose()
	other := filepath.Join(t.TempDir(), "other.git")
	f.git("init", "--quiet", "--bare", "--initial-branch=main", other)
	f.git("remote", "set-url", "origin", other)
	if s := f.sync(); s.Did != "" || !strings.Contains(s.Trouble, `no branch "main"`) {
		t.Fatalf("an empty repository: %+v", s)
	}
	f.kim("switch --quiet --orphan lone", "commit --quiet --allow-empty --message=alone", "push --quiet "+other+" lone:main", "switch --quiet main")
	if s := f.sync(); s.Did != "" || !strings.Contains(s.Trouble, "the repository is a different one") {
		t.Fatalf("another repository: %+v", s)
	}
	f.git("remote", "set-url", "origin", f.bare)
	f.kim("push --quiet origin :evolve/P1")
	if s := f.sync(); s.Did != "closed" || s.State != archive.Rejected {
		t.Fatalf("%+v", s)
	}
	p := f.record()
	if p.Decision.Action != "reject" || p.Decision.By != "an unknown person at the remote origin" || !strings.Contains(p.Decision.Reason, "deleted on origin without a merge") || p.Branch.Trouble != "" {
		t.Errorf("%+v", p.Decision)
	}
	if s := f.sync(); s.Proposal != "" {
		t.Errorf("again: %+v", s)
	}
	f.verified()
}

// TestBranchClosedAfterOtherChanges checks a branch that is missing at the remote and
// whose files have since changed on the base. This counts as a rejection only if other
// proposals made these changes.
func TestBranchClosedAfterOtherChanges(t *testing.T) {
	f := newForge(t, false)
	f.propose()
	f.kim("fetch --quiet")
	f.edit("cache/cache.go", source+"\n// more\n")
	f.kim("push --quiet origin main :evolve/P1")
	if s := f.sync(); s.Did != "" || s.State != archive.Awaiting || !strings.Contains(s.Trouble, "its branch is gone") || !strings.Contains(s.Trouble, "`evolve reject P1`") {
		t.Fatalf("%+v", s)
	}
	f.done(f.Reject(t.Context(), "P1", robin))
	if p := f.record(); p.State != archive.Rejected {
		t.Errorf("%+v", p)
	}
	f.verified()
}

// TestBranchMovedByOthers checks that a branch that others have moved is neither
// overwritten nor deleted.
func TestBranchMovedByOthers(t *testing.T) {
	f := newForge(t, false)
	f.propose()
	f.kim("switch --quiet --detach origin/main")
	f.edit("cache/cache.go", strings.Replace(source, "Size = 64", "Size = 65", 1))
	f.kim("push --quiet --force origin HEAD:evolve/P1")
	theirs := f.at("rev-parse", "HEAD")
	if s := f.sync(); s.Did != "" || !strings.Contains(s.Note, "someone else moved the branch to "+theirs[:12]+",") {
		t.Fatalf("%+v", s)
	}
	f.done(f.Reject(t.Context(), "P1", robin))
	if s := f.sync(); s.Did != "" || !strings.Contains(s.Note, "evolve leaves it unchanged") {
		t.Fatalf("%+v", s)
	}
	if got := f.git("-C", f.bare, "rev-parse", "evolve/P1"); got != theirs {
		t.Errorf("the branch is at %s", got)
	}
	if s := f.sync(); s.Proposal != "" {
		t.Errorf("again: %+v", s)
	}
}

// TestBranchNameTaken checks that another workspace's branch with the same id is not
// touched, and that a branch with the same change is treated as the proposal's own.
func TestBranchNameTaken(t *testing.T) {
	f := newForge(t, false)
	f.kim("push --quiet origin main:evolve/P1")
	s := f.propose()
	if p := f.record(); s.Did != "pushed" || s.Branch != "evolve/P1-"+p.Branch.Commit[:12] || f.git("-C", f.bare, "rev-parse", "evolve/P1") != f.git("rev-parse", "main") {
		t.Fatalf("%+v", s)
	}
	p := f.record()
	p.Branch = nil // as after a backup is restored
	if err := f.store.PutProposal(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	f.kim("push --quiet origin :evolve/P1")
	f.git("-C", f.bare, "branch", "-m", s.Branch, "evolve/P1")
	f.now = f.now.Add(time.Hour)
	if again := f.sync(); again.Did != "pushed" || again.Branch != "evolve/P1" || again.Commit != s.Commit {
		t.Errorf("%+v, want the commit %s", again, s.Commit)
	}
}

// TestBranchCrash checks that a process that dies at any step loses nothing and does nothing
// twice.
func TestBranchCrash(t *testing.T) {
	for _, step := range []string{StepBranched, StepPushed, StepListed, StepOpened} {
		t.Run(step, func(t *testing.T) {
			f := newForge(t, false)
			f.must(f.submit(OriginPerson, "Robin", turned("64", "128")))
			f.stopAt(step)
			if _, err := f.trySync(); !errors.Is(err, errPower) {
				t.Fatal(err)
			}
			f.Reached = nil
			f.now = f.now.Add(24 * time.Hour)
			if s := f.sync(); s.Trouble != "" {
				t.Fatalf("%+v", s)
			}
			p := f.record()
			if f.remoteRefs() != "evolve/P1\nmain" || f.git("-C", f.bare, "rev-parse", "evolve/P1") != p.Branch.Commit || p.Branch.Pushed != p.Branch.Commit || !p.Branch.Opened {
				t.Errorf("%s, %+v", f.remoteRefs(), p.Branch)
			}
			if got := strings.Count(strings.Join(f.kinds(), " "), "proposal.branch"); got != 1 {
				t.Errorf("the ledger tells %d times of it", got)
			}
			if want := map[bool]int{true: 2, false: 1}[step == StepOpened]; len(f.opened) != want {
				t.Errorf("opened %d times, want %d", len(f.opened), want)
			}
			if s := f.sync(); s.Did != "" || s.Trouble != "" {
				t.Errorf("again: %+v", s)
			}
		})
	}
	t.Run("merged", func(t *testing.T) {
		f := newForge(t, false)
		f.propose()
		f.kim("fetch --quiet", "merge --quiet --no-ff --message=merged origin/evolve/P1", "push --quiet origin main :evolve/P1")
		f.stopAt(StepDecided)
		if _, err := f.trySync(); !errors.Is(err, errPower) {
			t.Fatal(err)
		}
		f.Reached = nil
		f.sync()
		in, err := f.store.Intent(t.Context(), "P1")
		if err != nil {
			t.Fatal(err)
		}
		if in, err = f.Finish(t.Context(), in); err != nil || in.Stage != archive.IntentDone {
			t.Fatal(err, in)
		}
		if p := f.record(); p.State != archive.Adopted || p.AdoptedCommit != f.at("rev-parse", "main") || p.Decision.Merge == nil {
			t.Errorf("%+v", p)
		}
		if got := strings.Join(f.kinds(), " "); !strings.HasSuffix(got, "proposal.branch proposal.approve proposal.adopted") {
			t.Error(got)
		}
		f.verified()
	})
}

// TestBranchTrouble checks remotes that refuse, are gone, have another base or do not
// answer: the proposal waits with the reason, and is pushed once the trouble is over.
func TestBranchTrouble(t *testing.T) {
	for name, c := range map[string]struct {
		bring, mend func(*forge)
		says        string
	}{
		"gone": {func(f *forge) { f.move(f.bare, f.bare+".away") }, func(f *forge) { f.move(f.bare+".away", f.bare) }, "asking origin for its branches"},
		"no remote": {
			func(f *forge) { f.git("remote", "rename", "origin", "upstream") }, func(f *forge) { f.git("remote", "rename", "upstream", "origin") },
			"has no remote origin",
		},
		"refuses": {func(f *forge) { f.hook("#!/bin/sh\necho 'no branches at night' >&2\nexit 1\n") }, func(f *forge) { f.hook("#!/bin/sh\n") }, "no branches at night"},
		"not answering": {
			func(f *forge) { f.hook("#!/bin/sh\nsleep 60\n"); f.Branching.Time = time.Second },
			func(f *forge) { f.hook("#!/bin/sh\n"); f.Branching.Time = time.Minute }, "it did not answer in time",
		},
		"a base that it lacks": {func(f *forge) {
			f.git("commit", "--quiet", "--allow-empty", "--message=not pushed")
		}, func(f *forge) { f.git("push", "--quiet", "origin", "main") }, "does not contain the commit"},
		"nonsense": {func(f *forge) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
				_, _ = w.Write([]byte("001e# service=git-upload-pack\n0000ffffsurprise \x00\x1b[2J"))
			}))
			f.t.Cleanup(server.Close)
			f.git("remote", "set-url", "origin", server.URL+"/x.git")
		}, func(f *forge) { f.git("remote", "set-url", "origin", f.bare) }, "asking origin for its branches"},
		"an address that is a command": {
			func(f *forge) { f.git("remote", "set-url", "origin", "ext::sh -c touch% "+f.root+"/ran") },
			func(f *forge) { f.git("remote", "set-url", "origin", f.bare) }, "not allowed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newForge(t, false)
			c.bring(f)
			if s := f.propose(); s.Did != "" || !strings.Contains(s.Trouble, c.says) {
				t.Fatalf("%+v", s)
			}
			if p := f.record(); p.State != archive.Awaiting || !strings.Contains(p.Branch.Trouble, c.says) {
				t.Errorf("%+v", p.Branch)
			}
			if _, err := os.Stat(filepath.Join(f.root, "ran")); err == nil {
				t.Error("the address was run as a command")
			}
			c.mend(f)
			if s := f.sync(); s.Did != "pushed" || s.Trouble != "" {
				t.Errorf("%+v", s)
			}
			if p := f.record(); p.Branch.Trouble != "" || p.Branch.Pushed == "" {
				t.Errorf("%+v", p.Branch)
			}
		})
	}
}

// TestPullRequest checks what the operator's program receives, and that untrusted text in
// this input and in the commit has no effect at the host.
func TestPullRequest(t *testing.T) {
	f := newForge(t, false)
	fails := true
	open := f.Branching.Open
	f.Branching.Open = func(ctx context.Context, r PullRequest) error {
		if fails {
			return errors.New("not logged in")
		}
		return open(ctx, r)
	}
	if s := f.propose(); s.Did != "pushed" || s.Trouble != "the pull request was not opened: not logged in" {
		t.Fatalf("%+v", s)
	}
	fails = false
	f.sync()
	f.sync()
	if len(f.opened) != 1 {
		t.Fatalf("opened %d times", len(f.opened))
	}
	r := f.opened[0]
	if r.Proposal != "P1" || r.Branch != "evolve/P1" || r.Base != "main" || r.Title != "evolve: propose a patch for code (P1)" || r.Folder != f.root {
		t.Errorf("%+v", r)
	}
	message := f.git("log", "-1", "--format=%B", r.Commit)
	for _, s := range []string{r.Body, message} {
		if !strings.Contains(s, "    @ kim fixes # 12") || !strings.Contains(s, "    room for more\n    and why") || strings.Contains(s, "\nEvolve-Proposal: P9") {
			t.Errorf("%s", s)
		}
	}
	if strings.Contains(r.Body, "Evolve-Audit") || !strings.Contains(message, "\nEvolve-Proposal: P1\n") {
		t.Errorf("%s\n%s", r.Body, message)
	}
	if got := f.git("log", "-1", "--format=%an %P", r.Commit); got != "evolve "+f.git("rev-parse", "main") {
		t.Error(got)
	}
}

// TestPrepareBranches checks that the branches of a night are known without a network, and
// which proposals get a branch.
func TestPrepareBranches(t *testing.T) {
	f := newForge(t, false)
	f.move(f.bare, f.bare+".away")
	f.says["affected"] = gates.Flagged
	f.must(f.submit(OriginPerson, "Robin", turned("64", "128")))
	f.must(f.submit(OriginPerson, "Robin", turned("64", "256")))
	f.says["affected"] = gates.Failed
	f.must(f.submit(OriginPerson, "Robin", turned("64", "512")))
	vetoed := f.must(f.Find(t.Context(), "P2"))
	vetoed.Patch.Review = &archive.Review{Reviewer: "aide", Digest: vetoed.Patch.Digest}
	if err := f.store.PutProposal(t.Context(), vetoed); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := f.PrepareBranches(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for id, want := range map[string]bool{"P1": true, "P2": false, "P3": false} {
		if p := f.must(f.Find(t.Context(), id)); (p.Branch != nil) != want {
			t.Errorf("%s, %s: %+v", id, p.State, p.Branch)
		}
	}
	p := f.record()
	if p.State != archive.HumanLane || p.Branch.Name != "evolve/P1" || p.Branch.Pushed != "" || !strings.Contains(f.git("log", "-1", "--format=%B", p.Branch.Commit), "\nA gate flagged this proposal: ") {
		t.Errorf("%+v", p.Branch)
	}
	f.move(f.bare+".away", f.bare)
	if s := f.sync(); s.Did != "pushed" || s.Commit != p.Branch.Commit {
		t.Errorf("%+v, want %s", s, p.Branch.Commit)
	}
}
