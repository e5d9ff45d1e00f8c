package night

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"evolve/archive"
	"evolve/bench"
	"evolve/runtime/agent"
)

// TestRetentionChangesNoDecision checks that retention has no influence when it removes
// old records. A candidate that has been open for more than a month must be decided by
// the same evidence, and nights must learn the same things.
func TestRetentionChangesNoDecision(t *testing.T) {
	t.Parallel()
	plain, kept := monthLater(t, false), monthLater(t, true)
	ledger := cmpopts.IgnoreFields(archive.Candidate{}, "Ledger") // the removal adds an entry in between
	if diff := cmp.Diff(plain, kept, ledger, cmp.AllowUnexported(later{})); diff != "" {
		t.Errorf("retention changed:\n%s", diff)
	}
	if f := plain.result.Finalist; len(f) != 1 || len(f[0].Runs) != 4 || f[0].Ruling.Blocks < 8 {
		t.Errorf("the last night rests on too little: %+v", f)
	}
}

// later is the result of a night, together with what the next night would remember.
type later struct {
	result  archive.AgentResult
	entries []archive.Candidate
	learnt  string
}

// monthLater simulates three nights with a candidate, a month of nights that only search,
// and one more night with the candidate.
func monthLater(t *testing.T, retention bool) (out later) {
	t.Helper()
	ctx := t.Context()
	m := newMonths(t, 80, 2)
	dir := filepath.Join(t.TempDir(), "archive")
	if retention {
		m.Archive = reopened(t, dir)
	}
	better := m.variant(agent.Config{"chance": .6})
	search := func(run string, night int) {
		for seq := range int64(6) {
			err := m.Archive.Record(ctx, bench.Evaluation{
				Run: run, Agent: "toy", Seq: 1<<40 + seq, Key: bench.Key(fmt.Sprintf("search-%d-%d", night, seq)), Variant: better.ID(),
				Task: m.suite().Side(bench.Search)[seq].ID, Split: bench.Search, Stage: bench.StageSearch,
				Outcome: agent.OK, Scored: true, Score: float64((int64(night) + seq) % 2),
			}, nil)
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for night := 1; night <= 3; night++ {
		search(m.night(m.found(.2, better)).Run, night)
	}
	for night := 4; night <= 34; night++ {
		id := fmt.Sprintf("%d-fill", night)
		m.now = m.now.AddDate(0, 0, 1)
		if err := m.Archive.PutRun(ctx, archive.Run{ID: id, Number: night, State: archive.RunDone, Started: m.now, Agents: []string{"toy"}}); err != nil {
			t.Fatal(err)
		}
		search(id, night)
	}
	if retention {
		if err := m.Archive.Close(); err != nil {
			t.Fatal(err)
		}
		gone, err := archive.GC(ctx, dir, archive.Retention{Nights: 1}, archive.GCOptions{})
		if err != nil || gone.Evaluations != 4*6 {
			t.Errorf("removed: %+v %v", gone, err)
		}
		m.Archive = reopened(t, dir)
	}
	out.result = m.night(m.found(.2, better))
	out.entries = m.entries()
	n := m.start(t)
	learnt, err := n.history(ctx)
	if err != nil {
		t.Fatal(err)
	}
	variances, err := EstimateVariances(ctx, m.Archive, &m.Agent, n.Run.Number)
	if err != nil {
		t.Fatal(err)
	}
	out.learnt = fmt.Sprintf("%d %v %+v", len(learnt), learnt, variances)
	if err := m.Archive.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}

func reopened(t *testing.T, dir string) *archive.Archive {
	t.Helper()
	a, err := archive.Open(dir, archive.Options{Owner: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return a
}
