package turn

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"evolve/runtime/memory"
)

// The types of a goal and of a subgoal.
const (
	atomic    = "atomic"
	composite = "composite"

	research  = "research"
	analysis  = "analysis"
	planning  = "strategy"
	synthesis = "synthesis"
)

// maxShared is the share of common words, not counting those of the parent goal, above
// which two subgoals count as the same work.
const maxShared = .5

// plan describes how a goal is worked on.
type plan struct {
	GoalType   string    `json:"goal_type"`
	Complexity float64   `json:"complexity"`
	Subgoals   []subgoal `json:"subgoals,omitempty"`
	// Note describes the parts that were left out, or the reason why the goal was not
	// split.
	Note string `json:"note,omitempty"`
	// Synthesis is the combined answer, cut to maxSynthesis bytes.
	Synthesis string `json:"synthesis,omitempty"`
}

// subgoal is one part of a goal, with its results once it has run.
type subgoal struct {
	Goal string `json:"goal"`
	Type string `json:"type"`
	// Subject is the subject of this part if the goal is a comparison.
	Subject string `json:"subject,omitempty"`

	ConfidenceBefore float64 `json:"confidence_before"`
	// ConfidenceAfter and Effectiveness, which is the gain in confidence, are nil if the
	// answer stated no confidence.
	ConfidenceAfter *float64 `json:"confidence_after,omitempty"`
	Steps           int      `json:"steps"`
	Effectiveness   *float64 `json:"effectiveness,omitempty"`
	Findings        []string `json:"findings,omitempty"`
}

var (
	quotes = regexp.MustCompile("\"[^\"]*\"|`[^`]*`|“[^”]*”")
	// sequence matches a word such as "then" only after a comma, another punctuation mark
	// or "and". bareThen matches a "then" without these, but only before a task. So "the
	// next meeting" is not a sequence.
	sequence  = regexp.MustCompile(`(?i)(?:[,;.]\s*(?:and\s+)?|\s+and\s+)(?:then|after that|afterwards|finally|lastly|next|second(?:ly)?|third(?:ly)?|fourth(?:ly)?)[,\s]\s*`)
	bareThen  = regexp.MustCompile(`(?i)([^,;.\s])(?:\s+and)?\s+then\s+(` + starts + `\s)`)
	condition = regexp.MustCompile(`(?i)^(?:please\s+)?(?:if|when|whenever|once|unless)\s`)
	numbered  = regexp.MustCompile(`(?m)^\s*\d{1,2}[.)]\s+`)
	opening   = regexp.MustCompile(`(?i)^(?:please\s+)?first(?:ly)?[,\s]\s*`)
	tasks     = `(?:find|list|count|calculate|compute|determine|identify|look up|summari[sz]e|design|plan|propose|recommend|analy[sz]e|evaluate|research|investigate|explain|describe|tell me|give|name|say|multiply|add|subtract|divide|write|implement|create|compare|verify|translate|convert)`
	starts    = `(?:` + tasks + `|read|open|show|check|test|review|build|draft|document|sort|sum|search)`
	twoVerbs  = regexp.MustCompile(`(?i)[,;]?\s+and\s+(?:also\s+)?(` + tasks + `\s)`)
	opensTask = regexp.MustCompile(`(?i)^(?:please\s+|can you\s+)?` + starts + `\s`)
	twoThings = regexp.MustCompile(`(?i)^(?:please\s+)?(design|plan|propose|build|create|draft)\s+((?:an?|the)\s+.+?),?\s+and\s+((?:an?|the)\s+.+)$`)
)

// decompose divides a composite goal into subgoals, one level deep. The argument most is
// the maximum number of subgoals, from 2 to 4. decompose is a pure function.
func decompose(lex *memory.Lexicon, goal string, most int) plan {
	whole := plan{GoalType: atomic, Complexity: .1}
	parts := split(goal)
	if len(parts) < 2 {
		return whole
	}
	note := ""
	if len(parts) > most {
		note = fmt.Sprintf("%d subgoals, of which the first %d are run", len(parts), most)
		parts = parts[:most]
	}
	if why := refuse(lex, goal, parts); why != "" {
		whole.Note = why
		return whole
	}
	for i := range parts {
		parts[i].Type = kind(parts[i].Goal)
	}
	return plan{
		GoalType: composite, Complexity: min(1, .15*float64(len(parts))), Subgoals: parts, Note: note,
	}
}

