package model

import (
	"path"
	"regexp"
	"strings"
	"time"
)

// Limits on how much of one text is read.
const (
	maxLines = 4000
	maxItems = 50
)

// source is a text with its origin.
type source struct {
	text   string
	file   string // the text's path; "" for memories and turns
	origin origin
	time   time.Time
	order  int
}

var (
	keyValue = regexp.MustCompile(`^\s*(?:[-*]\s+)?(?:\*\*|")?([A-Za-z][^:=|]{0,60}?)(?:\*\*|")?(?::(?:\*\*)?\s+|\s*=\s*)(?:\*\*)?(\S.*)$`)
	bullet   = regexp.MustCompile(`^\s*(?:[-*]|\d+[.)])\s+(\S.*)$`)
)

// search returns the evidence in a text.
func (q *question) search(s source) []evidence {
	switch path.Ext(s.file) {
	case ".csv":
		return q.searchTable(s, readCSV(s.text, ','))
	case ".tsv":
		return q.searchTable(s, readCSV(s.text, '\t'))
	}
	var out []evidence
	d := scanner{q: q, s: s, about: q.match(nameWords(s.file))}
	n := 0
	var table []string
	for line := range strings.Lines(s.text) {
		if n++; n > maxLines {
			break
		}
		line = strings.TrimRight(line, " \t\r\n")
		if strings.HasPrefix(strings.TrimSpace(line), "|") {
			table = append(table, line)
			continue
		}
		out = d.endTable(out, &table)
		out = d.line(out, line, n)
	}
	out = d.endTable(out, &table)
	return d.endList(out)
}

// nameWords returns a path with its separators replaced by spaces.
func nameWords(file string) string {
	return strings.NewReplacer("/", " ", "_", " ", "-", " ", ".", " ").Replace(file)
}

// scanner scans a text line by line and remembers the headings above the current line.
type scanner struct {
	q *question
	s source

	about   set // terms of the question that occur in the file's name
	heading set
	inner   set

	items     []string // bullets under the current heading
	itemsLine int
}

func (d *scanner) context() set { return d.about | d.heading | d.inner }

func (d *scanner) line(out []evidence, line string, n int) []evidence {
	plain := strings.TrimSpace(line)
	switch {
	case plain == "" || plain == "---":
		return out
	case strings.HasPrefix(plain, "#") && path.Ext(d.s.file) != ".go":
		out = d.endList(out)
		d.heading, d.inner = d.q.match(plain), 0
		return out
	case strings.HasSuffix(plain, ":") && len(plain) < 60 && !strings.Contains(plain, ". "):
		out = d.endList(out)
		d.inner = d.q.match(plain)
		return out
	}
	indented := line[0] == ' ' || line[0] == '\t'
	item := bullet.FindStringSubmatch(line)
	if !indented && item == nil {
		out = d.endList(out)
		d.inner = 0
	}
	if item != nil && len(d.items) < maxItems {
		d.items = append(d.items, item[1])
		d.itemsLine = n
	}
	if m := keyValue.FindStringSubmatch(line); m != nil && !strings.Contains(m[2], ". ") && len(strings.Fields(m[1])) <= 6 {
		key := d.q.match(m[1])
		value := strings.Trim(m[2], "*\"` ")
		if key|d.context() != 0 {
			score := d.q.coverage(key|d.q.match(value), d.context())
			if key == 0 { // the line is about something else in the same section
				score *= .6
			}
			return append(out, d.evidence(plain, value, score, n, false))
		}
		return out
	}
	for _, sentence := range sentences(plain) {
		m := d.q.match(sentence)
		if m == 0 {
			continue
		}
		e := d.evidence(sentence, "", d.q.coverage(m, d.context()), n, true)
		e.value = d.q.span(sentence)
		out = append(out, e)
	}
	return out
}

func (d *scanner) evidence(line, value string, score float64, n int, prose bool) evidence {
	e := evidence{
		value: value, line: line, score: score, origin: d.s.origin, time: d.s.time,
		order: d.s.order*maxLines + n, file: d.s.file, prose: prose,
	}
	if e.time.IsZero() {
		if t, ok := firstDate(line); ok {
			e.time = t
		}
	}
	return e
}

// endList turns the bullets under a heading into one piece of evidence if the question asks
// for a list or a count.
func (d *scanner) endList(out []evidence) []evidence {
	items := d.items
	d.items = nil
	if !d.q.list && !d.q.count || len(items) < 2 {
		return out
	}
	ctx := d.heading | d.inner
	if ctx == 0 {
		return out
	}
	e := d.evidence(strings.Join(items, "; "), "", d.q.coverage(ctx, d.about), d.itemsLine, false)
	e.list = items
	return append(out, e)
}

func (d *scanner) endTable(out []evidence, lines *[]string) []evidence {
	if len(*lines) == 0 {
		return out
	}
	t := readMarkdownTable(*lines)
	*lines = nil
	s := d.s
	for _, e := range d.q.searchTable(s, t) {
		e.score = min(1, e.score+.85*d.q.weight(d.heading&^d.about)/max(1, d.q.total)*.3)
		out = append(out, e)
	}
	return out
}

// sentences splits a line at the full stops, exclamation marks and question marks that end
// a sentence.
func sentences(line string) []string {
	var out []string
	start := 0
	for i := 0; i+1 < len(line); i++ {
		if (line[i] == '.' || line[i] == '!' || line[i] == '?') && line[i+1] == ' ' && i-start > 2 {
			out = append(out, strings.TrimSpace(line[start:i+1]))
			start = i + 1
		}
	}
	if rest := strings.TrimSpace(line[start:]); rest != "" {
		out = append(out, rest)
	}
	return out
}
