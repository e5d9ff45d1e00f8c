package importer

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"

	"evolve/bench"
	"evolve/bench/sessions"
)

// Format is a file format.
type Format string

// The formats, which Detect distinguishes.
const (
	// Questions is JSONL, or a JSON list, of objects with a question and an answer.
	Questions Format = "questions"
	// CSV is a table with a question and an answer in its columns, which are separated by
	// commas, tabs or semicolons.
	CSV Format = "csv"
	// Inspect is JSONL, or a JSON list, with input, target and choices, or a log, as JSON or .eval.
	Inspect Format = "inspect"
	// Promptfoo is the YAML or JSON of a promptfoo configuration, its list or table of tests, or
	// the results of an evaluation, as JSON or JSON lines.
	Promptfoo Format = "promptfoo"
	// Evals is JSONL with input messages and ideal, as for OpenAI evals.
	Evals Format = "openai-evals"
	// Labelled is JSON with lists of [text, label] pairs, one list for each part, as in
	// CLINC150.
	Labelled Format = "labelled"
	// BFCL is JSONL with questions and functions from the Berkeley Function-Calling
	// Leaderboard; the possible answers are in Options.Answers.
	BFCL Format = "bfcl"
	// Tau is JSON with tasks from tau2-bench, or with results from tau-bench.
	Tau Format = "tau"
	// Retrieval is a list of queries, as JSONL, TSV or TREC topics, with relevance
	// judgements in Options.Answers.
	Retrieval Format = "retrieval"
)

// Options configures Read. The zero value detects the format and keeps all tasks.
type Options struct {
	// Format overrides the detection.
	Format Format
	// Columns names the fields, for the formats questions and csv.
	Columns Columns
	// Grader is the grader type for formats without graders (questions, csv, labelled,
	// inspect, evals), or one of [InspectScorers]. It must use the task's answer, as
	// numeric and f1 do; empty means exact.
	Grader string
	// Domain is the name of the column or key that holds the domain, if the file has the
	// format "questions" or "csv" and contains such a column or key. Otherwise, Domain
	// itself is the domain of the tasks that have none.
	Domain string
	// Answers is the second file of formats that store the answers separately; it is nil if
	// there is none.
	Answers []byte
	// DomainProblem returns the reason why a domain name is not valid in a suite, or ""
	// if the name is valid; nil accepts every name. Names in the file that are not valid
	// are left out.
	DomainProblem func(name string) string
	// Domains maps a label to its domain, for the format labelled.
	Domains map[string]string
	// Split is the split of all tasks; empty leaves it to the hash.
	Split bench.Split
	// Parts selects parts of a labelled file; empty selects the part "test" or, if there is
	// none, the only part.
	Parts []string
	// PerLabel is the number of tasks to keep for each answer, and Limit is the total
	// number to keep; 0 keeps all. Seed determines which tasks are kept; with the same
	// seed, a higher number keeps a superset.
	PerLabel, Limit int
	Seed            int64
	// Prefix begins the ids that are made for tasks without one; empty means the part, or
	// "task".
	Prefix string
}

// Columns selects keys of objects or columns of a table. A column is selected by its
// header or, in a table without a header, by its number from 1. An empty field selects
// the usual names.
type Columns struct {
	ID, Question, Answer, Domain, Choices string
	// Cluster and Tags have no usual names. A tag is an element of a JSON list, or a word
	// between commas, semicolons or bars.
	Cluster, Tags string
}

// chosen returns the selected columns.
func (c Columns) chosen() []string {
	return slices.DeleteFunc([]string{c.ID, c.Question, c.Answer, c.Domain, c.Choices, c.Cluster, c.Tags}, func(name string) bool { return name == "" })
}

// twice checks the selected columns. It returns an error if one column is selected for
// two fields of a task.
func (c Columns) twice() error {
	list := c.chosen()
	for i, name := range list {
		if slices.Contains(list[:i], name) {
			return fmt.Errorf("column %s is chosen twice", show(name))
		}
	}
	return nil
}

// DomainError reports that Options.Domain is neither a domain nor a column of the file.
type DomainError struct{ Problem string }

func (e *DomainError) Error() string { return e.Problem }

// Note is a remark on a part of a file that was left out or that had to be interpreted.
type Note struct {
	// Line is the number of the line, from 1, or 0 for the whole file.
	Line int
	Text string
	// Kind distinguishes notes with different causes whose texts differ only in what they
	// quote. It is, for example, the type of an assertion; usually it is empty.
	Kind string
	// Whole reports whether the note concerns the file as a whole. Such notes are always
	// shown.
	Whole bool
}

// String returns the note with its line.
func (n Note) String() string {
	if n.Line == 0 {
		return n.Text
	}
	return fmt.Sprintf("line %d: %s", n.Line, n.Text)
}

// maxBytes limits the size of a file, and maxNotes the number of notes on a file.
const (
	maxBytes = 256 << 20
	maxNotes = 100_000
)

