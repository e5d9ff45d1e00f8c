package importer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"evolve/bench"
	"evolve/bench/grade"
	visible "evolve/runtime/text"
)

// collector collects tasks and notes while a file is read.
type collector struct {
	o     Options
	rules bench.GraderRules
	tasks []bench.Task
	ids   map[string]bool
	next  map[string]int // next suffix for a repeated id
	notes []Note
	more  int
	// unread counts unused keys or columns, and results those of the evaluation that a file
	// is the result of.
	unread, results map[string]int
	// right counts the letters of the right choices.
	right map[string]int
	// base is the number of the first choice in a file whose answers are numbers of choices;
	// indices finds it out.
	base    *int
	indices indices
	// places are where the tasks stand in the file, and empty where entries without an answer do.
	places, empty []place
}

func newCollector(o Options) *collector {
	return &collector{o: o, rules: grade.Rules(), ids: map[string]bool{}, next: map[string]int{}, unread: map[string]int{}, results: map[string]int{}, right: map[string]int{}}
}

func (c *collector) note(line int, format string, args ...any) {
	c.remark(Note{Line: line, Text: fmt.Sprintf(format, args...)})
}

// noteWhole adds a note on the whole file that is always shown.
func (c *collector) noteWhole(format string, args ...any) {
	c.notes = append(c.notes, Note{Text: fmt.Sprintf(format, args...), Whole: true})
}

// remark adds a note, unless there are very many.
func (c *collector) remark(n Note) {
	if len(c.notes) >= maxNotes {
		c.more++
		return
	}
	c.notes = append(c.notes, n)
}

// ownDomains removes a map that gives each label its own domain, since the domain would
// reveal the label.
func (c *collector) ownDomains() {
	of := slices.Sorted(maps.Values(c.o.Domains))
	if len(of) > 1 && len(slices.Compact(slices.Clone(of))) == len(of) {
		c.note(0, "the domains are left out, because agents see them: each has one label")
		c.o.Domains = nil
	}
}

// fewChoices is the minimum number of questions for the warning of placed.
const fewChoices = 8

// noteOrder adds a note if the order of the choices reveals the right one.
func (c *collector) noteOrder() {
	for letter, n := range c.right {
		if len(c.right) == 1 && n >= fewChoices {
			c.note(0, "the order of the choices reveals the answer: %s is right in every question; shuffle the choices", letter)
		}
	}
}

// dropLeakingDomains removes domains that reveal the answers, because agents see them. The
// check uses the whole file, not the sample.
func (c *collector) dropLeakingDomains() {
	for _, r := range bench.FindLeaks(c.tasks) {
		if r.Field != "domain" {
			continue
		}
		c.note(0, "the domains are left out, because agents see them: %s", r)
		for i := range c.tasks {
			c.tasks[i].Domain = ""
		}
	}
}

// dropBadDomains removes domains of names that no suite can have.
func (c *collector) dropBadDomains() {
	if c.o.DomainProblem == nil {
		return
	}
	n, first := 0, ""
	for i := range c.tasks {
		t := &c.tasks[i]
		if t.Domain == "" || c.o.DomainProblem(t.Domain) == "" {
			continue
		}
		if n++; n == 1 {
			first = c.o.DomainProblem(t.Domain)
		}
		t.Domain = ""
	}
	if n > 0 {
		c.note(0, "the domain of %s left out: %s", visible.Count(n, "task"), first)
	}
}

func (c *collector) remarks() []Note {
	if c.more > 0 {
		return append(c.notes, Note{Text: fmt.Sprintf("%d more notes are left out", c.more)})
	}
	return c.notes
}

// add adds a task if it is valid in a suite. number is its position among the tasks of
// the file, for an id when it has none.
func (c *collector) add(line, number int, t bench.Task) {
	if t.Domain == "" {
		t.Domain = c.o.Domain
	}
	if t.EndsAnswered() {
		c.note(line, "left out: its conversation ends with the answer")
		return
	}
	if t.Goal != "" && strings.TrimSpace(t.Goal) == "" {
		c.note(line, "left out: its question is empty")
		return
	}
	t.Split = c.o.Split
	t.ID = c.id(line, number, t.ID)
	var text bytes.Buffer
	if err := bench.WriteSuite(&text, []bench.Task{t}); err != nil {
		c.note(line, "left out: it cannot be written as a task")
		return
	}
	suite, issues := bench.ReadSuite(&text, "", nil, c.rules)
	if suite == nil {
		c.note(line, "left out: %s", issues[0].Text)
		return
	}
	c.ids[t.ID] = true
	c.tasks, c.places = append(c.tasks, t), append(c.places, place{line, number})
}

// maxID bounds a foreign id, in bytes.
const maxID = 150

// id returns a valid and unique form of a foreign id.
func (c *collector) id(line, number int, id string) string {
	id = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, id))
	if len(id) > maxID {
		c.note(line, "the id %s is longer than %d bytes; a number replaces it", show(id), maxID)
		id = ""
	}
	if id == "" {
		id = fmt.Sprintf("%s-%05d", cmp.Or(c.o.Prefix, "task"), number)
	}
	if !c.ids[id] {
		return id
	}
	for n := max(2, c.next[id]); ; n++ {
		if other := fmt.Sprintf("%s-%d", id, n); !c.ids[other] {
			c.next[id] = n + 1
			c.note(line, "the id %s exists already; this task gets the id %s", show(id), show(other))
			return other
		}
	}
}

// grader returns one grader. Its fields are texts, numbers, lists of them and decoded
// JSON, which always encode.
func grader(fields map[string]any) (bench.GraderSpec, error) {
	raw, err := json.Marshal(fields)
	if err != nil {
		return bench.GraderSpec{}, err
	}
	var spec bench.GraderSpec
	return spec, json.Unmarshal(raw, &spec)
}

// show quotes a foreign text, cut to 60 characters.
func show(s string) string {
	return visible.Quote(s)
}
