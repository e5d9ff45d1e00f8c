package render

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"evolve/reports/model"
	"evolve/runtime/text"
)

// byteOrderMark is the mark by which spreadsheet programs recognise that a file is in
// UTF-8.
const byteOrderMark = "\ufeff"

// csvColumns holds the column names in the header of the table.
var csvColumns = []string{
	"run", "night", "agent", "champion", "variant", "task", "domain", "repeats", "champion_passes", "variant_passes",
	"champion_score", "variant_score", "difference", "change", "steady", "champion_value", "variant_value",
}

// CSV writes the holdout tasks as a table for spreadsheets, in UTF-8 with a byte order
// mark. The table has a header, and a row for each task of each agent. Scores are in [0,1].
// A text cell that a spreadsheet would treat as a formula begins with an apostrophe.
func CSV(w io.Writer, r model.Report) error {
	if _, err := io.WriteString(w, byteOrderMark); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	out.UseCRLF = true
	_ = out.Write(csvColumns) // an error is reported after Flush
	night := ""
	if !r.Volatile.Started.IsZero() {
		night = r.Volatile.Started.UTC().Format("2006-01-02")
	}
	for _, a := range r.Agents {
		variant := ""
		if a.Headline != nil {
			variant = a.Headline.Variant.Name()
		}
		for _, t := range a.Tasks {
			change, values := "same", []string{"", ""}
			switch d := t.Difference(); {
			case d < -model.Tolerance:
				change = "regressed"
			case d > model.Tolerance:
				change = "gained"
			}
			if v := t.Values; v != nil {
				values = []string{exact(v.Champion), exact(v.Variant)}
			}
			row := []string{
				cell(r.Run.ID), night, cell(a.Agent), cell(a.Decision.Champion.Name()), cell(variant), cell(t.Task), cell(t.Domain),
				strconv.Itoa(t.Repeats), strconv.Itoa(t.PassA), strconv.Itoa(t.PassB), exact(t.Champion), exact(t.Score), exact(t.Difference()),
				change, t.Steady,
			}
			_ = out.Write(append(row, values...))
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}

// formulaMarks are the characters with which a formula in a spreadsheet begins, and their
// full-width forms, which some spreadsheet programs also accept.
const formulaMarks = "=+-@\t\r\n＝＋－＠"

// cell makes text visible and prevents spreadsheets from treating it as a formula, even
// if the formula is preceded by spaces and quotes, which some spreadsheets remove.
func cell(s string) string {
	s = text.Visible(s)
	bare := strings.TrimLeft(s, " '\"\u00a0")
	if bare != "" && strings.ContainsAny(bare[:firstRune(bare)], formulaMarks) {
		return "'" + s
	}
	return s
}

// firstRune returns the length, in bytes, of the first character of s.
func firstRune(s string) int {
	for i := range s {
		if i > 0 {
			return i
		}
	}
	return len(s)
}
