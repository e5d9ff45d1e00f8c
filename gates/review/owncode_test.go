package review

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"evolve/gates"
	"evolve/patch"
	"evolve/runtime/agent"
)

// TestPatchedConfigIsTried checks that a patch to an agent's config is tried under the
// patched config, and the base under its own.
func TestPatchedConfigIsTried(t *testing.T) {
	for limit, want := range map[string]struct {
		verdict gates.Verdict
		says    string
	}{
		"40": {gates.Passed, "better on search tasks: 40 of 40 search tasks, each run once before and once after the patch: .500 → 1.000"},
		"4":  {gates.Failed, "shown to be worse: 40 of 40 search tasks, each run once before and once after the patch: .500 → .100"},
	} {
		b := newBureau(t)
		asked := 0
		trying(b, &asked)
		b.write("cache/solve", strings.Replace(solver, "limit=20\n", "limit=${request#*'\"limit\":\"'} limit=${limit%%'\"'*}\n", 1))
		b.write("cache/config.yaml", "limit: 20\n")
		b.git("add", "--all")
		b.git("commit", "--quiet", "--message=config")
		open := b.Trial
		b.Trial = func(ctx context.Context, ask TrialSpec) (*AgentTrial, error) {
			trial, err := open(ctx, ask)
			if err != nil {
				return nil, err
			}
			for tree, to := range map[string]*agent.Config{ask.Base: &trial.Config, ask.Candidate: &trial.Patched} {
				data, err := os.ReadFile(filepath.Join(tree, "cache", "config.yaml"))
				if err != nil {
					return nil, err
				}
				*to = agent.Config{"limit": strings.TrimSpace(strings.TrimPrefix(string(data), "limit: "))}
			}
			return trial, nil
		}
		p := b.must(b.submit(OriginPerson, "Robin", "--- a/cache/config.yaml\n+++ b/cache/config.yaml\n@@ -1 +1 @@\n-limit: 20\n+limit: "+limit+"\n"))
		if got := gateOf(t, p, gateAgent); got.Verdict != string(want.verdict) || !strings.Contains(got.Evidence, want.says) {
			t.Errorf("limit %s: %s: %s\nwant %s: %s", limit, got.Verdict, got.Evidence, want.verdict, want.says)
		}
	}
}

// TestGatesOfOwnCode checks that the commands of an agent's own code judge the agent's
// program and not its config, and need no score.
func TestGatesOfOwnCode(t *testing.T) {
	b := newBureau(t)
	asked := 0
	trying(b, &asked)
	b.Targets[0].Scoring = &Scoring{Test: []string{"sh", "-n", "cache/rank"}}
	b.Workspace = &Workspace{Agent: func(string) (*Agent, bool) { return &Agent{ConfigFiles: []string{"agents/solver/config.yaml"}}, true }}
	b.write("cache/rank", "# evolve:begin rank\necho 5\n# evolve:end\n")
	b.write("cache/config.yaml", "limit: 20\n")
	b.git("add", "--all")
	b.git("commit", "--quiet", "--message=config")
	const config = "--- a/cache/config.yaml\n+++ b/cache/config.yaml\n@@ -1 +1 @@\n-limit: 20\n+limit: 21\n"
	const both = config + "--- a/cache/rank\n+++ b/cache/rank\n@@ -2 +2 @@\n-echo 5\n+echo 3\n"
	p := b.must(b.submit(OriginPerson, "Robin", both))
	if got := gateOf(t, p, gateProgram); got.Verdict != string(gates.Flagged) || !strings.Contains(got.Evidence, "the base and the patched tree, run alternately, twice each, pass test sh -n cache/rank; ") {
		t.Errorf("%s: %s", got.Verdict, got.Evidence)
	}
	if got := gateOf(t, p, gateTrap); got.Verdict != string(gates.Passed) || strings.Contains(got.Evidence, "config.yaml") {
		t.Errorf("%s: %s", got.Verdict, got.Evidence)
	}
	p = b.must(b.submit(OriginPerson, "Robin", config))
	for _, g := range p.Gates {
		if g.Gate == gateProgram || g.Gate == gateTrap {
			t.Errorf("a config is judged by %s: %s", g.Gate, g.Evidence)
		}
	}
	w := &gateRun{Reviewer: b.Reviewer, target: b.Targets[0]}
	for why, c := range map[string]struct {
		scoring *Scoring
		path    string
	}{
		"the patch changes no code, only the agent's config": {b.Targets[0].Scoring, "cache/config.yaml"},
		"the target names no build, test or score command":   {nil, "cache/rank"},
		"": {b.Targets[0].Scoring, "cache/rank"},
	} {
		w.target.Scoring, w.files = c.scoring, []patch.File{{Path: c.path}}
		if got := w.uncommanded(); got != why {
			t.Errorf("%s: %q, want %q", c.path, got, why)
		}
	}
	if !b.Targets[0].OwnCode() || (Target{Scoring: b.Targets[0].Scoring}).OwnCode() || (Target{Agent: "solver"}).OwnCode() {
		t.Error("an agent and commands without a score make own code")
	}
}

// TestGroundAllows checks which files a patch may change, existing or new.
func TestGroundAllows(t *testing.T) {
	b := newBureau(t)
	b.Targets[0].Policy.Deny = []string{"cache/kept"}
	g, err := b.Survey("code")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"cache/cache.go": true, "cache/config.yaml": true, "cache/a/new.txt": true, "cache/kept": false, "go.mod": false, "config.yaml": false, "cache/CLAUDE.md": false,
	} {
		if got, err := g.Allows(path); err != nil || got != want {
			t.Errorf("%s: %t, %v", path, got, err)
		}
	}
}
