package policy

import (
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
)

func TestStats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, remote(Settings{Attempts: 2, Backoff: time.Second, Concurrency: 5, Deadline: time.Minute}))
		for i := range 100 {
			if err := do(t, e, takes(time.Duration(i+1)*10*time.Millisecond)); err != nil {
				t.Fatal(err)
			}
		}
		_ = do(t, e, fails(failure(0)))
		_ = do(t, e, fails(errDown))
		for _, c := range []Call{{Kind: Tool, Name: "a", Origin: "mcp:y"}, {Kind: Tool, Name: "a", Origin: "mcp:x"}, {Kind: Provider, Name: "z", Origin: "ignored"}} {
			_, _ = e.Do(t.Context(), c, ok)
		}
		stats := e.Stats()
		var names []string
		for _, s := range stats {
			names = append(names, string(s.Kind)+" "+s.Name+" "+s.Origin)
		}
		if diff := cmp.Diff([]string{"provider z ", "tool a mcp:x", "tool a mcp:y", "tool remote local"}, names); diff != "" {
			t.Error(diff)
		}
		s := stats[3]
		for what, p := range map[string][2]time.Duration{
			"p50": {s.P50, 490 * time.Millisecond}, "p95": {s.P95, 940 * time.Millisecond}, "p99": {s.P99, 980 * time.Millisecond}, "max": {s.Max, time.Second},
		} {
			if d := float64(p[0]) / float64(p[1]); d < .98 || d > 1.02 {
				t.Errorf("%s is %v, want about %v", what, p[0], p[1])
			}
		}
		s.P50, s.P95, s.P99, s.Max, s.Over = 0, 0, 0, 0, 0
		want := Stat{Cap: 5, Saturation: Saturation{
			Kind: Tool, Name: "remote", Origin: local, Calls: 102, Attempts: 103, Retries: 1,
			Outcomes: map[agent.Outcome]int64{agent.OK: 100, agent.Execution: 2},
		}}
		if diff := cmp.Diff(want, s); diff != "" {
			t.Error(diff)
		}
		if _, err := json.Marshal(stats); err != nil {
			t.Error(err)
		}
	})
}

func TestTargetsAreBounded(t *testing.T) {
	e := engine(t, Options{})
	for i := range maxTargets + 1 {
		_, err := e.Do(t.Context(), Call{Kind: Tool, Name: fmt.Sprint(i), Origin: local}, ok)
		if (err != nil) != (i == maxTargets) {
			t.Fatalf("target %d: %v", i+1, err)
		}
	}
	if _, err := e.Do(t.Context(), Call{Kind: Tool, Name: "0", Origin: local}, ok); err != nil {
		t.Errorf("one that is known: %v", err)
	}
	for i := range maxAgents {
		_, err := e.Do(t.Context(), Call{Kind: Tool, Name: "0", Origin: local, Agent: fmt.Sprint(i)}, ok)
		if (err != nil) != (i == maxAgents-1) { // one agent had no name
			t.Fatalf("agent %d: %v", i+1, err)
		}
	}
}