// Read reads tasks in the order of the file. Notes describe the omissions and the
// reasons for them; an error means that the file as a whole is unusable, or has no usable task.
func Read(r io.Reader, o Options) ([]bench.Task, []Note, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, nil, fmt.Errorf("read the file: %w", err)
	}
	if data, err = Unpacked(data); err != nil {
		return nil, nil, err
	}
	if len(data) > maxBytes {
		return nil, nil, fmt.Errorf("the file is larger than %d MB", maxBytes>>20)
	}
	var damaged []string
	if bytes.HasPrefix(data, zipped) {
		if data, damaged, err = sessions.InspectLog(data); err != nil {
			return nil, nil, err
		}
	}
	if err := Readable(data); err != nil {
		return nil, nil, err
	}
	if len(bytes.TrimSpace(o.Answers)) > 0 {
		if err := Readable(o.Answers); err != nil {
			return nil, nil, fmt.Errorf("the --answers file: %w", err)
		}
	}
	o.Answers = bytes.TrimPrefix(o.Answers, byteOrderMark)
	data = finite(bytes.TrimPrefix(data, byteOrderMark))
	if o.Format == "" {
		if o.Format = detect(data, o.Columns); o.Answers != nil && (o.Format == "" || o.Format == CSV) {
			o.Format = Retrieval
		}
		if o.Format == "" {
			return nil, nil, unknownFormat(data)
		}
	}
	read, ok := map[Format]func(*collector, []byte) error{
		Questions: readQuestions, CSV: readCSV, Inspect: readInspect, Promptfoo: readPromptfoo, Evals: readEvals, Labelled: readLabelled,
		BFCL: readBFCL, Tau: readTau, Retrieval: readRetrieval,
	}[o.Format]
	if !ok {
		return nil, nil, fmt.Errorf("unknown format %q (valid: %s)", o.Format, join(Formats()))
	}
	c := collect(o, damaged)
	_, known := c.rules.Fields[o.Grader]
	if !slices.Contains(InspectScorers(), o.Grader) && !known && o.Grader != "" {
		return nil, nil, fmt.Errorf("unknown grader type %s", show(o.Grader))
	}
	if err := read(c, data); err != nil {
		return nil, c.remarks(), err
	}
	if base, ok := c.indices.base(); ok {
		c = collect(o, damaged)
		c.base = &base
		c.noteWhole("the answers are read as the numbers of the right choices, counted from %d", base)
		if err := read(c, data); err != nil {
			return nil, c.remarks(), err
		}
	}
	if o.Answers != nil && o.Format != BFCL && o.Format != Retrieval {
		c.note(0, "the --answers file is not read: in the format %s, one file contains both the questions and the answers", o.Format)
	}
	if o.DomainProblem != nil && c.o.Domain != "" {
		if problem := o.DomainProblem(c.o.Domain); problem != "" {
			return nil, c.remarks(), &DomainError{problem}
		}
	}
	c.dropLeakingDomains()
	c.dropBadDomains()
	c.noteEmpty()
	c.noteContradictions()
	tasks := c.sample()
	c.noteJudges(tasks)
	c.noteOrder()
	c.noteUnread()
	c.noteResults()
	if len(tasks) == 0 {
		return nil, c.remarks(), fmt.Errorf("no task could be read as %s", o.Format)
	}
	return tasks, c.remarks(), nil
}

// collect returns a collector for a file, with a note on each damaged sample.
func collect(o Options, damaged []string) *collector {
	c := newCollector(o)
	for _, sample := range damaged {
		c.note(0, "left out: %s", sample)
	}
	c.ownDomains()
	return c
}

func join[T ~string](list []T) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = string(v)
	}
	return strings.Join(words, ", ")
}

// sample applies PerLabel and Limit. Tasks are selected by a hash of the seed and their
// id, so the selection does not depend on the rest of the file.
func (c *collector) sample() []bench.Task {
	tasks := c.tasks
	if c.o.PerLabel > 0 {
		byLabel := map[string][]int{}
		for i, t := range tasks {
			label := ""
			if t.Answer != nil {
				label = *t.Answer
			}
			byLabel[label] = append(byLabel[label], i)
		}
		var keep []int
		for _, group := range byLabel {
			keep = append(keep, c.draw(tasks, group, c.o.PerLabel)...)
		}
		tasks = pick(tasks, keep)
	}
	if c.o.Limit > 0 {
		all := make([]int, len(tasks))
		for i := range all {
			all[i] = i
		}
		tasks = pick(tasks, c.draw(tasks, all, c.o.Limit))
	}
	return tasks
}

func (c *collector) draw(tasks []bench.Task, from []int, n int) []int {
	if len(from) <= n {
		return from
	}
	rank := make(map[int][sha256.Size]byte, len(from))
	for _, i := range from {
		rank[i] = sha256.Sum256(fmt.Appendf(nil, "evolve sample\x00%d\x00%s", c.o.Seed, tasks[i].ID))
	}
	slices.SortFunc(from, func(a, b int) int {
		x, y := rank[a], rank[b]
		return cmp.Or(bytes.Compare(x[:], y[:]), cmp.Compare(a, b))
	})
	return from[:n]
}

func pick(tasks []bench.Task, keep []int) []bench.Task {
	slices.Sort(keep)
	out := make([]bench.Task, len(keep))
	for i, k := range keep {
		out[i] = tasks[k]
	}
	return out
}
