package render

import (
	"encoding/json"
	"fmt"
	"io"

	"evolve/reports/model"
	"evolve/runtime/text"
)

// JSON writes the view model under the schema [Schema]. It escapes characters without a
// visible form, which any parser decodes, because the file may be shown on a terminal.
func JSON(w io.Writer, r model.Report) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the report: %w", err)
	}
	_, err = w.Write(append(text.JSON(data), '\n'))
	return err
}
