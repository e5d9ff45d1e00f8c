package render

import (
	"fmt"

	"evolve/mutate/evidence"
	"evolve/reports/model"
	"evolve/reports/number"
)

// honestyBlocks shows how many attempts were made to find the claimed variant.
func honestyBlocks(s subject) []block {
	h := s.agent.Honesty
	line := say(styled(number.Plural(h.Variants, "variant"), strong), " tried in ", styled(number.Plural(h.Evaluations, "evaluation"), strong), " on search tasks")
	if h.Confirmations > 0 {
		line = append(line, say(", ", styled(number.Plural(h.Confirmations, "finalist"), strong), " in the confirmation on the holdout")...)
	}
	if h.Exhausted {
		line = append(line, say("; nothing was left to try")...)
	}
	out := []block{para{Text: append(line, say(".")...)}}
	var f facts
	if h.Method != "" {
		what := "for the verdict of this run; several runs are not combined"
		if s.agent.Headline.Evidence != nil {
			what = "for this candidate, over all nights together"
		}
		f = append(f, fact{"error control", say(h.Method)}, fact{"level", say(number.PValue(h.ErrorRate), remark(what))})
	}
	if h.Rulings != nil {
		f = append(f, rulingsFact(*h.Rulings))
	}
	if e := h.Entries; e != nil {
		f = append(f, fact{"confirmations", say(fmt.Sprintf("%d begun of the %d allowed in %d days", e.Used, e.Most, e.Days),
			remark(fmt.Sprintf("%d left, each at the level %s; at most %s false adoptions are expected over the whole period", e.Left, number.PValue(e.Alpha), number.PValue(e.Level))))})
	}
	opened := say("never")
	if h.Opened > 0 {
		opened = say(number.Plural(h.Opened, "time"), remark("for "+number.Plural(h.Confirmed, "variant")+" in all; each opening weakens the evidence of the holdout a little"))
	}
	f.add("holdout opened", opened)
	if h.Adopted > 0 {
		f = append(f, fact{"holdout decided", say(number.Plural(h.Adopted, "adoption"))})
	}
	f = append(f, baselineFacts(h.Baseline)...)
	f = append(f, noiseFact(s))
	out = append(out, f)
	if h.Advice != "" {
		out = append(out, para{Text: say(styled("Advice: ", strong), h.Advice, ".")})
	}
	if len(s.agent.Curve) > 1 {
		out = append(out, curve(s))
	}
	return out
}

// baselineFacts returns the facts that compare the search with random search.
func baselineFacts(r *model.Baseline) facts {
	if r == nil {
		return nil
	}
	value := say(number.Score(r.Score)+"  ["+number.Score(r.Lo)+", "+number.Score(r.Hi)+"]", remark(r.Variant.Name()+" after "+number.Plural(r.Evaluations, "evaluation")))
	f := facts{{"best of random search", value}}
	for _, m := range []struct {
		label string
		*model.Match
	}{{"search at equal spend", r.Equal}, {"search at the end", r.End}} {
		if m.Match == nil {
			continue
		}
		value := say(number.Score(m.Search.Score)+"  ["+number.Score(m.Search.Lo)+", "+number.Score(m.Search.Hi)+"]", remark(m.Search.Variant.Name()+" after "+number.Plural(m.Search.Spent, "evaluation")))
		value = append(value, say("; ", number.Points(m.Difference)+" points against random search ", number.Interval(m.Lo, m.Hi))...)
		switch p := m.Paired; {
		case m.Search.Variant == m.Random.Variant:
			value = append(value, say("; both recommend the same variant")...)
		case p != nil && p.Lo == p.Hi: // no interval: nothing varied
			value = append(value, say("; "+number.Points(p.Difference)+" on each of the "+number.Plural(m.PairedTasks, "task")+" that both ran")...)
		case p != nil:
			value = append(value, say("; ", number.Points(p.Difference)+" "+number.Interval(p.Lo, p.Hi)+" on the "+number.Plural(m.PairedTasks, "task")+" that both ran")...)
		default:
			value = append(value, say("; too few tasks were run by both for a paired comparison ("+number.Count(m.PairedTasks)+")")...)
		}
		f = append(f, fact{m.label, value})
	}
	if len(f) > 1 {
		f = append(f, fact{"how they compare", say("both are expected scores on all search tasks, estimated by one model from all evaluations at the end of the search; the verdict does not use them")})
	}
	return f
}

// rulingsFact returns the fact that states how many rulings were computed again.
func rulingsFact(r evidence.Checked) fact {
	var items []spans
	add := func(n int, what string) {
		if n > 0 {
			items = append(items, say(number.Plural(n, "ruling")+" "+what))
		}
	}
	add(r.Recomputed, "computed again from the stored evaluations")
	add(r.Unstored, "not recomputable: made by an older version of evolve")
	add(r.Gone, "not recomputable: the evaluations were removed")
	return fact{"recomputed", list(items, "; ")}
}
