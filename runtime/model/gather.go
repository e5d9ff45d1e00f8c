package model

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/tool"
)

var seeFile = regexp.MustCompile(`(?i)\b(?:see|refer to|described in|documented in|moved to|listed in|kept in)\s+(?:also\s+)?((?:[\w.-]+/)*[\w-]+(?:\.[\w-]+)*\.\w{1,5})\b`)

// partial is the factor for the score of a table row that grep found, because its table's
// header is not shown.
const partial = .7

// gather turns the contents of the request into evidence.
func (t *planner) gather() {
	t.evidence = nil
	for i, h := range t.req.Memories {
		if h.Memory.Answer == "" {
			t.look(source{text: h.Memory.Text, origin: fromMemory, time: h.Memory.Time, order: -i})
		}
	}
	if t.q.cue || t.set(slotTurns) != "" {
		for i, m := range t.req.Turns {
			t.look(source{text: m.Content, origin: fromTurn, order: i})
		}
	}
	for i, s := range t.req.Steps {
		if s.Result.Outcome == agent.OK {
			t.addResult(s, i)
		}
	}
	t.dropSeen()
}

func (t *planner) look(s source) { t.evidence = append(t.evidence, t.q.search(s)...) }

// result adds a tool's output as evidence that is itself the answer.
func (t *planner) result(value, file string, score float64) {
	t.evidence = append(t.evidence, evidence{value: value, line: value, score: score, origin: fromTool, file: file})
}

func (t *planner) items(items []string) {
	if len(items) == 0 {
		return
	}
	e := evidence{list: items, line: strings.Join(items, ", "), score: certain, origin: fromTool}
	if len(items) == 1 {
		e.value = items[0]
		if t.q.count && items[0] == "none" {
			e.value, e.list = "0", nil
		} else if _, err := strconv.Atoi(items[0]); err == nil {
			e.list = nil // the answer is a number, not a list of one item
		}
	}
	t.evidence = append(t.evidence, e)
}

// addResult adds the evidence in the result of one step.
func (t *planner) addResult(s Step, n int) {
	q, out := t.q, s.Result.Output
	switch s.Call.Tool {
	case "calculate":
		t.addCalculation(s)
	case "get_time":
		if text, ok := q.timeAnswer(out); ok {
			t.result(text, "", certain)
		}
	case "read_file":
		file := argument(s, "path")
		if q.count && q.contains("lines") && !mentions.MatchString(q.lower) {
			lines := strings.Count(out, "\n")
			if out != "" && !strings.HasSuffix(out, "\n") {
				lines++
			}
			t.result(strconv.Itoa(lines), file, certain)
			return
		}
		t.look(source{text: out, file: file, origin: fromFile, order: n})
	case "list_directory":
		t.listing(out)
	case "grep":
		t.searched(s, n)
	case "memory_search":
		for i, r := range remembered(s) {
			if r.Answer == "" {
				t.look(source{text: r.Text, origin: fromMemory, time: r.Time, order: -i})
			}
		}
	case "note":
		t.result("noted", "", certain)
	case "dependency_map":
		t.items(q.fromDependencies(out))
	case "file_summary":
		t.items(q.fromSummary(out))
	case "repo_index":
		t.items(q.fromIndex(out))
	}
}

// addCalculation adds the result of calculate as the answer if the goal contains the
// expression. Otherwise the expression is a sum over a table, and the result replaces the
// value that mentalArithmetic computed.
func (t *planner) addCalculation(s Step) {
	expr := argument(s, "expression")
	if own, pure := t.q.expression(); own == expr && own != "" {
		score := certain
		if !pure {
			score = .7
		}
		t.result(s.Result.Output, "", score)
		return
	}
	for i := range t.evidence {
		if e := &t.evidence[i]; e.reckon == expr {
			e.value, e.line, e.reckon = s.Result.Output, s.Result.Output, ""
		}
	}
}

func (t *planner) listing(out string) {
	var files []string
	suffix := ""
	for _, w := range strings.Fields(t.q.lower) {
		w = strings.Trim(w, "?.,\"`*")
		switch w {
		case "md", "markdown":
			suffix = ".md"
		case "csv", "go", "txt", "log", "json", "yaml", "tsv":
			suffix = "." + w
		}
	}
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || strings.HasSuffix(line, "/") || (suffix != "" && path.Ext(line) != suffix) {
			continue
		}
		files = append(files, line)
	}
	if t.q.count {
		t.result(strconv.Itoa(len(files)), "", certain)
		return
	}
	t.items(files)
}

// searched adds the evidence in the result of grep.
func (t *planner) searched(s Step, n int) {
	q, lines := t.q, grepLines(s.Result.Output)
	if mentions.MatchString(q.lower) {
		switch {
		case q.count && t.set(slotCount) == "distinct":
			t.result(strconv.Itoa(len(filesOf(lines))), "", .9)
			return
		case q.count:
			t.result(strconv.Itoa(len(lines)), "", .9)
			return
		case q.which || q.contains("where is", "what file"):
			t.items(filesOf(lines))
			return
		}
	}
	// The matched lines of a file are searched together, so a heading among them may be
	// mistaken for the heading of the following lines. Reading the file corrects this.
	texts := map[string][]byte{}
	var prose []grepped
	for _, l := range lines {
		if ext := path.Ext(l.file); ext == ".csv" || ext == ".tsv" || strings.HasPrefix(l.text, "|") {
			t.evidence = append(t.evidence, evidence{
				value: l.text, line: l.text, score: partial * q.coverage(q.match(l.text), q.match(nameWords(l.file))),
				origin: fromFile, file: l.file, order: l.number, grep: true,
			})
			continue
		}
		texts[l.file] = append(append(texts[l.file], l.text...), '\n')
		prose = append(prose, l)
	}
	for _, file := range filesOf(prose) {
		for _, e := range q.search(source{text: string(texts[file]), file: file, origin: fromFile, order: n}) {
			e.grep = true
			t.evidence = append(t.evidence, e)
		}
	}
}

// dropSeen removes evidence that is obsolete because a file has been read: lines of the
// file that grep found and, if references are followed, lines that refer to it.
func (t *planner) dropSeen() {
	wasRead := map[string]bool{}
	for _, s := range t.req.Steps {
		if s.Call.Tool == "read_file" && s.Result.Outcome == agent.OK {
			wasRead[argument(s, "path")] = true
		}
	}
	if len(wasRead) == 0 {
		return
	}
	follow := t.set(slotFollow) != ""
	t.evidence = slices.DeleteFunc(t.evidence, func(e evidence) bool {
		return e.grep && wasRead[e.file] || follow && wasRead[t.reference(e.line)]
	})
}

func argument(s Step, name string) string {
	var args map[string]any
	if json.Unmarshal(s.Call.Arguments, &args) != nil {
		return ""
	}
	text, _ := args[name].(string)
	return text
}

// remembered returns the memories found by a memory_search step, or nil for any other step.
func remembered(s Step) []tool.Remembered {
	if s.Call.Tool != "memory_search" || s.Result.Outcome != agent.OK {
		return nil
	}
	var found []tool.Remembered
	if json.Unmarshal([]byte(s.Result.Output), &found) != nil {
		return nil
	}
	return found
}

// place describes, for the transcript, where evidence comes from.
func (e *evidence) place() string {
	switch {
	case e.file != "":
		return e.file
	case e.origin == fromMemory:
		return "memory"
	case e.origin == fromTurn:
		return "an earlier turn"
	}
	return "a tool's result"
}
