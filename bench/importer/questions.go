package importer

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"evolve/bench"
)

// readQuestions reads objects with a question and one or more accepted answers.
func readQuestions(c *collector, data []byte) error {
	col := c.o.Columns
	if err := col.twice(); err != nil {
		return err
	}
	names := func(chosen string, usual []string) []string {
		if chosen != "" {
			return []string{chosen}
		}
		return except(usual, col.chosen()...)
	}
	return c.eachObject(data, func(line, number int, r row) error {
		if _, ok := r[c.o.Domain]; ok && number == 1 && col.Domain == "" {
			col.Domain, c.o.Domain = c.o.Domain, ""
		}
		questionKey, ok := r.key(names(col.Question, questionNames)...)
		if !ok {
			return errors.New("has no question")
		}
		answerKey, ok := r.key(names(col.Answer, answerNames)...)
		if !ok {
			return errors.New("has no answer")
		}
		idKey, _ := r.key(names(col.ID, []string{"id"})...)
		domainKey, _ := r.key(names(col.Domain, domainNames)...)
		choicesKey, offered := r.key(names(col.Choices, choiceNames)...)
		c.ignore("", r, questionKey, answerKey, idKey, domainKey, choicesKey, col.Cluster, col.Tags)
		t := bench.Task{ID: c.scalar("", r, idKey), Cluster: c.scalar("", r, col.Cluster)}
		if raw, ok := r.find(col.Tags); ok {
			if t.Tags, ok = tagsIn(raw); !ok {
				return fmt.Errorf("has tags under %s that are neither a string nor a list of strings", show(col.Tags))
			}
		}
		if err := c.conversation(&t, questionKey+".", r[questionKey]); err != nil {
			return err
		}
		accepted, ok := texts(r[answerKey])
		if !ok {
			return errors.New("has an answer that is neither a string nor a list of strings")
		}
		t.Domain = c.scalar("", r, domainKey)
		var choices []string
		if offered {
			c.ignoreChoices(choicesKey, r[choicesKey])
			if choices, ok = choicesOf(r[choicesKey]); !ok {
				return fmt.Errorf("has choices under %s that cannot be distinguished", show(choicesKey))
			}
			accepted = c.letter(choices, accepted)
		}
		if err := c.accept(&t, accepted, choices); err != nil {
			return err
		}
		c.add(line, number, t)
		return nil
	})
}

// readCSV reads a table. The delimiter is the most frequent of comma, semicolon and tab
// in the first line. The first record is the header, unless the columns are selected by
// number.
func readCSV(c *collector, data []byte) error {
	first, _, _ := bytes.Cut(data, []byte("\n"))
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord, r.ReuseRecord, r.Comma = -1, true, ','
	for _, d := range ";\t" {
		if bytes.Count(first, []byte(string(d))) > bytes.Count(first, []byte(string(r.Comma))) {
			r.Comma = d
		}
	}
	var at table
	for number := 0; ; {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var bad *csv.ParseError
		if errors.As(err, &bad) {
			c.note(bad.StartLine, "left out: %s", tableProblem(bad))
			continue
		}
		if err != nil {
			return err
		}
		line, _ := r.FieldPos(0)
		if at.columns == nil {
			if col := &c.o.Columns; col.Domain == "" && c.o.Domain != "" && named(record, c.o.Domain) >= 0 {
				col.Domain, c.o.Domain = c.o.Domain, ""
			}
			header, err := at.find(record, c.o.Columns)
			if err != nil {
				return err
			}
			if header {
				at.names = slices.Clone(record)
				c.unreadCells(at, record)
				continue
			}
		}
		number++
		c.unreadCells(at, record)
		t, err := c.csvTask(at, record)
		if err != nil {
			c.leaveOut(line, number, "", err)
			continue
		}
		c.add(line, number, t)
	}
}

