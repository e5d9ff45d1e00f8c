package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadmeShowsTheDemo runs the demo and compares what it ends with, from the
// decision box on, with what the README shows: all but the date, the folder and the time that answers took.
func TestReadmeShowsTheDemo(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the demo takes a quarter of a minute")
	}
	data, err := os.ReadFile("../../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, ok := strings.Cut(string(data), "$ go run ./cmd/evolve demo\n")
	if !ok {
		t.Fatal("the README does not show the demo")
	}
	block, _, _ = strings.Cut(block, "```")
	if diff := cmp.Diff(plainEnding(t, block), plainEnding(t, evolve(t, t.TempDir(), "demo"))); diff != "" {
		t.Errorf("the README shows another demo (-README +demo):\n%s", diff)
	}
}

var (
	nightOf = regexp.MustCompile(`night of [^·]*·`)
	tookP95 = regexp.MustCompile(`p95 [^;]*; no bound,\s+not\s+in\s+the\s+verdict`)
	demoDir = regexp.MustCompile(`\S*/evolve-demo-[^/\s]*`)
)

// plainEnding is the decision box and what follows it, without date, folder and times.
func plainEnding(t *testing.T, out string) []string {
	t.Helper()
	at := strings.Index(out, "clerk · night of")
	if at < 0 {
		t.Fatalf("no decision box in\n%s", out)
	}
	out = demoDir.ReplaceAllString(nightOf.ReplaceAllString(out[at:], "night of … ·"), "DIR")
	out = tookP95.ReplaceAllString(out, "p95 …; no bound, not in the verdict")
	return strings.Split(strings.TrimSpace(out), "\n")
}
