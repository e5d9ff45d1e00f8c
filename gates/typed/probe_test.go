package typed

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// probe is one change to a package and what must be found in it.
type probe struct {
	name     string
	old, now string
	// want is part of a finding, or "" for none.
	want string
}

// installed returns the root of the Go installation that the tests run with.
func installed(t testing.TB) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("go is not installed")
	}
	return strings.TrimSpace(string(out))
}

// lay writes a module with one package.
func lay(t testing.TB, src string) string {
	t.Helper()
	return layAll(t, map[string]string{"p/p.go": src})
}

// layAll writes a module with several packages.
func layAll(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files = maps.Clone(files)
	files["go.mod"] = "module example.org/x\n\ngo 1.24\n"
	for name, text := range files {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// check runs probes on one kind of finding.
func check(t *testing.T, head string, of func(Findings) []Finding, probes []probe) {
	t.Helper()
	root := installed(t)
	for _, p := range probes {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			whole := func(src string) string {
				if strings.HasPrefix(src, "package ") {
					return src
				}
				return "package p\n" + imports(head, src) + head + src
			}
			got, err := Read(t.Context(), Change{Base: lay(t, whole(p.old)), Candidate: lay(t, whole(p.now)), Changed: []string{"p/p.go"}, Root: root})
			if err != nil {
				t.Fatal(err)
			}
			list := of(got)
			switch {
			case p.want == "" && len(list) > 0:
				t.Errorf("found %v", list)
			case p.want != "" && !slices.ContainsFunc(list, func(f Finding) bool { return strings.Contains(f.Why, p.want) }):
				t.Errorf("found %v, want %q", list, p.want)
			}
			for _, f := range list {
				if f.Path != "p/p.go" || f.Line < 1 || strings.ContainsAny(f.String(), "\n\x1b") {
					t.Errorf("%+v", f)
				}
			}
		})
	}
}

// imports returns import declarations for the standard packages that a source mentions.
func imports(head, src string) string {
	out := ""
	for _, p := range []string{
		"archive/zip", "context", "crypto/hmac", "crypto/md5", "crypto/sha256", "crypto/subtle", "crypto/tls", "database/sql", "encoding/json", "errors", "fmt", "html/template", "io", "log", "math/rand", "net/http", "os", "os/exec",
		"path/filepath", "reflect", "regexp", "runtime", "strings", "sync", "time",
	} {
		if name := p[strings.LastIndex(p, "/")+1:]; strings.Contains(head+src, name+".") {
			out += "import \"" + p + "\"\n"
		}
	}
	return out
}
