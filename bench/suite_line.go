package bench

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	foreign "evolve/runtime/text"
)

// line checks one line of a suite file. It keeps the task even if some of the checks fail,
// so that duplicates and splits are checked over the whole file at once.
func (l *suiteReader) line(no int, line []byte) {
	if off := InvalidUTF8(line); off >= 0 {
		l.add(no, columnOf(line, off), "is not valid UTF-8")
		return
	}
	n, bad := parseJSON(line)
	if bad != nil {
		l.add(no, columnOf(line, bad.off), bad.text)
		return
	}
	failed := false
	report := func(off int, text string) {
		failed = true
		l.add(no, columnOf(line, off), text)
	}
	if n.kind == 'n' { // the shape check treats null as absent
		report(n.off, "a task must be an object, not null")
	}
	taskShape.walk(n, "a task", report)
	if n.kind != '{' {
		return
	}
	id := l.id(no, n, report)
	l.graders(n, report)
	if failed {
		return
	}
	var t Task
	if err := json.Unmarshal(line, &t); err != nil {
		report(n.off, "cannot be read as a task")
		return
	}
	if _, ok := n.get("input"); !ok {
		t.Input = nil
	}
	if _, scripted := n.get("turns"); !scripted && t.User == nil && t.Goal == "" && len(t.Messages) == 0 && len(t.Input) == 0 {
		report(n.off, fmt.Sprintf("task %s has no goal, turns, messages or input", foreign.Quote(id)))
	}
	l.checkTurns(&t, n, report)
	l.checkUser(&t, n, report)
	if len(t.Graders) == 0 && t.Answer == nil && len(t.Steps()) == 1 {
		report(n.off, fmt.Sprintf("task %s has neither graders nor an answer to grade against", foreign.Quote(id)))
	}
	l.checkGraders(&t, n, report)
	turns, _ := n.get("turns")
	for i := range t.Turns {
		if turns.items[i].kind == '{' {
			l.checkGraders(t.AtTurn(i), turns.items[i], report)
		}
	}
	l.checkFixtures(&t, n, report)
	split := 0
	if s, ok := n.get("split"); ok {
		split = columnOf(line, s.off)
	}
	l.tasks = append(l.tasks, t)
	l.places = append(l.places, place{no, split})
}

// id returns the task's id, and reports it if an earlier line has the same id.
func (l *suiteReader) id(no int, n jsonNode, report func(int, string)) string {
	id, ok := n.get("id")
	if !ok || id.kind != '"' || id.text == "" {
		return ""
	}
	if first, ok := l.ids[id.text]; ok {
		report(id.off, fmt.Sprintf("id %s on line %d is already used on line %d", foreign.Quote(id.text), no, first))
	} else {
		l.ids[id.text] = no
	}
	return id.text
}

// graders checks the keys and common fields of every grader of a task and of its turns.
func (l *suiteReader) graders(n jsonNode, report func(int, string)) {
	turns, _ := n.get("turns")
	for _, u := range turns.items {
		l.graders(u, report)
	}
	list, _ := n.get("graders")
	for _, g := range list.items {
		typ, ok := g.get("type")
		if g.kind != '{' || !ok {
			continue // already reported by the shape check
		}
		if typ.kind != '"' {
			report(typ.off, fmt.Sprintf(`"type" must be text, not %s`, typ.name()))
			continue
		}
		own, ok := l.rules.Fields[typ.text]
		if !ok {
			report(typ.off, unknown("grader type", typ.text, slices.Collect(maps.Keys(l.rules.Fields))))
			continue
		}
		for _, m := range g.members {
			if common, ok := commonGraderFields[m.key]; ok {
				common.walk(m.val, fmt.Sprintf("%q", m.key), report)
			} else if !slices.Contains(own, m.key) {
				valid := slices.AppendSeq(slices.Clone(own), maps.Keys(commonGraderFields))
				report(m.off, unknown(fmt.Sprintf("key of grader %q:", typ.text), m.key, valid))
			}
		}
	}
}

// checkGraders applies the grader rules to every grader of a task that could be decoded.
func (l *suiteReader) checkGraders(t *Task, n jsonNode, report func(int, string)) {
	if l.rules.Check == nil {
		return
	}
	list, _ := n.get("graders")
	for i, spec := range t.Graders {
		for _, p := range l.rules.Check(t, spec) {
			off := list.items[i].off
			if v, ok := list.items[i].get(p.Field); ok {
				off = v.off
			}
			report(off, fmt.Sprintf("grader %q: %s", spec.Type, p.Text))
		}
	}
}

// checkFixtures checks a task's fixture paths and folders. It reads each folder only once.
func (l *suiteReader) checkFixtures(t *Task, n jsonNode, report func(int, string)) {
	fix, _ := n.get("fixtures")
	files, _ := fix.get("files")
	for _, m := range files.members {
		if problem := PathProblem(m.key); problem != "" {
			report(m.off, fmt.Sprintf("fixture path %s %s", foreign.Quote(m.key), problem))
		}
	}
	dir, ok := fix.get("dir")
	if !ok || t.Fixtures.Dir == "" {
		if err := checkLayout(t.Fixtures.Files, nil); err != nil {
			report(files.off, err.Error())
		}
		return
	}
	if problem := PathProblem(t.Fixtures.Dir); problem != "" {
		report(dir.off, fmt.Sprintf("fixture folder %s %s", foreign.Quote(t.Fixtures.Dir), problem))
		return
	}
	content, ok := l.folders[t.Fixtures.Dir]
	if !ok {
		content = readFolder(l.fixtures, t.Fixtures.Dir)
		// Only the paths and the digest are retained, because a suite may have many
		// folders.
		for i := range content.files {
			content.files[i].data = nil
		}
		l.folders[t.Fixtures.Dir] = content
	}
	if content.err != nil {
		report(dir.off, fmt.Sprintf("fixture folder %s %v", foreign.Quote(t.Fixtures.Dir), content.err))
		l.mark(content.err)
		return
	}
	if err := checkLayout(t.Fixtures.Files, content.files); err != nil {
		report(dir.off, err.Error())
	}
}

// sorted returns the issues in file order, followed by the number of issues left out.
func (l *suiteReader) sorted() []Issue {
	slices.SortStableFunc(l.issues, func(a, b Issue) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if l.more > 0 {
		l.issues = append(l.issues, Issue{File: l.file, Text: fmt.Sprintf("has %d more problems", l.more)})
	}
	return l.issues
}

// InvalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func InvalidUTF8(line []byte) int {
	if utf8.Valid(line) {
		return -1
	}
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRune(line[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}
