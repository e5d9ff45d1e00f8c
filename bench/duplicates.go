package bench

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// DuplicateKind is the way in which tasks are alike.
type DuplicateKind string

const (
	// Exact tasks have the same words and fixtures, ignoring case, punctuation and spacing.
	Exact DuplicateKind = "exact"
	// Template tasks have the same words except for numbers and names.
	Template DuplicateKind = "template"
	// Near tasks have most of their words in common, in the same order, or the text of
	// one contains the text of the other.
	Near DuplicateKind = "near"
	// Passage tasks have a long passage in common.
	Passage DuplicateKind = "story"
)

// words describes the kind for people.
func (k DuplicateKind) words() string {
	switch k {
	case Exact:
		return "the same words"
	case Template:
		return "the same except for numbers and names"
	case Near:
		return "nearly the same words"
	case Passage:
		return "a long passage in common"
	default:
		return string(k)
	}
}

// Duplicates are tasks that are variations of one another and that are not in the same
// declared cluster. Statistics treat them as one unit.
type Duplicates struct {
	// Kind is the kind of the closest likeness between any two of the tasks.
	Kind DuplicateKind
	// Tasks are the indexes of the tasks, ascending; two or more.
	Tasks []int
}

// Thresholds of likeness. They were chosen by measurements on 22,500 real utterances and
// 1,319 real story problems; TestDuplicatesOfRealTasks checks the figures.
const (
	templateOwn   = 6  // minimum words of a template, not counting its numbers and names
	passageWords  = 24 // length of a passage, in words
	passageSpread = 5  // a passage shared by more than 1/passageSpread of the tasks is an instruction
	fewCommon     = 9  // a passage that at most this many tasks share is never an instruction
	manyCommon    = 30 // a passage that more than this many tasks share is always an instruction
)

// FindDuplicates groups tasks by the likeness of their goal, messages, input and fixture
// files. Tasks that declare a cluster are skipped. Groups are in the order of their first
// tasks. The running time is linear in the number of tasks, unless many tasks are nearly
// alike.
func FindDuplicates(tasks []Task) []Duplicates {
	return newDuplicateFinder(tasks, func(t *Task) bool { return t.Cluster == "" }).find().groups()
}

// likeness holds the words by which a task is compared.
type likeness struct {
	index int
	words []string // the words of all text that the agent reads
}

type duplicateFinder struct {
	tasks []Task
	list  []likeness
	up    []int // union-find over list
	kind  map[int]DuplicateKind
}

// newDuplicateFinder returns a finder for the selected tasks.
func newDuplicateFinder(tasks []Task, selects func(*Task) bool) *duplicateFinder {
	f := &duplicateFinder{tasks: tasks, kind: map[int]DuplicateKind{}}
	for i := range tasks {
		if selects(&tasks[i]) {
			f.list = append(f.list, likeness{index: i, words: wordsOf(tasks[i].text())})
		}
	}
	f.up = make([]int, len(f.list))
	for i := range f.up {
		f.up[i] = i
	}
	return f
}

// find joins all tasks that are alike.
func (f *duplicateFinder) find() *duplicateFinder {
	if len(f.list) < 2 {
		return f
	}
	f.same(Exact, f.exact)
	f.same(Template, f.template)
	f.near()
	f.sharedPassages()
	return f
}

// text returns the text that the agent reads in a task. It leaves out files, and system
// messages, which many tasks share.
func (t *Task) text() string {
	var b strings.Builder
	b.WriteString(t.Goal)
	for _, m := range slices.Concat(t.Fixtures.Turns, t.Messages) {
		if m.Role != "system" {
			b.WriteString("\n" + m.Content)
		}
	}
	for _, u := range t.Turns {
		b.WriteString("\n" + u.User)
	}
	if t.User != nil {
		b.WriteString("\n" + t.User.text())
	}
	if len(t.Input) > 0 {
		b.WriteString("\n" + string(t.Input))
	}
	return b.String()
}

func (f *duplicateFinder) root(i int) int {
	for f.up[i] != i {
		f.up[i] = f.up[f.up[i]]
		i = f.up[i]
	}
	return i
}

