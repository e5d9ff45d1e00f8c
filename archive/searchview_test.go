package archive

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/bench"
	"evolve/runtime/agent"
)

// TestSearchView checks that the view returns only evaluations of search tasks.
func TestSearchView(t *testing.T) {
	ctx := context.Background()
	a := OpenMemory()
	closing(t, a)
	for n, id := range []string{"1-a", "2-b"} {
		if err := a.PutRun(ctx, Run{ID: id, Number: n + 1}); err != nil {
			t.Fatal(err)
		}
	}
	seq := int64(0)
	record := func(run, task string, split bench.Split, stage bench.Stage) {
		e := evaluation(run, seq)
		e.Task, e.Split, e.Stage = task, split, stage
		if seq++; stage == bench.StageConfirm {
			e.Seq += bench.ConfirmSeq
		}
		if err := a.Record(ctx, e, nil); err != nil {
			t.Fatal(err)
		}
	}
	record("1-a", "s1", bench.Search, bench.StageSearch)
	record("1-a", "s2", bench.Search, bench.StageBaseline)
	record("1-a", "s2", bench.Search, bench.StageAblate)
	record("1-a", "h1", bench.Holdout, bench.StageConfirm)
	record("1-a", "h1", bench.Holdout, bench.StageSearch)   // a holdout task in a search stage
	record("1-a", "s1", bench.Search, bench.StageAA)        // not the search's business
	record("1-a", "moved", bench.Search, bench.StageSearch) // a search task then, but a holdout task now
	record("1-a", "s1", "", bench.StageSearch)
	record("2-b", "s2", bench.Search, bench.StageSearch)
	if err := a.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	for _, run := range []string{"1-a", "2-b"} {
		m := Mutation{Agent: "solver", Child: agent.ConfigID("child of " + run), Run: run}
		if err := a.PutMutation(ctx, m); err != nil {
			t.Fatal(err)
		}
		v := Variant{Agent: "solver", Config: agent.Config{"run": run}, Run: run}
		if _, err := a.PutVariant(ctx, v); err != nil {
			t.Fatal(err)
		}
	}
	tasks := func(v *SearchView) (list []string) {
		for _, e := range collect(t, v.Evaluations(ctx)) {
			list = append(list, e.Run+" "+e.Task)
		}
		return list
	}
	view := a.SearchView("solver", []string{"s1", "s2"})
	if diff := cmp.Diff([]string{"2-b s2", "1-a s1", "1-a s2", "1-a s2"}, tasks(view)); diff != "" {
		t.Error(diff)
	}
	if !view.Tried("child of 1-a") || !view.Tried("child of 2-b") || view.Tried("other") || view.Err() != nil {
		t.Error("tried is wrong")
	}
	before := view.Before("2-b")
	if diff := cmp.Diff([]string{"1-a s1", "1-a s2", "1-a s2"}, tasks(before)); diff != "" {
		t.Error(diff)
	}
	if !before.Tried("child of 1-a") || before.Tried("child of 2-b") {
		t.Error("a run's own mutations count as earlier ones")
	}
	if got := collect(t, before.Variants(ctx)); len(got) != 1 || got[0].Run != "1-a" {
		t.Errorf("variants: %+v", got)
	}
	if got := collect(t, a.SearchView("other", []string{"s1"}).Evaluations(ctx)); len(got) != 0 {
		t.Errorf("another agent sees %d evaluations", len(got))
	}
}

// TestSearchViewSurface checks the method set of SearchView, so that access to more of the
// archive can only be added deliberately.
func TestSearchViewSurface(t *testing.T) {
	var methods []string
	typ := reflect.TypeFor[*SearchView]()
	for i := range typ.NumMethod() {
		methods = append(methods, typ.Method(i).Name)
	}
	slices.Sort(methods)
	if diff := cmp.Diff([]string{"Before", "Err", "Evaluations", "Tried", "Variants"}, methods); diff != "" {
		t.Error(diff)
	}
	for i := range typ.Elem().NumField() {
		if f := typ.Elem().Field(i); f.IsExported() {
			t.Errorf("the field %s is exported", f.Name)
		}
	}
}
