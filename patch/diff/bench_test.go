package diff

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// typical returns a typical change in a patch proposal: three source files of 400 lines,
// with five changed locations in each.
func typical() []File {
	var out []File
	for i := range 3 {
		var b strings.Builder
		for j := range 80 {
			fmt.Fprintf(&b, "func f%d() int {\n\tx := g(%d)\n\treturn x\n}\n\n", j, j%9)
		}
		old := b.String()
		now := old
		for j := 5; j < 80; j += 16 {
			now = strings.Replace(now, fmt.Sprintf("func f%d() int {\n\tx := g(%d)", j, j%9), fmt.Sprintf("func f%d() int {\n\tx := g(%d) + 1", j, j%9), 1)
		}
		out = append(out, File{Path: fmt.Sprintf("p/f%d.go", i), Old: []byte(old), New: []byte(now)})
	}
	return out
}

func BenchmarkApply(b *testing.B) {
	files := typical()
	text := Unified(files)
	sloppy := []byte("Here:\n\n```diff\n" + strings.ReplaceAll(string(text), ",7 +", ",9 +") + "```\n")
	base := tree{}
	for _, f := range files {
		base[f.Path] = string(f.Old)
	}
	for name, text := range map[string][]byte{"exact": text, "sloppy": sloppy} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				p, err := Parse(text)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := Apply(p, base.base); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	// The same benchmark with native git, which reads and writes files and starts a
	// process.
	b.Run("git apply", func(b *testing.B) {
		if _, err := exec.LookPath("git"); err != nil {
			b.Skip("git is not installed")
		}
		dir := b.TempDir()
		for _, f := range files {
			path := filepath.Join(dir, f.Path)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(path, f.Old, 0o644); err != nil {
				b.Fatal(err)
			}
		}
		for b.Loop() {
			cmd := exec.Command("git", "apply", "--check", "-")
			cmd.Dir, cmd.Stdin = dir, strings.NewReader(string(text))
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_CEILING_DIRECTORIES=" + filepath.Dir(dir), "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1"}
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
		}
	})
}

// BenchmarkApplyRepeats measures the search for the hunks' positions in a file whose blocks
// differ only in their last line. The diff has 50 hunks of 100 lines each, and the file has
// 100,000 lines.
func BenchmarkApplyRepeats(b *testing.B) {
	var old, text strings.Builder
	text.WriteString(names)
	for i := range 1000 {
		fmt.Fprintf(&old, "%sy%d\n", strings.Repeat("x\n", 99), i)
		if i%20 == 0 {
			fmt.Fprintf(&text, "@@\n%s-y%d\n+z\n", strings.Repeat(" x\n", 99), i)
		}
	}
	p, err := Parse([]byte(text.String()))
	if err != nil {
		b.Fatal(err)
	}
	base := tree{"f": old.String()}.base
	for b.Loop() {
		if _, err := Apply(p, base); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkUnified(b *testing.B) {
	files := typical()
	for b.Loop() {
		Unified(files)
	}
}

func BenchmarkRender(b *testing.B) {
	files := typical()
	for b.Loop() {
		Render(files, 3)
	}
}
