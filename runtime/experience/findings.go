package experience

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// Thresholds of findings.
const (
	// A domain or tool is a strength if it has at least fewSuccesses turns or calls and a
	// success rate of at least preferredFrom. It is a weakness if it has at least
	// fewFailures turns or calls and a success rate below failsBelow.
	fewSuccesses, fewFailures = 3, 2
	// Stated confidence is a weakness if at least fewStated turns stated a confidence and
	// their mean confidence exceeds their success rate by at least surplus.
	fewStated, surplus = 3, .2
	// A tool is slow if it has at least fewSuccesses measured calls and their 95th
	// percentile reaches slowCall.
	slowCall = 10 * time.Second
	// repeatedError is the number of identical errors of a tool at which advice about
	// these errors begins.
	repeatedError = 2
)

// Finding is a statement about a period, together with its evidence: it holds for Count
// turns or calls out of a total of Of, and Turns lists the ids of the turns.
type Finding struct {
	Text  string   `json:"text"`
	Count int      `json:"count"`
	Of    int      `json:"of,omitempty"`
	Turns []string `json:"turns"`
}

// finding returns a finding with the formatted text. Turns holds at most the last eight of
// the turns that the finding counts.
func finding(turns []string, count, of int, format string, args ...any) Finding {
	return Finding{Text: fmt.Sprintf(format, args...), Count: count, Of: of, Turns: turns}
}

// line returns the text of the finding, followed by its turns.
func (f Finding) line() string { return f.Text + turnsText(f.Turns) }

// turnsText returns the ids of the turns in brackets, or nothing if there are none.
func turnsText(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	short := make([]string, len(ids))
	for i, id := range ids {
		short[i] = brief(id, 20)
	}
	return " (" + untagged(strings.Join(short, ", ")) + ")"
}

// Strengths returns what went well, the most frequent first.
func (p *Period) Strengths() []Finding {
	var out []Finding
	for _, d := range p.Domains {
		if n := d.judged(); n >= fewSuccesses && float64(d.Succeeded) >= preferredFrom*float64(n) {
			out = append(out, finding(d.SucceededIn, d.Succeeded, n, "%d of %d turns in %s succeeded", d.Succeeded, n, named(name(d.Domain))))
		}
	}
	for _, u := range p.Tools {
		if u.Judged >= fewSuccesses && float64(u.Succeeded) >= preferredFrom*float64(u.Judged) {
			out = append(out, finding(u.SucceededIn, u.Succeeded, u.Judged, "%d of %d calls to %s succeeded", u.Succeeded, u.Judged, u.name()))
		}
	}
	if n := p.Approved.Count; n > 0 {
		out = append(out, finding(p.Approved.Turns, n, p.Turns, "people approved %s", text.Count(n, "answer")))
	}
	return byCount(out)
}

// Weaknesses returns what went wrong, the most frequent first.
func (p *Period) Weaknesses() []Finding {
	var out []Finding
	for _, o := range slices.Sorted(maps.Keys(p.Outcomes)) {
		if o == agent.WrongToolBoundary {
			continue
		}
		x := p.Outcomes[o]
		out = append(out, finding(x.Turns, x.Count, p.Turns, "%s of %s ended with %s", text.Whole(x.Count), text.Count(p.Turns, "turn"), o))
	}
	if n := p.Corrected.Count; n > 0 {
		out = append(out, finding(p.Corrected.Turns, n, p.Turns, "people corrected %s", text.Count(n, "answer")))
	}
	for _, d := range p.Domains {
		if n := d.judged(); n >= fewFailures && float64(d.Succeeded) < failsBelow*float64(n) {
			out = append(out, finding(d.FailedIn, n-d.Succeeded, n, "%d of %d turns in %s did not succeed", n-d.Succeeded, n, named(name(d.Domain))))
		}
	}
	for _, u := range p.Tools {
		if failed := u.Judged - u.Succeeded; u.Judged >= fewFailures && float64(u.Succeeded) < failsBelow*float64(u.Judged) {
			out = append(out, finding(u.FailedIn, failed, u.Judged, "%d of %d calls to %s did not succeed", failed, u.Judged, u.name()))
		}
		if u.Repaired >= repeatedError {
			out = append(out, finding(u.RepairedIn, u.Repaired, u.Calls.Count, "the arguments of %d of %d calls to %s were repaired", u.Repaired, u.Calls.Count, u.name()))
		}
	}
	if s := p.Stated; s.tooHigh() {
		out = append(out, finding(s.FailedIn, s.Turns.Count-s.Succeeded, s.Turns.Count, "%s stated a mean confidence of %.2f, but only %d of them succeeded", text.Count(s.Turns.Count, "turn"), s.Confidence, s.Succeeded))
	}
	return byCount(out)
}

