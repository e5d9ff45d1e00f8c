package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFind creates a home folder with programs in it and tests that each program needs its
// own installation and nothing else that belongs to the user.
func TestFind(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	at := func(path string) string { return filepath.Join(home, path) }
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(at(path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at(path), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	symlink := func(path, target string) {
		write(path, "")
		if err := os.Remove(at(path)); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, at(path)); err != nil {
			t.Fatal(err)
		}
	}
	write("secret", "hunter2")
	write("lib/x", "")
	write("bin/own", "\x7fELF")
	write(".local/lib/keyring", "hunter2")
	write(".local/bin/tool", "\x7fELF")
	write("conda/bin/snake", "\x7fELF")
	write("conda/lib/libsnake.so", "")
	symlink("bin/serpent", "../conda/bin/snake")
	write(".pyenv/version", "3.11.7\n")
	write(".pyenv/shims/py", "#!/usr/bin/env bash\nexec pyenv")
	write(".pyenv/versions/3.11.7/bin/py", "\x7fELF")
	write(".pyenv/versions/3.11.7/lib/os.py", "")
	write(".pyenv/versions/3.12.0/bin/py", "\x7fELF")
	write(".pyenv/versions/3.12.0/lib/os.py", "")
	write("project/.python-version", "3.12.0\n")
	write("project/agent", "#!/usr/bin/env -S py -u\n")
	write("project/venv/pyvenv.cfg", "")
	symlink("project/venv/bin/py", at(".pyenv/versions/3.11.7/bin/py"))
	write("other/agent", "#!"+at("conda/bin/snake")+" -u\n")
	write("circle/agent", "#!"+at("circle/agent")+"\n")
	t.Setenv("PATH", strings.Join([]string{at(".pyenv/shims"), at("bin"), at(".local/bin")}, ":"))

	for _, c := range []struct {
		name, dir, path string
		needs           []string
	}{
		{"own", "", "bin/own", []string{"bin/own"}},
		{"tool", "", ".local/bin/tool", []string{".local/bin/tool"}},
		{"serpent", "", "bin/serpent", []string{"bin/serpent", "conda"}},
		{"py", "other", ".pyenv/versions/3.11.7/bin/py", []string{".pyenv/versions/3.11.7"}},
		{"py", "project", ".pyenv/versions/3.12.0/bin/py", []string{".pyenv/versions/3.12.0"}},
		{"./agent", "project", "project/agent", []string{"project/agent", ".pyenv/versions/3.12.0"}},
		{"venv/bin/py", "project", "project/venv/bin/py", []string{"project/venv", ".pyenv/versions/3.11.7"}},
		{"./agent", "other", "other/agent", []string{"other/agent", "conda"}},
		{"./agent", "circle", "circle/agent", []string{"circle/agent"}},
	} {
		p, err := find(c.name, at(c.dir))
		if err != nil {
			t.Errorf("%s in %q: %v", c.name, c.dir, err)
			continue
		}
		var needs []string
		for _, path := range p.needs {
			rel, err := filepath.Rel(home, path)
			if err != nil {
				t.Fatal(err)
			}
			needs = append(needs, rel)
		}
		if diff := cmp.Diff(c.needs, needs); diff != "" || p.path != at(c.path) {
			t.Errorf("%s in %q is %s\n%s", c.name, c.dir, p.path, diff)
		}
	}
	if _, err := find("absent", home); !errors.Is(err, ErrNotFound) {
		t.Errorf("absent: %v", err)
	}
}

func TestArrange(t *testing.T) {
	got := arrange([]piece{
		{Kind: link, Path: "/bin", Source: "usr/bin"},
		{Kind: readOnly, Path: "/usr", Source: "/usr"},
		{Kind: private, Path: "/tmp"},
		{Kind: hidden, Path: "/elsewhere"},
		{Kind: hidden, Path: "/w"},
		{Kind: link, Path: "/w/link", Source: "/w/a"},
		{Kind: readOnly, Path: "/w/a/deep", Source: "/w/a/deep"},
		{Kind: readOnly, Path: "/w", Source: "/w"},
		{Kind: writable, Path: "/w/a", Source: "/w/a"},
		{Kind: readOnly, Path: "/tmp/x", Source: "/tmp/x"},
		{Kind: writable, Path: "/tmp/x", Source: "/tmp/x"},
		{Kind: link, Path: "/l", Source: "/tmp/x"},
	})
	var order []string
	for _, p := range got {
		order = append(order, string(p.Kind)+" "+p.Path)
	}
	want := []string{
		"link /bin", "private /tmp", "read-only /usr", "read-only /w", "writable /tmp/x", "writable /w/a", "read-only /w/a/deep", "link /l",
	}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Error(diff)
	}
}

// TestLinkedPaths tests sandboxes whose folders are given by paths that contain symbolic
// links.
func TestLinkedPaths(t *testing.T) {
	each(t, func(t *testing.T, w Sandbox) {
		real, links := t.TempDir(), t.TempDir()
		linked := filepath.Join(links, "to")
		if err := os.Symlink(real, linked); err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{"own", "task"} {
			if err := os.Mkdir(filepath.Join(real, dir), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		s := sh(linked+"/own", "echo x > "+linked+"/task/f && cat "+real+"/task/f; ls "+real)
		s.Writable = []string{linked + "/task"}
		if got, _ := output(t, w, s); got != "x\nown\ntask\n" {
			t.Errorf("wrote %q", got)
		}
	})
}
