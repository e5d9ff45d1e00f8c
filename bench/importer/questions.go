package importer

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"evolve/bench"
)

// readQuestions reads objects with a question and one or several accepted answers.
func readQuestions(c *collector, data []byte) error {
	names := func(chosen string, usual []string) []string {
		if chosen != "" {
			return []string{chosen}
		}
		return usual
	}
	col := c.o.Columns
	return c.eachObject(data, func(line, number int, r row) error {
		question, ok := r.find(names(col.Question, questionNames)...)
		if !ok {
			return errors.New("has no question")
		}
		answer, ok := r.find(names(col.Answer, answerNames)...)
		if !ok {
			return errors.New("has no answer")
		}
		t := bench.Task{ID: r.foreignID(firstOf(col.ID, "id"))}
		if err := conversation(&t, question); err != nil {
			return err
		}
		accepted, ok := texts(answer)
		if !ok {
			return errors.New("has an answer that is neither text nor a list of texts")
		}
		if raw, ok := r.find(names(col.Domain, domainNames)...); ok {
			t.Domain, _ = text(raw)
		}
		if err := accept(&t, accepted, c.chosenGrader()); err != nil {
			return err
		}
		c.add(line, number, t)
		return nil
	})
}

func firstOf(chosen, usual string) string {
	if chosen != "" {
		return chosen
	}
	return usual
}

// readCSV reads a table. The delimiter is the comma, semicolon or tab that the
// first line has most of. The first record is the header, unless columns were
// chosen by number.
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
			c.note(bad.StartLine, "left out: %v", bad.Err)
			continue
		}
		if err != nil {
			return err
		}
		line, _ := r.FieldPos(0)
		if at.columns == nil {
			header, err := at.find(record, c.o.Columns)
			if err != nil {
				return err
			}
			if header {
				continue
			}
		}
		number++
		question, answer := at.cell(record, "question"), at.cell(record, "answer")
		if question == "" || at.columns["answer"] >= len(record) {
			c.note(line, "left out: it has no question or no answer")
			continue
		}
		t := bench.Task{ID: at.cell(record, "id"), Goal: question, Domain: at.cell(record, "domain")}
		if err := accept(&t, []string{answer}, c.chosenGrader()); err != nil {
			return err
		}
		c.add(line, number, t)
	}
}

// table knows which column holds what, from 0.
type table struct {
	columns map[string]int
}

// find places the columns by the first record, and says whether it is a header.
func (t *table) find(record []string, chosen Columns) (header bool, err error) {
	t.columns = map[string]int{}
	for _, part := range []struct {
		what, chosen string
		usual        []string
		needed       bool
	}{
		{"id", chosen.ID, []string{"id"}, false},
		{"question", chosen.Question, questionNames, true},
		{"answer", chosen.Answer, answerNames, true},
		{"domain", chosen.Domain, domainNames, false},
	} {
		names := part.usual
		if part.chosen != "" {
			names = []string{part.chosen}
			if n, err := strconv.Atoi(part.chosen); err == nil {
				if n < 1 || n > 1000 {
					return false, fmt.Errorf("column %d is outside 1 to 1000", n)
				}
				t.columns[part.what] = n - 1
				continue
			}
		}
		header = header || part.chosen != "" || part.needed
		for _, name := range names {
			i := slices.IndexFunc(record, func(cell string) bool { return strings.EqualFold(strings.TrimSpace(cell), name) })
			if i >= 0 {
				t.columns[part.what] = i
				break
			}
		}
		if _, ok := t.columns[part.what]; !ok && (part.needed || part.chosen != "") {
			return false, fmt.Errorf("no column is the %s (looked for %s); name the column, or give its number", part.what, strings.Join(names, ", "))
		}
	}
	return header, nil
}

func (t *table) cell(record []string, what string) string {
	if i, ok := t.columns[what]; ok && i < len(record) {
		return record[i]
	}
	return ""
}

// readLabelled reads pairs of a text and its label, by part.
func readLabelled(c *collector, data []byte) error {
	var pairs [][]string
	if json.Unmarshal(data, &pairs) == nil {
		c.labelled("", pairs)
		return nil
	}
	var doc row
	if err := json.Unmarshal(data, &doc); err != nil {
		return errors.New("the file is not a JSON object of parts")
	}
	var there []string
	for name := range doc {
		there = append(there, name)
	}
	slices.Sort(there)
	parts := c.o.Parts
	if len(parts) == 0 {
		switch {
		case slices.Contains(there, "test"):
			parts = []string{"test"}
		case len(there) == 1:
			parts = there
		default:
			return fmt.Errorf("choose a part (there are: %s)", strings.Join(there, ", "))
		}
	}
	for _, part := range parts {
		raw, ok := doc[part]
		if !ok {
			return fmt.Errorf("there is no part %s (there are: %s)", show(part), strings.Join(there, ", "))
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
	prefix := firstOf(c.o.Prefix, firstOf(part, "task"))
	for i, pair := range pairs {
		if len(pair) != 2 || pair[0] == "" || pair[1] == "" {
			c.note(0, "pair %d of part %s left out: it is not a text and a label", i+1, show(part))
			continue
		}
		t := bench.Task{ID: fmt.Sprintf("%s-%05d", prefix, i+1), Goal: pair[0], Domain: c.o.Domains[pair[1]]}
		if err := accept(&t, pair[1:], c.chosenGrader()); err != nil {
			c.note(0, "pair %d of part %s left out: it %v", i+1, show(part), err)
			continue
		}
		c.add(0, i+1, t)
	}
}

// ReadDomains reads which labels each domain has, {"domain": ["label", …]}, as
// the map that Options take.
func ReadDomains(r io.Reader) (map[string]string, error) {
	var doc map[string][]string
	if err := json.NewDecoder(io.LimitReader(r, maxBytes)).Decode(&doc); err != nil {
		return nil, errors.New("the domains are not a JSON object of lists of labels")
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
