package clitest

import (
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// explained is the set of error messages, among those quoted on a page of the manual,
// that a script has already produced.
type explained map[string]bool

// scriptExplains checks that the section for an exit code on a page of the manual quotes
// the error that a program printed. With "all" instead of a code, it checks that the script
// has produced every error quoted on the page.
func scriptExplains(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: explains PAGE CODE [FILE], explains PAGE all")
	}
	page := ts.ReadFile(args[0])
	produced := startedBy(ts).explained
	if args[1] == "all" {
		for _, m := range quotedErrors(page) {
			if !produced[m] {
				ts.Fatalf("nothing has produced %q", m)
			}
		}
		return
	}
	output := "stderr"
	if len(args) == 3 {
		output = args[2]
	}
	_, section, found := strings.Cut(page, "## Exit code "+args[1]+":")
	if !found {
		ts.Fatalf("the page has no section for exit code %s", args[1])
	}
	section, _, _ = strings.Cut(section, "\n## ")
	for _, m := range quotedErrors(section) {
		pattern := strings.ReplaceAll(regexp.QuoteMeta(m), "…", ".*")
		if regexp.MustCompile("(?m)^error: " + pattern + "$").MatchString(ts.ReadFile(output)) {
			produced[m] = true
			return
		}
	}
	ts.Fatalf("the section for exit code %s has no such error:\n%s", args[1], ts.ReadFile(output))
}

// quotedErrors returns the messages that follow "error: " in the indented lines of a page.
func quotedErrors(page string) []string {
	var errors []string
	for line := range strings.Lines(page) {
		if m, ok := strings.CutPrefix(line, "    error: "); ok {
			errors = append(errors, strings.TrimSpace(m))
		}
	}
	return errors
}
