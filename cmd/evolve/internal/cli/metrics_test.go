package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"evolve/cmd/evolve/internal/metrics"
)

// TestMetricsChapter compares the metrics that the manual lists with those that exist.
func TestMetricsChapter(t *testing.T) {
	text, err := helpTexts.ReadFile("help/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed, known []string
	for _, m := range regexp.MustCompile(`(?m)^    (evolve_\w+)(?:\{([a-z, ]+)\})?`).FindAllStringSubmatch(string(text), -1) {
		listed = append(listed, m[1]+"{"+m[2]+"}")
	}
	for _, d := range append(metrics.NightDefinitions(), metrics.WorkerDefinitions()...) {
		known = append(known, d.Name+"{"+strings.Join(d.Labels, ", ")+"}")
	}
	slices.Sort(listed)
	slices.Sort(known)
	for _, name := range slices.Compact(slices.Concat(listed, known)) {
		if in, is := slices.Contains(listed, name), slices.Contains(known, name); in != is {
			t.Errorf("%s is in the manual: %t, in the program: %t", name, in, is)
		}
	}
}

// TestAlerts reads the manual's alerts as Prometheus does and checks the keys of the rules
// and that the metrics exist. If promtool is installed, it checks the alerts too.
func TestAlerts(t *testing.T) {
	rules := blockOf(t, "metrics", "groups:")
	var file struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr         string
				Labels, Annotations map[string]string
			}
		}
	}
	d, err := yaml.NewLoader(strings.NewReader(rules), yaml.WithKnownFields())
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Load(&file); err != nil {
		t.Fatal(err)
	}
	known := map[string][]string{}
	for _, d := range append(metrics.NightDefinitions(), metrics.WorkerDefinitions()...) {
		known[d.Name] = d.Labels
	}
	if len(file.Groups) != 1 || len(file.Groups[0].Rules) < 4 {
		t.Fatalf("the rules are %+v", file)
	}
	for _, r := range file.Groups[0].Rules {
		names := regexp.MustCompile(`evolve_\w+`).FindAllString(r.Expr, -1)
		if len(names) == 0 || r.Annotations["summary"] == "" {
			t.Errorf("%s has no metric or no summary", r.Alert)
		}
		for _, name := range names {
			labels, ok := known[name]
			if !ok {
				t.Errorf("%s: there is no metric %s", r.Alert, name)
			}
			for _, m := range regexp.MustCompile(`\$labels\.(\w+)`).FindAllStringSubmatch(fmt.Sprint(r.Annotations), -1) {
				if m[1] != "workspace" && !slices.Contains(labels, m[1]) {
					t.Errorf("%s: %s has no label %s", r.Alert, name, m[1])
				}
			}
		}
	}
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		return
	}
	path := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(path, []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(promtool, "check", "rules", path).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
