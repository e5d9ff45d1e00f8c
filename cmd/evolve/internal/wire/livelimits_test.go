package wire

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/policy"
)

// TestLiveLimits tests that the figures of turns add up by tool or provider, that old days
// are dropped, and that the file stays bounded.
func TestLiveLimits(t *testing.T) {
	root, now := t.TempDir(), time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	keep := func(agentID string, at time.Time, stats ...policy.Stat) {
		t.Helper()
		if err := KeepLiveLimits(root, agentID, at, stats); err != nil {
			t.Fatal(err)
		}
	}
	look := func(at time.Time) []policy.Saturation {
		t.Helper()
		list, err := LiveLimits(root, at)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	if list := look(now); len(list) != 0 {
		t.Fatalf("before any turn there are %+v", list)
	}
	waited := policy.Stat{Saturation: policy.Saturation{
		Kind: policy.Provider, Name: "lm", Calls: 2, Outcomes: map[agent.Outcome]int64{agent.OK: 2}, RateWait: time.Second, Over: time.Minute,
	}}
	keep("a", now.AddDate(0, 0, -6), waited)
	keep("a", now, waited, policy.Stat{Saturation: policy.Saturation{Kind: policy.Tool, Name: "idle"}})
	keep("b", now, waited)
	if list := look(now); len(list) != 1 || list[0].Calls != 6 || list[0].RateWait != 3*time.Second || list[0].Over != 3*time.Minute {
		t.Errorf("three turns are %+v", list)
	}
	if list := look(now.AddDate(0, 0, 1)); len(list) != 1 || list[0].Calls != 4 {
		t.Errorf("the next day they are %+v", list)
	}
	var many []policy.Stat
	for i := range 3 * mostLiveTargets {
		many = append(many, policy.Stat{Saturation: policy.Saturation{Kind: policy.Tool, Name: fmt.Sprint("t", i), Calls: int64(1 + i)}})
	}
	keep("c", now, many...)
	list := look(now)
	if len(list) != mostLiveTargets+1 || list[0].Name != fmt.Sprint("t", 3*mostLiveTargets-1) {
		t.Errorf("there are %d, the first is %+v", len(list), list[0])
	}
	if err := os.WriteFile(filepath.Join(root, ".evolve", liveLimitsFile), []byte(`[{"day"`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LiveLimits(root, now); err == nil {
		t.Error("a damaged file is no error")
	}
	keep("a", now, waited)
	if list := look(now); len(list) != 1 || list[0].Calls != 2 {
		t.Errorf("after a damaged file there are %+v", list)
	}
}
