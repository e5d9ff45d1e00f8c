package gotest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReported checks that a report that exceeds the limit is neither read in full nor
// accepted as a test report.
func TestReported(t *testing.T) {
	name := filepath.Join(t.TempDir(), "report")
	for text, want := range map[string]bool{"": false, "word\n": false, strings.Repeat("w\n", mostReported/2): false, strings.Repeat("w\n", mostReported): true} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		said, more, err := reported(name, mostReported)
		if err != nil || more != want || len(said) > mostReported+1 || !more && said != text {
			t.Errorf("%d bytes: %d read, more %t, %v", len(text), len(said), more, err)
		}
	}
}
