package cli

import (
	"fmt"
	"io"
	"strings"

	"evolve/archive"
	"evolve/reports/model"
	"evolve/runtime/text"
)

// shown formats a parameter's value for people; an inactive parameter is "off".
func shown(v any) string {
	if v == nil {
		return "off"
	}
	return text.Visible(model.Value(v))
}

// printChanges lists parameters with their old and new values.
func printChanges(w io.Writer, changes []archive.Change, column int) {
	for _, ch := range changes {
		old, now := shown(ch.Old), shown(ch.New)
		_, _ = fmt.Fprintf(w, "  %-*s %s → %s\n", column, text.Visible(ch.Param), oneLine(old, 200), oneLine(now, 200))
	}
}

// stateName returns the form in which people see the state of a ruling, a gate verdict or
// an act. For the state of a proposal, see [archive.ProposalState.Name].
func stateName[S ~string](s S) string { return strings.ReplaceAll(string(s), "_", " ") }

// count is like [text.Count], for functions in which text is a variable.
func count(n int, noun string) string { return text.Count(n, noun) }

// entries formats a number of entries of the ledger.
func entries(n int64) string { return text.Count(int(n), "entry", "entries") }

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// oneLine joins lines and shortens the result to the given number of characters (most).
func oneLine(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
