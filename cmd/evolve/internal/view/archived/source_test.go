package archived_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/view"
	"evolve/cmd/evolve/internal/view/archived"
	"evolve/reports/model"
	"evolve/runtime/agent"
)

// noWords describe nothing.
type noWords struct{}

func (noWords) Comparison(context.Context, *archive.Archive, archive.Variant, archive.Variant) ([]view.Section, error) {
	return nil, nil
}

func (noWords) Proposal(context.Context, *archive.Archive, archive.ProposalRecord) (parts []view.Section, facts []view.Fact, err error) {
	return nil, nil, nil
}

func (noWords) Limits(context.Context, *archive.Archive, archive.Run) (string, error) { return "", nil }

func (noWords) Question(string, string, string) (*archive.Question, bool) { return nil, false }

func (noWords) Weights(string) map[string]float64 { return nil }

func (noWords) Undecided(archive.ProposalRecord) bool { return false }

func (noWords) Reversible(archive.ProposalRecord) bool { return false }

// clock is a time that a test moves.
type clock struct{ now time.Time }

func open(tb testing.TB, dir string, c *clock) *archived.Source {
	return openWith(tb, dir, c, noWords{})
}

func openWith(tb testing.TB, dir string, c *clock, words archived.Words) *archived.Source {
	s := archived.New(archived.Options{
		Look: func(look func(*archive.Archive) error) error {
			a, err := archive.OpenRead(dir)
			if errors.Is(err, archive.ErrNotFound) {
				return nil
			}
			if err != nil {
				return err
			}
			return errors.Join(look(a), a.Close())
		},
		AsTheyAre: func(_ context.Context, a *archive.Archive) (model.Source, error) { return a, nil },
		Words:     words, Now: func() time.Time { return c.now },
	})
	tb.Cleanup(s.Close)
	return s
}

// whole waits until all evaluations are read and returns a part of the matrix.
func whole(tb testing.TB, s *archived.Source, q view.Query, total int) view.Window {
	tb.Helper()
	for range 1000 {
		w, err := s.Window(tb.Context(), "solver", q)
		if err != nil {
			tb.Fatal(err)
		}
		if w.Read == total && w.Total == total {
			return w
		}
	}
	tb.Fatal("the evaluations are not read")
	return view.Window{}
}

func names(w view.Window) (list []string) {
	for _, v := range w.Variants {
		list = append(list, fmt.Sprintf("v%d", v.Number))
	}
	return list
}