// split returns the parts of a goal that is a comparison, a sequence, or two tasks joined
// by "and". Quoted text is never split.
func split(goal string) []subgoal {
	var hidden []string
	text := quotes.ReplaceAllStringFunc(strings.TrimSpace(goal), func(s string) string {
		hidden = append(hidden, s)
		return fmt.Sprintf("\x00%d\x00", len(hidden)-1)
	})
	show := func(s string) string {
		for i, h := range hidden {
			s = strings.ReplaceAll(s, fmt.Sprintf("\x00%d\x00", i), h)
		}
		return s
	}
	if parts := splitComparison(text); len(parts) >= 2 {
		for i := range parts {
			parts[i].Goal, parts[i].Subject = show(parts[i].Goal), show(strings.Trim(parts[i].Subject, "\""))
		}
		return parts
	}
	pieces := cut(text)
	var parts []subgoal
	for _, p := range pieces {
		p = strings.Trim(p, " ,;.\n")
		if len(strings.Fields(p)) < 2 {
			continue
		}
		parts = append(parts, subgoal{Goal: show(p)})
	}
	return parts
}

// cut returns the pieces of a text in which quotations are hidden: the items of a numbered
// list of tasks, the steps of a sequence, two tasks, or two things to design. A goal that
// begins with a condition is not split.
func cut(text string) []string {
	if condition.MatchString(text) {
		return nil
	}
	if items := numbered.Split(text, -1); len(items) > 2 {
		items = items[1:] // leaves out the text before the first number
		if !slices.ContainsFunc(items, func(s string) bool { return !opensTask.MatchString(s) }) {
			return items
		}
	}
	text = bareThen.ReplaceAllString(opening.ReplaceAllString(text, ""), "$1, then $2")
	if pieces := sequence.Split(text, -1); len(pieces) >= 2 {
		return pieces
	}
	if opensTask.MatchString(text) {
		if pieces := strings.Split(twoVerbs.ReplaceAllString(text, "\x01$1"), "\x01"); len(pieces) >= 2 {
			return pieces
		}
	}
	if m := twoThings.FindStringSubmatch(text); m != nil {
		return []string{m[1] + " " + m[2], m[1] + " " + m[3]}
	}
	return nil
}

// refuse returns the reason why the parts are not a valid decomposition, or "" if they are.
func refuse(lex *memory.Lexicon, goal string, parts []subgoal) string {
	parent := terms(lex, goal)
	words := func(p subgoal) []string {
		if p.Subject != "" { // the parts of a comparison differ only in their subjects
			return terms(lex, p.Subject)
		}
		return terms(lex, p.Goal)
	}
	for i, p := range parts {
		own := words(p)
		if len(own) >= len(parent) && !slices.ContainsFunc(parent, func(t string) bool { return !slices.Contains(own, t) }) {
			return "a subgoal repeats the goal"
		}
		for _, q := range parts[:i] {
			other := words(q)
			if slices.Equal(own, other) {
				return "two subgoals are the same"
			}
			if shared(without(own, parent), without(other, parent)) > maxShared {
				return "subgoals overlap"
			}
		}
	}
	return ""
}

func terms(lex *memory.Lexicon, text string) []string {
	t := lex.Terms(nil, text)
	slices.Sort(t)
	return slices.Compact(t)
}

func without(words, parent []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(parent, w) })
}

// shared returns the share of the smaller set that is also in the other set.
func shared(a, b []string) float64 {
	n := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			n++
		}
	}
	if least := min(len(a), len(b)); least > 0 {
		return float64(n) / float64(least)
	}
	return 0
}

// maxFindings and maxFinding limit how much of a subgoal's answer a plan records: the
// number of sentences, and the bytes of each. maxSynthesis limits the combined answer, in
// bytes.
const (
	maxFindings  = 5
	maxFinding   = 100
	maxSynthesis = 500
)

// found returns the first sentences of an answer: at most maxFindings sentences, each cut
// to maxFinding bytes.
func found(answer string) []string {
	var out []string
	memory.EachSentence(answer, func(s string) bool {
		out = append(out, memory.Cut(s, maxFinding))
		return len(out) < maxFindings
	})
	return out
}

// kind returns the type of a subgoal, judging by its first verb.
func kind(goal string) string {
	lower := strings.ToLower(goal)
	verb, _, _ := strings.Cut(strings.TrimPrefix(lower, "please "), " ")
	switch verb {
	case "design", "plan", "propose", "recommend", "draft", "build", "create", "implement":
		return planning
	case "summarize", "summarise", "combine", "write", "conclude":
		return synthesis
	case "compare", "count", "calculate", "compute", "analyze", "analyse", "evaluate", "multiply", "add", "subtract", "divide", "sum", "verify":
		return analysis
	}
	if strings.Contains(lower, "how many") || strings.Contains(lower, "difference") {
		return analysis
	}
	return research
}