// csvTask returns the task of a record.
func (c *collector) csvTask(at table, record []string) (bench.Task, error) {
	question, answer := at.cell(record, "question"), at.cell(record, "answer")
	if strings.TrimSpace(question) == "" || at.columns["answer"] >= len(record) {
		return bench.Task{}, errors.New("has no question or no answer")
	}
	t := bench.Task{
		ID: at.cell(record, "id"), Goal: question, Domain: at.cell(record, "domain"),
		Cluster: strings.TrimSpace(at.cell(record, "cluster")), Tags: tagsOf(at.cell(record, "tags")),
	}
	accepted, choices := []string{answer}, []string(nil)
	if cell := at.cell(record, "choices"); cell != "" {
		var ok bool
		if choices, ok = listed(cell); !ok {
			return t, fmt.Errorf("has choices that cannot be distinguished: %s", show(cell))
		}
		accepted = c.letter(choices, accepted)
	}
	return t, c.accept(&t, accepted, choices)
}

// unreadCells records the unused columns in which a record has a value, by their names in
// the header or, if they have no name, by their numbers.
func (c *collector) unreadCells(at table, record []string) {
	for i, cell := range record {
		if at.reads(i) || strings.TrimSpace(cell) == "" {
			continue
		}
		name := fmt.Sprintf("column %d", i+1)
		if i < len(at.names) && strings.TrimSpace(at.names[i]) != "" {
			name = strings.TrimSpace(at.names[i])
		}
		c.unread[name]++
	}
}

// table maps the fields of a task to columns, which are counted from 0.
type table struct {
	columns map[string]int
	names   []string // of the header; nil if there is none
}

// find maps the fields of a task to the columns of a table, based on its first record, and
// reports whether that record is a header. It maps the selected columns first, and then the
// columns with usual names among the others.
func (t *table) find(record []string, chosen Columns) (header bool, err error) {
	t.columns = map[string]int{}
	parts := []struct {
		what, chosen string
		usual        []string
		needed       bool
	}{
		{"question", chosen.Question, questionNames, true},
		{"answer", chosen.Answer, answerNames, true},
		{"id", chosen.ID, []string{"id"}, false},
		{"domain", chosen.Domain, domainNames, false},
		{"choices", chosen.Choices, choiceNames, false},
		{"cluster", chosen.Cluster, nil, false},
		{"tags", chosen.Tags, nil, false},
	}
	missing := func(what string, names ...string) error {
		return fmt.Errorf("there is no column for the %s (looked for %s); name the column, or give its number", what, strings.Join(names, ", "))
	}
	for _, part := range parts {
		if part.chosen == "" {
			header = header || part.needed
			continue
		}
		i := named(record, part.chosen)
		if n, err := strconv.Atoi(part.chosen); err == nil {
			if n < 1 || n > 1000 {
				return false, fmt.Errorf("column %d is not between 1 and 1000", n)
			}
			i = n - 1
		} else if header = true; i < 0 {
			return false, missing(part.what, part.chosen)
		}
		if t.reads(i) {
			return false, fmt.Errorf("column %s is chosen twice", show(part.chosen))
		}
		t.columns[part.what] = i
	}
	for _, part := range parts {
		if part.chosen != "" || !header {
			continue
		}
		for _, name := range part.usual {
			if i := named(record, name); i >= 0 && !t.reads(i) {
				t.columns[part.what] = i
				break
			}
		}
		if _, ok := t.columns[part.what]; !ok && part.needed {
			return false, missing(part.what, part.usual...)
		}
	}
	return header, nil
}

// named returns the first column with a name in the header, ignoring case, or −1 if there
// is none.
func named(record []string, name string) int {
	return slices.IndexFunc(record, func(cell string) bool { return strings.EqualFold(strings.TrimSpace(cell), name) })
}

// reads reports whether a column is used.
func (t *table) reads(column int) bool {
	for _, i := range t.columns {
		if i == column {
			return true
		}
	}
	return false
}

func (t *table) cell(record []string, what string) string {
	if i, ok := t.columns[what]; ok && i < len(record) {
		return record[i]
	}
	return ""
}