// closest returns the closest of the given kinds; absent kinds are "".
func closest(kinds ...DuplicateKind) DuplicateKind {
	for _, k := range []DuplicateKind{Exact, Template, Near} {
		if slices.Contains(kinds, k) {
			return k
		}
	}
	return Passage
}

// join records that two tasks are duplicates of the given kind, and merges their groups.
func (f *duplicateFinder) join(i, j int, kind DuplicateKind) {
	a, b := f.root(i), f.root(j)
	if a == b {
		return
	}
	a, b = min(a, b), max(a, b)
	f.up[b] = a
	f.kind[a] = closest(f.kind[a], f.kind[b], kind)
}

// same joins the tasks with equal keys, except those with key "".
func (f *duplicateFinder) same(kind DuplicateKind, key func(likeness) string) {
	first := map[string]int{}
	for i, l := range f.list {
		k := key(l)
		if k == "" {
			continue
		}
		if j, ok := first[k]; ok {
			f.join(j, i, kind)
		} else {
			first[k] = i
		}
	}
}

func (f *duplicateFinder) exact(l likeness) string { return f.tasks[l.index].sameness(l.words) }

// Asks returns a hash of the request and the fixtures of the task. It is equal for tasks
// with the same words and fixtures, whatever their ids, graders and splits.
func (t *Task) Asks() string {
	return hex.EncodeToString([]byte(t.sameness(wordsOf(t.text())))[:8])
}

// sameness returns a key that is equal for tasks that an agent cannot distinguish.
func (t *Task) sameness(words []string) string {
	h := sha256.New()
	writePart(h, []byte(strings.Join(words, " ")))
	for _, m := range slices.Concat(t.Fixtures.Turns, t.Messages) {
		if m.Role == "system" {
			writePart(h, []byte(m.Content))
		}
	}
	writePart(h, []byte(t.Fixtures.Dir))
	for _, p := range slices.Sorted(maps.Keys(t.Fixtures.Files)) {
		writePart(h, []byte(p))
		writePart(h, []byte(t.Fixtures.Files[p]))
	}
	if len(t.Fixtures.Memories) > 0 {
		raw, _ := json.Marshal(t.Fixtures.Memories) // cannot fail: texts, numbers and times always encode
		writePart(h, raw)
	}
	if len(words) == 0 { // texts without words are compared as they are
		writePart(h, []byte(t.text()))
	}
	return string(h.Sum(nil))
}

// template returns the text of a task with placeholders for numbers and names. It returns
// "" if the text has no numbers or names, or too few other words. Names are capitalised
// words inside a sentence. For tasks with files it also returns "", because the files
// matter too; near compares such tasks.
func (f *duplicateFinder) template(l likeness) string {
	t := &f.tasks[l.index]
	words := strings.Fields(t.text())
	own, open, begins := 0, 0, true
	for i, w := range words {
		bare := strings.Trim(w, ".,;:!?()[]{}\"'“”’…")
		switch {
		case strings.ContainsAny(bare, "0123456789"):
			words[i], open = "#", open+1
		case !begins && bare != strings.ToLower(bare) && bare != "I" && !strings.HasPrefix(bare, "I'"):
			words[i], open = "@", open+1
		default:
			words[i] = strings.ToLower(bare)
			if bare != "" {
				own++
			}
		}
		begins = strings.HasSuffix(w, ".") || strings.HasSuffix(w, "?") || strings.HasSuffix(w, "!") || strings.HasSuffix(w, ":")
	}
	if own < templateOwn || open == 0 || len(t.Fixtures.Files) > 0 {
		return ""
	}
	return t.Fixtures.Dir + "\n" + strings.Join(words, " ")
}

// groups returns the duplicates found.
func (f *duplicateFinder) groups() []Duplicates {
	members := map[int][]int{}
	for i, l := range f.list {
		r := f.root(i)
		members[r] = append(members[r], l.index)
	}
	var out []Duplicates
	for r, list := range members {
		if len(list) > 1 {
			out = append(out, Duplicates{f.kind[r], list})
		}
	}
	slices.SortFunc(out, func(a, b Duplicates) int { return cmp.Compare(a.Tasks[0], b.Tasks[0]) })
	return out
}
