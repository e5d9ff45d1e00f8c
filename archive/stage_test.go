package archive

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/bench"
)

// TestEvaluationsIn checks that the evaluations of a stage are those that a scan of the
// whole run finds, even if they refer to earlier evaluations. It also checks that no
// evaluation of the confirmation can be recorded or imported at a position that the
// stage's scan would miss.
func TestEvaluationsIn(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	a := openAt(t, t.TempDir())
	closing(t, a)
	stages := []bench.Stage{bench.StageSearch, bench.StageBaseline, bench.StageAA, bench.StageAblate, bench.StageConfirm, bench.StageBench}
	for n, run := range []string{"1-a", "2-b"} {
		for seq := range int64(600) {
			e := nightly(run, seq)
			if e.Stage = stages[seq%int64(len(stages))]; e.Stage == bench.StageConfirm {
				e.Seq += bench.ConfirmSeq
			} else if seq%5 == 0 {
				e.Seq += bench.ConfirmSeq // this evaluation is of another stage, but is numbered like the evaluations of the confirmation
			}
			e.Cached = n > 0 && seq%3 == 0
			if err := a.Record(ctx, e, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := a.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	for _, run := range []string{"1-a", "2-b"} {
		for _, stage := range stages {
			var want, got []bench.Evaluation
			for e, err := range a.Evaluations(ctx, run, "solver") {
				if err != nil {
					t.Fatal(err)
				}
				if e.Stage == stage {
					want = append(want, e)
				}
			}
			for e, err := range a.EvaluationsIn(ctx, run, "solver", stage) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, e)
			}
			if d := cmp.Diff(want, got); d != "" || len(got) != 100 {
				t.Errorf("%s of run %s, %d evaluations: %s", stage, run, len(got), d)
			}
		}
	}
	for _, from := range []int64{0, 1, 301, 599, 600, bench.ConfirmSeq, bench.ConfirmSeq + 300, 2 * bench.ConfirmSeq} {
		var want, got []bench.Evaluation
		for e, err := range a.Evaluations(ctx, "1-a", "solver") {
			if err != nil {
				t.Fatal(err)
			}
			if e.Seq >= from {
				want = append(want, e)
			}
		}
		for e, err := range a.EvaluationsFrom(ctx, "1-a", "solver", from) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, e)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("from %d, %d evaluations: %s", from, len(got), d)
		}
	}
	e := nightly("1-a", 9999)
	e.Stage = bench.StageConfirm
	if err := a.Record(ctx, e, nil); err == nil {
		t.Error("an evaluation in the confirmation was recorded among those of the search")
	}
	if checkRecord(&e) == nil {
		t.Error("a check and an import take one there")
	}
}
