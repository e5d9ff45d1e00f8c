package measure

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evolve/gates/gotest"
	"evolve/runtime/sandbox"
)

// scripted returns a program that is a script with one block file.
func scripted(t testing.TB, walls sandbox.Sandbox) *Program {
	t.Helper()
	tools, err := installed()
	if err != nil {
		t.Skip(err)
	}
	tree, folder := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"factor":   "2\n",
		"build.sh": "#!/bin/sh\ngrep -q '^[0-9]*$' factor && cp factor built\n",
		"test.sh":  "#!/bin/sh\n[ \"$(cat built)\" -lt 100 ]\n",
		"score.sh": "#!/bin/sh\n[ -e left ] && exit 3\necho x > left\n[ $# -gt 0 ] || set -- 1 2 3\nfor c; do echo '{\"case\":\"'$c'\",\"metric\":\"work\",\"value\":'$((c * $(cat built)))',\"better\":\"lower\"}'; done\n",
	} {
		if err := os.WriteFile(filepath.Join(tree, name), []byte(text), 0o700); err != nil { //nolint:gosec // they are run
			t.Fatal(err)
		}
	}
	return &Program{
		Runner: &Runner{Sandbox: walls, Unwalled: true, Tools: tools, Folder: folder, Cache: filepath.Join(folder, "cache")},
		Tree:   tree, Build: []string{"./build.sh"}, Test: []string{"./test.sh"}, Score: []string{"./score.sh"},
	}
}

// TestProgram checks that versions are built, tested and scored side by side, and that
// nothing that scoring writes persists.
func TestProgram(t *testing.T) {
	each(t, func(t *testing.T, walls sandbox.Sandbox) {
		p := scripted(t, walls)
		base, err := p.Make(t.Context(), "base", nil)
		if err != nil {
			t.Fatal(err)
		}
		other, err := p.Make(t.Context(), "other", map[string][]byte{"factor": []byte("5\n")})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			all, err := p.Values(t.Context(), base)
			if err != nil || len(all) != 3 || all[2].Value != 6 || all[2].Case != "3" {
				t.Fatal(all, err)
			}
			some, err := p.Values(t.Context(), other, "2")
			if err != nil || len(some) != 1 || some[0].Value != 10 {
				t.Fatal(some, err)
			}
		}
		if err := other.Remove(); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Values(t.Context(), other, "2"); err == nil {
			t.Error("a removed version was scored")
		}
	})
}

// TestProgramStartsInItsFolder checks that all commands start in the folder of the target, and
// see the rest of the tree.
func TestProgramStartsInItsFolder(t *testing.T) {
	each(t, func(t *testing.T, walls sandbox.Sandbox) {
		p := scripted(t, walls)
		tree := filepath.Join(t.TempDir(), "tree")
		if err := os.CopyFS(filepath.Join(tree, "tools/pack"), os.DirFS(p.Tree)); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(tree, "tools/pack/factor"), filepath.Join(tree, "factor")); err != nil {
			t.Fatal(err)
		}
		p.Tree, p.Start = tree, "tools/pack"
		p.Build = []string{"sh", "-c", "cp ../../factor . && ./build.sh"}
		v, err := p.Make(t.Context(), "base", map[string][]byte{"factor": []byte("5\n")})
		if err != nil {
			t.Fatal(err)
		}
		if all, err := p.Values(t.Context(), v, "2"); err != nil || len(all) != 1 || all[0].Value != 10 {
			t.Error(all, err)
		}
	})
}

