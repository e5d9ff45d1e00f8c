package model

import (
	"cmp"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/bench/stats/influence"
	"evolve/reports/number"
	"evolve/runtime/agent"
)

// Influence estimates how much each parameter, and each pair of parameters, changed the
// score of the configs that the search tried, on search tasks; see [influence.Estimate]. It
// describes the search and has no part in the verdict.
type Influence struct {
	Configs     int `json:"configs"`
	Tasks       int `json:"tasks"`
	Evaluations int `json:"evaluations"`
	// Untold is the reason why the influence cannot be estimated; it is empty if it can.
	Untold string `json:"untold,omitempty"`
	// Params lists the parameters whose influence could be judged, most influential
	// first. Unjudged names the other parameters: for these, the search did not try
	// enough values often enough.
	Params   []ParamInfluence `json:"params,omitempty"`
	Unjudged []string         `json:"unjudged,omitempty"`
	// Tested is the number of interactions that were compared, and Pairs the number of
	// pairs of parameters with at least one such interaction. Interactions holds the
	// clearest interaction of each pair, at most [mostInteractions] in all.
	Tested       int           `json:"tested"`
	Pairs        int           `json:"pairs"`
	Interactions []Interaction `json:"interactions,omitempty"`
}

// Estimated is an estimate with its 95 % interval, in score units.
type Estimated struct {
	Difference float64 `json:"difference"`
	Lo         float64 `json:"lo"`
	Hi         float64 `json:"hi"`
}

// Shown reports whether the interval excludes 0.
func (e Estimated) Shown() bool { return e.Lo > 0 || e.Hi < 0 }

// ParamInfluence is the influence of one parameter.
type ParamInfluence struct {
	Param string `json:"param"`
	// Spread is the standard deviation of the mean scores of the parameter's values, with
	// each value counted once. Its interval begins at 0 if no influence is shown.
	Spread Estimated `json:"spread"`
	// Reference is the value with which the other values are compared. It is the champion's
	// value if that value was tried often enough.
	Reference string        `json:"reference"`
	Values    []ValueEffect `json:"values"`
}

// ValueEffect is the difference in score between a value, or a range of values, and the
// reference.
type ValueEffect struct {
	Value string `json:"value"`
	Estimated
	// Configs is the number of configs that have the value.
	Configs int `json:"configs"`
}

// Interaction is the effect of two values together beyond the sum of their separate
// effects. Its interval is valid jointly with those of all interactions that were tested.
type Interaction struct {
	First       string `json:"first"`
	FirstValue  string `json:"first_value"`
	Second      string `json:"second"`
	SecondValue string `json:"second_value"`
	Estimated
}

// mostInteractions is the maximum number of interactions listed. mostTrials is the maximum
// number of evaluations used; the same number of evaluations is taken from each config.
const (
	mostInteractions = 12
	mostTrials       = 100_000
)

// influence estimates the influence of the parameters. It estimates nothing for searched
// code.
func (b *builder) influence() error {
	if b.plan.Adapter == adapterCode || len(b.plan.Params) == 0 || len(b.tally.tried.variants) < 2 {
		return nil
	}
	data := b.searched()
	out := &Influence{Configs: len(data.configs), Tasks: data.in.Tasks, Evaluations: len(data.in.Trials)}
	b.out.Influence = out
	if !influence.Enough(out.Configs, out.Tasks, out.Evaluations) {
		out.Untold = "too few configs, tasks or evaluations to separate the effects of the parameters"
		return nil
	}
	axes := axesOf(b.plan.Params, b.variant(b.plan.Champion).Config, data)
	for _, a := range axes {
		data.in.Levels = append(data.in.Levels, len(a.values))
	}
	data.in.Configs = make([][]int, len(data.configs))
	for c := range data.configs {
		for _, a := range axes {
			data.in.Configs[c] = append(data.in.Configs[c], a.of[c])
		}
	}
	result := influence.Estimate(data.in)
	judged := map[int]bool{}
	for _, m := range result.Mains {
		judged[m.Param] = true
		a := axes[m.Param]
		p := ParamInfluence{Param: a.name, Spread: Estimated(m.Spread), Reference: a.values[0]}
		for _, level := range sortedKeys(m.Levels) {
			p.Values = append(p.Values, ValueEffect{a.values[level], Estimated(m.Levels[level]), a.count(level)})
		}
		out.Params = append(out.Params, p)
	}
	for i, a := range axes {
		if !judged[i] {
			out.Unjudged = append(out.Unjudged, a.name)
		}
	}
	if len(out.Params) == 0 {
		out.Untold = "no parameter has two values that were tried often enough"
	}
	out.Tested, out.Pairs = result.Tested, len(result.Pairs)
	for _, p := range First(result.Pairs, mostInteractions) {
		x, y := axes[p.First], axes[p.Second]
		out.Interactions = append(out.Interactions, Interaction{x.name, x.values[p.FirstLevel], y.name, y.values[p.SecondLevel], Estimated(p.Contrast)})
	}
	return nil
}

