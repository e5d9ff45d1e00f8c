package render

import (
	"cmp"
	"math"
	"slices"

	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/reports/render/plot"
)

// The maximum numbers of parameters, of values of a parameter, and of those interactions
// that are not shown to differ from 0.
const (
	maxInfluences = 20
	maxValues     = 4
	maxUnshown    = 3
)

// included names the configs that the influence covers but that are not counted among the
// tried variants.
func included(s subject) string {
	if len(s.agent.Ablations) > 0 {
		return ", including those of the champion and of the ablation"
	}
	return ", including those of the champion"
}

// influenceBlocks shows which parameters affect the score, and which pairs of parameters do
// so jointly.
func influenceBlocks(s subject) []block {
	f := s.agent.Influence
	if f == nil {
		return nil
	}
	data := number.Plural(f.Evaluations, "evaluation") + " of " + number.Plural(f.Configs, "config") + " on " + number.Plural(f.Tasks, "search task")
	if f.Untold != "" {
		return []block{para{Note: true, Text: say("No result from " + data + ": " + f.Untold + ".")}}
	}
	var drawn plot.Influence
	t := newTable(say("Influence of each parameter, in points"), wraps("parameter"), figures("spread", "interval"), wraps("values compared"))
	for _, p := range model.First(f.Params, maxInfluences) {
		spread := number.Size(p.Spread.Difference)
		bounds := "[" + number.Size(p.Spread.Lo) + ", " + number.Size(p.Spread.Hi) + "]"
		drawn = append(drawn, plot.ForestRow{
			Label: clipped(p.Param, 60).Text, Value: spread + " " + bounds,
			Difference: 100 * p.Spread.Difference, Lo: 100 * p.Spread.Lo, Hi: 100 * p.Spread.Hi,
		})
		if p.Spread.Lo <= 0 {
			spread += " ~"
		}
		t.add("", clipped(p.Param, 60), spread, bounds, valuesText(p))
	}
	out := []block{t, picture{drawn.Draw()}}
	words := "“Spread” is the standard deviation of the mean score over the values of a parameter, with the other parameters unchanged, and has a 95 % interval; each interval is valid by itself, not jointly with the others; “~” means that no influence is shown. From " + data + included(s) +
		". The search chose these configs and evaluated good ones most often; a linear model with an effect for each task allows for that, but not for configs that were bred from one another and resemble each other. These figures describe the search and play no part in the verdict."
	if n := len(f.Params) - maxInfluences; n > 0 {
		words += " " + number.Plural(n, "more parameter") + " in the JSON report."
	}
	text := say(words)
	if len(f.Unjudged) > 0 {
		text = append(text, say(" No result for these parameters, because too few values were tried often enough: ", foreignList(clippedAll(f.Unjudged, maxInfluences)), ".")...)
	}
	return append(append(out, para{Note: true, Text: text}), interactionBlocks(f)...)
}

func clippedAll(names []string, n int) []string {
	out := make([]string, 0, n)
	for _, name := range model.First(names, n) {
		out = append(out, clipped(name, 60).Text)
	}
	return out
}

// valuesText lists the values of a parameter with the largest differences from its
// reference value.
func valuesText(p model.ParamInfluence) spans {
	values := slices.Clone(p.Values)
	slices.SortStableFunc(values, func(a, b model.ValueEffect) int {
		return cmp.Compare(math.Abs(b.Difference), math.Abs(a.Difference))
	})
	var parts []spans
	for _, v := range model.First(values, maxValues) {
		parts = append(parts, say(valueText(v.Value, 40), " ", judged(model.Effect{Lo: v.Lo, Hi: v.Hi}, number.Points(v.Difference)), " "+number.Interval(v.Lo, v.Hi)))
	}
	out := list(parts, "; ")
	if n := len(values) - maxValues; n > 0 {
		out = append(out, say("; "+number.Count(n)+" more")...)
	}
	return append(out, say(" against ", valueText(p.Reference, 40))...)
}

// interactionBlocks shows the pairs of values whose joint effect is larger or smaller
// than the sum of their separate effects.
func interactionBlocks(f *model.Influence) []block {
	if f.Tested == 0 {
		return []block{para{Note: true, Text: say("Interactions: no result, because for no two parameters was every combination of two values of each tried often enough.")}}
	}
	var shown []model.Interaction
	unshown := 0
	for _, i := range f.Interactions {
		if !i.Shown() {
			if unshown++; unshown > maxUnshown {
				continue
			}
		}
		shown = append(shown, i)
	}
	t := newTable(say("Interactions: the effect of two values together beyond the sum of their single effects"), wraps("two values"), figures("points", "interval"))
	found := 0
	for _, i := range shown {
		if i.Shown() {
			found++
		}
		t.add("", say(clipped(i.First, 60), " = ", valueText(i.FirstValue, 40), " with ", clipped(i.Second, 60), " = ", valueText(i.SecondValue, 40)),
			judged(model.Effect{Lo: i.Lo, Hi: i.Hi}, number.Points(i.Difference)), number.Interval(i.Lo, i.Hi))
	}
	words := "Compared: " + number.Plural(f.Tested, "combination") + " of values for " + number.Plural(f.Pairs, "pair") + " of parameters; the clearest combination for each pair is listed. All intervals hold simultaneously with 95 % confidence. "
	if found == 0 {
		words += "No combination is shown to have an effect beyond the sum of the single effects."
	} else {
		words += "Shown to have an effect beyond the sum of the single effects: " + number.Plural(found, "pair") + "."
	}
	return []block{t, para{Note: true, Text: say(words)}}
}
