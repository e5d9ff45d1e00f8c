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

// Leak is a field that agents see and that reveals the answers of tasks.
type Leak struct {
	// Field is domain, a path into the input object such as input.category, "file name" for
	// the name of a task's only file, or "last message" for a final message by the
	// assistant.
	Field string
	// Tasks is the number of tasks that have the field and an answer.
	Tasks int
	// Right is the share of tasks whose answer equals the most frequent answer among the
	// other tasks with the same value. Blind is the share of tasks that have the overall
	// most frequent answer, which can be predicted without the value.
	Right, Blind float64
	// Same is the share of tasks whose value is an accepted answer, ignoring numbers next
	// to the answer, as in paris-001. Held is the share that results from also counting
	// the tasks whose domain or file name contains an accepted answer as words.
	Same, Held float64
	// several reports whether there are tasks with different answers.
	several bool
}

// String returns the finding as a sentence.
func (r Leak) String() string {
	switch {
	case r.Same >= leakShare:
		return fmt.Sprintf("%s is itself the answer in %.0f %% of %d tasks", r.Field, 100*r.Same, r.Tasks)
	case r.Held >= leakShare:
		return fmt.Sprintf("%s contains the answer in %.0f %% of %d tasks", r.Field, 100*r.Held, r.Tasks)
	}
	return fmt.Sprintf("%s predicts the answer in %.0f %% of %d tasks; without it, %.0f %% can be predicted", r.Field, 100*r.Right, r.Tasks, 100*r.Blind)
}

// The bounds above which a field counts as revealing answers.
const (
	leakShare = .5 // minimum share of tasks whose answer is revealed
	leakGain  = .2 // minimum gain over the share without the field
	leakTasks = 8  // with fewer tasks, a field must contain every answer
	leakSigma = 4  // minimum gain over chance, in standard deviations
)

// FindLeaks finds the fields that agents see and that reveal the answer: fields whose value
// is the answer or determines it. The answer of each task is predicted from the other
// tasks, so that a field with a different value in every task reveals nothing, and the
// prediction must clearly exceed chance. Two tasks with different answers suffice to find
// a field that contains every answer. Goals and user messages are not examined, since a
// question may well contain its answer.
func FindLeaks(tasks []Task) []Leak {
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
	var out []Leak
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if r := measureLeak(field, fields[field]); r.leaks() {
			out = append(out, r)
		}
	}
	return out
}

// valued is the value of a field with the accepted answers of its task, all in the form of
// [plainWords]. Counts use the first answer.
type valued struct {
	value   string
	answers []string
}

// same reports whether the value is an answer, ignoring numbers next to it.
func (v valued) same() bool {
	words := strings.Fields(v.value)
	named := strings.Join(slices.DeleteFunc(words, isNumber), " ")
	return slices.ContainsFunc(v.answers, func(a string) bool { return a == v.value || a == named })
}

// held reports whether the value contains an answer as words.
func (v valued) held() bool {
	return slices.ContainsFunc(v.answers, func(a string) bool { return strings.Contains(" "+v.value+" ", " "+a+" ") })
}

// isNumber reports whether a word consists of digits only.
func isNumber(word string) bool { return strings.Trim(word, "0123456789") == "" }

// plainWords returns the words of a text in lower case, or a text without words as it is.
func plainWords(text string) string {
	if words := wordsOf(text); len(words) > 0 {
		return strings.Join(words, " ")
	}
	return strings.TrimSpace(text)
}

// references returns the accepted answers of a task and of its turns: the stated answers
// and those that the graders expect.
func (t *Task) references() []string {
	var texts []string
	for _, step := range t.Steps() {
		if step.Answer != nil {
			texts = append(texts, *step.Answer)
		}
		for _, g := range step.Graders {
			var own struct{ Pattern string }
			if g.Not || json.Unmarshal(g.Raw, &own) != nil {
				continue
			}
			texts = append(texts, g.expected()...)
			if text, ok := literal(own.Pattern); ok {
				texts = append(texts, text)
			}
		}
	}
	var out []string
	for _, text := range texts {
		answers := []string{plainWords(text)}
		// If a solution ends in a number, as solutions for the grader numeric do, that
		// number is another answer.
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

// EndsAnswered reports whether the conversation ends with an accepted answer by the
// assistant.
func (t *Task) EndsAnswered() bool {
	last, ok := t.fields()["last message"]
	return ok && slices.Contains(t.references(), plainWords(last))
}

// literal returns the text that a pattern matches, ignoring anchors, and reports whether
// the pattern matches no other text.
func literal(pattern string) (string, bool) {
	re, err := regexp.Compile(strings.TrimSuffix(strings.TrimPrefix(pattern, "^"), "$"))
	if err != nil {
		return "", false
	}
	return re.LiteralPrefix()
}

// fields returns the short values that an agent sees in addition to the text of the
// request, keyed by name.
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

// fileName is the name of the field for a task's only file.
const fileName = "file name"

// inputFields adds the texts, numbers and booleans of an object and of nested objects.
// Lists of more than one item are skipped, since a choice may well be the answer.
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

// measureLeak counts how often a field reveals the answer.
func measureLeak(field string, list []valued) Leak {
	r := Leak{Field: field, Tasks: len(list)}
	all, of := answerCounts{}, map[string]answerCounts{}
	for _, v := range list {
		if of[v.value] == nil {
			of[v.value] = answerCounts{}
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

// answerCounts counts answers.
type answerCounts map[string]int

// ranked returns the two most frequent answers; ties are in alphabetical order.
func (t answerCounts) ranked() []string {
	keys := slices.SortedFunc(maps.Keys(t), func(a, b string) int {
		if t[a] != t[b] {
			return t[b] - t[a]
		}
		return strings.Compare(a, b)
	})
	return keys[:min(2, len(keys))]
}

// without returns the most frequent answer after one occurrence of the given answer is
// removed, or "" if none is left.
func (t answerCounts) without(answer string, ranked []string) string {
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

// leaks reports whether the field reveals answers.
func (r Leak) leaks() bool {
	if r.Held == 1 && r.several {
		return true
	}
	if r.Tasks < leakTasks {
		return false
	}
	if r.Held >= leakShare && r.Blind < leakShare {
		return true
	}
	n := float64(r.Tasks)
	sd := math.Sqrt(max(r.Blind*(1-r.Blind), 1/n) / n)
	return r.Right >= leakShare && r.Right-r.Blind >= leakGain && r.Right-r.Blind >= leakSigma*sd
}