// searchedData holds the evaluations on search tasks, in an order that does not depend on
// the order in which they arrived.
type searchedData struct {
	in      influence.Input
	configs []agent.Config
	made    []int
}

func (b *builder) searched() searchedData {
	t := b.tally.tried
	var variants []archive.Variant
	total, place := 0, map[string]int{}
	for id, trials := range t.variants {
		if v := b.variant(id); v.Config != nil && trials.made > 0 {
			variants = append(variants, v)
			total += trials.made
			for _, one := range trials.ablated() {
				place[t.tasks[one.task]] = 0
			}
		}
	}
	slices.SortFunc(variants, func(a, b archive.Variant) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), strings.Compare(string(a.ID), string(b.ID)))
	})
	names := sortedKeys(place)
	for i, name := range names {
		place[name] = i
	}
	d := searchedData{in: influence.Input{Tasks: len(names)}}
	every := total/mostTrials + 1
	for c, v := range variants {
		d.configs = append(d.configs, v.Config)
		trials := t.variants[v.ID].ablated()
		slices.SortFunc(trials, func(x, y trial) int {
			return cmp.Or(cmp.Compare(place[t.tasks[x.task]], place[t.tasks[y.task]]), cmp.Compare(x.repeat, y.repeat))
		})
		n := 0
		for i, one := range trials {
			if (i+c)%every == 0 {
				d.in.Trials = append(d.in.Trials, influence.Trial{Config: c, Task: place[t.tasks[one.task]], Score: one.score})
				n++
			}
		}
		d.made = append(d.made, n)
	}
	return d
}

// axis is a parameter, or a member of a list, together with the level that it has in each
// config.
type axis struct {
	name   string
	values []string // the value of each level; level 0 is the reference
	of     []int
}

func (a axis) count(level int) int {
	n := 0
	for _, l := range a.of {
		if l == level {
			n++
		}
	}
	return n
}

// Limits on what counts as a level of a parameter.
const (
	mostLevels  = 8
	mostMembers = 24
	plainChoice = 40 // maximum number of characters in a choice; a longer text counts only as changed or unchanged
	fewNumbers  = 4  // maximum number of distinct numbers that are levels of their own; if there are more, they form three ranges
	otherValues = "other values"
)

// axesOf divides the values of each parameter into levels.
func axesOf(params []string, champion agent.Config, d searchedData) []axis {
	var out []axis
	for _, name := range params {
		values, lists, long, numbers := make([]any, len(d.configs)), false, false, true
		distinct := map[string]bool{}
		for c, config := range d.configs {
			v := config[name]
			values[c] = v
			if v == nil {
				continue
			}
			distinct[Value(v)] = true
			_, isList := v.([]string)
			s, isText := v.(string)
			_, isNumber := numberOf(v)
			lists, numbers = lists || isList, numbers && isNumber
			long = long || isText && (len(s) > plainChoice || strings.Contains(s, "\n"))
		}
		own := champion[name]
		switch {
		case len(distinct) < 2:
		case lists:
			out = append(out, members(name, own, values, d)...)
		case numbers && len(distinct) > fewNumbers:
			out = add(out, ranges(name, own, values), d)
		case long || !numbers && len(distinct) > mostLevels:
			out = add(out, changedOrNot(name, own, values), d)
		default:
			out = add(out, choices(name, own, values), d)
		}
	}
	return out
}

// add joins those levels of an axis that have the fewest evaluations, and appends the axis
// to out unless only one level remains.
func add(out []axis, a axis, d searchedData) []axis {
	if a = a.joined(d); len(a.values) > 1 {
		return append(out, a)
	}
	return out
}

