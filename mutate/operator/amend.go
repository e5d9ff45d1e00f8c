package operator

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"evolve/mutate/selection"
	"evolve/runtime/agent"
	"evolve/runtime/memory"
)

// amend adds a line to a text in response to the parent's clustered failures, without a
// language model. The line is one of the parameter's offered lines that is related to the
// failures or, for a free text of instructions, a sentence from a fixed table. Words from
// failures are untrusted text: they serve only as weights and are never written.
type amend struct{ lex *memory.Lexicon }

func (amend) Name() string { return "amend" }

func (o amend) Make(s FailureContext, rng *rand.Rand) (Child, bool) {
	var options []amendment
	for _, p := range s.Space.Params {
		text, active := s.Parent[p.Name].(string)
		if !active || p.Kind != agent.Text {
			continue
		}
		if len(Offered(p)) > 0 {
			options = append(options, o.lines(p, text, s.Failures)...)
		} else if o.instructs(p) {
			options = append(options, sentences(p, text, s.Failures)...)
		}
	}
	if len(options) == 0 {
		return Child{}, false
	}
	weights := make([]float64, len(options))
	for i, a := range options {
		weights[i] = a.weight
	}
	a := options[selection.Draw(weights, rng)]
	c := s.Parent.Clone()
	c[a.param] = addLine(c.String(a.param), a.line)
	return Child{Config: Canonical(s.Space, c), Operator: o.Name(), Rationale: fmt.Sprintf("%s + %s (%s)", a.param, a.line, a.why)}, true
}

// amendment is a line that may be added to a text, with its parameter, reason and weight.
type amendment struct {
	param, line, why string
	weight           float64
}

// lines returns the offered lines that a text lacks, each weighted by the failures to which
// it is related; it leaves out lines that are related to no failure.
func (o amend) lines(p agent.Param, text string, failures []Failure) []amendment {
	_, missing := divide(p, text)
	var out []amendment
	for _, l := range missing {
		if !fits(p, addLine(text, l)) {
			continue
		}
		terms := o.lex.Terms(nil, l)
		a := amendment{param: p.Name, line: l}
		strongest := 0.0
		for _, f := range failures {
			r := float64(f.Count) * relation(l, terms, f)
			if a.weight += r; r > strongest {
				strongest, a.why = r, cause(f)
			}
		}
		if a.weight > 0 {
			a.weight *= a.weight // squared, to prefer related lines to those that merely share a word
			out = append(out, a)
		}
	}
	return out
}

// relation returns how strongly a line is related to a cluster of failures, as a number of
// at least 0. It is the share of the line's terms that are among the cluster's words. Terms
// that match only the cluster's kind of failure count a third, and a line for the cluster's
// domain counts three times as much.
func relation(line string, terms []string, f Failure) float64 {
	if len(terms) == 0 || f.Outcome == agent.WrongToolBoundary && strings.HasPrefix(line, "never refer") {
		return 0 // suppressing referrals does not remedy failures of this kind
	}
	shared := 0.0
	for _, t := range terms {
		switch {
		case slices.Contains(f.Words, t):
			shared++
		case slices.Contains(topics(f.Outcome), t):
			shared += 1.0 / 3
		}
	}
	r := shared / float64(len(terms))
	if f.Domain != "" && (strings.HasSuffix(line, " in "+f.Domain) || strings.HasSuffix(line, " for "+f.Domain)) {
		r = 3 * (r + 1/float64(len(terms)))
	}
	return r
}

// topics returns the stems of the terms that match a kind of failure.
func topics(o agent.Outcome) []string {
	switch o {
	case agent.OK: // a wrong answer
		return []string{"answer", "read", "verifi", "trust", "check"}
	case agent.LowUtility:
		return []string{"unsur", "lenient", "read", "follow", "check"}
	case agent.WrongToolBoundary:
		return []string{"refer", "unsur"}
	case agent.ContractViolation:
		return []string{"answer", "format", "onli"}
	case agent.Execution:
		return []string{"error", "avoid"}
	case agent.Timeout, agent.BudgetExceeded, agent.RateLimited:
		return []string{"strict", "never", "brief", "short"}
	}
	return nil
}

// instructs reports whether a free text holds instructions, judging by the parameter's name
// and description. An added sentence would spoil any other text.
func (o amend) instructs(p agent.Param) bool {
	if Demonstrates(p) {
		return false
	}
	for _, t := range o.lex.Terms(nil, p.Name+" "+p.Description) {
		switch t {
		case "strategi", "instruct", "prompt", "guidelin", "direct":
			return true
		}
	}
	return false
}

// plainName matches a domain name that may be used in a sentence.
var plainName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,39}$`)

// sentences returns the sentences that address the failures, according to the kind and
// the domain of each. It omits a sentence if the text already contains it or if it does
// not fit into the text.
func sentences(p agent.Param, text string, failures []Failure) []amendment {
	var out []amendment
	for _, f := range failures {
		line := remedy(f.Outcome)
		if line == "" {
			continue
		}
		if plainName.MatchString(f.Domain) {
			line = "In " + f.Domain + ": " + line
		}
		if !strings.Contains(text, line) && fits(p, addLine(text, line)) && f.Count > 0 {
			out = append(out, amendment{p.Name, line, cause(f), float64(f.Count)})
		}
	}
	return out
}

// remedy returns a sentence that instructs a language model how to avoid a kind of failure,
// or "" for kinds that no instruction prevents.
func remedy(o agent.Outcome) string {
	switch o {
	case agent.OK:
		return "before answering, compare the answer with the question word by word, and give it in exactly the form asked for."
	case agent.LowUtility:
		return "look in every source at hand before giving up, and then name what is missing."
	case agent.WrongToolBoundary:
		return "refer a task only with evidence: name what it needs that no tool offers, and quote what shows it."
	case agent.ContractViolation:
		return "give the answer in exactly the form asked for and nothing beside it."
	case agent.Execution:
		return "when a tool call fails, read the error and change the arguments; never repeat the same call."
	case agent.Timeout:
		return "take the shortest way to an answer, and stop as soon as the evidence supports it."
	case agent.BudgetExceeded:
		return "read only the parts of files that are needed, and keep what you write short."
	case agent.RateLimited:
		return "make as few tool calls as the task allows."
	case agent.Denied:
		return "use tools that only read; do not try to change files or settings."
	}
	return ""
}

// cause describes a cluster for the rationale of a change, without words from failures.
func cause(f Failure) string {
	kind := strings.ReplaceAll(string(f.Outcome), "_", " ")
	if f.Outcome == agent.OK {
		kind = "wrong answer"
	}
	if plainName.MatchString(f.Domain) {
		return fmt.Sprintf("%d × %s in %s", f.Count, kind, f.Domain)
	}
	return fmt.Sprintf("%d × %s", f.Count, kind)
}
