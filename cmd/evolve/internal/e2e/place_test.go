//go:build unix

package e2e

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/cli/clitest/fixture"
)

// place is a workspace in its own folder, with the environment in which the program runs.
type place struct {
	t    *testing.T
	root string
	env  []string
	// flags are the flags that are added to every run of the program in the workspace.
	flags []string
	// log is the file that lists the calls, or empty if they are not counted.
	log string
	// model reports whether the agents ask a real model.
	model bool
}

func newPlace(t *testing.T, root string) place {
	t.Helper()
	return place{t: t, root: root, env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "TZ=UTC",
		"TMPDIR=" + t.TempDir(), // killed processes leave files there
		markVar + "=" + root,
	}}
}

// starter returns the workspace that `evolve init` makes.
func starter(t *testing.T) place {
	t.Helper()
	return starterAt(t, t.TempDir())
}

func starterAt(t *testing.T, root string) place {
	t.Helper()
	p := newPlace(t, root)
	p.do(0, "init", "--workspace", p.root)
	// A larger share than usual for the confirmation lets shorter runs complete.
	settings := "confirm: {finalists: 2, share: 0.25}\n"
	if err := os.WriteFile(filepath.Join(p.root, "evolve.yaml"), []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	p.flags = []string{"--seed", "7", "--budget-evals", "900"}
	return p
}

// tiny returns a small workspace whose runs are short and end with a proposal.
func tiny(t *testing.T) place {
	t.Helper()
	return tinyAt(t, filepath.Join(t.TempDir(), "tiny"))
}

func tinyAt(t *testing.T, root string) place {
	t.Helper()
	if err := fixture.Workspace(root, "tiny"); err != nil {
		t.Fatal(err)
	}
	p := newPlace(t, root)
	p.flags = []string{"--seed", "7", "--budget-evals", "200"}
	return p
}

// kind is a kind of workspace that several trials use.
type kind struct {
	name string
	make func(*testing.T) place
	once sync.Once
	base undisturbed
}

var kinds = []*kind{
	{name: "starter", make: starter},
	{name: "tiny", make: tiny},
	{name: "several", make: several},
	{name: "program", make: counted},
	{name: "repeating", make: repeating},
	{name: "code", make: scored},
	{name: "own code", make: owned},
}

// undisturbed returns the result of an undisturbed run in a workspace of the given kind;
// it is computed only once.
func (k *kind) undisturbed(t *testing.T) undisturbed {
	t.Helper()
	k.once.Do(func() { k.base = k.make(t).undisturbed() })
	if k.base.run == "" {
		t.Fatal("no undisturbed run came to its end")
	}
	return k.base
}

// night returns the command line of a run.
func (p place) night(more ...string) []string {
	args := append([]string{"run", "--workspace", p.root, "--json"}, p.flags...)
	return append(args, more...)
}

// outcome holds the fields that the trials read from the final object of `evolve run
// --json`.
type outcome struct {
	Run    string
	Exit   int
	Agents []struct {
		Agent     string
		Verdict   archive.Verdict
		Reason    string
		Proposals []string
		Search    struct {
			Evaluations int
			Recommended struct {
				Variant string
				Config  map[string]any
				Score   float64
			}
		}
		Holdout *struct {
			Champion, Variant string
			Difference        float64
			Interval          [2]float64
		}
	}
}

func decodeOutcome(t *testing.T, r result) outcome {
	t.Helper()
	var o outcome
	if err := json.Unmarshal([]byte(r.stdout), &o); err != nil {
		t.Fatalf("the run's last word is not a JSON object: %v\nstdout: %s\nstderr: %s", err, r.stdout, r.stderr)
	}
	return o
}

// report returns the JSON report of a run as text, without its volatile part.
func (p place) report(run string) string {
	p.t.Helper()
	return stable(p.t, []byte(p.do(0, "report", "--workspace", p.root, "--json", run).stdout))
}

// stable removes the volatile part of a report and keeps every other byte.
func stable(t *testing.T, raw []byte) string {
	t.Helper()
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(raw, &parts); err != nil {
		t.Fatalf("the report is not a JSON object: %v\n%s", err, raw)
	}
	if parts["volatile"] == nil {
		t.Fatalf("the report has no volatile part:\n%s", raw)
	}
	delete(parts, "volatile")
	text, err := json.MarshalIndent(parts, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// view is what a reader sees of the latest run in a workspace.
type view struct {
	run         archive.Run
	evaluations map[string]bench.Evaluation // keyed by agent and position in the run
	exposures   int
	entries     int // into the confirmation
	proposals   map[string]archive.ProposalRecord
	ledger      int64
}

// look reads the archive as `evolve status` does: through the socket of the process that
// holds it, or directly. Before the first run the view is empty.
func (p place) look() (view, error) {
	v := view{evaluations: map[string]bench.Evaluation{}, proposals: map[string]archive.ProposalRecord{}}
	a, err := archive.OpenRead(filepath.Join(p.root, ".evolve", "archive"))
	if errors.Is(err, archive.ErrNotFound) {
		return v, nil
	}
	if err != nil {
		return v, err
	}
	err = v.fill(p.t, a)
	return v, errors.Join(err, a.Close())
}

func (v *view) fill(t *testing.T, a *archive.Archive) (err error) {
	ctx := t.Context()
	if v.run, err = a.Run(ctx, ""); errors.Is(err, archive.ErrNotFound) {
		return nil
	} else if err != nil {
		return err
	}
	for _, name := range v.run.Agents {
		for e, err := range a.Evaluations(ctx, v.run.ID, name) {
			if err != nil {
				return err
			}
			v.evaluations[name+"/"+strconv.FormatInt(e.Seq, 10)] = e
		}
		for _, err := range a.Exposures(ctx, name) {
			if err != nil {
				return err
			}
			v.exposures++
		}
		for _, err := range a.Candidates(ctx, name) {
			if err != nil {
				return err
			}
			v.entries++
		}
	}
	for q, err := range a.Proposals(ctx) {
		if err != nil {
			return err
		}
		v.proposals[q.ID] = q
	}
	v.ledger, _, err = a.VerifyLedger(ctx)
	return err
}

// mustLook is like look but fails the test on an error.
func (p place) mustLook() view {
	p.t.Helper()
	v, err := p.look()
	if err != nil {
		p.t.Fatal(err)
	}
	return v
}

// holds waits until the process holds the archive and answers readers. It returns false if
// the process ended first.
func (p place) holds(pr *process) bool {
	pr.t.Helper()
	return pr.until(func() bool {
		var holder struct {
			PID    int
			Socket string
		}
		raw, err := os.ReadFile(filepath.Join(p.root, ".evolve", "archive", "lock"))
		return err == nil && json.Unmarshal(raw, &holder) == nil && holder.PID == pr.cmd.Process.Pid && holder.Socket != ""
	})
}

// lost lists the contents of one view (before) that a later view (after) lacks or has
// changed.
func lost(before, after view) []string {
	var out []string
	for place, e := range before.evaluations {
		now, ok := after.evaluations[place]
		// Missing data may be filled in later; scored results must not change.
		if !ok || e.Scored && (now.Key != e.Key || now.Score != e.Score || !now.Time.Equal(e.Time) || now.Latency != e.Latency) {
			out = append(out, place)
		}
	}
	for id := range maps.Keys(before.proposals) {
		if _, ok := after.proposals[id]; !ok {
			out = append(out, "proposal "+id)
		}
	}
	if after.ledger < before.ledger {
		out = append(out, "ledger entries")
	}
	if after.exposures < before.exposures {
		out = append(out, "an exposure of the holdout")
	}
	if after.entries < before.entries {
		out = append(out, "an entry into the confirmation")
	}
	return out
}
