package importer

import (
	"encoding/csv"
	"errors"
	"fmt"
)

// tableProblem describes why a row of a table cannot be read. The note about the row
// already contains the number of its first line.
func tableProblem(bad *csv.ParseError) string {
	switch {
	case errors.Is(bad.Err, csv.ErrQuote) && bad.Line > bad.StartLine:
		return fmt.Sprintf(`a cell that begins with " has no closing ", so lines %d to %d count as one row; write "" for a quotation mark within a cell`, bad.StartLine, bad.Line)
	case errors.Is(bad.Err, csv.ErrQuote):
		return `a cell that begins with " has no closing ", or text follows it; write "" for a quotation mark within a cell`
	case errors.Is(bad.Err, csv.ErrBareQuote):
		return `a cell without quotation marks around it contains a "; put the cell in quotation marks and write "" for a quotation mark within it`
	}
	return bad.Err.Error()
}
