package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"evolve/bench"
	"evolve/bench/metrics"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/batch/coding"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// codeCase is a case with the values of two versions; one without a value has a problem in
// its place.
type codeCase struct {
	Case  string      `json:"case"`
	Split bench.Split `json:"split"`
	A     *float64    `json:"a"`
	B     *float64    `json:"b"`
	// ProblemA and ProblemB are why a version has no value.
	ProblemA string `json:"problem_a,omitempty"`
	ProblemB string `json:"problem_b,omitempty"`
}

// codeMeans compares the values of two versions on the cases where both have one.
type codeMeans struct {
	Cases      int     `json:"cases"`
	A          float64 `json:"a"`
	B          float64 `json:"b"`
	Difference float64 `json:"difference"`
	// Better counts the cases where B has the better value.
	Better int `json:"better"`
	Worse  int `json:"worse"`
	Equal  int `json:"equal"`
}

// codeValues are the values of two versions from nights on the same code.
type codeValues struct {
	Metric  string         `json:"metric,omitempty"`
	Unit    string         `json:"unit,omitempty"`
	Better  metrics.Better `json:"better,omitempty"`
	Search  *codeMeans     `json:"search"`
	Holdout *codeMeans     `json:"holdout"`
	Cases   []codeCase     `json:"cases"`
	// Further compares the other metrics that the command prints, on either side of the split.
	Further codeFurther `json:"further,omitzero"`

	noun string // for what versions are scored on
}

// codeFurther compares further metrics of two versions.
type codeFurther struct {
	Search  []stats.Further `json:"search,omitempty"`
	Holdout []stats.Further `json:"holdout,omitempty"`
}

// measurement is what a version scored on a case.
type measurement struct {
	value   *float64
	starts  float64   // whose mean the value is
	further []float64 // the means of the further metrics; NaN for none
	problem string
	side    bench.Split
}

// codeRecord is what versions scored in the nights on one state of the code.
type codeRecord struct {
	champion agent.ConfigID
	state    string // the id of the state of the code
	// runs are the ids of the nights whose scores are comparable, by form.
	runs []string
	// metric describes what the latest of them measured; of no name for an agent's own code.
	metric metrics.Kind
	of     map[agent.ConfigID]map[string]measurement
	kind   metrics.Value
	noun   string // for what versions are scored on
	// chance reports that values of the same version differ: the mean of all counts.
	chance bool
	// value returns what a version scored in an evaluation.
	value func(*bench.Evaluation) (metrics.Value, bool)
}

// record reads what versions scored. Values belong to the code around the blocks, too: of
// several states of it, that of the code as it is counts if all of ids were scored on it, and
// else the latest one on which they were. more are read, too.
func (b *codeBook) record(ids []agent.ConfigID, more ...agent.ConfigID) (codeRecord, error) {
	states, order := map[string]*codeRecord{}, []string{}
	for r, err := range b.archive.Runs(b.ctx) {
		if err != nil {
			return codeRecord{}, fmt.Errorf("reading the runs: %w", err)
		}
		plan, err := b.archive.Plan(b.ctx, r.ID, b.Target.Name)
		if err != nil {
			continue // it had no such agent, or ended before it had a plan
		}
		state := states[plan.AgentHash]
		if state == nil {
			state = &codeRecord{chance: plan.Noise.Any(), champion: plan.Champion, state: plan.AgentHash, noun: b.Cases(), value: b.Value, of: map[agent.ConfigID]map[string]measurement{plan.Champion: {}}}
			if plan.Metric != nil {
				state.metric = *plan.Metric
			}
			for _, id := range slices.Concat(ids, more) {
				state.of[id] = map[string]measurement{}
			}
			states[plan.AgentHash], order = state, append(order, plan.AgentHash)
		}
		if metrics.Comparable(plan.Metric, &state.metric) {
			state.runs = append(state.runs, r.ID)
		}
		for e, err := range b.archive.Evaluations(b.ctx, r.ID, b.Target.Name) {
			if err != nil {
				return codeRecord{}, fmt.Errorf("reading the evaluations: %w", err)
			}
			state.add(&e)
		}
	}
	if at := slices.Index(order, b.ID()); at >= 0 { // the code as it is comes first
		order = slices.Insert(slices.Delete(order, at, at+1), 0, b.ID())
	}
	for _, hash := range order {
		if !slices.ContainsFunc(ids, func(id agent.ConfigID) bool { return len(states[hash].of[id]) == 0 }) {
			return *states[hash], nil
		}
	}
	return codeRecord{runs: []string{}}, nil
}

