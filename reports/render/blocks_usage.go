package render

import (
	"slices"
	"strings"

	"evolve/bench/stats"
	"evolve/reports/model"
	"evolve/reports/number"
)

// usageBlocks shows the consumption per evaluation, with the conditions on cost and latency.
func usageBlocks(s subject) []block {
	t := newTable(say("Consumed per evaluation on the holdout"), wraps("mean"), figures(against(s), "variant", "change", "interval"), plain(""))
	guards := map[string]model.Guard{}
	for _, g := range s.agent.Guards {
		guards[strings.ReplaceAll(g.Name, "_", " ")] = g
	}
	for _, u := range s.agent.Usage {
		ratio, between, verdict := number.Unknown, number.Unknown, spans(nil)
		if r := u.Ratio; r != nil {
			ratio, between = number.Change(r.Ratio), number.ChangeInterval(r.Lo, r.Hi)
		}
		if g, guarded := guards[u.Name]; guarded {
			ratio, between, verdict = number.Change(g.Ratio), number.ChangeInterval(g.Lo, g.Hi), guardText(g)
		}
		t.add("", consumed(u), quantity(u, u.Champion), quantity(u, u.Variant), ratio, between, verdict)
	}
	if a, b := s.volatile.Champion, s.volatile.Variant; a != nil && b != nil {
		ratio, between, verdict := number.Unknown, number.Unknown, spans(nil)
		if r := s.volatile.P95Ratio; r != nil {
			ratio, between = number.Change(r.Ratio), number.ChangeInterval(r.Lo, r.Hi)
		}
		if g := s.volatile.Guard; g != nil {
			ratio, between, verdict = number.Change(g.Ratio), number.ChangeInterval(g.Lo, g.Hi), guardText(*g)
		}
		t.add("", "latency, median", number.Duration(a.P50), number.Duration(b.P50), number.Unknown, number.Unknown, "")
		t.add("", "latency, 95th percentile", number.Duration(a.P95), number.Duration(b.P95), ratio, between, verdict)
	}
	if g := s.volatile.Guard; g != nil && !g.Measured() {
		t.add("", "latency, 95th percentile", number.Unknown, number.Unknown, number.Unknown, number.Unknown, guardText(*g))
	}
	if len(t.Rows) == 0 {
		return nil
	}
	note := "Described, not tested: these figures played no part in the verdict."
	if len(s.agent.Guards) > 0 || s.volatile.Guard != nil {
		note = "“Change” is the ratio of the means over the tasks, or of the 95th percentiles, with its " + number.Percent(model.PartLevel) +
			" interval for new tasks like these. " + laterNote(s) + unseenNote(s) + "The rows without a bound played no part in the verdict."
	}
	for _, u := range s.agent.Unjudged {
		sentence := u.Sentence()
		note += " " + strings.ToUpper(sentence[:1]) + sentence[1:] + "."
	}
	return []block{t, para{Text: say(note), Note: true}}
}

// guardsOf returns all guards of an agent, including the one on latency.
func guardsOf(s subject) []model.Guard {
	guards := slices.Clone(s.agent.Guards)
	if g := s.volatile.Guard; g != nil {
		guards = append(guards, *g)
	}
	return guards
}

// laterNote returns a note on the level of those guards that were tested again after the
// gain had been proven.
func laterNote(s subject) string {
	for _, g := range guardsOf(s) {
		if g.Level > model.PartLevel+model.Tolerance {
			return "Rows with a bound have " + number.Percent(g.Level) + " intervals, because the confirmation continued for a guard and tested it again. "
		}
	}
	return ""
}

// unseenNote returns a note on what no interval covers: tasks of kinds that were not
// measured.
func unseenNote(s subject) string {
	for _, g := range guardsOf(s) {
		if g.Unseen > 0 {
			return "Up to " + number.Percent(g.Unseen) + " of new tasks could be of a kind that is not among these tasks and could consume any amount (with 95 % confidence). "
		}
	}
	return ""
}

// guardText formats the verdict of a guard, and the bound that decided the verdict.
func guardText(g model.Guard) spans {
	if !g.Measured() {
		return say("no pair was measured; allowed: at most " + g.Bound())
	}
	return say(guardMark(g), " at most "+g.Bound())
}

// quantity formats a consumption value.
func quantity(u model.Usage, x float64) string {
	if u.Unit == "share" {
		return number.Percent(x)
	}
	return stats.Quantity(u.Name, x)
}

// consumed returns the label of a consumption, which states what its values measure.
func consumed(u model.Usage) string {
	if u.Unit == "share" {
		return "did not end normally"
	}
	return u.Name
}
