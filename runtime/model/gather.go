package model

import (
	"encoding/json"
	"path"
	"regexp"
	"strconv"
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/tool"
)

var seeFile = regexp.MustCompile(`(?i)\b(?:see|refer to|described in|documented in|moved to|listed in|kept in)\s+(?:also\s+)?((?:[\w.-]+/)*[\w-]+(?:\.[\w-]+)*\.\w{1,5})\b`)

// partial is the factor for a table row that grep shows without its header.
const partial = .7

// gather turns the contents of the request into evidence.
func (t *thought) gather() {
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
			t.learn(s, i)
		}
	}
	t.dropSeen()
}

func (t *thought) look(s source) { t.evidence = append(t.evidence, t.q.search(s)...) }

// result adds a tool's output as an answer.
func (t *thought) result(value, file string, score float64) {
	t.evidence = append(t.evidence, evidence{value: value, line: value, score: score, origin: fromTool, file: file})
}

func (t *thought) items(items []string) {
	if len(items) == 0 {
		return
	}
	e := evidence{list: items, line: strings.Join(items, ", "), score: certain, origin: fromTool}
	if len(items) == 1 {
		e.value = items[0]
		if t.q.count && items[0] == "none" {
			e.value, e.list = "0", nil
		} else if _, err := strconv.Atoi(items[0]); err == nil {
			e.list = nil // a number, not a list of one item
		}
	}
	t.evidence = append(t.evidence, e)
}

// learn adds the evidence in the result of one step.
func (t *thought) learn(s Step, n int) {
	q, out := t.q, s.Result.Output
	switch s.Call.Tool {
	case "calculate":
		t.reckoned(s)
	case "get_time":
		if text, ok := q.tellTime(out); ok {
			t.result(text, "", certain)
		}
	case "read_file":
		file := argument(s, "path")
		if q.count && q.says("lines") && !mentions.MatchString(q.lower) {
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
		t.grepped(s, n)
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

// reckoned adds the result of calculate: for a sum over a table it replaces the value
// of inTheHead, otherwise it is the answer.
func (t *thought) reckoned(s Step) {
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

func (t *thought) listing(out string) {
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

func (t *thought) grepped(s Step, n int) {
	q, out := t.q, s.Result.Output
	searching := mentions.MatchString(q.lower)
	switch {
	case q.count && searching:
		t.result(strconv.Itoa(countedLines(out, t.set(slotCount) == "distinct")), "", .9)
		return
	case out == "":
		return
	case searching && (q.which || q.says("where is", "what file")):
		var files []string
		seen := map[string]bool{}
		for line := range strings.Lines(out) {
			if file, _, _, ok := grepLine(line); ok && !seen[file] {
				seen[file] = true
				files = append(files, file)
			}
		}
		t.items(files)
		return
	}
	var files []string
	hits := map[string]*strings.Builder{}
	for line := range strings.Lines(out) {
		file, number, text, ok := grepLine(line)
		if !ok {
			continue
		}
		if ext := path.Ext(file); ext == ".csv" || ext == ".tsv" || strings.HasPrefix(text, "|") {
			t.evidence = append(t.evidence, evidence{
				value: text, line: text, score: partial * q.coverage(q.match(text), q.match(nameWords(file))),
				origin: fromFile, file: file, order: number, grep: true,
			})
			continue
		}
		if hits[file] == nil {
			hits[file] = &strings.Builder{}
			files = append(files, file)
		}
		hits[file].WriteString(text + "\n")
	}
	// The matched lines of a file are searched together: a heading among them may be
	// taken for that of the following lines although it is not. Reading the file
	// corrects this.
	for _, file := range files {
		for _, e := range q.search(source{text: hits[file].String(), file: file, origin: fromFile, order: n}) {
			e.grep = true
			t.evidence = append(t.evidence, e)
		}
	}
}

// dropSeen removes evidence that reading a file has made obsolete: what grep had shown
// of it, and, when references are followed, lines that point to it.
func (t *thought) dropSeen() {
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
	var kept []evidence
	for _, e := range t.evidence {
		if (e.grep && wasRead[e.file]) || (follow && wasRead[t.reference(e.line)]) {
			continue
		}
		kept = append(kept, e)
	}
	t.evidence = kept
}

func argument(s Step, name string) string {
	var args map[string]any
	if json.Unmarshal(s.Call.Arguments, &args) != nil {
		return ""
	}
	text, _ := args[name].(string)
	return text
}

// remembered returns the result of memory_search; nil for any other step.
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

// place describes where evidence comes from, for the transcript.
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
