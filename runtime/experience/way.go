package experience

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// Way is a strategy used by turns in a domain: the tools that they called, in the order in
// which each was first called.
type Way struct {
	Domain string   `json:"domain"`
	Tools  []string `json:"tools"`
	// Turns counts the turns that succeeded or failed, and Succeeded counts those that
	// succeeded.
	Turns     Evidence `json:"turns"`
	Succeeded int      `json:"succeeded"`
	// SucceededIn holds the last eight turns that succeeded.
	SucceededIn []string `json:"succeeded_in,omitempty"`
	// Confidence is min(1, turns/5).
	Confidence float64 `json:"confidence"`
}

// wayTools is the maximum number of tools in a way; a turn that calls more tools is not
// counted towards any way.
const wayTools = 4

// wayOf returns the tools that make up a turn's way. It returns nil if the turn called no
// registered tool, or if it called more than wayTools tools.
func wayOf(calls []Call) []string {
	var out []string
	for _, c := range calls {
		if c.Tool != AllTools && c.Tool != Unregistered && !slices.Contains(out, clipped(c.Tool)) {
			out = append(out, clipped(c.Tool))
		}
	}
	if len(out) > wayTools {
		return nil
	}
	return out
}

// way counts a turn towards its [Way], which is determined by the turn's domain and
// tools. It skips a turn that ended with a referral, which is neither a success nor a
// failure.
func (b *periodBuilder) way(t Turn, success bool) {
	tools := wayOf(t.Calls)
	if len(tools) == 0 || t.Outcome == agent.WrongToolBoundary {
		return
	}
	domain := domainName(t.Domain)
	i := slices.IndexFunc(b.p.Ways, func(w Way) bool { return w.Domain == domain && slices.Equal(w.Tools, tools) })
	if i < 0 {
		i = len(b.p.Ways)
		b.p.Ways = append(b.p.Ways, Way{Domain: domain, Tools: tools})
	}
	w := &b.p.Ways[i]
	w.Turns.add(t.ID)
	w.Confidence = sure(w.Turns.Count)
	if success {
		w.Succeeded++
		cite(&w.SucceededIn, t.ID)
	}
}

// works reports whether at least fewSuccesses turns used the way and their success rate is
// at least preferredFrom.
func (w Way) works() bool {
	return w.Turns.Count >= fewSuccesses && float64(w.Succeeded) >= preferredFrom*float64(w.Turns.Count)
}

// text returns a description of the way, such as "search, then calc: 3 of 3 turns
// succeeded, confidence 0.60".
func (w Way) text() string {
	tools := make([]string, len(w.Tools))
	for i, t := range w.Tools {
		tools[i] = named(t)
	}
	return fmt.Sprintf("%s: %s of %s succeeded, confidence %.2f", strings.Join(tools, ", then "), text.Whole(w.Succeeded), text.Count(w.Turns.Count, "turn"), w.Confidence)
}

// Worked returns the ways that worked, the most frequent first.
func (p *Period) Worked() []Finding {
	var out []Finding
	for _, w := range p.Ways {
		if w.works() {
			out = append(out, finding(w.SucceededIn, w.Succeeded, w.Turns.Count, "in %s, %s", named(name(w.Domain)), w.text()))
		}
	}
	return byCount(out)
}

// waysText describes the ways that worked in a domain: the week's ways, or the night's
// ways if the lessons have no week. The text is empty if there are no ways.
func (l Lessons) waysText(domain string) string {
	p := cmp.Or(l.Week, l.Night)
	if p == nil {
		return ""
	}
	var b strings.Builder
	shown := 0
	for _, w := range p.Ways {
		if (everywhere(domain) || w.Domain == domain) && w.works() && shown < shownTools {
			if shown == 0 {
				fmt.Fprintf(&b, "Strategies that worked, %s:\n", p.days())
			}
			fmt.Fprintf(&b, "  %s\n", w.text())
			shown++
		}
	}
	return b.String()
}
