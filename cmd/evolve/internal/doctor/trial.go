package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"evolve/cmd/evolve/internal/workspace"
	"evolve/reports/number"
	"evolve/runtime/agent"
)

// Trial is the result of trying an agent on one task.
type Trial struct {
	// Task is the id of a search task in the agent's suites.
	Task    string        `json:"task"`
	Outcome agent.Outcome `json:"outcome"`
	// Score is the trial's score, or nil if the trial gave no evidence.
	Score   *float64      `json:"score,omitempty"`
	Latency time.Duration `json:"latency"` // nanoseconds
	// CostUSD is the known cost of the trial, including repeats.
	CostUSD float64 `json:"cost_usd,omitempty"`
	Error   string  `json:"error,omitempty"`
	// Ungraded is the reason why a grader gave no score; it is empty if there is no such
	// reason.
	Ungraded string `json:"ungraded,omitempty"`
	// Stderr holds the last lines of the program's standard error, scrubbed, oldest first.
	Stderr []string `json:"stderr,omitempty"`
	// Asked is the number of times that the task was given to the agent. Same reports
	// whether all answers were the same. The seed was the same if the agent is declared
	// deterministic, and different each time otherwise.
	Asked int  `json:"asked"`
	Same  bool `json:"same,omitempty"`
	// Offline reports whether the program tried to use a network that it does not have.
	Offline bool `json:"offline,omitempty"`
	// Late reports whether the trial was ended by its time limit.
	Late bool `json:"late,omitempty"`
}

// checkTrials tries each agent on one task, except agents that cannot be tried.
func checkTrials(ctx context.Context, p Probes, w *workspace.Workspace, before []Check) []Check {
	if p.Trial == nil {
		return nil
	}
	var checks []Check
	for i := range w.Agents {
		a := &w.Agents[i]
		name := "trial " + a.ID
		if why := untried(w, a, p, before); why != "" {
			checks = append(checks, warn(name, "", "the agent was not tried: %s", why))
			continue
		}
		t, err := p.Trial(ctx, a)
		if err != nil {
			checks = append(checks, fail(name, "", "the trial could not be run: %s", p.brief(err.Error())))
			continue
		}
		checks = append(checks, p.judgeTrial(name, a, t))
	}
	return checks
}

// untried returns the reason why an agent is not given a task, or "" if it is given one.
func untried(w *workspace.Workspace, a *workspace.Agent, p Probes, before []Check) string {
	failed := failures(before)
	switch a.Adapter.Kind {
	case workspace.KindBuiltin:
		if a.Adapter.Model == workspace.ModelHeuristic {
			return ""
		}
		provider := w.Settings.Routes[a.Adapter.Model].Provider
		set := w.Settings.Providers[provider]
		switch {
		case set.Kind == workspace.ProviderReplay:
			return "its provider replays recorded answers"
		case set.Record != "":
			return "a trial would be added to its provider's recording"
		case failed["provider "+provider] || set.KeyEnv != "" && !p.set(set.KeyEnv):
			return "its provider does not answer"
		}
		for _, name := range a.MCP {
			if failed["mcp "+name] {
				return "its server " + name + " cannot be found"
			}
		}
	case workspace.KindHTTP:
		if failed["agent "+a.ID] {
			return "its service does not accept connections"
		}
	case workspace.KindCommand:
		if a.ProgramProblem(p.LookPath) != "" {
			return "its program cannot be found"
		}
	}
	return ""
}

// failures returns the names of the checks that failed.
func failures(checks []Check) map[string]bool {
	failed := map[string]bool{}
	for _, c := range checks {
		if c.Status == StatusFail {
			failed[c.Name] = true
		}
	}
	return failed
}

// judgeTrial converts a trial to a check.
func (p Probes) judgeTrial(name string, a *workspace.Agent, t Trial) Check {
	if t.Task == "" {
		return ok(name, "was not tried: its suites have no search tasks")
	}
	check := p.trialVerdict(name, a, t)
	check.Trial = &t
	return check
}

// trialText describes the result of a trial.
func (p Probes) trialText(t Trial) string {
	if t.Late {
		return fmt.Sprintf("task %s: no answer within the time allowed for a trial", t.Task)
	}
	text := fmt.Sprintf("task %s: %s in %s", t.Task, t.Outcome, t.Latency.Round(trialPrecision(t.Latency)))
	if t.Score != nil {
		text += ", score " + number.Score(*t.Score)
	}
	if t.CostUSD > 0 {
		text += "; it cost " + number.Dollars(t.CostUSD)
	}
	if t.Error != "" && !t.Outcome.Gradable() {
		text += ": " + p.brief(t.Error)
	}
	if len(t.Stderr) > 0 && !t.Outcome.Gradable() {
		text += "; on standard error: " + p.brief(strings.Join(t.Stderr, " | "))
	}
	return text
}

func (p Probes) trialVerdict(name string, a *workspace.Agent, t Trial) Check {
	text, failed, both := p.trialText(t), !t.Outcome.Gradable(), t.Asked > 1
	try := fmt.Sprintf("evolve agent run --agent %s --task %s runs the task and shows everything", a.ID, t.Task)
	switch {
	case t.Offline && (failed || t.Score != nil && *t.Score == 0):
		check := warn(name, `set "network: host" under adapter: in agents/`+a.ID+"/agent.yaml, if it must reach a model or another service",
			"%s; the program tried to use the network, but has no network access", text)
		if both && failed { // on two tasks
			check.Status = StatusFail
		}
		return check
	case t.Ungraded != "" && !t.Late:
		return fail(name, "correct the grader: until then a run has no scores; "+try, "%s, but could not be graded: %s", text, p.brief(t.Ungraded))
	case t.Late:
		return warn(name, try+"; use --trial to give it more time, or --trial 0 to skip the trial", "%s", text)
	case failed && both && !t.Outcome.Missing(): // on two tasks
		return fail(name, try, "%s; the same happened on another task", text)
	case failed:
		return warn(name, try, "%s", text)
	case both && a.Deterministic && !t.Same:
		return warn(name, "set deterministic: false in its agent.yaml; otherwise nights assume that repeats are equal when they are not, and a report cannot be reproduced",
			"%s; IT IS DECLARED DETERMINISTIC, BUT GAVE A DIFFERENT ANSWER TO THE SAME REQUEST", text)
	case both && !a.Deterministic && t.Same:
		check := ok(name, "%s; it gave the same answer with a different seed", text)
		check.Hint = "if the agent always gives the same answer to the same task, whatever the seed, set deterministic: true and uses_seed: false in agent.yaml to avoid the repeats; the report of a night says whether it does"
		return check
	}
	return ok(name, "%s", text)
}

// trialPrecision returns the precision with which a latency is shown.
func trialPrecision(d time.Duration) time.Duration {
	if d < time.Millisecond {
		return time.Microsecond
	}
	return time.Millisecond
}
