package cli

import (
	"fmt"
	"slices"
	"strings"

	"evolve/bench"
	"evolve/bench/metrics"
	"evolve/bench/stats"
	"evolve/runtime/text"
)

// codeCase is a case with the values of two versions. If a value is missing, the case has a
// problem instead.
type codeCase struct {
	Case  string      `json:"case"`
	Split bench.Split `json:"split"`
	A     *float64    `json:"a"`
	B     *float64    `json:"b"`
	// ProblemA and ProblemB are the reasons why version A and version B have no value for
	// the case.
	ProblemA string `json:"problem_a,omitempty"`
	ProblemB string `json:"problem_b,omitempty"`
}

// codeMeans compares the values of two versions on the cases for which both have one.
type codeMeans struct {
	Cases      int     `json:"cases"`
	A          float64 `json:"a"`
	B          float64 `json:"b"`
	Difference float64 `json:"difference"`
	// Better is the number of cases on which B has the better value.
	Better int `json:"better"`
	Worse  int `json:"worse"`
	Equal  int `json:"equal"`
}

// codeValues are the values of two versions from nights on the same code.
type codeValues struct {
	Metric  string         `json:"metric,omitempty"`
	Unit    string         `json:"unit,omitempty"`
	Better  metrics.Better `json:"better,omitempty"`
	Search  *codeMeans     `json:"search"`
	Holdout *codeMeans     `json:"holdout"`
	Cases   []codeCase     `json:"cases"`
	// Further compares the other metrics that the command prints, separately for the
	// search and the holdout cases.
	Further codeFurther `json:"further,omitzero"`

	noun string // for the items on which versions are scored
}

// codeFurther compares further metrics of two versions.
type codeFurther struct {
	Search  []stats.Further `json:"search,omitempty"`
	Holdout []stats.Further `json:"holdout,omitempty"`
}

// printMeans prints how the values of two versions compare on one side of the split.
func printMeans(con *console, name string, v codeValues, m *codeMeans) {
	if m == nil {
		return
	}
	con.printf("  %-9s %s  %s → %s\n", name, text.Visible(v.Metric), figure(m.A), withUnit(m.B, v.Unit))
	con.printf("            %s on average over %s\n", metrics.WithChangeUnit(signed(m.Difference), v.Unit), count(m.Cases, v.noun))
	con.printf("            %d better, %d worse, %d equal\n", m.Better, m.Worse, m.Equal)
}

// printFurther prints the further metrics, and how the findings about them are corrected.
func printFurther(con *console, indent string, list []stats.Further) {
	if len(list) == 0 {
		return
	}
	con.printf("%sfurther metrics, %s\n", indent, stats.FurtherNote(len(list)))
	for _, line := range furtherLines(list) {
		con.printf("%s  %s\n", indent, text.Visible(line))
	}
}

func furtherLines(list []stats.Further) (lines []string) {
	for _, f := range list {
		words := f.Words()
		if f.Finding != stats.FurtherEqual {
			words += ": " + f.Found()
		}
		lines = append(lines, words)
	}
	return lines
}

// The maximum widths of the columns in a table of values. With these widths, the table
// fits on a narrow terminal.
const (
	mostCaseCells = 28
	figureCells   = 10
	narrowCells   = 7 // on a terminal of 40 columns
)

// title returns the title of the table of values by case, which names the metric and the
// units of values and changes.
func (v codeValues) title() string {
	words := orElse(v.Metric, "values", v.Metric != "") + " by " + v.noun
	if v.Unit != "" {
		words += ", in " + v.Unit
	}
	if metrics.Percentage(v.Unit) {
		words += "; changes in " + metrics.ChangeUnit(v.Unit)
	}
	return text.Visible(words)
}

// printValues prints the values of two versions case by case.
func printValues(con *console, v codeValues, a, b string) {
	con.printf("\n")
	con.printf("%s\n", v.title())
	width, figures := len("held-out "+v.noun), figureCells
	if columns := con.width(); columns > 0 && columns < 2+width+3*(1+figureCells) {
		figures = narrowCells
	}
	for _, c := range v.Cases {
		width = max(width, min(mostCaseCells, text.Width(text.Visible(c.Case))))
	}
	var last bench.Split
	var problems []string
	for _, c := range v.Cases {
		if c.Split != last {
			head := "search " + v.noun
			if c.Split == bench.Holdout {
				head = "held-out " + v.noun
			}
			con.printf("\n  %s %*s %*s %*s\n", padded(head, width), figures, a, figures, b, figures, "change")
			last = c.Split
		}
		change := ""
		if c.A != nil && c.B != nil {
			change = signed(*c.B - *c.A)
		}
		con.printf("  %s %s %s %s\n", padded(cell(c.Case, mostCaseCells), width), rightly(valueOrFailed(c.A), figures), rightly(valueOrFailed(c.B), figures), rightly(change, figures))
		for _, p := range []string{c.ProblemA, c.ProblemB} {
			if p != "" && !slices.Contains(problems, p) {
				problems = append(problems, p)
			}
		}
	}
	for _, p := range problems[:min(len(problems), 3)] {
		con.printf("  failed: %s\n", cell(p, 200))
	}
}

func valueOrFailed(v *float64) string {
	if v == nil {
		return "failed"
	}
	return figure(*v)
}

// padded pads a text with spaces on the right. Its counterpart, rightly, pads a text on
// the left.
func padded(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-text.Width(s)))
}

func rightly(s string, width int) string {
	return strings.Repeat(" ", max(0, width-text.Width(s))) + s
}

// figure formats a value of a metric, and signed formats a difference.
func figure(v float64) string { return strings.ReplaceAll(fmt.Sprintf("%.5g", v), "-", "−") }

func signed(v float64) string { return strings.ReplaceAll(fmt.Sprintf("%+.5g", v), "-", "−") }

// withUnit formats a value with its unit.
func withUnit(v float64, unit string) string {
	if unit == "" {
		return figure(v)
	}
	return figure(v) + " " + text.Visible(unit)
}
