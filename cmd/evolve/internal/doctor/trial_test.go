package doctor

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
)

// TestTrialChecks checks how doctor reports the results of trials.
func TestTrialChecks(t *testing.T) {
	score := 1.0
	good := Trial{Task: "t1", Outcome: agent.OK, Score: &score, Latency: 12 * time.Millisecond, Asked: 2}
	for name, c := range map[string]struct {
		fixed bool // declared deterministic
		trial func(*Trial)
		err   error
		want  Status
		says  string
	}{
		"good":              {trial: func(*Trial) {}, want: StatusOK, says: "task t1: ok in 12ms, score 1.000"},
		"costs":             {trial: func(x *Trial) { x.CostUSD = .01 }, want: StatusOK, says: "it cost $0.01"},
		"the same":          {trial: func(x *Trial) { x.Same = true }, want: StatusOK, says: "the same answer with a different seed"},
		"the same, as said": {fixed: true, trial: func(x *Trial) { x.Same = true }, want: StatusOK, says: "score 1.000"},
		"not as said":       {fixed: true, trial: func(*Trial) {}, want: StatusWarn, says: "IT IS DECLARED DETERMINISTIC"},
		"crash": {trial: func(x *Trial) {
			x.Outcome, x.Error, x.Stderr, x.Asked = agent.Execution, "exit code 3", []string{"a", "no module"}, 1
		}, want: StatusWarn, says: "exit code 3; on standard error: a | no module"},
		"crashes":        {trial: func(x *Trial) { x.Outcome, x.Error = agent.Execution, "exit code 3" }, want: StatusFail, says: "the same happened on another task"},
		"late":           {trial: func(x *Trial) { x.Late, x.Outcome = true, agent.Cancelled }, want: StatusWarn, says: "no answer within the time"},
		"offline":        {trial: func(x *Trial) { x.Outcome, x.Error, x.Offline, x.Asked = agent.Execution, "exit code 3", true, 1 }, want: StatusWarn, says: "the program tried to use the network"},
		"offline, twice": {trial: func(x *Trial) { x.Outcome, x.Error, x.Offline = agent.Execution, "exit code 3", true }, want: StatusFail, says: "the program tried to use the network"},
		"offline, late":  {trial: func(x *Trial) { x.Late, x.Outcome, x.Offline, x.Asked = true, agent.Cancelled, true, 1 }, want: StatusWarn, says: "trial; the program tried to use the network"},
		"offline, 0":     {trial: func(x *Trial) { x.Score, x.Offline = new(float64), true }, want: StatusWarn, says: "the program tried to use the network"},
		"offline, right": {trial: func(x *Trial) { x.Offline = true }, want: StatusOK, says: "score 1.000"},
		"outage":         {trial: func(x *Trial) { x.Outcome, x.Error, x.Asked = agent.Infrastructure, "503", 1 }, want: StatusWarn, says: "503"},
		"not graded":     {trial: func(x *Trial) { x.Score, x.Ungraded = nil, "grader \"command\": a crash" }, want: StatusFail, says: "could not be graded: grader \"command\": a crash"},
		"not ready":      {trial: func(*Trial) {}, err: errors.New("no walls"), want: StatusFail, says: "no walls"},
		"no task":        {trial: func(x *Trial) { *x = Trial{} }, want: StatusOK, says: "no search tasks"},
		"not a score":    {trial: func(x *Trial) { x.Outcome, x.Score = agent.LowUtility, nil }, want: StatusOK, says: "low_utility"},
	} {
		one := good
		c.trial(&one)
		w := &workspace.Workspace{Agents: []workspace.Agent{{ID: "solver", Deterministic: c.fixed, Adapter: workspace.Adapter{Kind: workspace.KindHTTP}}}}
		p := Probes{Trial: func(context.Context, *workspace.Agent) (Trial, error) { return one, c.err }}
		got := checkTrials(t.Context(), p, w, nil)
		if len(got) != 1 || got[0].Name != "trial solver" || got[0].Status != c.want || !strings.Contains(got[0].Text, c.says) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
