package review

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"evolve/archive"
	"evolve/patch"
)

// TestRehearsalsStayInside checks that a path outside the scratch folder is not written.
func TestRehearsalsStayInside(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "owned")
	for _, path := range []string{"../owned", "../../../../../../../../" + outside, outside, "a/../../owned", ".git/hooks/post-commit", "a/.GIT/x", `a\..\b`, "", ".", "a//b", "a\nb"} {
		err := scratch(func(folder string) error {
			return writeBelow(folder, []patch.File{{Path: path, New: []byte("x")}})
		})
		if !filepath.IsLocal(path) && path != "" && err == nil {
			t.Errorf("%q was written", path)
		}
		if _, err := os.Stat(outside); err == nil {
			t.Fatalf("%q was written", path)
		}
	}
}

// TestForeignAdoption checks that the hint for an imported adoption names its commit only
// if it is a valid commit name.
func TestForeignAdoption(t *testing.T) {
	commit := strings.Repeat("0a", 20)
	for adopted, want := range map[string]string{
		commit:        "`git revert " + commit + "`",
		"":            "`git log --grep 'Evolve-Proposal: P3'`",
		"x; rm -rf .": "`git log --grep 'Evolve-Proposal: P3'`",
	} {
		err := foreign(archive.ProposalRecord{ID: "P3", State: archive.Adopted, Imported: archive.Adopted, AdoptedCommit: adopted})
		var refused *RefusedError
		if !errors.As(err, &refused) || !strings.Contains(refused.Hint, want) || strings.Contains(refused.Hint, "rm -rf") {
			t.Errorf("%q: %v, %+v", adopted, err, refused)
		}
	}
}
