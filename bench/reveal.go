package bench

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Reveal is a field that agents see and that tells the answers of tasks.
type Reveal struct {
	// Field is domain, a path into the input object such as input.category, "file name"
	// for the one file of a task, or "last message" for one of the agent's side.
	Field string
	// Tasks have the field and an answer.
	Tasks int
	// Right is the share of them whose answer is guessed by the most frequent answer
	// of the other tasks with the same value; Blind the same without the field.
	Right, Blind float64
	// Same is the share of them whose value is an accepted answer, apart from a number
	// beside it as in paris-001; Held adds those whose domain or file name has it among
	// its words.
	Same, Held float64
	// several reports whether the tasks have more than one answer.
	several bool
}

// String says it to a person.
func (r Reveal) String() string {
	switch {
	case r.Same >= revealShare:
		return fmt.Sprintf("%s is the answer itself in %.0f %% of %d tasks", r.Field, 100*r.Same, r.Tasks)
	case r.Held >= revealShare:
		return fmt.Sprintf("%s holds the answer in %.0f %% of %d tasks", r.Field, 100*r.Held, r.Tasks)
	}
	return fmt.Sprintf("%s tells the answer of %.0f %% of %d tasks, %.0f %% without it", r.Field, 100*r.Right, r.Tasks, 100*r.Blind)
}

// The bounds of what counts as telling an answer.
const (
	revealShare = .5 // of the tasks are told
	revealMore  = .2 // more than without the field
	revealTasks = 8  // fewer show it only by holding every answer
	revealSigma = 4  // standard deviations above what chance tells
)

// Reveals finds the fields that agents see and that tell the answer: a value that is
// the answer, or goes with one answer. Each task is guessed from the others alone, so
// that a field with another value in every task tells nothing, and small numbers of
// tasks must stand out from chance. From two tasks with different answers on, a field
// that holds every answer is found. Goals and messages of users are not looked at: a
// question may well hold its answer.
func Reveals(tasks []Task) []Reveal {
	fields := map[string][]valued{}
	for i := range tasks {
		answers := tasks[i].references()
		if len(answers) == 0 {
			continue
		}
		for field, value := range tasks[i].fields() {
			fields[field] = append(fields[field], valued{plainWords(value), answers})
		}
	}
	var out []Reveal
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if r := judgeReveal(field, fields[field]); r.tells() {
			out = append(out, r)
		}
	}
	return out
}

// valued is a value of a field beside the accepted answers of its task, all as
// [plainWords]. The first answer stands for the others where answers are counted.
type valued struct {
	value   string
	answers []string
}

// same reports whether the value is an answer, apart from numbers beside it.
func (v valued) same() bool {
	words := strings.Fields(v.value)
	named := strings.Join(slices.DeleteFunc(words, isNumber), " ")
	return slices.ContainsFunc(v.answers, func(a string) bool { return a == v.value || a == named })
}

// held reports whether an answer stands among the words of the value.
func (v valued) held() bool {
	return slices.ContainsFunc(v.answers, func(a string) bool { return strings.Contains(" "+v.value+" ", " "+a+" ") })
}

// isNumber reports whether a word is made of digits alone.
func isNumber(word string) bool { return strings.Trim(word, "0123456789") == "" }

// plainWords are the words of a text in small letters; a text without any stays.
func plainWords(text string) string {
	if words := wordsOf(text); len(words) > 0 {
		return strings.Join(words, " ")
	}
	return strings.TrimSpace(text)
}

// references are the accepted answers of a task: its own and what its graders ask for.
func (t *Task) references() []string {
	var texts []string
	if t.Answer != nil {
		texts = append(texts, *t.Answer)
	}
	for _, g := range t.Graders {
		var own struct {
			Answer, All, Any json.RawMessage
			Pattern          string
		}
		if g.Not || json.Unmarshal(g.Raw, &own) != nil {
			continue
		}
		for _, raw := range []json.RawMessage{own.Answer, own.All, own.Any} {
			texts = append(texts, textsOf(raw)...)
		}
		if text, ok := literal(own.Pattern); ok {
			texts = append(texts, text)
		}
	}
	var out []string
	for _, text := range texts {
		answers := []string{plainWords(text)}
		// A solution that ends in a number, as for the grader numeric.
		if fields := strings.Fields(text); len(fields) > 1 {
			if last := plainWords(fields[len(fields)-1]); !slices.ContainsFunc(strings.Fields(last), func(w string) bool { return !isNumber(w) }) {
				answers = append(answers, last)
			}
		}
		for _, a := range answers {
			if a != "" && !slices.Contains(out, a) {
				out = append(out, a)
			}
		}
	}
	return out
}

