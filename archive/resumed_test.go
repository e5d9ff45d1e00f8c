package archive

import (
	"errors"
	"testing"
	"time"
)

// TestResultOfAnEarlierProcess checks that a result that a process left unfinished is out
// of date from the time the run is resumed until the agent has another result.
func TestResultOfAnEarlierProcess(t *testing.T) {
	ctx := t.Context()
	a := openAt(t, t.TempDir())
	closing(t, a)
	run := Run{ID: "1-a", Number: 1, State: RunInterrupted, Started: time.Unix(1, 0), Ended: time.Unix(2, 0)}
	put := func(finished bool, resumed int) {
		t.Helper()
		err := errors.Join(a.PutRun(ctx, run), a.PutResult(ctx, AgentResult{Run: run.ID, Agent: "solver", Finished: finished, Resumed: resumed}))
		if err != nil {
			t.Fatal(err)
		}
	}
	check := func(when string, want error) {
		t.Helper()
		if _, err := a.Result(ctx, run.ID, "solver"); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", when, err, want)
		}
	}
	put(false, 0)
	check("interrupted", nil)
	run.State, run.Resumed, run.Ended = RunRunning, 1, time.Time{}
	put(true, 0)
	check("resumed, with the agent finished before", nil)
	put(false, 0)
	check("resumed", ErrNotFound)
	put(false, 1)
	check("recorded again, and the run has not ended", nil)
	run.Ended = time.Unix(3, 0)
	put(false, 0)
	check("ended, recorded by an older evolve", nil)
}
