package experience

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"evolve/runtime/text"
)

// Correction is the record of a person's correction of a turn.
type Correction struct {
	Turn   string   `json:"turn,omitempty"` // the corrected turn
	By     string   `json:"by,omitempty"`   // the correcting message's turn
	Domain string   `json:"domain"`
	Tools  []string `json:"tools,omitempty"` // called in it
	// Text is the correcting message, cut to at most 300 characters.
	Text string    `json:"text"`
	Time time.Time `json:"time"` // when the turn of the correcting message took place
}

const (
	// maxCorrections is the maximum number of stored corrections, and maxCorrection is the
	// maximum length of a correction's text, in characters.
	maxCorrections, maxCorrection = 200, 300
	// shownCorrections is the maximum number of corrections that a text for the agent
	// lists.
	shownCorrections = 10
	// maxText is the maximum length of a text for the agent, in bytes.
	maxText = 4000
)

// addCorrection records the turn that a message corrected, and the message.
func (e *Experience) addCorrection(r Recent, t Turn) {
	c := Correction{Turn: r.Turn, By: t.ID, Domain: cmp.Or(r.Topic, r.Domain), Text: text.Clip(strings.ToValidUTF8(t.Message, "\uFFFD"), maxCorrection, text.Runes, text.Ellipsis), Time: t.Time}
	for _, call := range r.Calls {
		if !slices.Contains(c.Tools, call.Tool) {
			c.Tools = append(c.Tools, call.Tool)
		}
	}
	e.Corrections = newest(append(e.Corrections, c), maxCorrections)
}

// CorrectionsText describes the last ten corrections in a domain, newest first, each with
// its day and the tools of the corrected turn, in at most 4,000 bytes. If the domain has no
// corrections, or is [Global] or empty, it describes the corrections in all domains. It
// returns false if there are no corrections.
func (e *Experience) CorrectionsText(domain string) (string, bool) {
	if len(e.Corrections) == 0 {
		return "", false
	}
	domain = domainName(domain)
	list := among(e.Corrections, domain, func(c Correction) string { return c.Domain })
	var b strings.Builder
	switch {
	case everywhere(domain):
		fmt.Fprintf(&b, "People made %s.\n", text.Count(len(list), "correction"))
	case len(list) > 0:
		fmt.Fprintf(&b, "People made %s in %s (%d in all domains).\n", text.Count(len(list), "correction"), name(domain), len(e.Corrections))
	default:
		list = e.Corrections
		fmt.Fprintf(&b, "People made no corrections in %s, but %s in other domains.\n", name(domain), text.Count(len(list), "correction"))
	}
	for i := len(list) - 1; i >= max(0, len(list)-shownCorrections); i-- {
		c := list[i]
		fmt.Fprintf(&b, "%s, %s", c.Time.UTC().Format(time.DateOnly), name(c.Domain))
		if len(c.Tools) > 0 {
			fmt.Fprintf(&b, ", tools %s", brief(strings.Join(c.Tools, ", "), 100))
		}
		fmt.Fprintf(&b, ": %s\n", brief(c.Text, maxCorrection))
	}
	return text.Clip(b.String(), maxText, text.Ellipsis), true
}

// CorrectionsSince returns the time since which every correction is known: the zero time,
// or the time of the oldest stored correction if older ones may have been dropped.
func (e *Experience) CorrectionsSince() time.Time {
	if len(e.Corrections) < maxCorrections {
		return time.Time{}
	}
	return e.Corrections[0].Time
}

// everywhere reports whether a domain stands for all domains.
func everywhere(domain string) bool { return domain == "" || domain == Global }

// among returns the elements that belong to a domain, or all elements if the domain is
// [Global] or empty.
func among[T any](list []T, domain string, of func(T) string) []T {
	if everywhere(domain) {
		return list
	}
	var out []T
	for _, x := range list {
		if of(x) == domain {
			out = append(out, x)
		}
	}
	return out
}

// name returns the description of a domain for use in a text.
func name(domain string) string {
	if everywhere(domain) {
		return "no particular domain"
	}
	return brief(domain, 60)
}

// brief returns a text as one line of at most n characters.
func brief(s string, n int) string { return text.Clip(text.OneLine(s), n, text.Runes, text.Ellipsis) }
