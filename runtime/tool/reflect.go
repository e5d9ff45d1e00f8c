package tool

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"

	"evolve/runtime/agent"
	foreign "evolve/runtime/text"
)

// Limits on the steps that are examined and on the report.
const (
	maxSteps     = 200  // only the newest
	maxLooked    = 4000 // bytes of an output
	maxFindings  = 10   // entries of each list
	maxQuotation = 160  // bytes
)

// Reflection is the result of reflect.
type Reflection struct {
	Calls int `json:"calls"`
	// Failures lists the failures of a tool that occurred at least twice with the same
	// outcome.
	Failures []Repeated `json:"repeated_failures"`
	// Repeats lists the calls that were made at least twice with the same arguments.
	Repeats []Repeated `json:"repeated_calls"`
	// Unused lists the results that no later call or note uses. The answer may still use
	// them.
	Unused []Unused `json:"unused_findings"`
}

// Repeated is a call, or a failure of a tool, that occurred more than once.
type Repeated struct {
	Tool    string        `json:"tool"`
	Outcome agent.Outcome `json:"outcome"`
	Times   int           `json:"times"`
	Last    string        `json:"last"` // the beginning of the last output
}

// Unused is a result that no later call or note used.
type Unused struct {
	Step   int    `json:"step"` // from 1
	Tool   string `json:"tool"`
	Output string `json:"output"`
}

func reflect() Tool {
	return define("reflect",
		"What this turn's own calls show, as JSON: repeated failures, repeated calls, and findings that nothing has come of yet.",
		`{"type":"object","additionalProperties":false}`, Available, nil,
		func(_ context.Context, env *Env, _ struct{}) Result { return asJSON(look(env)) })
}

// look examines the newest steps.
func look(env *Env) Reflection {
	steps := env.Steps[max(0, len(env.Steps)-maxSteps):]
	first := len(env.Steps) - len(steps)
	out := Reflection{Calls: len(env.Steps), Unused: []Unused{}}
	failures, repeats := map[string]*Repeated{}, map[string]*Repeated{}
	// The loop runs from the end, so later steps have already been examined.
	later := map[string]bool{}
	for _, n := range env.Notes {
		remember(later, n)
	}
	for i := len(steps) - 1; i >= 0; i-- {
		s := steps[i]
		count(repeats, s.Tool+"\x00"+string(s.Arguments), s)
		if s.Outcome != agent.OK {
			count(failures, s.Tool+"\x00"+string(s.Outcome), s)
		} else if s.Tool != "note" && len(out.Unused) < maxFindings && !used(later, s) {
			out.Unused = append(out.Unused, Unused{first + i + 1, foreign.Clip(s.Tool, 80), oneLine(s.Output)})
		}
		remember(later, foreign.Clip(string(s.Arguments), maxLooked))
	}
	slices.Reverse(out.Unused)
	out.Failures, out.Repeats = twice(failures), twice(repeats)
	return out
}

func count(in map[string]*Repeated, key string, s Step) {
	if r := in[key]; r != nil {
		r.Times++
		return
	}
	in[key] = &Repeated{foreign.Clip(s.Tool, 80), s.Outcome, 1, oneLine(s.Output)}
}

// twice returns the events that happened more than once, the most frequent first.
func twice(in map[string]*Repeated) []Repeated {
	out := []Repeated{}
	for _, key := range sorted(in) {
		if r := in[key]; r.Times > 1 {
			out = append(out, *r)
		}
	}
	slices.SortStableFunc(out, func(a, b Repeated) int { return cmp.Compare(b.Times, a.Times) })
	return out[:min(len(out), maxFindings)]
}

// used reports whether later contains a word that is in a step's result but not in the
// step's own call.
func used(later map[string]bool, s Step) bool {
	words, own := map[string]bool{}, map[string]bool{}
	remember(words, s.Output)
	remember(own, foreign.Clip(string(s.Arguments), maxLooked))
	if len(words) == 0 {
		return true // there was nothing to use
	}
	for w := range words {
		if later[w] && !own[w] {
			return true
		}
	}
	return false
}

// remember adds the longer words and numbers of a text to words.
func remember(words map[string]bool, text string) {
	for w := range strings.FieldsFuncSeq(strings.ToLower(foreign.Clip(text, maxLooked)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		if len(w) >= 5 || len(w) > 1 && unicode.IsDigit(rune(w[0])) {
			words[w] = true
		}
	}
}

func oneLine(text string) string {
	return foreign.Clip(strings.Join(strings.Fields(foreign.Clip(text, maxLooked)), " "), maxQuotation)
}