// TestProgramIsStopped checks that building, testing and scoring end with their context,
// even if the command and its child process ignore every signal that they can.
func TestProgramIsStopped(t *testing.T) {
	each(t, func(t *testing.T, walls sandbox.Sandbox) {
		stubborn := []string{"sh", "-c", "trap '' TERM INT HUP QUIT; (trap '' TERM INT HUP QUIT; while :; do :; done) & while :; do :; done"}
		for name, set := range map[string]func(p *Program){
			"build": func(p *Program) { p.Build = stubborn },
			"test":  func(p *Program) { p.Test = stubborn },
			"score": func(p *Program) { p.Score = stubborn },
		} {
			p := scripted(t, walls)
			set(p)
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			v, err := p.Make(ctx, "base", nil)
			if err == nil && name == "score" {
				_, err = p.Values(ctx, v, "1")
				err = errors.Join(err, v.Remove())
			}
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// TestProgramIsToBlame checks that faults in a version are reported as faults of the code.
func TestProgramIsToBlame(t *testing.T) {
	each(t, func(t *testing.T, walls sandbox.Sandbox) {
		for name, c := range map[string]struct{ factor, score, want string }{
			"it does not build":   {"two\n", "./score.sh", "build.sh ended with exit code 1"},
			"its tests fail":      {"100\n", "./score.sh", "test.sh ended with exit code 1"},
			"it scores nothing":   {"2\n", "true", "true: no line is a value"},
			"there is no command": {"2\n", "./none", "none"},
		} {
			p := scripted(t, walls)
			p.Score = []string{c.score}
			v, err := p.Make(t.Context(), "v", map[string][]byte{"factor": []byte(c.factor)})
			if err == nil {
				_, err = p.Values(t.Context(), v, "1")
			}
			var code *CodeError
			if !errors.As(err, &code) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", name, err, c.want)
			}
		}
	})
}

// TestProgramRefusesLinks checks that a version is not written through a link in the base.
func TestProgramRefusesLinks(t *testing.T) {
	p := scripted(t, sandbox.None("a test"))
	target := filepath.Join(t.TempDir(), "elsewhere")
	if err := errors.Join(os.WriteFile(target, []byte("kept"), 0o600), os.Remove(filepath.Join(p.Tree, "factor")), os.Symlink(target, filepath.Join(p.Tree, "factor"))); err != nil {
		t.Fatal(err)
	}
	_, err := p.Make(t.Context(), "v", map[string][]byte{"factor": []byte("5\n")})
	if data, _ := os.ReadFile(target); err == nil || string(data) != "kept" {
		t.Errorf("it was written through a link: %q, %v", data, err)
	}
}

func BenchmarkProgramValues(b *testing.B) {
	if err := detected().Err(); err != nil {
		b.Skip(err)
	}
	p := scripted(b, detected())
	v, err := p.Make(b.Context(), "base", nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := p.Values(b.Context(), v, "1"); err != nil {
			b.Fatal(err)
		}
	}
}

// TestProgramWithoutGo checks that a program has no access to Go unless it is given a
// toolchain.
func TestProgramWithoutGo(t *testing.T) {
	each(t, func(t *testing.T, walls sandbox.Sandbox) {
		p := scripted(t, walls)
		p.Build = []string{"sh", "-c", `test -z "$GOCACHE$GOFLAGS" && ./build.sh`}
		if _, err := p.Make(t.Context(), "with", nil); err == nil {
			t.Error("the program sees no Go at all")
		}
		p.Tools = gotest.Toolchain{}
		p.Score = []string{"sh", "-c", `test -z "$GOCACHE$GOFLAGS" && exec ./score.sh`}
		v, err := p.Make(t.Context(), "without", nil)
		if err != nil {
			t.Fatal(err)
		}
		if values, err := p.Values(t.Context(), v); err != nil || len(values) != 3 {
			t.Error(values, err)
		}
	})
}

// TestTheEndOfAnErrorIsKept checks that the last line of a long error is retained, because
// interpreters name the fault there.
func TestTheEndOfAnErrorIsKept(t *testing.T) {
	p := scripted(t, sandbox.None("a test"))
	p.Test = []string{"sh", "-c", "seq 1000 >&2; echo 'ValueError: the fault' >&2; exit 1"}
	_, err := p.Make(t.Context(), "v", nil)
	var code *CodeError
	if !errors.As(err, &code) || !strings.HasSuffix(code.Text, "ValueError: the fault") || !strings.Contains(code.Text, "1 2 3 4") && !strings.Contains(code.Text, "1\n2\n3") || len(code.Text) > 700 {
		t.Errorf("the error is %v", err)
	}
}