// Referrals returns the turns and the tool calls that were referred elsewhere, the most
// frequent first. A referral with evidence is not a weakness.
func (p *Period) Referrals() []Finding {
	var out []Finding
	if x := p.Outcomes[agent.WrongToolBoundary]; x.Count > 0 {
		out = append(out, finding(x.Turns, x.Count, p.Turns, "%s of %s ended with a referral that gives evidence", text.Whole(x.Count), text.Count(p.Turns, "turn")))
	}
	for _, x := range p.Errors {
		if x.Outcome != agent.WrongToolBoundary {
			continue
		}
		of := "of " + x.name()
		if x.Tool == AllTools {
			of = "without a tool"
		}
		out = append(out, finding(x.Calls.Turns, x.Calls.Count, 0, "%s %s%s", text.Count(x.Calls.Count, "referral"), of, x.Cause.after(": ")))
	}
	return byCount(out)
}

func (s StatedUse) tooHigh() bool {
	n := s.Turns.Count
	return n >= fewStated && s.Confidence-float64(s.Succeeded)/float64(n) >= surplus
}

// Adjustments returns advice on what to do differently: first what follows from
// corrections, then what concerns tools and stated confidence.
func (p *Period) Adjustments() []Finding {
	return append(p.correctionAdvice(), p.otherAdvice()...)
}

func (p *Period) correctionAdvice() []Finding {
	var out []Finding
	for _, x := range p.Patterns {
		where := ""
		if !everywhere(x.Domain) {
			where = " in " + named(name(x.Domain))
		}
		out = append(out, finding(x.Corrected.Turns, x.Corrected.Count, p.Turns, "before giving an answer%s, check it against what people corrected %s", where, often(x.Corrected.Count)))
	}
	return out
}

// otherAdvice returns what to do differently with tools and with stated confidence.
func (p *Period) otherAdvice() []Finding {
	var out []Finding
	for _, x := range p.Errors {
		switch {
		case x.Calls.Count < repeatedError || x.Tool == AllTools:
		case x.Outcome == agent.WrongToolBoundary:
			out = append(out, finding(x.Calls.Turns, x.Calls.Count, 0, "%s after %s of %s", remedyOf(x.Outcome), text.Count(x.Calls.Count, "referral"), x.name()))
		default:
			out = append(out, finding(x.Calls.Turns, x.Calls.Count, 0, "%s after %s of %s", remedyOf(x.Outcome), text.Count(x.Calls.Count, string(x.Outcome)+" error"), x.name()))
		}
	}
	for _, u := range p.Tools {
		if u.Measured >= fewSuccesses && u.P95 >= slowCall {
			out = append(out, finding(u.MeasuredIn, u.Measured, u.Calls.Count, "call %s only when it is needed: the 95th percentile of its latency is %s", u.name(), latencyText(u.P95)))
		}
	}
	if s := p.Stated; s.tooHigh() {
		out = append(out, finding(s.FailedIn, s.Turns.Count-s.Succeeded, s.Turns.Count, "state a lower confidence: it was %.2f, but the success rate was %.2f", s.Confidence, float64(s.Succeeded)/float64(s.Turns.Count)))
	}
	return out
}

// remedyOf returns advice on what to do after a tool repeatedly failed with outcome o.
func remedyOf(o agent.Outcome) string {
	switch o {
	case agent.ContractViolation:
		return "check the arguments against the tool's description"
	case agent.Timeout:
		return "ask for less in one call"
	case agent.WrongToolBoundary:
		return "choose another tool for such requests"
	case agent.LowUtility:
		return "ask more precisely, or choose another tool"
	case agent.RateLimited, agent.CircuitOpen, agent.BudgetExceeded:
		return "make fewer calls"
	case agent.Denied:
		return "do not repeat a denied call"
	}
	return "do not repeat a failed call unchanged"
}

func often(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func (u ToolUse) name() string   { return toolName(u.Tool, u.Method) }
func (x ToolError) name() string { return toolName(x.Tool, x.Method) }

// toolName returns the name of a tool and its method for use in a text.
func toolName(tool, method string) string {
	if method == "" {
		return named(tool)
	}
	return named(tool) + " " + named(method)
}

// latencyText returns a latency in milliseconds, or in seconds if it is at least ten
// seconds.
func latencyText(d time.Duration) string {
	if d >= 10*time.Second {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Millisecond).String()
}

// byCount sorts findings by count, the highest first.
func byCount(list []Finding) []Finding {
	slices.SortStableFunc(list, func(x, y Finding) int { return cmp.Compare(y.Count, x.Count) })
	return list
}
