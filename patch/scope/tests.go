package scope

import (
	"fmt"
	"slices"
	"strings"
)

// goldenFiles are names of files and folders that hold expected outputs of tests.
var goldenFiles = []string{
	"*.golden", "*.golden.*", "*_golden.*", "golden.*", "*.snap", "*.approved.*", "*.txtar",
	"golden", "goldens", "goldenfiles", "__snapshots__", "snapshots",
}

// testRules separates the existing tests that judge a patch from the tests that the patch
// adds. The patch must not change the existing tests; the added tests are judged
// separately.
type testRules struct {
	// judged is the set of testdata folders that the base has.
	judged map[string]bool
}

func newTestRules(base Tree) testRules {
	l := testRules{judged: map[string]bool{}}
	for _, e := range base {
		if !strings.Contains(e.Path, "testdata/") {
			continue
		}
		segments := strings.Split(e.Path, "/")
		if at := slices.Index(segments, "testdata"); at >= 0 {
			l.judged[strings.Join(segments[:at+1], "/")] = true
		}
	}
	return l
}

// judge reports whether a change adds a test, or returns the reason why it may not change a
// test. A file that the Go tool treats as source must never pass for a test, and a test
// must never pass for source, so names that only resemble the names of tests are refused.
func (r testRules) judge(c *change) (fresh bool, rule, why string) {
	for i, s := range c.folded[:len(c.folded)-1] {
		if s != "testdata" {
			continue
		}
		folder := strings.Join(c.segments[:i+1], "/")
		switch {
		case c.segments[i] != s:
			return false, "testdata", fmt.Sprintf("%q is testdata on some systems and source on others", folder)
		case r.judged[folder] || c.old != nil:
			return false, "testdata", fmt.Sprintf("existing tests may read %s", folder)
		}
		return true, "", ""
	}
	if strings.HasSuffix(c.name(), "_test.go") {
		switch {
		case !strings.HasSuffix(c.path, "_test.go"):
			return false, "test", "the name is that of a test file on some systems and that of a source file on others"
		case c.now == nil:
			return false, "test", "it removes an existing test"
		case c.old != nil:
			return false, "test", "it changes an existing test"
		}
		return true, "", ""
	}
	for i, s := range c.folded {
		last := i == len(c.folded)-1
		if pattern, ok := matches(goldenFiles, s); ok && !(last && strings.HasSuffix(s, ".go")) {
			return false, "golden file", fmt.Sprintf("%s contains data that tests compare against (%s); put new data into a separate testdata folder", s, pattern)
		}
	}
	return false, "", ""
}
