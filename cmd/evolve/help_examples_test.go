package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"evolve/cmd/evolve/internal/workspace"
)

// yamlBlocks are the indented blocks of a chapter that begin with one of the keys.
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

// TestChapterExamplesLoad: what the manual shows of evolve.yaml is accepted.
func TestChapterExamplesLoad(t *testing.T) {
	models := yamlBlocks(t, "models", "providers")
	readme, err := os.ReadFile("../../README.md")
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
	} {
		root := t.TempDir()
		if err := os.CopyFS(root, os.DirFS("testdata/tiny")); err != nil {
			t.Fatal(err)
		}
		settings = strings.ReplaceAll(settings, "clerk:", "aide:")
		if err := os.WriteFile(filepath.Join(root, workspace.SettingsFile), []byte(settings), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := workspace.Load(root, builtins()); err != nil {
			t.Errorf("%s: %v\n%s", name, err, settings)
		}
	}
}