// EndsAnswered reports whether the last message of the conversation is an accepted
// answer, given by the agent's side.
func (t *Task) EndsAnswered() bool {
	last, ok := t.fields()["last message"]
	return ok && slices.Contains(t.references(), plainWords(last))
}

// literal is the text that a pattern without any choice stands for, at whatever place.
func literal(pattern string) (string, bool) {
	re, err := regexp.Compile(strings.TrimSuffix(strings.TrimPrefix(pattern, "^"), "$"))
	if err != nil {
		return "", false
	}
	return re.LiteralPrefix()
}

// fields are the short values that an agent sees beside the words of the request.
func (t *Task) fields() map[string]string {
	out := map[string]string{}
	if t.Domain != "" {
		out["domain"] = t.Domain
	}
	if len(t.Fixtures.Files) == 1 {
		for name := range t.Fixtures.Files {
			out[fileName] = strings.TrimSuffix(path.Base(name), path.Ext(name))
		}
	}
	if n := len(t.Messages); n > 0 && t.Messages[n-1].Role == "assistant" {
		out["last message"] = t.Messages[n-1].Content
	}
	var input map[string]json.RawMessage
	if json.Unmarshal(t.Input, &input) == nil {
		inputFields(out, "input", input)
	}
	return out
}

// fileName is the field of a task's one file.
const fileName = "file name"

// inputFields adds the texts, numbers and truth values of an object and of those in it.
// Of lists only such with one item are looked at: a choice may well be the answer.
func inputFields(out map[string]string, at string, object map[string]json.RawMessage) {
	for key, raw := range object {
		name := at + "." + key
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) == nil && len(list) == 1 {
			raw = list[0]
		}
		var text string
		var inner map[string]json.RawMessage
		switch {
		case json.Unmarshal(raw, &text) == nil && string(raw) != "null":
			out[name] = text
		case json.Unmarshal(raw, &inner) == nil:
			inputFields(out, name, inner)
		case len(raw) > 0 && raw[0] != '[':
			out[name] = string(raw)
		}
	}
}

// judgeReveal counts how often a field tells the answer.
func judgeReveal(field string, list []valued) Reveal {
	r := Reveal{Field: field, Tasks: len(list)}
	all, of := tally{}, map[string]tally{}
	for _, v := range list {
		if of[v.value] == nil {
			of[v.value] = tally{}
		}
		answer := v.answers[0]
		all[answer]++
		of[v.value][answer]++
		switch {
		case v.same():
			r.Same++
			r.Held++
		case (field == "domain" || field == fileName) && v.held():
			r.Held++
		}
	}
	r.several = len(all) > 1
	r.Blind = float64(all[all.ranked()[0]])
	best := map[string][]string{}
	for value, t := range of {
		best[value] = t.ranked()
	}
	for _, v := range list {
		if of[v.value].without(v.answers[0], best[v.value]) == v.answers[0] {
			r.Right++
		}
	}
	n := float64(max(1, len(list)))
	r.Same, r.Held, r.Right, r.Blind = r.Same/n, r.Held/n, r.Right/n, r.Blind/n
	return r
}

// tally counts answers.
type tally map[string]int

// ranked are the two most frequent answers, ties in the order of the alphabet.
func (t tally) ranked() []string {
	keys := slices.SortedFunc(maps.Keys(t), func(a, b string) int {
		if t[a] != t[b] {
			return t[b] - t[a]
		}
		return strings.Compare(a, b)
	})
	return keys[:min(2, len(keys))]
}

// without is the most frequent answer once one of the given is taken away; "" for none.
func (t tally) without(answer string, ranked []string) string {
	switch {
	case ranked[0] != answer:
		return ranked[0]
	case len(ranked) > 1 && t[ranked[1]] > t[answer]-1:
		return ranked[1]
	case t[answer] > 1:
		return answer
	}
	return ""
}

// tells reports whether the field gives answers away.
func (r Reveal) tells() bool {
	if r.Held == 1 && r.several {
		return true
	}
	if r.Tasks < revealTasks {
		return false
	}
	if r.Held >= revealShare && r.Blind < revealShare {
		return true
	}
	n := float64(r.Tasks)
	sd := math.Sqrt(max(r.Blind*(1-r.Blind), 1/n) / n)
	return r.Right >= revealShare && r.Right-r.Blind >= revealMore && r.Right-r.Blind >= revealSigma*sd
}
