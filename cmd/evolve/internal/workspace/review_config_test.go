package workspace_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/archive"
	"evolve/bench/grade"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/patch"
	"evolve/runtime/agent"
)

// office is a workspace with an archive and one variant that can be adopted.
type office struct {
	t       *testing.T
	root    string
	env     []string
	archive *archive.Archive
	variant archive.Variant
}

func newOffice(t *testing.T, repository bool) *office {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(root, os.DirFS("testdata/solver")); err != nil {
		t.Fatal(err)
	}
	o := &office{t: t, root: root, archive: archive.OpenMemory(), env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + root, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.org", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.org",
	}}
	if repository {
		o.git("init", "--quiet", "--initial-branch=main")
		o.git("add", "--all")
		o.git("commit", "--quiet", "--message=start")
	}
	a := o.agent()
	config := a.Champion.Clone()
	config["case"] = "upper"
	o.variant, err = o.archive.PutVariant(t.Context(), archive.Variant{Agent: a.ID, Config: a.Space.Canonical(config), Operator: "flip"})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// sure returns alice's decision after she was shown the files of a new repository.
func (o *office) sure() review.Decision {
	o.t.Helper()
	w := alice
	var err error
	if w.Initial, err = o.desk().InitialFiles(); err != nil {
		o.t.Fatal(err)
	}
	return w
}

// programs returns the output that is expected from git status about the agent's program:
// a repository that an approval creates holds only the workspace's own files.
func (o *office) programs(repository bool) string {
	if repository {
		return ""
	}
	return "?? agents/solver/agent.sh"
}

// deciding wraps the reviewer of a workspace, so that the methods for decisions return
// only the proposal.
type deciding struct {
	*review.Reviewer
	Workspace *workspace.Workspace
}

func (d *deciding) Approve(ctx context.Context, id string, w review.Decision) (archive.ProposalRecord, error) {
	done, err := d.Reviewer.Approve(ctx, id, w)
	return done.Proposal, err
}

func (d *deciding) Reject(ctx context.Context, id string, w review.Decision) (archive.ProposalRecord, error) {
	done, err := d.Reviewer.Reject(ctx, id, w)
	return done.Proposal, err
}

func (d *deciding) Rollback(ctx context.Context, id string, w review.Decision) (archive.ProposalRecord, error) {
	done, err := d.Reviewer.Rollback(ctx, id, w)
	return done.Proposal, err
}

// desk returns a reviewer of the current workspace.
func (o *office) desk() *deciding {
	o.t.Helper()
	w := loaded(o.t, o.root)
	at := time.Unix(1_790_000_000, 0).UTC()
	return &deciding{Workspace: w, Reviewer: &review.Reviewer{
		Workspace: w.Reviewed(), Archive: review.Opened(o.archive), Env: o.env, Now: func() time.Time { at = at.Add(time.Minute); return at },
	}}
}

