package render

import (
	"encoding/json"
	"fmt"
	"io"

	"evolve/reports/model"
	"evolve/runtime/text"
)

// JSON writes the view model under the schema [Schema]. It escapes characters that have no
// visible form, because the file may be shown on a terminal; any JSON parser decodes these
// escapes.
func JSON(w io.Writer, r model.Report) error {
	return writeJSON(w, "the report", r)
}

func writeJSON(w io.Writer, what string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding %s: %w", what, err)
	}
	_, err = w.Write(append(text.JSON(data), '\n'))
	return err
}
