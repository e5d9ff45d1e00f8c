package importer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"evolve/bench"
	visible "evolve/runtime/text"
)

// errEmptyAnswer reports an entry whose answers are all empty: any agent that answers
// nothing would be right.
var errEmptyAnswer = errors.New("has an empty answer")

// place is the position of an entry in a file: its line (0 if the format has none) and its
// number.
type place struct{ line, number int }

// leaveOut notes why an entry is left out. If there is no line number to identify the
// entry, the prefix (what) names it. All entries with empty answers share one note.
func (c *collector) leaveOut(line, number int, what string, err error) {
	if errors.Is(err, errEmptyAnswer) {
		c.empty = append(c.empty, place{line, number})
		return
	}
	c.note(line, "%sleft out: it %v", what, err)
}

// noteEmpty notes the entries that were left out because their answers are empty.
func (c *collector) noteEmpty() {
	if n := len(c.empty); n > 0 {
		c.noteWhole("%s an empty answer and %s left out (%s)", counted(n, "entry has", "entries have"), oneOr(n, "is", "are"), standing(c.empty))
	}
}

// noteContradictions notes the questions that occur in the file with different answers: an
// agent that always gives the same answer to such a question fails at least one of its
// tasks.
func (c *collector) noteContradictions() {
	type asked struct {
		answers []string
		places  []place
	}
	var order []string
	by := map[string]*asked{}
	for i, t := range c.tasks {
		if t.Answer == nil {
			continue
		}
		question, answer := sidesOf(t)
		a := by[question]
		if a == nil {
			a = &asked{}
			by[question], order = a, append(order, question)
		}
		a.answers, a.places = append(a.answers, answer), append(a.places, c.places[i])
	}
	n, of := 0, (*asked)(nil)
	for _, question := range order {
		a := by[question]
		for _, answer := range a.answers[1:] {
			if answer != a.answers[0] {
				if n++; n == 1 {
					of = a
				}
				break
			}
		}
	}
	if n == 0 {
		return
	}
	first := "first: "
	if n == 1 {
		first = ""
	}
	c.noteWhole("%s more than once with different answers, so the same answer cannot be right every time (%s%s)",
		counted(n, "question occurs", "questions occur"), first, standing(of.places))
}

// sidesOf returns two JSON texts: the part of a task that an agent sees, and the expected
// answer with its graders.
func sidesOf(t bench.Task) (question, answer string) {
	expected, _ := json.Marshal(bench.Task{Answer: t.Answer, Graders: t.Graders})
	t.ID, t.Domain, t.Cluster, t.Split, t.Tags, t.Answer, t.Graders, t.Weight, t.Source = "", "", "", "", nil, nil, nil, 0, nil
	t.Goal = strings.Join(strings.Fields(t.Goal), " ")
	asked, _ := json.Marshal(t)
	return string(asked), string(expected)
}

// standing returns words that name the positions of the first entries in a list.
func standing(list []place) string {
	noun, at := "line", func(p place) int { return p.line }
	if list[0].line == 0 {
		noun, at = "item", func(p place) int { return p.number }
	}
	var words []string
	for _, p := range list[:min(len(list), namedLines)] {
		words = append(words, fmt.Sprint(at(p)))
	}
	if len(list) > namedLines {
		words = append(words, "…")
	}
	return oneOr(len(list), noun, noun+"s") + " " + strings.Join(words, ", ")
}

// counted returns n followed by the singular form (one) or the plural form (several) of a
// word.
func counted(n int, one, several string) string {
	return visible.Whole(n) + " " + oneOr(n, one, several)
}

func oneOr(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}
