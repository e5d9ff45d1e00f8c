package tool

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"evolve/runtime/agent"
)

const secret = "TOP-SECRET-OUTSIDE"

// hostile returns an environment for a folder with every kind of trap, next to a file
// outside its reach.
func hostile(t testing.TB) *Env {
	t.Helper()
	parent := t.TempDir()
	dir := filepath.Join(parent, "work")
	write := func(p, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(parent, "outside.txt"), secret)
	write(filepath.Join(dir, "a.txt"), "plain text\nsecond line\n")
	write(filepath.Join(dir, ".env"), secret)
	write(filepath.Join(dir, "sub", ".ENV.local"), secret)
	write(filepath.Join(dir, "sub", "server.pem"), secret)
	write(filepath.Join(dir, "id_rsa"), secret)
	write(filepath.Join(dir, ".git", "config"), secret)
	write(filepath.Join(dir, "big.txt"), strings.Repeat("x", MaxFile+1))
	write(filepath.Join(dir, "bin.dat"), "\x00\x01")
	for link, to := range map[string]string{
		"link.txt": filepath.Join(parent, "outside.txt"), "up": "..", "innocent.txt": ".env", "inner.txt": "a.txt",
	} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	if l, err := net.Listen("unix", filepath.Join(dir, "sock")); err == nil {
		t.Cleanup(func() { l.Close() })
	}
	e := NewEnv(dir)
	t.Cleanup(func() { e.Close() })
	return e
}

func TestFilesStayInside(t *testing.T) {
	e, r := hostile(t), registry(t)
	for path, want := range map[string]agent.Outcome{
		"a.txt": agent.OK, "./a.txt": agent.OK, "sub/../a.txt": agent.Denied, "../outside.txt": agent.Denied,
		"/etc/passwd": agent.Denied, "link.txt": agent.Denied, "up/outside.txt": agent.Denied, ".env": agent.Denied,
		".ENV": agent.Denied, "sub/.ENV.local": agent.Denied, "sub/server.pem": agent.Denied, "id_rsa": agent.Denied,
		"innocent.txt": agent.Denied, "inner.txt": agent.Denied, "big.txt": agent.BudgetExceeded,
		"bin.dat": agent.ContractViolation, "sub": agent.ContractViolation, "nothing": agent.Execution,
		`..\\outside.txt`: agent.ContractViolation, "sock": agent.Denied,
	} {
		if _, err := os.Lstat(filepath.Join(e.dir, "sock")); path == "sock" && err != nil {
			continue
		}
		for _, name := range []string{"read_file", "file_summary"} {
			res := do(t, r, e, name, `{"path":"`+path+`"}`)
			if res.Outcome != want {
				t.Errorf("%s %s: %s (%s), want %s", name, path, res.Outcome, res.Output, want)
			}
			if strings.Contains(res.Output, secret) || strings.Contains(res.Output, e.dir) {
				t.Errorf("%s %s leaks: %s", name, path, res.Output)
			}
		}
	}
	for name, args := range map[string]string{
		"grep": `{"pattern":"SECRET|root"}`, "list_directory": `{"recursive":true}`, "repo_index": `{}`, "dependency_map": `{}`,
	} {
		out := do(t, r, e, name, args).Output
		for _, never := range []string{secret, ".env", "outside", "id_rsa", ".git", "link.txt"} {
			if strings.Contains(out, never) {
				t.Errorf("%s shows %s: %s", name, never, out)
			}
		}
	}
}

// TestNoPathEscapes draws paths composed of the elements with which a path can escape
// from the folder.
func TestNoPathEscapes(t *testing.T) {
	e, r := hostile(t), registry(t)
	part := rapid.SampledFrom([]string{"..", ".", "", "up", "sub", "a.txt", "outside.txt", "link.txt", ".env", "innocent.txt", "etc", "passwd", "．．"})
	rapid.Check(t, func(rt *rapid.T) {
		path := strings.Join(rapid.SliceOfN(part, 1, 6).Draw(rt, "parts"), "/")
		for _, name := range []string{"read_file", "grep", "list_directory"} {
			args := `{"path":"` + path + `"}`
			if name == "grep" {
				args = `{"pattern":".","path":"` + path + `"}`
			}
			if out := do(t, r, e, name, args).Output; strings.Contains(out, secret) || strings.Contains(out, "root:") {
				rt.Fatalf("%s %s: %s", name, path, out)
			}
		}
	})
}

func TestGrepAndList(t *testing.T) {
	r := registry(t)
	e := lay(t, map[string]string{"docs/a.md": "Alpha beta\ngamma\n", "docs/b.md": "alphabet (x)\n", "c.txt": "beta\n"})
	for _, c := range []struct{ name, args, want string }{
		{"grep", `{"pattern":"alpha"}`, "docs/a.md:1: Alpha beta\ndocs/b.md:1: alphabet (x)"},
		{"grep", `{"pattern":"^beta$"}`, "c.txt:1: beta"},
		{"grep", `{"pattern":"(x","literal":true}`, "docs/b.md:1: alphabet (x)"},
		{"grep", `{"pattern":"a","path":"docs/a.md"}`, "docs/a.md:1: Alpha beta\ndocs/a.md:2: gamma"},
		{"grep", `{"pattern":"beta","max":1}`, "c.txt:1: beta\n… (more than 1 lines match)"},
		{"grep", `{"pattern":"zeta"}`, ""},
		{"list_directory", `{}`, "c.txt\ndocs/"},
		{"list_directory", `{"path":"docs"}`, "docs/a.md\ndocs/b.md"},
		{"list_directory", `{"recursive":true}`, "c.txt\ndocs/\ndocs/a.md\ndocs/b.md"},
		{"read_file", `{"path":"c.txt"}`, "beta\n"},
	} {
		if got := do(t, r, e, c.name, c.args).Output; got != c.want {
			t.Errorf("%s %s: %q, want %q", c.name, c.args, got, c.want)
		}
	}
	if res := do(t, r, e, "grep", `{"pattern":"((("}`); res.Outcome != agent.ContractViolation {
		t.Error(res)
	}
}
