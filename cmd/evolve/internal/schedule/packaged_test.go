package schedule

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// packagedUnits renders the units in the packages: the units of a workspace, with the
// instance's path instead of the workspace's and without an installation time.
func packagedUnits() []Part {
	const instance = "/$INSTANCE" // the dollar sign keeps variables in a path from being expanded
	service, timer := Units(Night{Program: "/usr/bin/evolve", Workspace: instance, At: At{1, 30}, Path: "/usr/local/bin:/usr/bin:/bin"})
	const about = "# The packages of evolve bring this file: `evolve help schedule`.\n"
	text := strings.NewReplacer(header, about, `"`+instance+`"`, "%f", instance, "%f")
	timer.Text, _, _ = strings.Cut(timer.Text, "\n[X-Evolve]")
	return []Part{{packagedUnit + ".service", text.Replace(service.Text)}, {packagedUnit + ".timer", text.Replace(timer.Text)}}
}

// packaging is the folder with the files that only packages have.
var packaging = filepath.Join("..", "..", "..", "..", ".ci", "release")

func TestPackagedUnits(t *testing.T) {
	for _, p := range packagedUnits() {
		path := filepath.Join(packaging, p.File)
		if *update {
			if err := os.WriteFile(path, []byte(p.Text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), p.Text); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

// TestInstance checks that an enabled instance of the packaged units is found, shown and
// removed, and that nothing is installed beside it.
func TestInstance(t *testing.T) {
	root := filepath.Join(t.TempDir(), "a-b")
	h := Host{UserUnits: filepath.Join(t.TempDir(), "user")}
	if found, err := h.Find(context.Background(), root); err != nil || len(found) > 0 {
		t.Fatalf("%v: %v", found, err)
	}
	units, wants := t.TempDir(), filepath.Join(h.UserUnits, "timers.target.wants")
	if err := writeUnits(units, packagedUnits()); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(wants, 0o755); err != nil {
		t.Fatal(err)
	}
	name := packagedUnit + escapePath(root)
	if err := os.Symlink(filepath.Join(units, packagedUnit+".timer"), filepath.Join(wants, name+".timer")); err != nil {
		t.Fatal(err)
	}
	find := func() Installed {
		t.Helper()
		found, err := h.Find(context.Background(), root)
		if err != nil || len(found) != 1 {
			t.Fatalf("%v: %v", found, err)
		}
		return found[0]
	}
	in := find()
	if !in.Daily || in.At != (At{1, 30}) || in.Program != "/usr/bin/evolve" || in.Workspace != root || in.Since.IsZero() || in.System {
		t.Errorf("%+v", in)
	}
	if want := `journalctl --user -u '` + name + `'`; in.Log(root) != want {
		t.Errorf("its log is %s, want %s", in.Log(root), want)
	}
	if _, err := h.Choose(context.Background(), []Installed{in}, "", false); !errors.Is(err, ErrOther) {
		t.Errorf("another is installed beside it: %v", err)
	}
	// A time that a person sets is in a file beside the unit.
	if err := writeUnits(filepath.Join(h.UserUnits, name+".timer.d"), []Part{{"override.conf", "[Timer]\nOnCalendar=\nOnCalendar=Mon 05:00\n"}}); err != nil {
		t.Fatal(err)
	}
	if in := find(); in.Daily {
		t.Errorf("its time was changed: %+v", in)
	}

	log := filepath.Join(t.TempDir(), "log")
	h.Systemctl = filepath.Join(t.TempDir(), "systemctl")
	if err := os.WriteFile(h.Systemctl, []byte("#!/bin/sh\necho \"$@\" >>'"+log+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	done, err := h.Remove(context.Background(), root, in)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"systemctl --user disable --now '" + name + ".timer'", "systemctl --user daemon-reload"}; !cmp.Equal(done.Commands, want) {
		t.Errorf("it ran %q, want %q", done.Commands, want)
	}
	ran, err := os.ReadFile(log)
	if err != nil || !strings.HasPrefix(string(ran), "--user disable --now "+name+".timer\n") {
		t.Errorf("systemctl was called with %q: %v", ran, err)
	}
	if _, err := os.Stat(filepath.Join(units, packagedUnit+".timer")); err != nil {
		t.Errorf("the file of the package is gone: %v", err)
	}
}

func TestEscapedPaths(t *testing.T) {
	for path, want := range map[string]string{
		"/": "-", "/srv/agents": "srv-agents", "/srv//agents/": "srv-agents", "/.a/.b": `\x2ea-.b`, "/a b/é-c_d:e$%": `a\x20b-\xc3\xa9\x2dc_d:e\x24\x25`,
	} {
		if got := escapePath(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
		if _, err := exec.LookPath("systemd-escape"); err != nil {
			continue
		}
		if out, err := exec.Command("systemd-escape", "--path", path).Output(); err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("systemd makes %s of %s: %v", out, path, err)
		}
	}
}

// TestSystemdAcceptsPackagedUnits runs systemd's own check on an instance.
func TestSystemdAcceptsPackagedUnits(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("no systemd-analyze here")
	}
	units, parts := t.TempDir(), packagedUnits()
	path, _ := program(t, t.TempDir())
	parts[0].Text = strings.ReplaceAll(parts[0].Text, "/usr/bin/evolve", path)
	if err := writeUnits(units, parts); err != nil {
		t.Fatal(err)
	}
	name := packagedUnit + escapePath("/srv/a b$HOME")
	cmd := exec.Command(analyze, "verify", "--man=no", name+".timer", name+".service")
	cmd.Env = append(os.Environ(), "SYSTEMD_UNIT_PATH="+units+":")
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "evolve") {
		t.Errorf("%v\n%s", err, out)
	}
}