// add adds an evaluation of one of the versions.
func (r *codeRecord) add(e *bench.Evaluation) {
	of, wanted := r.of[e.Variant]
	was := of[e.Task]
	if !wanted || !e.Scored || was.value != nil && !r.chance {
		return
	}
	v, ok := r.value(e)
	switch {
	case ok:
		r.kind = v
		mean, starts := v.Value, was.starts+1
		further := r.metric.FindFurther(e.Answer)
		if was.value != nil {
			mean = *was.value + (v.Value-*was.value)/starts
			for i := range further {
				further[i] = was.further[i] + (further[i]-was.further[i])/starts
			}
		}
		of[e.Task] = measurement{value: &mean, starts: starts, further: further, side: e.Split}
	case was.value == nil:
		of[e.Task] = measurement{problem: cmp.Or(e.Error, "it printed no value"), side: e.Split}
	}
}

// values pairs what two versions scored, on the cases that both were scored on.
func (r *codeRecord) values(a, b agent.ConfigID) codeValues {
	out := codeValues{Metric: r.kind.Metric, Unit: r.kind.Unit, Better: r.kind.Better, Cases: []codeCase{}, noun: r.noun}
	for name, now := range r.of[b] {
		if was, both := r.of[a][name]; both {
			out.Cases = append(out.Cases, codeCase{name, now.side, was.value, now.value, was.problem, now.problem})
		}
	}
	slices.SortFunc(out.Cases, func(x, y codeCase) int {
		return cmp.Or(strings.Compare(string(y.Split), string(x.Split)), strings.Compare(x.Case, y.Case)) // search first
	})
	out.Search, out.Holdout = r.means(out.Cases, bench.Search), r.means(out.Cases, bench.Holdout)
	out.Further = codeFurther{Search: r.further(a, b, bench.Search), Holdout: r.further(a, b, bench.Holdout)}
	return out
}

// further compares the further metrics of two versions on one side of the split.
func (r *codeRecord) further(a, b agent.ConfigID, side bench.Split) []stats.Further {
	var pairs []stats.Pair
	for _, name := range slices.Sorted(maps.Keys(r.of[b])) {
		was, now := r.of[a][name], r.of[b][name]
		if now.side == side && was.value != nil && now.value != nil {
			pairs = append(pairs, stats.Pair{Task: name, Cluster: name, Weight: 1, Further: stats.AddFurther(nil, was.further, now.further)})
		}
	}
	return stats.FurtherGains(&r.metric, pairs, r.chance)
}

// searchValues returns the values on search cases.
func (r *codeRecord) searchValues() coding.Values {
	values := coding.Values{}
	for id, of := range r.of {
		for name, m := range of {
			if m.side != bench.Search {
				continue
			}
			if values[id] == nil {
				values[id] = map[string]float64{}
			}
			if m.value != nil {
				values[id][name] = *m.value
			}
		}
	}
	return values
}

