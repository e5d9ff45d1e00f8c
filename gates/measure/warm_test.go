package measure

import (
	"os"
	"path/filepath"
	"testing"
)

// TestWarm checks that the build cache has what the base's test needs before versions run
// the test, because anything that the versions compile themselves is dropped. To fill the
// cache, the test is compiled but not run.
func TestWarm(t *testing.T) {
	if testing.Short() {
		t.Skip("-short")
	}
	walls := detected()
	if err := walls.Err(); err != nil {
		t.Skip(err)
	}
	p := scripted(t, walls)
	for name, text := range map[string]string{
		"go.mod":      "module example.org/m\n\ngo 1.21\n",
		"m.go":        "package m\n\nconst N = 1\n",
		"m_test.go":   "package m\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestN(t *testing.T) {\n\tif os.Getenv(\"ALLOWED\") == \"\" {\n\t\tt.Fatal(\"it was run\")\n\t}\n}\n",
		"cmd/main.go": "package main\n\nfunc main() { panic(\"it was run\") }\n",
	} {
		full := filepath.Join(p.Tree, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.Test, p.Score = []string{"go", "test", "./..."}, []string{"go", "run", "./cmd"}
	if err := p.Warm(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The test of a version adds a few entries of its own, and none for the standard
	// library.
	p.Test = []string{"sh", "-c", `
		count() { find "$GOCACHE" -name '*-d' | wc -l; }
		before=$(count)
		ALLOWED=1 go test ./... && go vet ./cmd || exit 1
		added=$(($(count) - before))
		echo "$before entries, $added added" >&2
		test "$before" -gt 50 && test "$added" -lt 20`}
	if _, err := p.Make(t.Context(), "version", map[string][]byte{"m.go": []byte("package m\n\nconst N = 2\n")}); err != nil {
		t.Error(err)
	}

	// A failing command is not an error here, because it will fail again in the run that
	// counts. Nor is a command other than go test.
	for _, test := range [][]string{{"go", "test", "./none"}, {"./test.sh"}, {"go", "vet", "./..."}, nil} {
		p.Test = test
		if err := p.Warm(t.Context()); err != nil {
			t.Errorf("%q: %v", test, err)
		}
	}
}
