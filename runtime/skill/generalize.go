package skill

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"evolve/runtime/memory"
)

const (
	maxTriggers = 8
	maxLiteral  = 60 // bytes of an argument that was the same everywhere
)

// origin is where the values of an argument come from.
type origin int

const (
	nowhere origin = iota
	literal        // the value was the same everywhere
	goal           // the value consists of words from the goal
	earlier        // the value consists of words from the goal and from earlier results
)

// general is a generalised step.
type general struct {
	tool      string
	arguments []argument
	repeated  bool
	kinds     []string // of its outputs, sorted
}

type argument struct {
	key  string
	from origin
	// value is the argument's value if its origin is literal.
	value string
}

// most reports whether n is at least four fifths of the total (all).
func most(n, all int) bool { return 5*n >= 4*all }

// generalize merges the steps that are at the same position in all solved runs.
func (g *group) generalize() []general {
	out := make([]general, len(g.solved[0].path.steps))
	for i, first := range g.solved[0].path.steps {
		s := general{tool: first.tool}
		kinds := map[string]bool{}
		for _, r := range g.solved {
			uses := r.path.steps[i].uses
			s.repeated = s.repeated || len(uses) > 1
			for _, u := range uses {
				kinds[kind(u.output)] = true
			}
		}
		s.kinds = slices.Sorted(maps.Keys(kinds))
		for _, key := range first.keys {
			s.arguments = append(s.arguments, g.argument(i, key))
		}
		out[i] = s
	}
	return out
}

// argument determines the origin of the values of one argument in one step.
func (g *group) argument(at int, key string) argument {
	value := g.solved[0].path.steps[at].uses[0].args[key]
	same, all, goals, known := true, 0, 0, 0
	for _, r := range g.solved {
		for _, u := range r.path.steps[at].uses {
			v := u.args[key]
			same = same && v == value
			all++
			if made(v, r.path.known[:1]) {
				goals++
				known++
			} else if made(v, r.path.known[:u.before+1]) {
				known++
			}
		}
	}
	switch {
	case same && g.harmless(value):
		return argument{key, literal, value}
	case most(goals, all):
		return argument{key, goal, ""}
	case most(known, all):
		return argument{key, earlier, ""}
	}
	return argument{key, nowhere, ""}
}

// harmless reports whether a value may appear in the skill's text: it must be short, on one
// line, without Markdown syntax, and neither contain an answer nor be part of one.
func (g *group) harmless(value string) bool {
	if len(value) > maxLiteral || !utf8.ValidString(value) || strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) || strings.ContainsRune("`<>", r) }) {
		return false
	}
	v := normal(value)
	for _, r := range g.solved {
		if a := normal(r.Answer); a != "" && v != "" && (strings.Contains(" "+v+" ", " "+a+" ") || strings.Contains(" "+a+" ", " "+v+" ")) {
			return false
		}
	}
	return true
}

// normal returns the words of a text, separated by single spaces.
func normal(text string) string {
	var all []string
	memory.EachWord(text, func(w string) { all = append(all, w) })
	return strings.Join(all, " ")
}

// made reports whether a value has words and all of them occur in known.
func made(value string, known []map[string]bool) bool {
	has := false
	for w := range words(value) {
		has = true
		if !slices.ContainsFunc(known, func(k map[string]bool) bool { return k[w] }) {
			return false
		}
	}
	return has
}

// triggers returns the words that occur in most goals of the group and in at most a tenth
// of the goals of other tasks, the most frequent first. It leaves out numbers and answers.
func (g *group) triggers(all []Trajectory) []string {
	mine := map[string]string{} // task to goal
	answers := map[string]bool{}
	for _, r := range g.solved {
		mine[r.TaskID] = r.Goal
		answers[normal(r.Answer)] = true
	}
	others := map[string]string{}
	for _, t := range all {
		if _, ok := mine[t.TaskID]; !ok && !slices.Contains(g.failed, t.TaskID) {
			others[t.TaskID] = t.Goal
		}
	}
	in, out := frequency(mine), frequency(others)
	var found []string
	for w, n := range in {
		if most(n, len(mine)) && 10*out[w] <= len(others) && len(w) <= maxLiteral && !memory.StopWord(w) && !answers[w] && !strings.ContainsFunc(w, unicode.IsDigit) {
			found = append(found, w)
		}
	}
	slices.SortFunc(found, func(a, b string) int {
		if in[a] != in[b] {
			return in[b] - in[a]
		}
		return strings.Compare(a, b)
	})
	return found[:min(len(found), maxTriggers)]
}

// frequency returns, for each word, the number of texts that contain it.
func frequency(texts map[string]string) map[string]int {
	n := map[string]int{}
	for _, t := range texts {
		for w := range words(t) {
			n[w]++
		}
	}
	return n
}
