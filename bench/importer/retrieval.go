package importer

import (
	"bytes"
	"cmp"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"evolve/bench"
)

// readRetrieval reads queries and the documents that are relevant to each: JSON lines with _id
// and text, or lines of an id, a tab and a text, or topics of TREC. The answer is the list of
// the ids of relevant documents, which the grader set compares with those of the answer.
func readRetrieval(c *collector, data []byte) error {
	if len(bytes.TrimSpace(c.o.Answers)) == 0 {
		return errors.New("the relevant documents are in a file of their own, the qrels: name it by --answers")
	}
	relevant, err := c.qrels(c.o.Answers)
	if err != nil {
		return err
	}
	c.o.Grader = cmp.Or(c.o.Grader, "set")
	query := func(line, number int, id, text string) error {
		if len(relevant[id]) == 0 {
			return errors.New("has no relevant document in the file of --answers")
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
			text, _ := text(r["text"])
			return query(line, number, r.foreignID("_id"), text)
		})
	case bytes.HasPrefix(trimmed, []byte("<top>")):
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
			c.note(line, "left out: it is not an id, a tab and a query")
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

var (
	topicNumber = regexp.MustCompile(`(?i)<num>\s*(?:Number:)?\s*([^\s<]+)`)
	topicTitle  = regexp.MustCompile(`(?i)<title>\s*(?:Topic:)?\s*([^<]+)`)
)

// topics reads topics of TREC, whose title is the query.
func (c *collector) topics(data []byte, query func(line, number int, id, text string) error) error {
	for i, topic := range bytes.Split(data, []byte("<top>"))[1:] {
		id, title := topicNumber.FindSubmatch(topic), topicTitle.FindSubmatch(topic)
		if id == nil || title == nil {
			c.note(0, "topic %d left out: it has no number or no title", i+1)
			continue
		}
		if err := query(0, i+1, string(id[1]), strings.Join(strings.Fields(string(title[1])), " ")); err != nil {
			c.note(0, "topic %d left out: it %v", i+1, err)
		}
	}
	return nil
}

// qrels returns the relevant documents of each query: of lines with the query, the document
// and the judgement, with or without the column of iterations of TREC, those with a judgement
// above 0.
func (c *collector) qrels(data []byte) (map[string][]string, error) {
	relevant := map[string][]string{}
	judged := 0
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
			c.note(0, "line %d of the answers left out: it is no judgement", line)
			continue
		}
		score, err := strconv.ParseFloat(strings.TrimSpace(fields[len(fields)-1]), 64)
		if err != nil {
			if line > 1 {
				c.note(0, "line %d of the answers left out: its judgement is not a number", line)
			}
			continue
		}
		judged++
		if score > 0 {
			id := strings.TrimSpace(fields[0])
			relevant[id] = append(relevant[id], strings.TrimSpace(fields[len(fields)-2]))
		}
	}
	if judged == 0 {
		return nil, errors.New("the file of --answers has no judgements: lines of a query, a document and a number")
	}
	return relevant, nil
}