// TestWindow checks scores, order, filters and bounds against an archive that grows while
// the writer holds it, as a run does.
func TestWindow(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	dir := filepath.Join(t.TempDir(), "archive")
	c := &clock{time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)}
	s := open(t, dir, c)
	if nights, err := s.Nights(ctx); err != nil || len(nights) > 0 {
		t.Fatalf("without an archive: %v, %v", nights, err)
	}
	if _, err := s.Window(ctx, "solver", view.Query{}); !errors.Is(err, view.ErrNotFound) {
		t.Fatalf("without an archive: %v", err)
	}
	a, err := archive.Open(dir, archive.Options{})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(err)
	defer a.Close()
	run := archive.Run{ID: "1-aa", Number: 1, State: archive.RunRunning, Started: c.now, Agents: []string{"solver"}}
	must(a.PutRun(ctx, run))
	var ids []agent.ConfigID
	for n := range 3 {
		config := agent.Config{"n": n}
		v, err := a.PutVariant(ctx, archive.Variant{ID: config.ID(), Agent: "solver", Config: config, Operator: []string{"seed", "mutate", "cross"}[n], Rationale: "Try " + []string{"nothing", "Little", "more"}[n], Run: run.ID})
		must(err)
		ids = append(ids, v.ID)
	}
	seq := int64(0)
	put := func(variant int, task string, score float64, change func(*bench.Evaluation)) {
		t.Helper()
		e := bench.Evaluation{
			Run: run.ID, Agent: "solver", Seq: seq, Variant: ids[variant], Task: task, Domain: "desk", Split: bench.Search, Stage: bench.StageSearch,
			Key: bench.Key(fmt.Sprintf("%032x", seq+1)), Outcome: agent.OK, Scored: true, Score: score, Pass: score >= .5, Time: c.now.Add(time.Duration(seq) * time.Second),
		}
		seq++
		if change != nil {
			change(&e)
		}
		must(a.Record(ctx, e, nil))
		must(a.Flush(ctx))
	}
	put(0, "b", 1, nil)
	put(0, "b", 0, nil)
	put(0, "a", .25, nil)
	put(1, "a", .75, nil)
	put(1, "c", 1, func(e *bench.Evaluation) {
		e.Split, e.Stage, e.Seq = bench.Holdout, bench.StageConfirm, bench.ConfirmSeq
	})
	put(1, "b", 0, func(e *bench.Evaluation) { e.Scored, e.Score, e.Outcome = false, 0, agent.Infrastructure })
	put(0, "b", 1, func(e *bench.Evaluation) { e.Stage = bench.StageAA }) // not part of a comparison either

	w := whole(t, s, view.Query{Limit: 10, Columns: 10}, 7)
	half, most, one := .375, .75, 1.0
	want := []view.Row{
		{Number: 1, ID: string(ids[0]), Operator: "seed", Search: &half, Evaluations: 3, Cells: []view.Cell{{Score: .25, Runs: 1}, {Score: .5, Runs: 2, Passed: 1}, {}}},
		{Number: 2, ID: string(ids[1]), Operator: "mutate", Search: &most, Holdout: &one, Evaluations: 3, Cells: []view.Cell{{Score: .75, Runs: 1, Passed: 1}, {Missing: 1}, {Score: 1, Runs: 1, Passed: 1}}},
		{Number: 3, ID: string(ids[2]), Operator: "cross", Cells: []view.Cell{{}, {}, {}}},
	}
	if d := cmp.Diff(want, w.Variants); d != "" {
		t.Errorf("rows: %s", d)
	}
	if d := cmp.Diff([]view.Task{{ID: "a", Domain: "desk", Split: "search"}, {ID: "b", Domain: "desk", Split: "search"}, {ID: "c", Domain: "desk", Split: "holdout"}}, w.Tasks); d != "" {
		t.Errorf("columns: %s", d)
	}
	for _, c := range []struct {
		q       view.Query
		names   []string
		rows    int
		columns int
	}{
		{view.Query{Limit: 10, Sort: view.SortSearch}, []string{"v1", "v2", "v3"}, 3, 3},
		{view.Query{Limit: 10, Sort: view.SortSearch, Descending: true}, []string{"v2", "v1", "v3"}, 3, 3}, // without a value: last
		{view.Query{Limit: 10, Sort: view.SortHoldout}, []string{"v2", "v1", "v3"}, 3, 3},
		{view.Query{Limit: 10, Sort: view.SortNumber, Descending: true}, []string{"v3", "v2", "v1"}, 3, 3},
		{view.Query{Limit: 10, Sort: view.SortTask + "a", Descending: true}, []string{"v2", "v1", "v3"}, 3, 3},
		{view.Query{Limit: 10, Sort: view.SortTask + "none"}, []string{"v1", "v2", "v3"}, 3, 3},
		{view.Query{Limit: 10, Text: "TRY little"}, []string{"v2"}, 1, 3},
		{view.Query{Limit: 10, Text: "cross"}, []string{"v3"}, 1, 3},
		{view.Query{Limit: 10, Text: "none"}, nil, 0, 3},
		{view.Query{Limit: 10, Split: "holdout"}, []string{"v1", "v2", "v3"}, 3, 1},
		{view.Query{Limit: 10, Tasks: "desk b"}, []string{"v1", "v2", "v3"}, 3, 1},
		{view.Query{Limit: 1, Offset: 1}, []string{"v2"}, 3, 3},
		{view.Query{Limit: 1, Offset: 1 << 30, Column: 1 << 30, Columns: 1 << 30}, nil, 3, 3},
		{view.Query{Limit: -1, Offset: -1, Column: -1, Columns: -1}, nil, 3, 3},
	} {
		w, err := s.Window(ctx, "solver", c.q)
		must(err)
		if d := cmp.Diff(c.names, names(w)); d != "" || w.Rows != c.rows || w.Columns != c.columns {
			t.Errorf("%+v: %d × %d: %s", c.q, w.Rows, w.Columns, d)
		}
	}
	list, err := s.Evaluations(ctx, "solver", "v1", "b")
	must(err)
	if len(list) != 2 || list[0].Record.Seq != 0 || list[1].Record.Seq != 1 {
		t.Errorf("evaluations of a cell: %+v", list)
	}
	if list, err = s.Evaluations(ctx, "solver", "v2", "c"); err != nil || len(list) != 1 || list[0].Record.Seq != bench.ConfirmSeq {
		t.Errorf("evaluations of a cell of the holdout: %+v, %v", list, err)
	}
	e, err := s.Evaluation(ctx, "solver", run.ID, 3)
	if err != nil || e.Record.Task != "a" || e.Variant != "v2" || e.Transcript != nil {
		t.Errorf("evaluation 3: %+v, %v", e, err)
	}
	if _, err := s.Evaluation(ctx, "solver", run.ID, 99); !errors.Is(err, view.ErrNotFound) {
		t.Errorf("an evaluation that is not there: %v", err)
	}
	compared, err := s.Comparison(ctx, "solver", "v1", "v2")
	if err != nil || len(compared.Tasks) != 1 || compared.Tasks[0].Difference() != .5 {
		t.Errorf("comparison: %+v, %v", compared.Tasks, err)
	}
	if p, err := s.Progress(ctx); err != nil || p.Run != run.ID || p.Agents[0].Done != 7 {
		t.Errorf("progress: %+v, %v", p, err)
	}

	// The run goes on: a new variant and its score appear, but not at once.
	put(0, "d", 1, nil)
	w, err = s.Window(ctx, "solver", view.Query{})
	if must(err); w.Columns != 3 {
		t.Errorf("%d columns before the pause is over", w.Columns)
	}
	c.now = c.now.Add(time.Hour)
	if w = whole(t, s, view.Query{Limit: 1, Columns: 9}, 8); w.Columns != 4 || w.Variants[0].Cells[2].Score != 1 {
		t.Errorf("after another evaluation: %+v", w)
	}
}

