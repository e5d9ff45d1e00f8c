package cli

import (
	"regexp"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// flagValue matches the value of a flag in the flag's usage text.
var flagValue = regexp.MustCompile("`([^`]*)`")

// TestFlagTexts checks the usage text of every flag. It must be one line that begins in
// lower case and has no full stop, and it must name the value by a noun in capitals or by
// an example of its form.
func TestFlagTexts(t *testing.T) {
	noNoun := map[string]bool{"LONG": true, "WHY": true, "HOW": true, "WHICH": true, "WHAT": true, "MUCH": true}
	seen := 0
	check := func(name string, flags []cli.Flag) {
		for _, f := range flags {
			d, ok := f.(cli.DocGenerationFlag)
			if !ok {
				continue
			}
			seen++
			usage := d.GetUsage()
			where := name + " --" + f.Names()[0]
			first, _, _ := strings.Cut(strings.TrimPrefix(usage, "`"), " ")
			switch {
			case usage == "":
				t.Errorf("%s has no usage", where)
			case strings.Contains(usage, "\n"), strings.HasSuffix(usage, "."):
				t.Errorf("%s: %q", where, usage)
			case strings.ToUpper(first[:1]) == first[:1] && strings.ToUpper(first) != first && strings.ToLower(first[:1]) != first[:1]:
				t.Errorf("%s begins with a capital: %q", where, usage)
			}
			if !d.TakesValue() {
				continue
			}
			m := flagValue.FindStringSubmatch(usage)
			if m == nil {
				t.Errorf("%s does not name its value: %q", where, usage)
			} else if noNoun[m[1]] || strings.ToUpper(m[1]) != m[1] {
				t.Errorf("%s calls its value %q", where, m[1])
			}
		}
	}
	app := testApp()
	check("evolve", app.Flags)
	var walk func(prefix string, list []*cli.Command)
	walk = func(prefix string, list []*cli.Command) {
		for _, c := range list {
			check(prefix+" "+c.Name, c.Flags)
			walk(prefix+" "+c.Name, c.Subcommands)
		}
	}
	walk("evolve", app.Commands)
	if seen < 100 {
		t.Errorf("only %d flags were seen", seen)
	}
}
