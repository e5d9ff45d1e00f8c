package metrics

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// WriteFile replaces the text file at path. A reader finds either the old or the new
// content.
func (n Night) WriteFile(path string) error {
	r := prometheus.NewRegistry()
	if err := r.Register(n.sheet()); err != nil {
		return fmt.Errorf("collecting the metrics: %w", err)
	}
	if err := prometheus.WriteToTextfile(path, r); err != nil {
		return fmt.Errorf("writing the metrics: %w", err)
	}
	return nil
}