// weighing describes nothing but the weights of tasks.
type weighing struct {
	noWords
	weights map[string]float64
}

func (w *weighing) Weights(string) map[string]float64 { return w.weights }

// TestWeights checks that means use the current weights of the tasks, and that the source
// tells whether the weights are known.
func TestWeights(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	dir := filepath.Join(t.TempDir(), "archive")
	c := &clock{time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)}
	a, err := archive.Open(dir, archive.Options{})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(err)
	run := archive.Run{ID: "1-aa", Number: 1, State: archive.RunDone, Started: c.now, Agents: []string{"solver"}}
	must(a.PutRun(ctx, run))
	config := agent.Config{}
	_, err = a.PutVariant(ctx, archive.Variant{ID: config.ID(), Agent: "solver", Config: config, Run: run.ID})
	must(err)
	for i, e := range []bench.Evaluation{
		{Task: "a", Score: 1}, {Task: "b", Score: 0}, {Task: "b", Score: .5}, // weights 3 and 1
		{Task: "h", Score: 0, Split: bench.Holdout}, {Task: "new", Score: 1, Split: bench.Holdout}, // weight 4; and weight 1, because the task is not in the suite
	} {
		e.Run, e.Agent, e.Variant, e.Seq, e.Stage, e.Outcome, e.Scored, e.Time = run.ID, "solver", config.ID(), int64(i), bench.StageSearch, agent.OK, true, c.now
		if e.Key = bench.Key(fmt.Sprintf("%032x", i+1)); e.Split == "" {
			e.Split = bench.Search
		}
		must(a.Record(ctx, e, nil))
	}
	must(a.Flush(ctx))
	must(a.Close())
	words := &weighing{weights: map[string]float64{"a": 3, "b": 1, "h": 4}}
	s := openWith(t, dir, c, words)
	check := func(search, holdout float64, unweighted bool) {
		t.Helper()
		w := whole(t, s, view.Query{Limit: 1}, 5)
		v, err := s.Variant(ctx, "solver", "v1")
		must(err)
		for _, row := range []view.Row{w.Variants[0], v.Row} {
			if *row.Search != search || *row.Holdout != holdout {
				t.Errorf("means %v and %v, want %v and %v", *row.Search, *row.Holdout, search, holdout)
			}
		}
		if w.Unweighted != unweighted || v.Unweighted != unweighted {
			t.Errorf("unweighted: %v and %v, want %v", w.Unweighted, v.Unweighted, unweighted)
		}
	}
	check((3+.25)/4, 1./5, false)
	words.weights = nil
	c.now = c.now.Add(time.Hour)
	check((1+.25)/2, .5, true)
}

// TestLook checks that no reader holds the archive between two pages: a run must be able to begin.
func TestLook(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "archive")
	record(t, dir, 30, 20)
	s := open(t, dir, &clock{time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)})
	if w := whole(t, s, view.Query{Limit: 1000, Columns: 1000}, 600); len(w.Variants) != 30 || len(w.Tasks) != 20 {
		t.Errorf("%d × %d", len(w.Variants), len(w.Tasks))
	}
	a, err := archive.Open(dir, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if _, err := s.Nights(t.Context()); err != nil {
		t.Errorf("while it is held: %v", err)
	}
}

// BenchmarkWindow reads a matrix of 5,000 variants by 500 tasks, and then parts of the
// matrix. The first figure is the time until all evaluations are read, and the second is
// the time to read a part of 100 × 100, sorted by a task.
func BenchmarkWindow(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "archive")
	record(b, dir, 5000, 500)
	s := open(b, dir, &clock{time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)})
	begun := time.Now()
	whole(b, s, view.Query{}, 2_500_000)
	read := time.Since(begun).Seconds()
	for n := 0; b.Loop(); n++ {
		q := view.Query{Offset: n * 100 % 5000, Limit: 100, Columns: 100, Sort: fmt.Sprintf("%stask-%03d", view.SortTask, n%500), Descending: true}
		if _, err := s.Window(b.Context(), "solver", q); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(read, "s/all-read") // the loop clears what was reported before it
}
