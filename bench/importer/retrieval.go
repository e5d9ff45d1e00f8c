package importer

import (
	"bytes"
	"cmp"
	"errors"
	"strconv"
	"strings"

	"evolve/bench"
)

// readRetrieval reads queries and the documents that are relevant to each: JSON lines with
// _id and text, or lines of an id, a tab and a text, or topics of TREC. The answer is the
// list of the ids of relevant documents, which the grader "set" compares with the ids in
// the agent's answer.
func readRetrieval(c *collector, data []byte) error {
	if len(bytes.TrimSpace(c.o.Answers)) == 0 {
		return errors.New("the relevant documents are listed in a separate file, the qrels: pass it with --answers")
	}
	relevant, err := c.qrels(c.o.Answers)
	if err != nil {
		return err
	}
	c.o.Grader = cmp.Or(c.o.Grader, "set")
	query := func(line, number int, id, text string) error {
		if len(relevant[id]) == 0 {
			return errors.New("has no relevant document in the --answers file")
		}
		t := bench.Task{ID: id, Goal: strings.TrimSpace(text)}
		if err := c.accept(&t, relevant[id], nil); err != nil {
			return err
		}
		c.add(line, number, t)
		return nil
	}
	switch trimmed := bytes.TrimSpace(data); {
	case bytes.HasPrefix(trimmed, []byte("{")) || bytes.HasPrefix(trimmed, []byte("[")):
		return c.eachObject(data, func(line, number int, r row) error {
			c.ignore("", r, "_id", "text")
			return query(line, number, c.scalar("", r, "_id"), c.scalar("", r, "text"))
		})
	case isTopics(trimmed):
		return c.topics(data, query)
	}
	line, number := 0, 0
	for raw := range bytes.Lines(data) {
		line++
		id, text, ok := strings.Cut(strings.TrimRight(string(raw), "\r\n"), "\t")
		switch {
		case strings.TrimSpace(string(raw)) == "":
			continue
		case !ok:
			c.note(line, "left out: the line does not have the form id, tab, query")
			continue
		case line == 1 && len(relevant[id]) == 0 && strings.Contains(strings.ToLower(id), "id"):
			continue // the header
		}
		number++
		if err := query(line, number, strings.TrimSpace(id), text); err != nil {
			c.note(line, "left out: it %v", err)
		}
	}
	return nil
}

// qrels returns the relevant documents of each query. Each line of the data has a query, a
// document and a judgement, with or without TREC's column of iterations; a judgement above
// 0 makes the document relevant.
func (c *collector) qrels(data []byte) (map[string][]string, error) {
	relevant := map[string][]string{}
	judged := 0
	degrees := false
	line := 0
	for raw := range bytes.Lines(data) {
		line++
		text := strings.TrimSpace(string(raw))
		if text == "" {
			continue
		}
		fields := strings.Split(text, "\t")
		if len(fields) < 3 {
			fields = strings.Fields(text)
		}
		if len(fields) != 3 && len(fields) != 4 {
			c.note(0, "line %d of the answers is left out: it is not a judgement", line)
			continue
		}
		score, err := strconv.ParseFloat(strings.TrimSpace(fields[len(fields)-1]), 64)
		if err != nil {
			if line > 1 {
				c.note(0, "line %d of the answers is left out: its judgement is not a number", line)
			}
			continue
		}
		judged++
		if score > 1 {
			degrees = true
		}
		if score > 0 {
			id := strings.TrimSpace(fields[0])
			relevant[id] = append(relevant[id], strings.TrimSpace(fields[len(fields)-2]))
		}
	}
	if judged == 0 {
		return nil, errors.New("the --answers file has no judgements, which are lines with a query, a document and a number")
	}
	if degrees {
		c.noteWhole("the degrees of relevance in the --answers file are not used: every document with a judgement above 0 counts as relevant")
	}
	return relevant, nil
}
