package scaffold

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

// asFS returns the files as a file system.
func asFS() fstest.MapFS {
	out := fstest.MapFS{}
	for name, data := range Files() {
		out[name] = &fstest.MapFile{Data: data, Mode: 0o644}
	}
	return out
}

func TestFilesHaveRealNames(t *testing.T) {
	if err := fstest.TestFS(asFS(), "evolve.yaml", ".gitignore", "suites/starter.jsonl",
		"agents/clerk/agent.yaml", "suites/fixtures/gauge/go.mod", "suites/fixtures/gauge/reading/reading.go"); err != nil {
		t.Fatal(err)
	}
	if _, err := fs.ReadFile(asFS(), "suites/fixtures/gauge/go.mod.txt"); err == nil {
		t.Error("the stored name of go.mod is visible")
	}
}

func TestFilesStaySmall(t *testing.T) {
	// A working directory is copied for every evaluation, so it must stay small.
	count := map[string]int{}
	err := fs.WalkDir(asFS(), "suites/fixtures", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Size() > 2500 {
			t.Errorf("%s has %d bytes, more than 2500", name, info.Size())
		}
		count[strings.Split(name, "/")[2]]++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, n := range count {
		if n > 12 {
			t.Errorf("fixture folder %s has %d files, more than 12", dir, n)
		}
	}
}
