//go:build unix

package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/wire"
	"evolve/gates/review"
	"evolve/runtime/authored"
)

// dieAt names the step of a decision at which the program "dying" kills itself.
const dieAt = "EVOLVE_TEST_DIE_AT"

// dying is evolve, but kills itself with SIGKILL at a given step of a decision.
func dying() {
	wd, _ := os.Getwd()
	os.Exit(Run(context.Background(), Process{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Env: os.Environ(), Dir: wd,
		Now: time.Now, Signals: make(chan os.Signal), Release: func() {},
		Reached: func(step string) error {
			if step == os.Getenv(dieAt) {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
			return nil
		},
	}))
}

// git runs git in the workspace.
func (p *place) git(args ...string) string {
	p.t.Helper()
	c := exec.Command("git", args...)
	c.Dir = p.dir
	c.Env = append(
		os.Environ(), "HOME="+p.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.org", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.org",
	)
	out, err := c.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// copied returns a new place that contains a copy of p's files.
func (p *place) copied(t *testing.T) *place {
	t.Helper()
	q := &place{t, t.TempDir()}
	if err := os.CopyFS(q.dir, os.DirFS(p.dir)); err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(filepath.Join(q.dir, ".evolve", "after.log"))
	return q
}

// settled is the state of a proposal and of the records that belong to it.
type settled struct {
	state    archive.ProposalState
	kinds    []string // of the ledger's decision entries
	left     int      // unfinished intents
	commits  string
	attempts string // of the operator's program, as it recorded them
	verified bool
}

func (p *place) settled() settled {
	p.t.Helper()
	a, err := archive.OpenRead(wire.ArchiveDir(p.dir))
	if err != nil {
		p.t.Fatal(err)
	}
	defer a.Close()
	var s settled
	rec, err := a.Proposal(p.t.Context(), "P1")
	if err != nil {
		p.t.Fatal(err)
	}
	s.state = rec.State
	for e, err := range a.Ledger(p.t.Context(), 1) {
		if err != nil {
			p.t.Fatal(err)
		}
		if e.Kind != "proposal.create" && e.Subject == "P1" {
			s.kinds = append(s.kinds, e.Kind)
		}
	}
	left, err := review.Unfinished(p.t.Context(), a)
	if err != nil {
		p.t.Fatal(err)
	}
	s.left = len(left)
	_, _, err = a.VerifyLedger(p.t.Context())
	s.verified = err == nil
	s.commits = p.git("rev-list", "--count", "HEAD")
	log, _ := os.ReadFile(filepath.Join(p.dir, ".evolve", "after.log"))
	s.attempts = strings.Join(strings.Fields(string(log)), " ")
	head := p.git("log", "-1", "--format=%H %B")
	switch s.state {
	case archive.Adopted:
		if s.commits == "2" && (!strings.HasPrefix(head, rec.AdoptedCommit) || !strings.Contains(head, "\nEvolve-Proposal: P1\n")) {
			p.t.Errorf("adopted as %s, and at HEAD is %s", rec.AdoptedCommit, head)
		}
	case archive.RolledBack:
		if !strings.HasPrefix(head, rec.Decision.Commit) || !strings.Contains(head, "\nEvolve-Rollback: P1\n") {
			p.t.Errorf("rolled back as %s, and at HEAD is %s", rec.Decision.Commit, head)
		}
	default:
	}
	if status := p.git("status", "--porcelain"); status != "" {
		p.t.Errorf("the working tree: %s", status)
	}
	return s
}

// offered returns a workspace in which P1, a proposal for a config or a tool, awaits a
// decision.
func offered(t *testing.T, tool bool) *place {
	p := tinyPlace(t)
	for name, text := range map[string]string{
		"evolve.yaml": "adoption: {after: [sh, -c, 'echo $EVOLVE_PROPOSAL-$EVOLVE_DECISION-$EVOLVE_ATTEMPT >> .evolve/after.log']}\n",
		".gitignore":  ".evolve/\n",
	} {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p.git("init", "--quiet", "--initial-branch=main")
	p.git("add", "--all")
	p.git("commit", "--quiet", "--message=start")
	sh := testShell(t, p)
	w, err := wire.Load(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	a, err := sh.OpenArchive(p.dir, "a test")
	if err != nil {
		t.Fatal(err)
	}
	agent := &w.Agents[0]
	var rec archive.ProposalRecord
	if tool {
		var def authored.Definition
		def, err = authored.ParseDraft([]byte(`{"name":"doubled","description":"Doubles a number.","schema":{"type":"object"},"source":"def run(args):\n    return args[\"n\"] * 2\n",` +
			`"tests":[{"name":"two","args":{"n":1},"want":2},{"name":"a hundred","args":{"n":50},"want":100}]}`))
		if err == nil {
			rec, err = sh.Reviewer(w, review.Opened(a)).ProposeTool(t.Context(), agent.ID, def, "it doubles")
		}
	} else {
		config := agent.Champion.Clone()
		config["recall.min_score"] = .5
		var v archive.Variant
		v, err = a.PutVariant(t.Context(), archive.Variant{Agent: agent.ID, Config: agent.Space.Canonical(config), Operator: "hand"})
		if err == nil {
			rec, err = sh.Reviewer(w, review.Opened(a)).ProposeConfig(t.Context(), agent.ID, review.Draft{Variant: v, Rationale: "by hand"})
		}
	}
	if err = errors.Join(err, a.Close()); err != nil || rec.State != archive.Awaiting {
		t.Fatalf("%s: %v %+v", rec.State, err, rec.Gates)
	}
	return p
}

// testShell returns a shell in this process.
func testShell(t *testing.T, p *place) *shell {
	return newShell(t.Context(), Process{Env: p.command().Env, Now: time.Now, Stderr: io.Discard, Stdout: io.Discard})
}

// dies runs evolve, which must be killed at the given step.
func (p *place) dies(step string, args ...string) {
	p.t.Helper()
	c := p.command(args...)
	c.Args[0] = "dying"
	c.Env = append(c.Env, dieAt+"="+step)
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		p.t.Fatalf("it was not killed at %q: %v\n%s", step, err, out)
	}
}

// TestKilledWhileDeciding kills evolve at every step of an approval and of a rollback.
// The state, the ledger, the commit and the operator's program must agree after the next
// command, which is not the killed command. If a commit is missing, they must also agree
// after the same command is repeated.
func TestKilledWhileDeciding(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	for _, kind := range []string{"config", "tool"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			waits := offered(t, kind == "tool")
			adopted := waits.copied(t)
			adopted.run(0, "approve", "P1", "--yes", "--by", "Robin")
			for _, action := range []string{"approve", "rollback"} {
				steps := []string{review.StepIntended, review.StepMoved}
				if kind == "config" && action == "approve" && !testing.Short() { // the other cases take the same path
					steps = review.Steps
				}
				for _, step := range steps {
					t.Run(action+" "+step, func(t *testing.T) {
						p := waits.copied(t)
						if action == "rollback" {
							p = adopted.copied(t)
						}
						p.dies(step, action, "P1", "--yes", "--by", "Robin", "--reason", "r")
						moved := slices.Index(review.Steps, step) >= slices.Index(review.Steps, review.StepMoved)
						if out, _ := p.run(0, "status"); (step != review.StepNoted) != strings.Contains(out, "unfinished: ") {
							t.Errorf("status:\n%s", out)
						}
						p.run(exit.Usage, "propose", "999") // only opens the archive for writing
						check(t, "after the next command", p.settled(), wanted(action, step, moved))
						if !moved {
							p.run(0, action, "P1", "--yes", "--by", "Robin", "--reason", "r")
							again := wanted(action, review.StepMoved, true)
							if action == "rollback" {
								again.kinds = slices.Insert(again.kinds, 3, review.UnfinishedKind)
							}
							check(t, "after the same command", p.settled(), again)
						}
					})
				}
			}
		})
	}
}

func check(t *testing.T, when string, got, want settled) {
	t.Helper()
	if got.state != want.state || !slices.Equal(got.kinds, want.kinds) || got.left != want.left || got.commits != want.commits || got.attempts != want.attempts || !got.verified {
		t.Errorf("%s:\n got %+v\nwant %+v", when, got, want)
	}
}

// wanted returns the expected state after the next command.
func wanted(action, step string, moved bool) settled {
	s := settled{state: archive.Approved, kinds: []string{"proposal.approve"}, left: 1, commits: "1"}
	if action == "rollback" {
		s = settled{state: archive.Adopted, kinds: []string{"proposal.approve", "proposal.adopted", review.AfterKind, review.UnfinishedKind}, commits: "2"}
	}
	if !moved {
		return s
	}
	// It is unknown whether the first attempt ran before its process was killed. The second
	// attempt does run.
	switch mark := "P1-" + action + "-"; step {
	case review.StepMoved, review.StepSettled, review.StepNoted:
		s.attempts = mark + "1"
	case review.StepStarting:
		s.attempts = mark + "2"
	case review.StepRan:
		s.attempts = mark + "1 " + mark + "2"
	}
	s.left = 0
	if action == "approve" {
		s.state, s.commits, s.kinds = archive.Adopted, "2", []string{"proposal.approve", "proposal.adopted", review.AfterKind}
	} else {
		s.state, s.commits, s.kinds = archive.RolledBack, "3", append(s.kinds[:3:3], "proposal.rollback", review.AfterKind)
	}
	return s
}
