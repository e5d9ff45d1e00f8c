package gotest

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"evolve/patch"
)

// TestAssemble checks that an assembled tree has the right files, and that the files'
// times follow from their contents. The tree may share files with the caller's trees only
// if nothing can write to these files and their times are right.
func TestAssemble(t *testing.T) {
	base := map[string][]byte{"go.mod": []byte("module m\n"), "a.go": []byte("package a\n"), "in/a_test.go": []byte("package in\n")}
	candidate := map[string][]byte{"go.mod": []byte("module m\n"), "a.go": []byte("package a // new\n"), "in/a_test.go": []byte("package in // weak\n")}
	tested := map[string][]byte{"go.mod": []byte("module m\n"), "a.go": []byte("package a // new\n"), "in/a_test.go": []byte("package in\n")}
	for _, c := range []struct {
		name            string
		candidate, want map[string][]byte
		shared, touched bool
		whole, linked   bool // it is the candidate's own folder; it shares files with the trees
	}{
		{"as the candidate is", tested, tested, true, false, true, true},
		{"as the base is", base, base, true, false, true, true},
		{"as neither is", candidate, tested, true, false, false, true},
		{"without a sandbox", tested, tested, false, false, false, false},
		{"times of their own", tested, tested, true, true, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dirs := [2]string{write(t, base), write(t, c.candidate)}
			if c.touched {
				for _, dir := range dirs {
					if err := os.Chtimes(filepath.Join(dir, "go.mod"), time.Unix(1, 0), time.Unix(1, 0)); err != nil {
						t.Fatal(err)
					}
				}
			}
			var trees [2]tree
			for i, dir := range dirs {
				var err error
				if trees[i], err = readTree(dir); err != nil {
					t.Fatal(err)
				}
			}
			at, err := assemble(filepath.Join(t.TempDir(), "tree"), trees[0], trees[1], []string{"a.go"}, c.shared)
			if err != nil {
				t.Fatal(err)
			}
			if whole := at == dirs[1]; whole != c.whole {
				t.Errorf("it is the candidate's own folder: %t", whole)
			}
			got, err := readTree(at)
			if err != nil {
				t.Fatal(err)
			}
			want, err := readTree(write(t, c.want))
			if err != nil {
				t.Fatal(err)
			}
			if diff := differences(want, got); len(diff) > 0 || !got.settled {
				t.Errorf("other than it should be: %v, settled: %t", diff, got.settled)
			}
			one, err := os.Stat(filepath.Join(dirs[0], "in", "a_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			other, err := os.Stat(filepath.Join(dirs[1], "in", "a_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			now, err := os.Stat(filepath.Join(at, "in", "a_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			if linked := os.SameFile(now, one) || os.SameFile(now, other); linked != c.linked {
				t.Errorf("it has files of the caller: %t", linked)
			}
			if !now.ModTime().Equal(patch.TimeOf(c.want["in/a_test.go"])) {
				t.Error("a time that does not follow from the content", now.ModTime())
			}
		})
	}
}
