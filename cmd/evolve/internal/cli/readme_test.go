package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadmeShowsTheDemo runs the demo and compares the end of its output, starting with
// the decision box, with what the README shows, except for the date, the folder and the
// times that answers took.
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
	out := evolve(t, t.TempDir(), "demo")
	if diff := cmp.Diff(plainEnding(t, block), plainEnding(t, out)); diff != "" {
		t.Errorf("the README shows another demo (-README +demo):\n%s", diff)
	}
	checkStatistics(t, strings.TrimSpace(demoDir.FindString(out)))
}

// checkStatistics compares the chapter on statistics with the demo's report. The report
// lines that the chapter explains must be lines of the report, and the evidence in the
// chapter's text must be the report's evidence.
func checkStatistics(t *testing.T, dir string) {
	t.Helper()
	_, section, ok := strings.Cut(chapterText(t, "statistics"), "## A report in plain words\n")
	if !ok {
		t.Fatal("the chapter has no such section")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	report := evolve(t, dir, "report")
	lines := map[string]bool{}
	for line := range strings.Lines(report) {
		lines[gap.ReplaceAllString(strings.TrimSpace(line), " ")] = true
	}
	shown := indentedBlocks(section)
	if len(shown) == 0 {
		t.Error("the section shows no report")
	}
	for line := range strings.Lines(strings.Join(shown, "\n")) {
		if line = strings.TrimSpace(line); line != "" && !lines[gap.ReplaceAllString(line, " ")] {
			t.Errorf("the demo's report has no line %q", line)
		}
	}
	var data struct {
		Agents []struct {
			Headline struct {
				Evidence struct {
					Log      float64 `json:"log_e"`
					Required float64
					NewLower float64 `json:"new_tasks_lower"`
					Fixed    bool
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(evolve(t, dir, "report", "--json")), &data); err != nil {
		t.Fatal(err)
	}
	e := data.Agents[0].Headline.Evidence
	text := strings.Join(strings.Fields(section), " ")
	for _, want := range []string{
		fmt.Sprintf(`"fixed": %v for such an agent, and the bound as "new_tasks_lower" %s.`, e.Fixed, strings.TrimPrefix(fmt.Sprintf("%.3f", e.NewLower), "0")),
		fmt.Sprintf(`"required" %.2f.`, e.Required),
		fmt.Sprintf(`The demo's "log_e" is %.2f.`, e.Log),
		fmt.Sprintf("a probability of 1/%.0f = %s at most", math.Exp(e.Required), strings.TrimPrefix(fmt.Sprintf("%.4f", math.Exp(-e.Required)), "0")),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the section does not state %q", want)
		}
	}
}

var (
	nightOf = regexp.MustCompile(`night of [^·]*·`)
	tookP95 = regexp.MustCompile(`latency \(p95\) .*`)
	gap     = regexp.MustCompile(` {2,}`) // columns are as wide as the times in them
	demoDir = regexp.MustCompile(`\S*/evolve-demo-[^/\s]*`)
)

// plainEnding returns the decision box and what follows it, without the date, the folder
// and the times.
func plainEnding(t *testing.T, out string) []string {
	t.Helper()
	at := strings.Index(out, "clerk · night of")
	if at < 0 {
		t.Fatalf("no decision box in\n%s", out)
	}
	out = demoDir.ReplaceAllString(nightOf.ReplaceAllString(out[at:], "night of … ·"), "DIR")
	out = gap.ReplaceAllString(tookP95.ReplaceAllString(out, "latency (p95) …"), " ")
	return strings.Split(strings.TrimSpace(out), "\n")
}