// loaded loads the workspace at root.
func loaded(t testing.TB, root string) *workspace.Workspace {
	t.Helper()
	w, err := workspace.Load(root, workspace.Builtins{
		Space: func(string, []string, []string, []string, []workspace.Model) agent.Space { return agent.Space{} }, Graders: grade.Rules(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (o *office) agent() *workspace.Agent { return &o.desk().Workspace.Agents[0] }

func (o *office) propose() archive.ProposalRecord {
	o.t.Helper()
	d := o.desk()
	p, err := d.ProposeConfig(o.t.Context(), d.Workspace.Agents[0].ID, review.Draft{Run: "1-abc", Variant: o.variant, Evidence: "sha256:1", Rationale: "it is better"})
	if err != nil {
		o.t.Fatal(err)
	}
	return p
}

func (o *office) git(args ...string) string {
	o.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = o.root, o.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		o.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (o *office) append(path, text string) {
	o.t.Helper()
	full := filepath.Join(o.root, path)
	data, err := os.ReadFile(full)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		o.t.Fatal(err)
	}
	if err := os.WriteFile(full, append(data, text...), 0o644); err != nil {
		o.t.Fatal(err)
	}
}

var alice = review.Decision{By: "Alice Example <alice@example.org>", Reason: "reads well"}

func refused(t *testing.T, err error, part string) {
	t.Helper()
	var r *review.RefusedError
	if !errors.As(err, &r) {
		t.Fatalf("%v, want a refusal", err)
	}
	if !strings.Contains(r.Text, part) || r.Hint == "" {
		t.Errorf("refused with %q and hint %q, want %q and a hint", r.Text, r.Hint, part)
	}
}

func TestApproveCommitsAndRollbackRestores(t *testing.T) {
	for _, repository := range []bool{true, false} {
		t.Run(map[bool]string{true: "in a repository", false: "in none"}[repository], func(t *testing.T) {
			o := newOffice(t, repository)
			before := o.agent().Champion
			p := o.propose()
			if p.State != archive.Awaiting || (p.Commit != "") != repository {
				t.Fatalf("the proposal is %s with commit %q and gates %+v", p.State, p.Commit, p.Gates)
			}
			p, err := o.desk().Approve(t.Context(), p.ID, o.sure())
			if err != nil {
				t.Fatal(err)
			}
			if p.State != archive.Adopted || o.git("rev-parse", "HEAD") != p.AdoptedCommit || o.git("status", "--porcelain") != o.programs(repository) {
				t.Errorf("%s at %s; HEAD %s, status %q", p.State, p.AdoptedCommit, o.git("rev-parse", "HEAD"), o.git("status", "--porcelain"))
			}
			if got := o.agent().Champion; !got.Equal(o.variant.Config) {
				t.Errorf("the champion is %s, want %s", got.Canonical(), o.variant.Config.Canonical())
			}
			trailers := o.git("log", "-1", "--format=%(trailers:only,unfold)")
			for _, want := range []string{
				"Evolve-Proposal: " + p.ID, "Evolve-Variant: " + string(o.variant.ID), "Evolve-Run: 1-abc",
				"Evolve-Evidence: sha256:1", "Evolve-Approved-By: Alice Example <alice@example.org>", "Evolve-Audit: ",
			} {
				if !strings.Contains(trailers, want) {
					t.Errorf("no trailer %q in\n%s", want, trailers)
				}
			}
			p, err = o.desk().Rollback(t.Context(), p.ID, o.sure())
			if err != nil {
				t.Fatal(err)
			}
			if got := o.agent().Champion; p.State != archive.RolledBack || !got.Equal(before) {
				t.Errorf("%s, the champion is %s, want %s", p.State, got.Canonical(), before.Canonical())
			}
			if o.git("rev-parse", "HEAD^{tree}") != o.git("rev-parse", "HEAD~2^{tree}") {
				t.Error("the tree is not what it was before the adoption")
			}
			if n, _, err := o.archive.VerifyLedger(t.Context()); err != nil || n < 4 {
				t.Errorf("the ledger has %d entries, %v", n, err)
			}
		})
	}
}

func TestApproveRefusals(t *testing.T) {
	t.Run("stale agent", func(t *testing.T) {
		o := newOffice(t, true)
		p := o.propose()
		o.append("agents/solver/agent.yaml", "# changed\n")
		_, err := o.desk().Approve(t.Context(), p.ID, alice)
		refused(t, err, "stale")
	})
	t.Run("stale suite", func(t *testing.T) {
		o := newOffice(t, true)
		p := o.propose()
		o.append("suites/tasks.jsonl", `{"id":"new","goal":"x","answer":"x"}`+"\n")
		_, err := o.desk().Approve(t.Context(), p.ID, alice)
		refused(t, err, "stale")
	})
	t.Run("another file of the repository does not matter", func(t *testing.T) {
		o := newOffice(t, true)
		p := o.propose()
		o.append("NOTES.md", "hello\n")
		if _, err := o.desk().Approve(t.Context(), p.ID, alice); err != nil {
			t.Error(err)
		}
	})
	t.Run("no name", func(t *testing.T) {
		o := newOffice(t, true)
		p := o.propose()
		_, err := o.desk().Approve(t.Context(), p.ID, review.Decision{By: " "})
		refused(t, err, "name of a person")
		_, err = o.desk().Approve(t.Context(), p.ID, review.Decision{By: "Eve\nEvolve-Approved-By: Alice"})
		refused(t, err, "name of a person")
	})
	t.Run("twice", func(t *testing.T) {
		o := newOffice(t, true)
		p := o.propose()
		if _, err := o.desk().Approve(t.Context(), p.ID, alice); err != nil {
			t.Fatal(err)
		}
		_, err := o.desk().Approve(t.Context(), p.ID, alice)
		refused(t, err, "adopted")
	})
	t.Run("unknown", func(t *testing.T) {
		_, err := newOffice(t, true).desk().Approve(t.Context(), "P99", alice)
		refused(t, err, "no proposal")
	})
	t.Run("detached", func(t *testing.T) {
		o := newOffice(t, true)
		p := o.propose()
		o.git("checkout", "--quiet", "--detach")
		_, err := o.desk().Approve(t.Context(), p.ID, alice)
		refused(t, err, "no branch")
	})
}

func TestUncommittedChampionIsNotOverwritten(t *testing.T) {
	o := newOffice(t, true)
	o.append("agents/solver/config.yaml", "# mine\n") // measured with this file, which was never committed
	p := o.propose()
	if p.State != archive.Awaiting || p.Commit != "" {
		t.Errorf("%s with commit %q: a change that does not fit the last commit waits in the archive", p.State, p.Commit)
	}
	_, err := o.desk().Approve(t.Context(), p.ID, alice)
	refused(t, err, "not committed")
}

func TestRejectNeedsAReason(t *testing.T) {
	o := newOffice(t, true)
	p := o.propose()
	_, err := o.desk().Reject(t.Context(), p.ID, review.Decision{By: "Alice"})
	refused(t, err, "reason")
	if p, err = o.desk().Reject(t.Context(), p.ID, alice); err != nil || p.State != archive.Rejected {
		t.Fatalf("%s, %v", p.State, err)
	}
	_, err = o.desk().Approve(t.Context(), p.ID, alice)
	refused(t, err, "rejected")
}

func TestAnInterruptedAdoptionIsFinished(t *testing.T) {
	o := newOffice(t, true)
	p := o.propose()
	// A crash after the decision was stored: the record has the state approved.
	decision := archive.DecisionRecord{Proposal: p.ID, Action: "approve", By: alice.By, Time: time.Unix(1_790_000_500, 0).UTC()}
	p.State, p.Decision = archive.Approved, &archive.DecisionBrief{Action: decision.Action, By: decision.By, Time: decision.Time}
	if err := o.archive.Decide(t.Context(), decision, p); err != nil {
		t.Fatal(err)
	}
	done, err := o.desk().Approve(t.Context(), p.ID, alice)
	if err != nil || done.State != archive.Adopted {
		t.Fatalf("%s, %v", done.State, err)
	}
	// Approving again after a crash that followed the commit gives the same result.
	if _, err := o.archive.SettleProposal(t.Context(), p, archive.LedgerEntry{Kind: "proposal.approve", Subject: p.ID}); err != nil {
		t.Fatal(err)
	}
	again, err := o.desk().Approve(t.Context(), p.ID, alice)
	if err != nil || again.State != archive.Adopted || again.AdoptedCommit != done.AdoptedCommit {
		t.Errorf("%s at %s, want %s; %v", again.State, again.AdoptedCommit, done.AdoptedCommit, err)
	}
}

// TestAnotherGitIsAtWork covers an adoption or a rollback that git aborts after the files
// are written but before the branch moves. It checks that this counts as not committed,
// and that a repeated call commits the change.
func TestAnotherGitIsAtWork(t *testing.T) {
	for _, lock := range []string{"refs/heads/main.lock", "index.lock"} {
		t.Run(lock, func(t *testing.T) {
			o := newOffice(t, true)
			p := o.propose()
			path := filepath.Join(o.root, ".git", filepath.FromSlash(lock))
			for _, act := range []func(*deciding) (archive.ProposalRecord, error){
				func(d *deciding) (archive.ProposalRecord, error) { return d.Approve(t.Context(), p.ID, alice) },
				func(d *deciding) (archive.ProposalRecord, error) { return d.Rollback(t.Context(), p.ID, alice) },
			} {
				head := o.git("rev-parse", "HEAD")
				if err := os.WriteFile(path, nil, 0o600); err != nil {
					t.Fatal(err)
				}
				var held *patch.LockedError
				if _, err := act(o.desk()); !errors.As(err, &held) || held.Lock != path || held.Hint() == "" {
					t.Fatalf("%v, want the lock to be named", err)
				}
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
				q, err := act(o.desk())
				if err != nil || q.Decision.Commit != o.git("rev-parse", "HEAD") || o.git("rev-parse", "HEAD~1") != head || o.git("status", "--porcelain") != "" {
					t.Errorf("%s by commit %s, HEAD %s on %s, %s; %v", q.State, q.Decision.Commit, o.git("rev-parse", "HEAD"), head, o.git("status", "--porcelain"), err)
				}
			}
		})
	}
}

func TestNothingIsAdoptedDuringAMerge(t *testing.T) {
	o := newOffice(t, true)
	p := o.propose()
	o.git("switch", "--quiet", "--create=side")
	o.git("commit", "--quiet", "--allow-empty", "--message=side")
	o.git("switch", "--quiet", "main")
	o.git("merge", "--quiet", "--no-commit", "--no-ff", "side")
	_, err := o.desk().Approve(t.Context(), p.ID, alice)
	refused(t, err, "a merge of the branch is in progress")
	if p, err = o.desk().Find(t.Context(), p.ID); err != nil || p.State != archive.Awaiting {
		t.Errorf("%s, %v", p.State, err)
	}
}

// TestLineEndsOfGit checks that a rollback compares the committed files, not those of the
// working tree, which git may have converted.
func TestLineEndsOfGit(t *testing.T) {
	o := newOffice(t, true)
	o.git("config", "core.autocrlf", "true")
	p := o.propose()
	if _, err := o.desk().Approve(t.Context(), p.ID, alice); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(o.root, "agents", "solver", "config.yaml")
	if data, err := os.ReadFile(config); err != nil || !strings.Contains(string(data), "\r\n") {
		t.Fatalf("git left the ends of lines as they were: %q, %v", data, err)
	}
	if p, err := o.desk().Rollback(t.Context(), p.ID, alice); err != nil || p.State != archive.RolledBack || o.git("status", "--porcelain") != "" {
		t.Errorf("%s, %s; %v", p.State, o.git("status", "--porcelain"), err)
	}
}

func TestLaterAdoptionsAreNamed(t *testing.T) {
	o := newOffice(t, true)
	first := o.propose()
	if _, err := o.desk().Approve(t.Context(), first.ID, alice); err != nil {
		t.Fatal(err)
	}
	config := o.variant.Config.Clone()
	config["mark"] = "bang"
	v, err := o.archive.PutVariant(t.Context(), archive.Variant{Agent: o.variant.Agent, Config: config, Operator: "flip"})
	if err != nil {
		t.Fatal(err)
	}
	o.variant = v
	second := o.propose()
	if _, err := o.desk().Approve(t.Context(), second.ID, alice); err != nil {
		t.Fatal(err)
	}
	_, err = o.desk().Rollback(t.Context(), first.ID, alice)
	var r *review.RefusedError
	if !errors.As(err, &r) || !strings.Contains(r.Text, "agents/solver/config.yaml") || !strings.Contains(r.Hint, second.ID) {
		t.Errorf("%v, want a refusal that names the file and %s", err, second.ID)
	}
}

func TestANewProposalSupersedesTheOld(t *testing.T) {
	o := newOffice(t, true)
	first := o.propose()
	again := o.propose()
	if again.ID != first.ID {
		t.Errorf("a run that is taken up again made %s beside %s", again.ID, first.ID)
	}
	config := o.variant.Config.Clone()
	config["mark"] = "bang"
	v, err := o.archive.PutVariant(t.Context(), archive.Variant{Agent: o.variant.Agent, Config: config, Operator: "flip"})
	if err != nil {
		t.Fatal(err)
	}
	o.variant = v
	second := o.propose()
	old, err := o.archive.Proposal(context.Background(), first.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got := []archive.ProposalState{old.State, second.State}; !cmp.Equal(got, []archive.ProposalState{archive.Superseded, archive.Awaiting}) {
		t.Errorf("states %v", got)
	}
}

// TestHinderedBeforeTheApproval checks that a change that git would refuse or write in
// another form is refused before the approval is recorded, and likewise before a rollback.
func TestHinderedBeforeTheApproval(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(*office)
		why     string
	}{
		"a filter": {func(o *office) {
			o.git("config", "filter.twist.smudge", "sed s/upper/lower/")
			o.append(".git/info/attributes", "*.yaml filter=twist\n")
		}, "agents/solver/config.yaml (filter=twist)"},
		"an unmerged other file": {func(o *office) {
			o.append("one", "one")
			blob := o.git("hash-object", "-w", "one")
			cmd := exec.Command("git", "update-index", "--index-info")
			cmd.Dir, cmd.Env, cmd.Stdin = o.root, o.env, strings.NewReader("100644 "+blob+" 1\tREADME\n100644 "+blob+" 2\tREADME\n")
			if out, err := cmd.CombinedOutput(); err != nil {
				o.t.Fatalf("%v\n%s", err, out)
			}
		}, "git would refuse to update the working tree"},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(t, true)
			p := o.propose()
			c.prepare(o)
			_, err := o.desk().Approve(t.Context(), p.ID, alice)
			refused(t, err, c.why)
			if p, err = o.desk().Find(t.Context(), p.ID); err != nil || p.State != archive.Awaiting || o.git("rev-list", "--count", "HEAD") != "1" {
				t.Errorf("%s, %v", p.State, err)
			}
		})
		t.Run(name+", rollback", func(t *testing.T) {
			o := newOffice(t, true)
			p := o.propose()
			if _, err := o.desk().Approve(t.Context(), p.ID, alice); err != nil {
				t.Fatal(err)
			}
			c.prepare(o)
			_, err := o.desk().Rollback(t.Context(), p.ID, alice)
			refused(t, err, c.why)
		})
	}
}

// TestAlteredAfterTheMove checks that files that differ from the commit just made are
// named in the error and in the ledger, and that the operator's program is not started.
func TestAlteredAfterTheMove(t *testing.T) {
	o := newOffice(t, true)
	p := o.propose()
	config := filepath.Join(o.root, p.Files[0].Path)
	altering := func() *deciding {
		d := o.desk()
		d.Program = []string{"true"}
		d.Reached = func(step string) error {
			if step == review.StepMoved {
				o.append(p.Files[0].Path, "# evil\n")
			}
			return nil
		}
		return d
	}
	kinds := func() (out []string) {
		for e, err := range o.archive.Ledger(t.Context(), 1) {
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, e.Kind)
		}
		return out
	}
	_, err := altering().Approve(t.Context(), p.ID, alice)
	refused(t, err, p.Files[0].Path)
	var r *review.RefusedError
	var wrong *patch.AlteredError
	if !errors.As(err, &r) || !errors.As(err, &wrong) || !strings.Contains(r.Hint, "evolve rollback P1") || !strings.Contains(r.Hint, "checkout "+wrong.Commit+" -- "+p.Files[0].Path) {
		t.Errorf("%v (%v)", err, r)
	}
	now, err := o.desk().Find(t.Context(), p.ID)
	left, err2 := review.Unfinished(t.Context(), o.archive)
	if err = errors.Join(err, err2); err != nil || now.State != archive.Adopted || now.AdoptedCommit != o.git("rev-parse", "HEAD") || len(left) != 0 {
		t.Errorf("%s, left %v, %v", now.State, left, err)
	}
	if got := kinds(); got[len(got)-1] != review.AlteredKind {
		t.Errorf("the ledger: %v", got)
	}
	o.git("checkout", "--quiet", "HEAD", "--", p.Files[0].Path)
	_, err = altering().Rollback(t.Context(), p.ID, alice)
	refused(t, err, p.Files[0].Path)
	if now, err := o.desk().Find(t.Context(), p.ID); err != nil || now.State != archive.RolledBack {
		t.Errorf("%s, %v", now.State, err)
	}
	if data, err := os.ReadFile(config); err != nil || !strings.Contains(string(data), "evil") {
		t.Errorf("%q %v", data, err)
	}
}
