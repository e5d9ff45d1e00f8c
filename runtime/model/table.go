package model

import (
	"encoding/csv"
	"regexp"
	"strconv"
	"strings"

	"evolve/runtime/tool"
)

// maxRows is the maximum number of rows of a table that are read.
const maxRows = 5000

// table consists of rows of cells under a header.
type table struct {
	header []string
	rows   [][]string
}

func readCSV(text string, comma rune) table {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes, r.TrimLeadingSpace = comma, -1, true, true
	var t table
	for len(t.rows) < maxRows {
		row, err := r.Read()
		if err != nil {
			break // the end of the table, or the text is not a table
		}
		t.add(row)
	}
	return t
}

func readMarkdownTable(lines []string) table {
	var t table
	for _, line := range lines[:min(len(lines), maxRows)] {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		rule := true
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
			rule = rule && strings.Trim(cells[i], "-: ") == ""
		}
		if !rule {
			t.add(cells)
		}
	}
	return t
}

func (t *table) add(row []string) {
	if t.header == nil {
		t.header = row
		return
	}
	t.rows = append(t.rows, row)
}

// searchTable returns the evidence in a table: the number of rows or an aggregate of a
// column, a list of one column in the rows that the question names, and the cells that
// answer the question.
func (q *question) searchTable(s source, t table) []evidence {
	if len(t.header) < 2 || len(t.rows) == 0 {
		return nil
	}
	about := q.match(nameWords(s.file))
	heads := make([]set, len(t.header))
	for i, h := range t.header {
		heads[i] = q.match(nameWords(h))
	}
	named, filter := q.filters(t, heads)
	var out []evidence
	if e, ok := q.aggregateTable(s, t, heads, about, named, filter); ok {
		out = append(out, e)
	}
	if e, ok := q.listTable(s, t, heads, about, named, filter); ok {
		out = append(out, e)
	}
	return append(out, q.cells(s, t, heads, about)...)
}

// filters finds the cell values whose content words all occur in the question. named is
// the set of terms in these values and in the headers of their columns. filter reports
// whether a row has one of these values in every column that contains such values.
func (q *question) filters(t table, heads []set) (named set, filter func(row []string) bool) {
	wanted := make([]map[string]bool, len(t.header))
	for _, row := range t.rows {
		for c, cell := range row {
			if c >= len(wanted) || wanted[c][cell] {
				continue
			}
			m, all := q.covers(cell)
			if !all || m&^heads[c] == 0 {
				continue
			}
			if wanted[c] == nil {
				wanted[c] = map[string]bool{}
			}
			wanted[c][cell] = true
			named |= m | heads[c]
		}
	}
	return named, func(row []string) bool {
		for c, w := range wanted {
			if w != nil && (c >= len(row) || !w[row[c]]) {
				return false
			}
		}
		return true
	}
}

// column returns the index of the column whose header best matches the question, out of the
// columns for which ok returns true, or -1 if no header matches.
func (q *question) column(heads []set, ok func(c int) bool) int {
	best, top := -1, 0.0
	for c, h := range heads {
		if w := q.weight(h); w > top && ok(c) {
			best, top = c, w
		}
	}
	return best
}

func (t table) numeric(c int) bool {
	seen := false
	for _, row := range t.rows {
		if c >= len(row) || row[c] == "" {
			continue
		}
		if _, ok := parseNumber(row[c]); !ok {
			return false
		}
		seen = true
	}
	return seen
}

// all returns the union of sets.
func all(sets []set) set {
	var union set
	for _, s := range sets {
		union |= s
	}
	return union
}

