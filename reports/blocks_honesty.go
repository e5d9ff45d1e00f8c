package reports

import "fmt"

// honestyBlocks reports how much was tried to find the claimed variant.
func honestyBlocks(s subject) []block {
	h := s.agent.Honesty
	line := say(styled(some(h.Variants, "variant"), strong), " tried in ", styled(some(h.Evaluations, "evaluation"), strong), " on search tasks")
	if h.Confirmations > 0 {
		line = append(line, say(", ", styled(some(h.Confirmations, "finalist"), strong), " confirmed on the holdout")...)
	}
	if h.Exhausted {
		line = append(line, say("; nothing was left to try")...)
	}
	out := []block{para{Text: append(line, say(".")...)}}
	var f facts
	if h.Method != "" {
		what := "for this run's verdict; runs are not added up"
		if s.agent.Headline.Evidence != nil {
			what = "for this candidate, on all nights together"
		}
		f = append(f, fact{"error control", say(h.Method)}, fact{"level", say(pvalue(h.ErrorRate), remark(what))})
	}
	if h.Rulings != nil {
		f = append(f, h.Rulings.fact())
	}
	if e := h.Entries; e != nil {
		f = append(f, fact{"entries", say(fmt.Sprintf("%d of %d used in %d days", e.Used, e.Most, e.Days),
			remark(fmt.Sprintf("%d left, at %s each: at most %s false adoptions expected in them all", e.Left, pvalue(e.Alpha), pvalue(e.Level))))})
	}
	switch {
	case h.Opened > 0:
		f = append(f, fact{"holdout opened", say(some(h.Opened, "time"), remark("for "+some(h.Confirmed, "variant")+" in all; each opening wears it a little"))})
	default:
		f = append(f, fact{"holdout opened", say("never")})
	}
	if h.Adopted > 0 {
		f = append(f, fact{"decided by it", say(some(h.Adopted, "adoption"))})
	}
	f = append(f, baselineFacts(h.Baseline)...)
	f = append(f, noiseFact(s.agent.Health.Noise))
	out = append(out, f)
	if h.Advice != "" {
		out = append(out, para{Text: say(styled("Advice: ", strong), h.Advice, ".")})
	}
	if c := curve(s); c != nil {
		out = append(out, picture{c})
	}
	return out
}

// baselineFacts compare search and random search.
func baselineFacts(r *Baseline) facts {
	if r == nil {
		return nil
	}
	value := say(score(r.Score)+"  ["+score(r.Lo)+", "+score(r.Hi)+"]", remark(r.Variant.Name()+" after "+some(r.Evaluations, "evaluation")))
	f := facts{{"best of random", value}}
	for _, m := range []struct {
		label string
		*Match
	}{{"search at equal spend", r.Equal}, {"search at the end", r.End}} {
		if m.Match == nil {
			continue
		}
		value := say(score(m.Search.Score)+"  ["+score(m.Search.Lo)+", "+score(m.Search.Hi)+"]", remark(m.Search.Variant.Name()+" after "+some(m.Search.Spent, "evaluation")))
		value = append(value, say("; ", points(m.Difference)+" points against random ", interval(m.Lo, m.Hi))...)
		f = append(f, fact{m.label, value})
	}
	if len(f) > 1 {
		f = append(f, fact{"how they compare", say("each is expected on all search tasks, by one model of all evaluations, made at the end of the search")})
	}
	return f
}
