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
	// unread counts unused keys or columns. If the file is the result of an evaluation,
	// results counts those that belong to the evaluation.
	unread, results map[string]int
	// right counts, for each letter, the questions whose right choice has that letter.
	right map[string]int
	// base is the number of the first choice in a file whose answers are numbers of
	// choices; indices determines it.
	base    *int
	indices indices
	// places holds the positions of the tasks in the file, and empty holds the positions
	// of entries with an empty answer.
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

// remark adds a note. If there are already maxNotes notes, it only counts the note.
func (c *collector) remark(n Note) {
	if len(c.notes) >= maxNotes {
		c.more++
		return
	}
	c.notes = append(c.notes, n)
}

// ownDomains removes the map of domains if it gives each label its own domain, because the
// domain would reveal the label.
func (c *collector) ownDomains() {
	of := slices.Sorted(maps.Values(c.o.Domains))
	if len(of) > 1 && len(slices.Compact(slices.Clone(of))) == len(of) {
		c.note(0, "the domains are left out, because agents see them and each domain has only one label, which it would reveal")
		c.o.Domains = nil
	}
}

// fewChoices is the minimum number of questions from which on noteOrder adds its note.
const fewChoices = 8

// noteOrder adds a note if the order of the choices reveals the right one.
func (c *collector) noteOrder() {
	for letter, n := range c.right {
		if len(c.right) == 1 && n >= fewChoices {
			c.note(0, "the order of the choices reveals the answer: %s is right in every question; shuffle the choices", letter)
		}
	}
}

// dropLeakingDomains removes domains that reveal the answers, because agents see domains.
// The check uses the whole file, not the sample.
func (c *collector) dropLeakingDomains() {
	for _, r := range bench.FindLeaks(c.tasks) {
		if r.Field != "domain" {
			continue
		}
		c.note(0, "the domains are left out, because agents see them and they reveal answers: %s", r)
		for i := range c.tasks {
			c.tasks[i].Domain = ""
		}
	}
}

// dropBadDomains removes domains with names that no suite can have.
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
		c.note(0, "left out the domain of %s: %s", visible.Count(n, "task"), first)
	}
}

func (c *collector) remarks() []Note {
	if c.more > 0 {
		return append(c.notes, Note{Text: fmt.Sprintf("%d more notes are left out", c.more)})
	}
	return c.notes
}

// add adds a task if it is valid in a suite. number is the task's position in the file; a
// task without an id gets one that is made from the number.
func (c *collector) add(line, number int, t bench.Task) {
	if t.Domain == "" {
		t.Domain = c.o.Domain
	}
	if t.EndsAnswered() {
		c.note(line, "left out: its conversation already ends with an accepted answer")
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
	if n := len(t.Goal); n > longQuestion {
		c.note(line, "the question is %.1f MB long, and each evaluation of the task sends all of it", float64(n)/1e6)
	}
	c.ids[t.ID] = true
	c.tasks, c.places = append(c.tasks, t), append(c.places, place{line, number})
}

// longQuestion is the size of a question, in bytes, above which a note states the size. An
// unclosed quotation mark can make one question of a whole file.
const longQuestion = 1e6

// maxID limits the length of a foreign id, in bytes.
const maxID = 150

// id returns a valid and unique form of a foreign id, or an id made from number if the
// foreign id is empty or too long.
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
			c.note(line, "the id %s already exists; this task gets the id %s", show(id), show(other))
			return other
		}
	}
}

// grader encodes fields as one grader. The fields are texts, numbers, lists of them and
// decoded JSON, all of which can be encoded.
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
