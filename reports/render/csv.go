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

// byteOrderMark is the sign by which spreadsheets know that a file is UTF-8.
const byteOrderMark = "\ufeff"

// csvColumns is the header of the table.
var csvColumns = []string{
	"run", "night", "agent", "champion", "variant", "task", "domain", "repeats", "champion_passes", "variant_passes",
	"champion_score", "variant_score", "difference", "change", "steady", "champion_value", "variant_value",
}

// CSV writes the holdout tasks as a table for spreadsheets, in UTF-8 with a byte order mark: a
// header, and a row for each task of each agent. Scores are in [0,1]. A cell of text that a
// spreadsheet would take for a formula begins with an apostrophe.
func CSV(w io.Writer, r model.Report) error {
	if _, err := io.WriteString(w, byteOrderMark); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	out.UseCRLF = true
	_ = out.Write(csvColumns) // Flush has its error
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

// formulaMarks are the characters with which a spreadsheet begins a formula, and the wide forms
// that some take for them.
const formulaMarks = "=+-@\t\r\n＝＋－＠"

// cell makes text visible and keeps spreadsheets from running it, also after spaces and quotes,
// which some remove.
func cell(s string) string {
	s = text.Visible(s)
	bare := strings.TrimLeft(s, " '\"\u00a0")
	if bare != "" && strings.ContainsAny(bare[:firstRune(bare)], formulaMarks) {
		return "'" + s
	}
	return s
}

// firstRune returns the number of bytes of the first character.
func firstRune(s string) int {
	for i := range s {
		if i > 0 {
			return i
		}
	}
	return len(s)
}
