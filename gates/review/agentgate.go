package review

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"evolve/bench/stats"
	"evolve/gates"
	"evolve/patch"
	"evolve/runtime/text"
)

const (
	// gateAgent is the name of the gate for targets that contain an agent's program.
	gateAgent = "agent"
	// trialMargin is the loss, in score units, that the comparison must rule out. It equals
	// the loss that a nightly run tolerates in a domain. If the results do not vary at all,
	// 36 tasks are enough to rule it out.
	trialMargin = 0.10
	// trialLevel is the confidence level of the interval on which the verdict is based.
	trialLevel = 0.95
)

// agentGate returns the gate that evaluates the patched program as a variant of the agent.
// Base and candidate run alternately on the same search tasks, the base with the champion's
// config and the candidate with the config in the patched tree.
func (w *gateRun) agentGate() gates.Gate {
	return gates.Gate{Name: gateAgent, Check: func(ctx context.Context) (gates.Verdict, string) {
		if w.Trial == nil {
			return gates.NotRun, "nothing is configured to run the agent " + w.target.Agent
		}
		without := w.Sandbox().Err()
		if without != nil && !w.Unsandboxed {
			return gates.NotRun, fmt.Sprintf("a patched program is not run without a sandbox, and there is none: %v", without)
		}
		verdict, evidence, err := w.tryAgent(ctx)
		if err != nil {
			return gates.NotRun, "the agent could not be evaluated: " + err.Error()
		}
		if without != nil {
			evidence += "; run WITHOUT a sandbox, with all the user's rights (sandbox: none)"
		}
		return verdict, fmt.Sprintf("agent %s: %s", w.target.Agent, evidence)
	}}
}

// tryAgent evaluates the base program and the patched program. Their files are removed
// together with the run's scratch folder.
func (w *gateRun) tryAgent(ctx context.Context) (verdict gates.Verdict, evidence string, err error) {
	scratch := filepath.Join(w.scratch, "agent")
	if err := os.MkdirAll(scratch, 0o700); err != nil {
		return "", "", fmt.Errorf("creating the folder for working directories: %w", err)
	}
	seed := fnv.New64a()
	_, _ = seed.Write([]byte(w.tree))
	trial, err := w.Trial(ctx, TrialSpec{
		Agent: w.target.Agent, Top: w.repo.Top(), Base: w.before, Candidate: w.after, Scratch: scratch, Seed: int64(seed.Sum64() >> 11), Budget: w.Budget,
	})
	if err != nil {
		return "", "", err
	}
	defer func() { err = errors.Join(err, trial.Close()) }()
	touched := slices.ContainsFunc(w.files, func(f patch.File) bool {
		return trial.Folder == "." || strings.HasPrefix(f.Path, trial.Folder+"/")
	})
	if !touched { // the agent runs a program that is built from files outside the trees
		return gates.Flagged, fmt.Sprintf("not evaluated: the patch changes nothing in %s, from which the agent's program is started", trial.Folder), nil
	}
	found, err := trial.run(ctx, w.target.Tasks, w.tree)
	w.spent += found.usd
	if err != nil {
		return "", "", err
	}
	verdict, evidence = found.judge()
	return verdict, evidence, nil
}

// judge returns the verdict and its evidence. The patched program fails if it breaks
// where the base does not, or if it is significantly worse. It passes if a loss beyond
// the margin is ruled out. If neither is shown, it is flagged. The gate counts as not run
// if the budget ended the comparison early.
func (t *tried) judge() (gates.Verdict, string) {
	c := stats.Compare(t.pairs, trialLevel)
	measured := fmt.Sprintf("%d of %d search tasks, each run once before and once after the patch: %s → %s, %s points, %s interval %s to %s, %d better, %d worse, %d equal",
		c.Tasks, t.planned, text.Score(c.MeanA), text.Score(c.MeanB), text.Points(c.Difference), text.Percent(c.Level), text.Points(c.Lo), text.Points(c.Hi), c.Wins, c.Losses, c.Ties)
	if t.usd > 0 {
		measured += ", " + text.Dollars(t.usd)
	}
	if t.faults[0]+t.faults[1] > 0 {
		first := t.said[1]
		if first == "" {
			first = t.said[0]
		}
		measured += fmt.Sprintf("; the program ended unexpectedly or broke its protocol %d times before and %d times after the patch, for example: %s", t.faults[0], t.faults[1], first)
	}
	switch {
	case t.faults[1] > 0 && t.faults[0] == 0:
		return gates.Failed, "the patched program ends unexpectedly or breaks its protocol, but the base does not: " + measured
	case t.short: // fewer tasks than the target requires
		return gates.NotRun, "the budget was used up before the comparison was complete: " + measured
	case c.Tasks == 0:
		return gates.Flagged, "nothing was compared: " + measured
	case c.MeanA == 0 && c.MeanB == 0:
		return gates.Flagged, "the base scores 0, so no loss could be seen: " + measured
	case c.Clusters < stats.MinClusters:
		return gates.Flagged, fmt.Sprintf("%d independent tasks are too few to show anything; at least %d are needed: %s", c.Clusters, stats.MinClusters, measured)
	case c.Hi < 0:
		return gates.Failed, "shown to be worse: " + measured
	case c.Lo > 0:
		return gates.Passed, "better on search tasks: " + measured
	case c.Lo > -trialMargin:
		return gates.Passed, fmt.Sprintf("a loss of %s points is ruled out: %s", text.Short(100*trialMargin), measured)
	}
	return gates.Flagged, fmt.Sprintf("not shown to be worse, but a loss of %s points is not ruled out: %s", text.Short(100*trialMargin), measured)
}