// joined renumbers the levels: the reference comes first, and then the other levels by
// number of evaluations. The levels beyond the maximum number, and those with too few
// configs or evaluations, become one level.
func (a axis) joined(d searchedData) axis {
	made, configs := make([]int, len(a.values)), make([]int, len(a.values))
	for c, l := range a.of {
		made[l] += d.made[c]
		configs[l]++
	}
	order := make([]int, len(a.values))
	for l := range order {
		order[l] = l
	}
	reference := 0
	if configs[0] < influence.MinConfigs || made[0] < influence.MinTrials {
		for l := range order {
			if made[l] > made[reference] {
				reference = l
			}
		}
	}
	slices.SortStableFunc(order, func(x, y int) int {
		switch reference {
		case x:
			return -1
		case y:
			return 1
		}
		return cmp.Compare(made[y], made[x])
	})
	level, rest := make([]int, len(a.values)), -1
	out := axis{name: a.name, of: make([]int, len(a.of))}
	for at, l := range order {
		if at > 0 && (at >= mostLevels || configs[l] < influence.MinConfigs || made[l] < influence.MinTrials) {
			if rest < 0 {
				rest = len(out.values)
				out.values = append(out.values, otherValues)
			}
			level[l] = rest
			continue
		}
		level[l] = len(out.values)
		out.values = append(out.values, a.values[l])
	}
	for c, l := range a.of {
		out.of[c] = level[l]
	}
	return out
}

// choices returns an axis on which each value is a level. An inactive parameter counts as
// having the champion's value, because it has no effect.
func choices(name string, own any, values []any) axis {
	a := axis{name: name, values: []string{Value(own)}, of: make([]int, len(values))}
	for c, v := range values {
		if v == nil {
			continue
		}
		s := Value(v)
		l := slices.Index(a.values, s)
		if l < 0 {
			l = len(a.values)
			a.values = append(a.values, s)
		}
		a.of[c] = l
	}
	return a
}

func changedOrNot(name string, own any, values []any) axis {
	a := axis{name: name, values: []string{"unchanged", "changed"}, of: make([]int, len(values))}
	words, isText := own.(string)
	for c, v := range values {
		if s, ok := v.(string); v != nil && (Value(v) != Value(own) || ok && isText && s != words) {
			a.of[c] = 1
		}
	}
	return a
}

// ranges divides numbers into three ranges, each with about a third of the configs.
func ranges(name string, own any, values []any) axis {
	var all []float64
	for _, v := range values {
		if x, ok := numberOf(v); ok {
			all = append(all, x)
		}
	}
	slices.Sort(all)
	cuts := slices.Compact([]float64{all[(len(all)-1)/3], all[2*(len(all)-1)/3]})
	if cuts[len(cuts)-1] == all[len(all)-1] {
		cuts = cuts[:len(cuts)-1]
	}
	a := axis{name: name, of: make([]int, len(values))}
	for i := range len(cuts) + 1 {
		switch {
		case len(cuts) == 0:
			a.values = append(a.values, "all")
		case i == 0:
			a.values = append(a.values, "up to "+number.Short(cuts[0]))
		case i == len(cuts):
			a.values = append(a.values, "above "+number.Short(cuts[i-1]))
		default:
			a.values = append(a.values, "above "+number.Short(cuts[i-1])+" to "+number.Short(cuts[i]))
		}
	}
	rangeOf := func(v any) int {
		x, _ := numberOf(v)
		i := 0
		for i < len(cuts) && x > cuts[i] {
			i++
		}
		return i
	}
	first := 0
	if _, ok := numberOf(own); ok {
		first = rangeOf(own)
	}
	for c, v := range values {
		a.of[c] = first
		if v != nil {
			a.of[c] = rangeOf(v)
		}
		switch a.of[c] {
		case first:
			a.of[c] = 0
		case 0:
			a.of[c] = first
		}
	}
	a.values[0], a.values[first] = a.values[first], a.values[0]
	return a
}

// members treats each member of a list as a separate parameter.
func members(name string, own any, values []any, d searchedData) []axis {
	all := map[string]bool{}
	for _, v := range values {
		list, _ := v.([]string)
		for _, m := range list {
			all[m] = true
		}
	}
	has := func(v any, m string) bool {
		list, _ := v.([]string)
		return slices.Contains(list, m)
	}
	var out []axis
	for _, m := range First(sortedKeys(all), mostMembers) {
		a := axis{name: name + ": " + clip(m, 60), values: []string{"without", "with"}, of: make([]int, len(values))}
		if has(own, m) {
			a.values = []string{"with", "without"}
		}
		for c, v := range values {
			if v != nil && has(v, m) != has(own, m) {
				a.of[c] = 1
			}
		}
		out = add(out, a, d)
	}
	return out
}

func numberOf(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	}
	return 0, false
}
