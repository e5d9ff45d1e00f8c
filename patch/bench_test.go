package patch

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
	"time"
)

// largeFiles is the number of files in the large repository. With its folders and its
// commit the repository has at least 100,000 objects, as counted by `git count-objects`.
const largeFiles = 98_500

// largePath returns the path of file i in the large repository.
func largePath(i int) string {
	return fmt.Sprintf("d%02d/e%02d/f%d.go", i%50, i/50%30, i)
}

func largeText(i int) string {
	return fmt.Sprintf("package e\n\n// F%d is a number.\nconst F%d = %d\n", i, i, i*7919)
}

// large is a repository of 100,000 objects in one pack, made by git fast-import from
// the same stream every time.
func large(b *testing.B) *fixture {
	b.Helper()
	d := newFixture(b, nil)
	var stream bytes.Buffer
	stream.WriteString("commit refs/heads/main\ncommitter t <t@example.org> 1790000000 +0000\ndata 6\nlarge\n")
	for i := range largeFiles {
		text := largeText(i)
		fmt.Fprintf(&stream, "M 100644 inline %s\ndata %d\n%s\n", largePath(i), len(text), text)
	}
	cmd := exec.Command("git", "fast-import", "--quiet", "--force")
	cmd.Dir, cmd.Env, cmd.Stdin = d.dir, d.env, &stream
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	d.git("repack", "-adq")
	return d
}

// proposeBound is the maximum time that a proposal may take, in milliseconds.
const proposeBound = 200

// BenchmarkPropose makes 200 proposals in a repository of 100,000 objects and prints the
// median time of the first fifty and of the last fifty. The ratio of these times is 1 if
// there is no slowdown. For comparison, native git writes the same commits with
// hash-object, mktree, commit-tree and update-ref.
func BenchmarkPropose(b *testing.B) {
	const proposals = 200
	d := large(b)
	base := d.git("rev-parse", "main")
	b.Log(strings.Join(strings.Fields(d.git("count-objects", "-v")), " "))
	for _, way := range []struct {
		name    string
		propose func(id int, change File) string
	}{
		{"evolve", func(id int, change File) string {
			_, commit, err := d.repo.Propose(fmt.Sprintf("P%d", id), []File{change}, "propose\n", someone, always)
			if err != nil {
				b.Fatal(err)
			}
			return commit
		}},
		{"native", func(id int, change File) string { return d.proposeNatively(base, id, change) }},
	} {
		b.Run(way.name, func(b *testing.B) {
			for b.Loop() {
				took := make([]time.Duration, proposals)
				for i := range took {
					n := i * 479 % largeFiles
					change := File{Path: largePath(n), Old: []byte(largeText(n)), New: fmt.Appendf(nil, "package e // by %s, %d\n", way.name, i)}
					begin := time.Now()
					way.propose(i, change)
					took[i] = time.Since(begin)
				}
				first, last := medianOf(took[:50]), medianOf(took[proposals-50:])
				b.ReportMetric(medianOf(took).Seconds()*1e3, "ms/proposal")
				b.ReportMetric(proposeBound, "bound-ms")
				b.ReportMetric(first.Seconds()*1e3, "ms-first50")
				b.ReportMetric(last.Seconds()*1e3, "ms-last50")
				b.ReportMetric(last.Seconds()/first.Seconds(), "last/first")
			}
		})
	}
	d.git("fsck", "--strict", "--no-dangling", "--connectivity-only")
}

// proposeNatively makes the same proposal with native git's plumbing commands.
func (b *fixture) proposeNatively(base string, id int, change File) string {
	hash := b.gitIn(string(change.New), "hash-object", "-w", "--stdin")
	kind, mode, name := "blob", "100644", change.Path
	for name != "." {
		dir, last := path.Split(name)
		var lines []string
		for line := range strings.Lines(b.git("ls-tree", base+":"+strings.TrimSuffix(dir, "/")) + "\n") {
			if _, n, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); n == last {
				line = fmt.Sprintf("%s %s %s\t%s\n", mode, kind, hash, last)
			}
			lines = append(lines, line)
		}
		hash = b.gitIn(strings.Join(lines, ""), "mktree")
		kind, mode, name = "tree", "040000", path.Clean(dir)
	}
	commit := b.git("commit-tree", "-p", base, "-m", "propose", hash)
	b.git("update-ref", fmt.Sprintf("refs/evolve/proposals/N%d", id), commit)
	return commit
}

func medianOf(took []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(took))
	return sorted[len(sorted)/2]
}

// BenchmarkTree lists and exports the large repository, and compares two commits.
func BenchmarkTree(b *testing.B) {
	d := large(b)
	base := d.git("rev-parse", "main")
	next, err := d.repo.Commit(base, []File{{Path: largePath(7), Old: []byte(largeText(7)), New: []byte("x")}}, "m\n", someone)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			if tree, err := d.repo.Tree(base); err != nil || len(tree) != largeFiles {
				b.Fatal(len(tree), err)
			}
		}
	})
	b.Run("changed", func(b *testing.B) {
		for b.Loop() {
			if paths, err := d.repo.Changed(base, next); err != nil || len(paths) != 1 {
				b.Fatal(paths, err)
			}
		}
	})
	b.Run("export", func(b *testing.B) {
		for b.Loop() {
			dir := b.TempDir()
			if err := d.repo.Export(b.Context(), base, dir); err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			_ = os.RemoveAll(dir)
			b.StartTimer()
		}
	})
}
