package tool

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"evolve/runtime/agent"
)

func TestSecretNames(t *testing.T) {
	for _, p := range []string{
		".env", ".ENV", ".Env.local", "a/.env/b", ".env.", ".env ", ".env . ", ".env\x00", ".env:stream", ".envrc", "prod.env",
		"．env", "․env", "。env", ".ｅｎｖ", ".еnv", ".ΕΝV", ".e\u200bnv", "\ufeff.env", ".e\u0301nv", ".\u00e9nv", ".env\u0301",
		"a∕.env", "a／.env", "a⁄.env", `a\.env`, "ID_RSA", "id_rsa.pub", "ıd_rsa", "ıd_rſa", "id＿rsa", "x/ѕerver.pem", "SERVER.PEM",
		"server.pem.", "Kredentials.p12", "credentials", "ⓒredentials.json", "сredentials", "a.Key", "a.KEY", "home/.ssh/config", ".Aws/x",
		"𝒊𝒅_rsa",
	} {
		if !Secret(p) {
			t.Errorf("%q is read", p)
		}
	}
	for _, p := range []string{
		"a.go", "env", "env.go", "environment.md", "docs/env.md", "keys.go", "monkey", "a.keys", "my.environment", "pem.txt", "идея.md",
		"日本語.txt", "ärger.md", "rid_rsa.md", "...", ".", "a b.txt", "ssh/config", "id.go", "kubernetes.md", "docker/x",
	} {
		if Secret(p) {
			t.Errorf("%q is not read", p)
		}
	}
}

func FuzzSecret(f *testing.F) {
	f.Add("a/.env", ".env")
	f.Add("．env", "id_rsa")
	f.Fuzz(func(t *testing.T, p, folder string) {
		got := Secret(p)
		if got != Secret(strings.ToUpper(strings.ToLower(p))) && isASCII(p) {
			t.Errorf("%q: case makes a difference", p)
		}
		if got && !strings.Contains(p, "..") && !Secret("x/"+p) {
			t.Errorf("%q is secret and below a folder not", p)
		}
		if Secret(folder) && !Secret(folder+"/x") {
			t.Errorf("%q is secret and what is in it not", folder)
		}
	})
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > 126 }) < 0
}

// FuzzPath tests that no path from a model reveals any content of the traps.
func FuzzPath(f *testing.F) {
	for _, s := range []string{"../outside.txt", "/etc/passwd", "up/outside.txt", ".ENV", "．env", "a∕../b", "a.txt/", "a\x00b", "sub/\ufeff.ENV.local", strings.Repeat("a/", 600)} {
		f.Add(s)
	}
	e := hostile(f)
	f.Fuzz(func(t *testing.T, p string) {
		text, err := e.Text(p)
		if strings.Contains(text, secret) || strings.Contains(text, "root:") {
			t.Errorf("%q shows what it must not", p)
		}
		if err != nil && strings.Contains(failed(err).Output, e.dir) {
			t.Errorf("%q names the host's folder", p)
		}
	})
}

// TestSwappedForALink tests that a file that is replaced with a link while it is read never
// reveals the link's target.
func TestSwappedForALink(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "work")
	if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{filepath.Join(parent, "x.py"), filepath.Join(dir, ".env")} {
		if err := os.WriteFile(p, []byte(secret), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	stop := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Add(1)
	go func() {
		defer swapping.Done()
		for {
			select {
			case <-stop:
				return
			default:
			}
			file, folder := filepath.Join(dir, "x.py"), filepath.Join(dir, "sub")
			os.WriteFile(file, []byte("import harmless\n"), 0o644)
			os.Remove(file)
			_ = os.Symlink("../x.py", file)
			os.Remove(file)
			os.WriteFile(file, []byte("import harmless\n"), 0o644)
			_ = os.Symlink(".env", file+".new")
			_ = os.Rename(file+".new", file)
			os.Remove(file)
			os.Remove(folder)
			_ = os.Symlink("..", folder)
			os.Remove(folder)
			_ = os.Mkdir(folder, 0o755)
		}
	}()
	for range 1000 {
		e := NewEnv(dir)
		for _, p := range []string{"x.py", "sub/x.py"} {
			if text, _ := e.Text(p); strings.Contains(text, secret) {
				t.Errorf("%s was followed", p)
			}
		}
		if repo, err := e.repository(t.Context()); err == nil {
			for _, s := range repo.files {
				if strings.Contains(s.Doc, secret) || len(s.Imports) > 1 {
					t.Errorf("%+v", s)
				}
			}
		}
		e.Close()
	}
	close(stop)
	swapping.Wait()
}

// TestFlaggedFiles tests that flagged files are named but not summarised.
func TestFlaggedFiles(t *testing.T) {
	r, e := registry(t), lay(t, map[string]string{
		"a.py": "\"\"\"Doc.\"\"\"\nimport b\nTOKEN = 'hunter2'\ndef token(): pass\n",
		"b.py": "import a\n", "notes.md": "# hunter2\n",
	})
	e.Flagged = func(text string) bool { return strings.Contains(text, "hunter2") }
	for name, args := range map[string]string{
		"repo_index": `{}`, "dependency_map": `{}`, "file_summary": `{"path":"a.py"}`,
	} {
		res := do(t, r, e, name, args)
		if res.Outcome != agent.OK || !strings.Contains(res.Output, "a.py") || strings.Contains(res.Output, "Doc.") ||
			strings.Contains(res.Output, "token") || strings.Contains(res.Output, "hunter2") {
			t.Errorf("%s: %s", name, res.Output)
		}
	}
	x := decode[RepoIndex](t, do(t, r, e, "repo_index", `{}`))
	if x.Files != 3 || x.Lines != 1 || len(x.Withheld) != 2 {
		t.Errorf("%+v", x)
	}
}
