package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/metrics"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/batch/coding"
	"evolve/gates/review"
	"evolve/mutate/night"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// lastStage is the number of cases in the last stage of a search over versions. If the
// target has fewer cases, the last stage uses all of them.
const lastStage = 200

// keepVersions stores versions of searched targets as commits in their repositories. A
// failure is recorded as a note of the run.
func (r *runner) keepVersions(ctx context.Context, results []archive.AgentResult) {
	for _, res := range results {
		p := r.o.Code.Found[res.Agent]
		if p == nil || r.stopped(ctx) != nil {
			continue
		}
		if err := r.keepVersionsOf(ctx, p, res); err != nil {
			r.o.Log.Warn("not all versions could be kept as commits", "target", res.Agent, "error", err)
			r.run.Patches = append(r.run.Patches, archive.PatchNote{
				Target: res.Agent, Origin: review.OriginBlocks, Text: "not all of its versions could be kept as commits in its repository: " + err.Error(),
			})
		}
	}
}

// keepVersionsOf stores the best version, the versions with waiting proposals, the
// finalists of a night, and the newest of the versions that were scored on as many cases as
// the last stage of the search uses.
func (r *runner) keepVersionsOf(ctx context.Context, p *coding.Prospect, res archive.AgentResult) error {
	if err := r.o.Archive.Flush(ctx); err != nil {
		return fmt.Errorf("%w: %w", bench.ErrRecorder, err)
	}
	id, err := r.o.Archive.ID(ctx)
	if err != nil || id == "" { // the archive is in memory, so its versions end with the process
		return err
	}
	values := map[agent.ConfigID]map[string]metrics.Value{}
	for e, err := range r.o.Archive.Evaluations(ctx, r.run.ID, res.Agent) {
		if err != nil {
			return fmt.Errorf("reading the values of versions: %w", err)
		}
		v, ok := p.Value(&e)
		if !ok || e.Split != bench.Search {
			continue
		}
		if values[e.Variant] == nil {
			values[e.Variant] = map[string]metrics.Value{}
		}
		values[e.Variant][e.Task] = v
	}
	waiting, rank, err := r.named(ctx, p, res)
	if err != nil {
		return err
	}
	base, most := p.Current().ID(), min(r.searchTasks(res.Agent), lastStage)
	var list []archive.Variant
	for v, err := range r.o.Archive.Variants(ctx, res.Agent) {
		if err != nil {
			return fmt.Errorf("reading the versions: %w", err)
		}
		if v.ID != base && (rank[v.ID] > 0 || len(values[v.ID]) >= most) {
			list = append(list, v)
		}
	}
	slices.SortFunc(list, func(x, y archive.Variant) int {
		return cmp.Or(rank[y.ID]-rank[x.ID], cmp.Compare(y.Number, x.Number))
	})
	var out []review.Version
	for _, v := range list[:min(len(list), review.MostVersions)] {
		files, err := p.Files(v.Config)
		if err != nil {
			return err
		}
		out = append(out, review.Version{Number: v.Number, Variant: v.ID, Files: files, Why: why(v), Value: valueWords(values[base], values[v.ID], p.Cases())})
	}
	find := func(number int) (archive.Variant, bool, error) {
		v, err := r.o.Archive.FindVariant(ctx, res.Agent, fmt.Sprintf("v%d", number))
		if errors.Is(err, archive.ErrNotFound) {
			return v, false, nil
		}
		return v, err == nil, err
	}
	if err := p.Keep(ctx, id, out, waiting, find); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// named returns the versions whose proposals are waiting. It also returns a rank above 0
// for each version of the night's code that is retained in preference to others: the
// versions that commands name, and the finalists.
func (r *runner) named(ctx context.Context, p *coding.Prospect, res archive.AgentResult) (waiting []agent.ConfigID, rank map[agent.ConfigID]int, err error) {
	rank = map[agent.ConfigID]int{}
	for _, f := range res.Finalist {
		rank[f.Variant] = 1
	}
	for of, err := range r.o.Archive.Proposals(ctx) {
		if err != nil {
			return nil, nil, fmt.Errorf("reading the proposals: %w", err)
		}
		id, ok := of.VariantOf(res.Agent)
		if !ok || of.Imported != "" || !review.Open(of.State) {
			continue
		}
		waiting = append(waiting, id)
		plan, err := r.o.Archive.Plan(ctx, of.Run, res.Agent)
		if err != nil && !errors.Is(err, archive.ErrNotFound) {
			return nil, nil, fmt.Errorf("reading the plan of run %s: %w", of.Run, err)
		}
		if err == nil && plan.AgentHash == p.ID() { // the stored commit of a version of other code is not touched
			rank[id] = 2
		}
	}
	best, ok, err := night.BestOf(ctx, r.o.Archive, res.Agent, p.ID(), p.Current().ID())
	if ok {
		rank[best.ID] = 3
	}
	return waiting, rank, err
}

// searchTasks returns the number of search tasks of an agent.
func (r *runner) searchTasks(id string) int {
	for _, p := range r.plans {
		if p.Agent == id {
			return p.SearchTasks
		}
	}
	return 0
}

// why describes how a version came about: its operator, author and rationale.
func why(v archive.Variant) string {
	words := v.Operator
	if v.Author != "" {
		words += " by " + v.Author
	}
	if v.Rationale != "" {
		words += ": " + v.Rationale
	}
	return words
}

// valueWords compares, in words, the mean values of the present code and of a version on
// the cases on which both were scored; it returns "" if there are no such cases.
func valueWords(base, of map[string]metrics.Value, noun string) string {
	var pairs []stats.Pair
	var kind metrics.Value
	for name, now := range of {
		if was, both := base[name]; both {
			pairs, kind = append(pairs, stats.Pair{Task: name, Cluster: name, Weight: 1, A: []float64{was.Value}, B: []float64{now.Value}}), was
		}
	}
	if len(pairs) == 0 {
		return ""
	}
	c := stats.Compare(pairs, .95)
	unit := ""
	if kind.Unit != "" {
		unit = " " + kind.Unit
	}
	return fmt.Sprintf("%s %.5g → %.5g%s (mean of %s; %s is better)", kind.Metric, c.MeanA, c.MeanB, unit, text.Count(c.Tasks, "search "+noun), kind.Better)
}