// means compares the values on one side of the split; nil if no case has both.
func (r *codeRecord) means(cases []codeCase, side bench.Split) *codeMeans {
	var pairs []stats.Pair
	for _, c := range cases {
		if c.Split == side && c.A != nil && c.B != nil {
			pairs = append(pairs, stats.Pair{Task: c.Case, Cluster: c.Case, Weight: 1, A: []float64{*c.A}, B: []float64{*c.B}})
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	c := stats.Compare(pairs, .95) // the interval is of scores, and not used
	m := &codeMeans{Cases: c.Tasks, A: c.MeanA, B: c.MeanB, Difference: c.Difference, Better: c.Wins, Worse: c.Losses, Equal: c.Ties}
	if r.kind.Better == metrics.Lower {
		m.Better, m.Worse = m.Worse, m.Better
	}
	return m
}

// printMeans prints how the values of two versions compare on one side of the split.
func printMeans(con *console, name string, v codeValues, m *codeMeans) {
	if m == nil {
		return
	}
	con.printf("  %-9s %s  %s → %s\n", name, text.Visible(v.Metric), figure(m.A), withUnit(m.B, v.Unit))
	con.filled("            ", "%s on average of %s", signed(m.Difference), count(m.Cases, v.noun))
	con.filled("            ", "%d better, %d worse, %d equal", m.Better, m.Worse, m.Equal)
}

// printFurther prints the further metrics, and how their findings are corrected.
func printFurther(con *console, indent string, list []stats.Further) {
	if len(list) == 0 {
		return
	}
	con.filled(indent, "further metrics, %s", stats.FurtherNote(len(list)))
	for _, f := range list {
		words := f.Words()
		if f.Finding != stats.FurtherEqual {
			words += ": " + f.Found()
		}
		con.filled(indent+"  ", "%s", text.Visible(words))
	}
}

// The widest columns of a table of values: it fits a narrow terminal.
const (
	mostCaseCells = 28
	figureCells   = 10
	narrowCells   = 7 // on a terminal of 40 columns
)

// printValues prints the values of two versions case by case.
func printValues(con *console, v codeValues, a, b string) {
	width, figures := len("held-out "+v.noun), figureCells
	if columns := con.width(); columns > 0 && columns < 2+width+3*(1+figureCells) {
		figures = narrowCells
	}
	for _, c := range v.Cases {
		width = max(width, min(mostCaseCells, text.Width(text.Visible(c.Case))))
	}
	var last bench.Split
	var problems []string
	for _, c := range v.Cases {
		if c.Split != last {
			head := "search " + v.noun
			if c.Split == bench.Holdout {
				head = "held-out " + v.noun
			}
			con.printf("\n  %s %*s %*s %*s\n", padded(head, width), figures, a, figures, b, figures, "change")
			last = c.Split
		}
		change := ""
		if c.A != nil && c.B != nil {
			change = signed(*c.B - *c.A)
		}
		con.printf("  %s %s %s %s\n", padded(cell(c.Case, mostCaseCells), width), rightly(valueOrFailed(c.A), figures), rightly(valueOrFailed(c.B), figures), rightly(change, figures))
		for _, p := range []string{c.ProblemA, c.ProblemB} {
			if p != "" && !slices.Contains(problems, p) {
				problems = append(problems, p)
			}
		}
	}
	for _, p := range problems[:min(len(problems), 3)] {
		con.filled("  failed: ", "%s", cell(p, 200))
	}
}

func valueOrFailed(v *float64) string {
	if v == nil {
		return "failed"
	}
	return figure(*v)
}

// padded fills a text with spaces on the right, rightly on the left.
func padded(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-text.Width(s)))
}

func rightly(s string, width int) string {
	return strings.Repeat(" ", max(0, width-text.Width(s))) + s
}

// figure formats a value of a metric, signed a difference.
func figure(v float64) string { return strings.ReplaceAll(fmt.Sprintf("%.5g", v), "-", "−") }

func signed(v float64) string { return strings.ReplaceAll(fmt.Sprintf("%+.5g", v), "-", "−") }

// withUnit formats a value with its unit.
func withUnit(v float64, unit string) string {
	if unit == "" {
		return figure(v)
	}
	return figure(v) + " " + text.Visible(unit)
}

// baseMean returns the mean value of the code as it is on the search cases, of which kind it
// is, and the number of cases; 0 when it was not scored.
func (b *codeBook) baseMean() (mean float64, kind metrics.Value, cases int, err error) {
	var pairs []stats.Pair
	pair := func(of string, v float64) {
		pairs = append(pairs, stats.Pair{Task: of, Cluster: of, Weight: 1, A: []float64{v}, B: []float64{v}})
	}
	if b.Suite != nil {
		kind.Metric, kind.Unit, kind.Better = b.Metric()
		for _, t := range b.Suite.Side(bench.Search) {
			pair(t.ID, b.Scale().Base(t.ID))
		}
	} else {
		base := b.Current().ID()
		r, err := b.record([]agent.ConfigID{base})
		if err != nil || r.state != b.ID() {
			return 0, kind, 0, err
		}
		kind = r.kind
		for _, of := range slices.Sorted(maps.Keys(r.of[base])) {
			if m := r.of[base][of]; m.side == bench.Search && m.value != nil {
				pair(of, *m.value)
			}
		}
	}
	if len(pairs) == 0 {
		return 0, kind, 0, nil
	}
	c := stats.Compare(pairs, .95)
	return c.MeanA, kind, c.Tasks, nil
}
