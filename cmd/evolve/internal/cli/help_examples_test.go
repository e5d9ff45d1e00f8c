package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/cli/clitest/fixture"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate"
)

// yamlBlocks returns the indented blocks of a chapter that begin with any of the keys.
func yamlBlocks(t *testing.T, chapter string, keys ...string) []string {
	t.Helper()
	data, err := helpTexts.ReadFile("help/" + chapter + ".md")
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for _, part := range strings.Split(string(data), "\n\n") {
		if !strings.HasPrefix(part, "    ") {
			continue
		}
		block := strings.ReplaceAll("\n"+part, "\n    ", "\n")
		for _, k := range keys {
			if strings.HasPrefix(block, "\n"+k+":") {
				blocks = append(blocks, block)
			}
		}
	}
	if len(blocks) == 0 {
		t.Fatalf("chapter %s has no example of %v", chapter, keys)
	}
	return blocks
}

// TestChapterExamplesLoad checks that the manual's examples of evolve.yaml are accepted.
func TestChapterExamplesLoad(t *testing.T) {
	models := yamlBlocks(t, "models", "providers")
	readme, err := os.ReadFile("../../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(string(readme), "# evolve.yaml")
	shown, _, found := strings.Cut(shown, "```")
	if !found {
		t.Fatal("the README shows no evolve.yaml")
	}
	for name, settings := range map[string]string{
		"README": "#" + shown,
		"models": models[0], "recordings": models[1],
		"policies": models[0] + yamlBlocks(t, "policies", "policies")[0],
		"servers":  yamlBlocks(t, "tools", "mcp")[0],
		"month":    yamlBlocks(t, "statistics", "confirm")[0],
		"patch":    strings.ReplaceAll(yamlBlocks(t, "patch", "patches")[0], "[clerk]", "[aide]"),
		"notify":   yamlBlocks(t, "notify", "notify")[0],
		"workers":  yamlBlocks(t, "workers", "workers")[0],
		"search":   yamlBlocks(t, "search", "search")[0],
		"reflect":  models[0] + yamlBlocks(t, "search", "search")[1],
		"routes":   models[0] + yamlBlocks(t, "search", "search")[2],
	} {
		root := t.TempDir()
		if err := fixture.Workspace(root, "tiny"); err != nil {
			t.Fatal(err)
		}
		settings = strings.ReplaceAll(settings, "clerk:", "aide:")
		if err := os.WriteFile(filepath.Join(root, workspace.SettingsFile), []byte(settings), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := wire.Load(root); err != nil {
			t.Errorf("%s: %v\n%s", name, err, settings)
		}
	}
}

// TestChaptersTellTheFigures checks that the figures in the manual are those in the code.
func TestChaptersTellTheFigures(t *testing.T) {
	chapter := func(name string) string {
		data, err := helpTexts.ReadFile("help/" + name + ".md")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(string(data)), " ")
	}
	month := stats.Monthly()
	points := 100 * stats.Practical
	for _, want := range []string{
		fmt.Sprintf("At most %d enter in any %d days", month.Entries, month.Days),
		strings.ReplaceAll(fmt.Sprintf("level of %g/%d = %.4f", month.Level, month.Entries, month.Alpha()), "0.", "."),
		fmt.Sprintf("by as much as %g points", points),
		fmt.Sprintf("at most %.0f %% more", 100*(stats.DefaultBounds()[0].AtMost-1)),
	} {
		if !strings.Contains(chapter("statistics"), want) {
			t.Errorf("the chapter on statistics does not say %q", want)
		}
	}
	for _, state := range []stats.State{stats.Open, stats.Proven, stats.HereOnly, stats.Harmful, stats.Vetoed, stats.Parked, stats.Trade} {
		if !strings.Contains(chapter("statistics"), " "+stateName(state)+" ") {
			t.Errorf("the chapter on statistics does not explain the state %q", state)
		}
	}
	for _, name := range mutate.Selections() {
		if !strings.Contains(chapter("search"), " "+name+" ") {
			t.Errorf("the chapter on the search does not explain the selection %q", name)
		}
	}
}