// tagsOf returns the distinct tags in a cell or text: a JSON list, or words between commas,
// semicolons or bars.
func tagsOf(cell string) []string {
	var list []string
	if json.Unmarshal([]byte(cell), &list) != nil {
		list = strings.FieldsFunc(cell, func(r rune) bool { return strings.ContainsRune(",;|", r) })
	}
	var tags []string
	for _, tag := range list {
		if tag = strings.TrimSpace(tag); tag != "" && !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	return tags
}

// tagsIn returns the tags of a JSON value.
func tagsIn(raw json.RawMessage) ([]string, bool) {
	if s, ok := text(raw); ok {
		return tagsOf(s), true
	}
	list, ok := texts(raw)
	if !ok {
		return nil, bytes.Equal(bytes.TrimSpace(raw), []byte("[]"))
	}
	encoded, err := json.Marshal(list)
	return tagsOf(string(encoded)), err == nil
}

// readLabelled reads pairs of a text and its label from a file that is a list of such
// pairs, or that has one list for each part.
func readLabelled(c *collector, data []byte) error {
	var pairs [][]string
	if json.Unmarshal(data, &pairs) == nil {
		c.labelled("", pairs)
		return nil
	}
	var doc row
	if err := json.Unmarshal(data, &doc); err != nil {
		return errors.New("the file is neither a JSON list of text-label pairs nor a JSON object with one such list for each part")
	}
	there := slices.Sorted(maps.Keys(doc))
	parts := c.o.Parts
	if len(parts) == 0 {
		switch {
		case slices.Contains(there, "test"):
			parts = []string{"test"}
		case len(there) == 1:
			parts = there
		default:
			return fmt.Errorf("choose a part (valid: %s)", strings.Join(there, ", "))
		}
	}
	if rest := except(there, parts...); len(rest) > 0 && len(c.o.Parts) == 0 {
		names := map[string]int{}
		for _, part := range rest {
			names[part]++
		}
		c.noteWhole("parts left out: %s; choose parts with --part", listKeys(names))
	}
	for _, part := range parts {
		raw, ok := doc[part]
		if !ok {
			return fmt.Errorf("there is no part %s (valid: %s)", show(part), strings.Join(there, ", "))
		}
		var pairs [][]string
		if err := json.Unmarshal(raw, &pairs); err != nil {
			return fmt.Errorf("part %s is not a list of [text, label] pairs", show(part))
		}
		c.labelled(part, pairs)
	}
	return nil
}

func (c *collector) labelled(part string, pairs [][]string) {
	prefix := cmp.Or(c.o.Prefix, part, "task")
	for i, pair := range pairs {
		if len(pair) != 2 || pair[0] == "" || pair[1] == "" {
			c.note(0, "pair %d of part %s left out: it is not a text and a label", i+1, show(part))
			continue
		}
		t := bench.Task{ID: fmt.Sprintf("%s-%05d", prefix, i+1), Goal: pair[0], Domain: c.o.Domains[pair[1]]}
		if err := c.accept(&t, pair[1:], nil); err != nil {
			c.leaveOut(0, i+1, fmt.Sprintf("pair %d of part %s ", i+1, show(part)), err)
			continue
		}
		c.add(0, i+1, t)
	}
}

// ReadDomains reads the labels of each domain, {"domain": ["label", …]}, and returns the
// domain of each label for [Options.Domains].
func ReadDomains(r io.Reader) (map[string]string, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxBytes))
	if err != nil {
		return nil, fmt.Errorf("read the domains: %w", err)
	}
	if err := Readable(data); err != nil {
		return nil, err
	}
	var doc map[string][]string
	if err := json.Unmarshal(bytes.TrimPrefix(data, byteOrderMark), &doc); err != nil {
		return nil, errors.New("the domains are not a JSON object that maps each domain to a list of labels")
	}
	domains := map[string]string{}
	for domain, labels := range doc {
		for _, label := range labels {
			if other, ok := domains[label]; ok && other != domain {
				return nil, fmt.Errorf("the label %s is in two domains", show(label))
			}
			domains[label] = domain
		}
	}
	return domains, nil
}
