package experience

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/text"
)

const (
	// knownMethods, knownFailures and knownAxes are the maximum numbers of methods,
	// failures and axes on a tool's line.
	knownMethods, knownFailures, knownAxes = 6, 2, 3
	// knownName is the maximum length of a name on a tool's line, in characters.
	knownName = 60
)

// record holds the known facts about a tool in a domain.
type record struct {
	tool  string
	where string
	// here counts the calls in the domain, and everywhere counts the calls in all
	// domains.
	here, everywhere int
	// in is the sum of the capsules of the tool in the domain or, if the domain has no call
	// to the tool, in all domains. Its method, latencies and repairs are not set.
	in      Capsule
	methods []Capsule // the most used first
	learned []Learning
	warning string
}

// KnownTools returns the known facts about tools, for a prompt, with one line per tool: its
// methods with their calls; its calls in the domain and the share of successes among the
// judged ones (in all domains if the domain has no call to the tool); what was learned
// about it; its last failures; its referrals by axis; and its cohesion warning. The tools
// with the most calls in the domain come first. The text has at most budget tokens, as
// estimated by [memory.Tokens]: a line that does not fit is written without its methods,
// learnings and failures, and is omitted if it still does not fit. Untrusted text is quoted
// on its line, without < and >. The referrals that concern no tool ([AllTools]) are on a
// separate line. Without history the text is empty.
func (e *Experience) KnownTools(tools []string, domain string, budget int) string {
	var records []record
	for _, tool := range slices.Compact(slices.Sorted(slices.Values(append(slices.Clip(tools), AllTools)))) {
		if r := e.record(tool, domain); r.everywhere > 0 {
			records = append(records, r)
		}
	}
	slices.SortStableFunc(records, func(a, b record) int {
		return cmp.Or(cmp.Compare(b.here, a.here), cmp.Compare(b.everywhere, a.everywhere))
	})
	out := ""
	for _, r := range records {
		for _, line := range []string{r.line(true), r.line(false)} {
			if out != "" {
				line = "\n" + line
			}
			if memory.Tokens(out+line) <= budget {
				out += line
				break
			}
		}
	}
	return out
}

// record returns the known facts about a tool in a domain.
func (e *Experience) record(tool, domain string) record {
	domain = domainName(domain)
	r := record{tool: tool, where: "in " + named(domain), warning: e.CohesionWarning(tool)}
	var all []Capsule
	for _, c := range e.Capsules {
		if c.Tool != clipped(tool) {
			continue
		}
		if c.Domain == Global {
			all = append(all, c)
			r.everywhere += c.Calls
		}
		if c.Domain == domain {
			r.methods = append(r.methods, c)
			r.here += c.Calls
		}
	}
	if r.here == 0 {
		r.methods = all
	}
	if r.here == 0 || domain == Global {
		r.where, domain = "in all domains", Global
	}
	for _, l := range e.Learnings(domain) {
		if l.Tool == clipped(tool) {
			r.learned = append(r.learned, l)
		}
	}
	slices.SortStableFunc(r.methods, func(a, b Capsule) int { return cmp.Compare(b.Calls, a.Calls) })
	r.in = sum(r.methods)
	return r
}

// sum returns the combined calls, outcomes, corrections, axes and failures of capsules. The
// failures are ordered by time.
func sum(capsules []Capsule) Capsule {
	out := Capsule{Outcomes: map[agent.Outcome]int{}, Axes: map[string]int{}, Recency: sumRecency(capsules)}
	for _, c := range capsules {
		out.Calls += c.Calls
		out.Corrected += c.Corrected
		out.Referred += c.Referred
		for o, n := range c.Outcomes {
			out.Outcomes[o] += n
		}
		for a, n := range c.Axes {
			out.Axes[a] += n
		}
		out.Failures = append(out.Failures, c.Failures...)
	}
	slices.SortStableFunc(out.Failures, func(a, b Failure) int { return a.Time.Compare(b.Time) })
	return out
}

// line describes the tool. Unless full is set, the line leaves out methods and failures.
func (r record) line(full bool) string {
	referrals := ""
	if n := r.in.ReferralCount(); n > 0 {
		referrals = text.Count(n, "referral") + r.axesText()
	}
	if r.tool == AllTools {
		parts := slices.DeleteFunc([]string{referrals, r.warning}, func(s string) bool { return s == "" })
		return "- no tool of yours: " + strings.Join(parts, "; ")
	}
	var parts []string
	if methods := r.methodsText(); full && methods != "" {
		parts = append(parts, methods)
	}
	calls := text.Count(r.in.Calls, "call") + " " + r.where
	if rate, ok := r.in.Rate(); ok {
		calls += fmt.Sprintf(", %.0f%% ok", math.Floor(100*rate))
	}
	parts = append(parts, calls)
	if full {
		for _, l := range r.learned[:min(len(r.learned), knownMethods)] {
			parts = append(parts, l.String())
		}
	}
	if failures := r.failuresText(); full && failures != "" {
		parts = append(parts, failures)
	}
	if referrals != "" {
		parts = append(parts, referrals)
	}
	if r.warning != "" {
		parts = append(parts, r.warning)
	}
	return "- " + named(r.tool) + ": " + strings.Join(parts, "; ")
}

// methodsText lists the most used methods with their calls. It is empty for a tool without
// methods.
func (r record) methodsText() string {
	var parts []string
	for _, c := range r.methods {
		if c.Method != "" {
			parts = append(parts, fmt.Sprintf("%s %d", named(c.Method), c.Calls))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "methods " + list(parts, knownMethods)
}

// failuresText quotes the last failures, the newest first.
func (r record) failuresText() string {
	var parts []string
	for _, f := range slices.Backward(r.in.Failures) {
		part := string(f.Outcome)
		if f.Cause != "" {
			part += " " + quotation(f.Cause)
		}
		if !slices.Contains(parts, part) && len(parts) < knownFailures {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "last failures " + strings.Join(parts, ", ")
}

// axesText quotes the most frequent axes with their counts.
func (r record) axesText() string {
	axes := slices.Sorted(maps.Keys(r.in.Axes))
	if len(axes) == 0 {
		return ""
	}
	slices.SortStableFunc(axes, func(a, b string) int { return cmp.Compare(r.in.Axes[b], r.in.Axes[a]) })
	for i, a := range axes {
		axes[i] = fmt.Sprintf("%s %d", quotation(a), r.in.Axes[a])
	}
	return " (" + list(axes, knownAxes) + ")"
}

// list joins the first n parts and states how many others there are.
func list(parts []string, n int) string {
	if more := len(parts) - n; more > 0 {
		parts = append(slices.Clip(parts[:n]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(parts, ", ")
}

// untagged escapes < and >, which could begin or end a tag.
func untagged(s string) string { return strings.NewReplacer("<", `\x3c`, ">", `\x3e`).Replace(s) }

// quotation returns untrusted text, quoted on one line and with < and > escaped.
func quotation(s string) string { return untagged(text.Quote(s)) }

// named returns the name of a tool, method or domain on one line, shortened to knownName
// characters and with < and > escaped.
func named(s string) string {
	return untagged(brief(s, knownName))
}