// aggregateTable returns the number of rows, or the sum, average or extreme of a column.
func (q *question) aggregateTable(s source, t table, heads []set, about, named set, filter func([]string) bool) (evidence, bool) {
	e := evidence{origin: s.origin, file: s.file, time: s.time}
	var rows [][]string
	for _, row := range t.rows {
		if filter(row) {
			rows = append(rows, row)
		}
	}
	if q.aggregate == none {
		e.value = strconv.Itoa(len(rows))
		e.line = e.value
		e.score = q.coverage(named|all(heads), about)
		return e, q.count
	}
	col := q.column(heads, t.numeric)
	if col < 0 {
		return e, false
	}
	rows, values := withNumber(rows, col)
	if len(rows) == 0 {
		return e, false
	}
	mentioned := heads[col]
	switch q.aggregate {
	case sumOf, averageOf:
		texts := make([]string, len(values))
		for i, v := range values {
			texts[i] = tool.FormatNumber(v)
		}
		e.reckon = strings.Join(texts, "+")
		if q.aggregate == averageOf {
			e.reckon = "(" + e.reckon + ")/" + strconv.Itoa(len(texts))
		}
		e.value = mentalArithmetic(e.reckon)
		e.line = e.value
	default:
		row := rows[extreme(values, q.aggregate == highest)]
		asked := q.column(heads, func(c int) bool { return c != col && heads[c]&^heads[col] != 0 })
		if asked >= 0 {
			mentioned |= heads[asked]
		} else if q.which {
			asked = 0
		}
		if asked < 0 || asked >= len(row) {
			asked = col
		}
		e.value, e.line = row[asked], strings.Join(row, ", ")
	}
	e.score = q.coverage(named|mentioned, about)
	return e, true
}

// withNumber returns the rows that have a number in a column, and these numbers.
func withNumber(rows [][]string, col int) (kept [][]string, values []float64) {
	for _, row := range rows {
		if col >= len(row) {
			continue
		}
		if v, ok := parseNumber(row[col]); ok {
			kept, values = append(kept, row), append(values, v)
		}
	}
	return kept, values
}

// extreme returns the index of the first highest or lowest value.
func extreme(values []float64, highest bool) int {
	best := 0
	for i, v := range values {
		if highest && v > values[best] || !highest && v < values[best] {
			best = i
		}
	}
	return best
}

// listTable returns a list of the cells in one column. They are from the rows that the
// question names.
func (q *question) listTable(s source, t table, heads []set, about, named set, filter func([]string) bool) (evidence, bool) {
	e := evidence{origin: s.origin, file: s.file, time: s.time}
	if !q.list || q.aggregate != none {
		return e, false
	}
	col := q.column(heads, func(int) bool { return true })
	if col < 0 || heads[col]&^named == 0 {
		col = 0
	}
	for _, row := range t.rows {
		if filter(row) && col < len(row) && len(e.list) < maxItems {
			e.list = append(e.list, row[col])
		}
	}
	if len(e.list) == 0 {
		return e, false
	}
	e.line = strings.Join(e.list, ", ")
	e.score = q.coverage(named|all(heads), about)
	return e, true
}

// cells returns evidence for each row that contains terms of the question: the cell in
// the column whose header best matches the question, or the whole row if no header
// matches.
func (q *question) cells(s source, t table, heads []set, about set) []evidence {
	var out []evidence
	for n, row := range t.rows {
		var m set
		cells := make([]set, len(row))
		for c, cell := range row {
			cells[c] = q.match(cell)
			m |= cells[c]
		}
		if m == 0 {
			continue
		}
		e := evidence{
			line: strings.Join(row, ", "), origin: s.origin, file: s.file, time: s.time, order: s.order*maxLines + n,
		}
		col := q.column(heads, func(c int) bool { return c < len(row) && cells[c] == 0 })
		if col >= 0 {
			e.value = row[col]
			e.score = q.coverage(m|heads[col], about)
		} else {
			e.value = e.line
			e.score = .8 * q.coverage(m, about)
		}
		out = append(out, e)
	}
	return out
}

var numberText = regexp.MustCompile(`^[€$£]?\s*(-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?)\s*(?:%|[€$£]|[A-Za-z]{1,8}(?:/[a-z]+)?)?$`)

// parseNumber parses a cell such as "1,200", "€32.50", "30 s" or "12%".
func parseNumber(cell string) (float64, bool) {
	m := numberText.FindStringSubmatch(strings.TrimSpace(cell))
	if m == nil {
		return 0, false
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", ""), 64)
	return v, err == nil
}
