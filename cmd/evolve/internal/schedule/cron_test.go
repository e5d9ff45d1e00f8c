package schedule

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestOtherLinesStay checks that installing and removing leaves every other byte of a crontab.
func TestOtherLinesStay(t *testing.T) {
	a, b := exampleNight("/bin/evolve", "/srv/a b"), exampleNight("/bin/evolve", "/srv/a")
	linesA, errA := Crontab(a)
	linesB, errB := Crontab(b)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	must := func(t *rapid.T, crontab, workspace, lines string) string {
		out, err := replaceBlock(crontab, workspace, lines)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"", "# a comment", "MAILTO=\"x\"", "0 5 * * 1 tar -zcf a%b", "# evolve begin", "# evolve end /srv", "\t@daily x", "é\r"})
		before := ""
		for _, l := range rapid.SliceOf(line).Draw(t, "lines") {
			before += l + "\n"
		}
		with := must(t, before, a.Workspace, linesA)
		both := must(t, with, b.Workspace, linesB)
		if again := must(t, both, a.Workspace, linesA); again != both {
			t.Fatalf("a second time: %q became %q", both, again)
		}
		if !strings.HasPrefix(both, before) || !strings.Contains(both, linesA) || !strings.Contains(both, linesB) {
			t.Fatalf("%q became %q", before, both)
		}
		if left := must(t, both, a.Workspace, ""); left != must(t, before, b.Workspace, linesB) {
			t.Fatalf("removing the first left %q", left)
		}
		if left := must(t, must(t, both, b.Workspace, ""), a.Workspace, ""); left != before {
			t.Fatalf("%q became %q", before, left)
		}
	})
}

// TestHalfABlock checks that lines that lack one of their marks lead to an error instead of
// a guess.
func TestHalfABlock(t *testing.T) {
	lines, err := Crontab(exampleNight("/bin/evolve", "/srv/a"))
	if err != nil {
		t.Fatal(err)
	}
	all := strings.SplitAfter(lines, "\n")
	for _, half := range []string{strings.Join(all[1:], ""), strings.Join(all[:3], ""), strings.Join(all[:3], "") + lines} {
		if got, err := replaceBlock(half, "/srv/a", ""); err == nil {
			t.Errorf("%q became %q", half, got)
		}
	}
	if got, err := replaceBlock("0 1 * * * x", "/srv/a", lines); err != nil || got != "0 1 * * * x\n"+lines {
		t.Errorf("%q: %v", got, err)
	}
}
