package reflection

import (
	"slices"
	"strconv"
	"strings"

	"evolve/bench"
	"evolve/runtime/memory"
)

// Dataset summarises the search tasks for a model. The result is untrusted text of
// bounded length.
type Dataset struct {
	Tasks   int      `json:"tasks"`
	Domains []string `json:"domains,omitempty"`
	// Goals are examples, initially at most one from each domain.
	Goals []string `json:"example_goals"`
	// Answers describes the form of the expected answers, or lists them if they are few.
	Answers     string   `json:"expected_answers,omitempty"`
	AnswersSeen []string `json:"expected_answers_seen,omitempty"`

	ids map[string]bool
}

// Limits on the summary. The distinct answers are listed if there are at most maxLabels
// of them, if none is longer than maxLabel bytes, and if each occurs in at least two
// tasks on average.
const (
	maxDomains = 12
	maxGoals   = 6
	maxExample = 300 // bytes of a goal
	maxLabels  = 24
	maxLabel   = 40
)

// Summarise returns the summary of search tasks.
func Summarise(tasks []*bench.Task) Dataset {
	d := Dataset{Tasks: len(tasks), ids: map[string]bool{}}
	domains := map[string]bool{}
	var later, answers []string
	for _, t := range tasks {
		d.ids[t.ID] = true
		goal := memory.Line(t.Request(), maxExample)
		if !domains[t.Domain] && len(d.Goals) < maxGoals {
			d.Goals = append(d.Goals, goal)
		} else if len(later) < maxGoals {
			later = append(later, goal)
		}
		if t.Domain != "" && !domains[t.Domain] && len(d.Domains) < maxDomains {
			d.Domains = append(d.Domains, memory.Line(t.Domain, maxLabel))
		}
		domains[t.Domain] = true
		if t.Answer != nil {
			answers = append(answers, memory.Line(*t.Answer, maxExample))
		}
	}
	d.Goals = append(d.Goals, later[:min(len(later), maxGoals-len(d.Goals))]...)
	d.Answers, d.AnswersSeen = answerForm(answers)
	return d
}

// answerForm describes the form of answers, and lists the distinct answers if they are few.
func answerForm(answers []string) (form string, seen []string) {
	if len(answers) == 0 {
		return "", nil
	}
	labels := slices.Clone(answers)
	slices.Sort(labels)
	labels = slices.Compact(labels)
	if len(labels) <= maxLabels && 2*len(labels) <= len(answers) && !slices.ContainsFunc(labels, func(l string) bool { return len(l) > maxLabel }) {
		return "one of a few values", labels
	}
	words, numbers, objects := 0, 0, 0
	for _, a := range answers {
		words = max(words, len(strings.Fields(a)))
		if _, err := strconv.ParseFloat(strings.ReplaceAll(a, ",", ""), 64); err == nil {
			numbers++
		}
		if strings.HasPrefix(a, "{") || strings.HasPrefix(a, "[") {
			objects++
		}
	}
	switch len(answers) {
	case numbers:
		return "a number", nil
	case objects:
		return "JSON", nil
	}
	if words == 1 {
		return "one word", nil
	}
	return "text of at most " + strconv.Itoa(words) + " words", nil
}

// cut returns the summary with goals of at most the given number of bytes and, if that
// number is less than the full length, with at most two goals.
func (d Dataset) cut(text int) Dataset {
	if text >= maxExample {
		return d
	}
	d.Goals = slices.Clone(d.Goals[:min(len(d.Goals), 2)])
	for i := range d.Goals {
		d.Goals[i] = memory.Cut(d.Goals[i], text)
	}
	return d
}
