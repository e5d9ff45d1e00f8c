package model

import (
	"regexp"
	"strconv"
	"strings"
)

// Strategy is a parsed strategy text with one directive per line. Lines that are not
// directives are stored in Unknown and have no effect.
type Strategy struct {
	rules   []rule
	Unknown []string
}

// rule sets one slot or biases one tool, either everywhere or in one domain.
type rule struct {
	slot   slot
	value  string
	domain string // empty: every domain
}

// slot is one setting that a directive determines. Of the rules that set a slot, the last
// one wins, and a rule for the turn's domain takes precedence over one without a domain.
type slot string

const (
	slotAnswer   slot = "answer"   // value, sentence, number
	slotDates    slot = "dates"    // iso
	slotRound    slot = "round"    // decimals
	slotOrder    slot = "order"    // sorted
	slotLines    slot = "lines"    // lines, commas
	slotCount    slot = "count"    // distinct, all
	slotCase     slot = "case"     // lower
	slotCombine  slot = "combine"  // last, all
	slotVote     slot = "vote"     // nearest, weighted
	slotConflict slot = "conflict" // newest, best
	slotSource   slot = "source"   // files, memory
	slotAccept   slot = "accept"   // strict, lenient
	slotUnsure   slot = "unsure"   // guess, refer, say …
	slotRefer    slot = "refer"    // early, never
	slotVerify   slot = "verify"   // arithmetic
	slotRead     slot = "read"     // whole
	slotFollow   slot = "follow"   // references
	slotTurns    slot = "turns"    // always
	slotTool     slot = "tool:"    // followed by the tool's name: prefer, avoid, never
)

// directive is a directive line without a variable part, together with its meaning.
type directive struct {
	line  string
	slot  slot
	value string
}

var directives = []directive{
	{"answer: value only", slotAnswer, "value"},
	{"answer: full sentence", slotAnswer, "sentence"},
	{"answer: number only", slotAnswer, "number"},
	{"dates: iso", slotDates, "iso"},
	{"lists: sorted", slotOrder, "sorted"},
	{"lists: one per line", slotLines, "lines"},
	{"count: distinct", slotCount, "distinct"},
	{"case: lower", slotCase, "lower"},
	{"combine: last", slotCombine, "last"},
	{"combine: all", slotCombine, "all"},
	{"vote: nearest", slotVote, "nearest"},
	{"trust newest", slotConflict, "newest"},
	{"trust files first", slotSource, "files"},
	{"trust memory first", slotSource, "memory"},
	{"be strict", slotAccept, "strict"},
	{"be lenient", slotAccept, "lenient"},
	{"when unsure: guess", slotUnsure, "guess"},
	{"when unsure: refer", slotUnsure, "refer"},
	{"refer early", slotRefer, "early"},
	{"never refer", slotRefer, "never"},
	{"verify arithmetic", slotVerify, "arithmetic"},
	{"read before answering", slotRead, "whole"},
	{"follow references", slotFollow, "references"},
	{"check earlier turns", slotTurns, "always"},
}

// Patterns of directive lines with a variable part.
var (
	roundLine  = regexp.MustCompile(`^numbers: round to ([0-6])$`)
	unsureLine = regexp.MustCompile(`^when unsure: say (.{1,60})$`)
	toolLine   = regexp.MustCompile(`^(prefer|avoid|never) ([a-z][a-z0-9_]{0,63})$`)
	scopeTail  = regexp.MustCompile(`^(.+) (?:in|for) ([a-z_][a-z0-9_-]{0,63})$`)
)

// ParseStrategy parses a strategy text. It ignores case, extra white space, a leading "-"
// or "*", which is a bullet, and lines that begin with "#", which are headings. A line may
// end in "in DOMAIN" or "for DOMAIN".
func ParseStrategy(text string) Strategy {
	var s Strategy
	for line := range strings.Lines(text) {
		plain := strings.TrimSpace(line)
		if plain == "" || strings.HasPrefix(plain, "#") {
			continue
		}
		words := strings.Fields(strings.ToLower(strings.TrimLeft(plain, "-* ")))
		norm := strings.TrimRight(strings.Join(words, " "), ".")
		if r, ok := parseRule(norm); ok {
			s.rules = append(s.rules, r)
			continue
		}
		if m := scopeTail.FindStringSubmatch(norm); m != nil {
			if r, ok := parseRule(m[1]); ok {
				r.domain = m[2]
				s.rules = append(s.rules, r)
				continue
			}
		}
		s.Unknown = append(s.Unknown, plain)
	}
	return s
}

func parseRule(line string) (rule, bool) {
	for _, d := range directives {
		if d.line == line {
			return rule{slot: d.slot, value: d.value}, true
		}
	}
	if m := roundLine.FindStringSubmatch(line); m != nil {
		return rule{slot: slotRound, value: m[1]}, true
	}
	if m := unsureLine.FindStringSubmatch(line); m != nil {
		return rule{slot: slotUnsure, value: "say " + m[1]}, true
	}
	if m := toolLine.FindStringSubmatch(line); m != nil {
		return rule{slot: slotTool + slot(m[2]), value: m[1]}, true
	}
	return rule{}, false
}

// in returns the value of a slot in a domain, or "" if it is not set.
func (s Strategy) in(domain string, sl slot) string {
	value, scoped := "", false
	for _, r := range s.rules {
		if r.slot != sl || (r.domain != "" && r.domain != domain) || (scoped && r.domain == "") {
			continue
		}
		value, scoped = r.value, r.domain != ""
	}
	return value
}

// decimals returns the number of decimals to which numbers are rounded, or -1 if they are
// not rounded.
func (s Strategy) decimals(domain string) int {
	n, err := strconv.Atoi(s.in(domain, slotRound))
	if err != nil {
		return -1
	}
	return n
}

// Catalogue returns the directive lines that a search may add to a strategy: the general
// ones, the answer forms for each domain, and a preference and a ban for each tool. Every
// line can be parsed.
func Catalogue(domains, tools []string) []string {
	var lines []string
	for _, d := range directives {
		lines = append(lines, d.line)
	}
	lines = append(lines, "numbers: round to 0", "numbers: round to 2")
	for _, d := range domains {
		for _, form := range directives[:3] {
			lines = append(lines, form.line+" in "+d)
		}
	}
	for _, t := range tools {
		lines = append(lines, "prefer "+t, "never "+t)
	}
	return lines
}
