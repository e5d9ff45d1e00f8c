package render

import (
	"strconv"

	"evolve/bench/stats"
	"evolve/reports/model"
	"evolve/reports/number"
)

// draftBlocks shows which models proposed changes in the search, and what these changes
// gained and cost.
func draftBlocks(s subject) []block {
	d := s.agent.Drafts
	if d == nil {
		return nil
	}
	var out []block
	routes := newTable(say("Models that proposed changes"), plain("route"), wraps("model"), figures("calls", "tried", "earned", "gain of a draft", "best", "tokens", "cost"))
	others := newTable(say("How the models were asked"), plain("choice", "option"), figures("calls", "tried", "earned", "gain of a draft", "best"))
	var usd float64
	for _, t := range d.Tallies {
		if t.Choice == "route" {
			usd += t.Usage.CostUSD + t.UnansweredUSD
			routes.add("", clipped(t.Option, 40), clipped(t.Model, 60), number.Count(t.Calls), number.Count(t.Drafts), number.Points(t.Gain), meanOf(t.Measured, t.Mean), bestOf(t.Drafts, t.Best),
				number.Count(int(t.Usage.InputTokens+t.Usage.OutputTokens)), number.Dollars(t.Usage.CostUSD))
			continue
		}
		others.add("", t.Choice, clipped(t.Option, 40), number.Count(t.Calls), number.Count(t.Drafts), number.Points(t.Gain), meanOf(t.Measured, t.Mean), bestOf(t.Drafts, t.Best))
	}
	out = append(out, routes)
	for _, t := range d.Tallies {
		if t.Unanswered > 0 {
			out = append(out, para{Text: unanswered(t.Option, t.Requests, t.Unanswered, t.UnansweredUSD)})
		}
	}
	best := newTable(say("The best variants that models wrote"), plain("variant"), wraps("written by", "change"), figures("evaluations", "gain"))
	for _, v := range d.Best {
		change := say(clipped(v.Form, 40), " of ", clipped(v.Component, 60))
		if v.InUse != "" {
			change = append(change, say(", from live turns: ", clipped(v.InUse, 100))...)
		}
		best.add("", v.Variant.Name(), clipped(v.Author, 80), change, number.Count(v.Evaluations), number.Points(v.Gain))
	}
	if len(best.Rows) > 0 {
		out = append(out, best)
	}
	untried := newTable(say("Why requests led to no variant"), wraps("reason"), figures("calls"))
	for _, u := range d.Untried {
		untried.add("", clipped(u.Reason, 200), number.Count(u.Calls))
	}
	if len(untried.Rows) > 0 {
		out = append(out, untried)
	}
	for _, text := range d.Full {
		out = append(out, para{Text: say("A limit stopped further requests: ", clipped(text, 300), ".")})
	}
	if r := d.Rival; r != nil {
		text := say("After ", number.Count(r.Evaluations), " evaluations each, variants that models wrote, with their descendants, reached ", number.Points(r.Models),
			" points over the champion by the search's estimate, and those made only by operators reached ", number.Points(r.Operators), ".")
		if usd > 0 {
			text = append(text, say(" The requests to models cost "+number.Dollars(usd)+" more than using only the operators.")...)
		}
		out = append(out, para{Text: text})
	}
	words := "Gains are relative to the parent, in points, as the search estimates them on its tasks; “earned” is the sum of the gains, without the losses. “Gain of a draft” is the mean gain of the evaluated drafts, losses included, with its 95 % interval; fewer than " + strconv.Itoa(stats.LeastGains) + " drafts are too few for a mean. The ledger records each call with its reason."
	return append(out, fold{Summary: say("how the models were asked: form, wording and component"), Blocks: []block{others}}, para{Text: say(words), Note: true})
}

// unanswered returns a sentence on the requests to a route that got no answer and on what
// was counted for them.
func unanswered(route string, requests, lost int, usd float64) spans {
	return say("Of ", number.Plural(requests, "request")+" sent to ", clipped(route, 40), ", "+number.Count(lost)+" got no answer. The budget counts "+number.Dollars(usd)+
		" for these, the most that they could cost; the table does not include this amount.")
}

// meanOf formats the mean gain of drafts; if no mean is given, the text states that there
// are too few drafts, and how many there are.
func meanOf(drafts int, mean *stats.Measure) string {
	if mean == nil {
		return "too few (" + number.Count(drafts) + ")"
	}
	return number.Points(mean.Value) + " " + number.Interval(mean.Lo, mean.Hi)
}

// bestOf formats the highest gain of drafts; if there are no drafts, it returns the
// placeholder for an unknown figure.
func bestOf(drafts int, best float64) string {
	if drafts == 0 {
		return number.Unknown
	}
	return number.Points(best)
}

// operatorName returns the display name of an operator.
func operatorName(operator string) spans { return say(clipped(model.OperatorName(operator), 40)) }

// madeBy returns the name of the operator that made a variant, and also the name of the
// model if a model wrote the variant.
func madeBy(r model.Rejection) spans {
	if r.Author == "" {
		return operatorName(r.Operator)
	}
	return say(operatorName(r.Operator), ": ", clipped(r.Author, 80))
}
