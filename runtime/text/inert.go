package text

import (
	"regexp"
	"strings"
)

// inert matches what git hosts and related services act on in the text of a commit or a
// pull request: mentions of people, references that close issues, addresses, links, and
// requests to skip checks. Inserting a space after the first group makes each of them
// inert.
var inert = []*regexp.Regexp{
	regexp.MustCompile(`([@#!&])([\pL\pN_{"])`),
	regexp.MustCompile(`\b([A-Za-z][A-Za-z0-9_]+-)(\pN)`), // GH-12, and the issues of other trackers
	regexp.MustCompile(`(:)(//)`),
	regexp.MustCompile(`(\[)([\pL\pN])`),
	regexp.MustCompile(`(?i)(NO)(_CI)\b`),
}

// Inert returns foreign text of several lines in a form for a commit message or a pull
// request. Each line is [Visible] and indented by four spaces, so Markdown shows it as it
// is and no line is a trailer or a command. Nothing in the text mentions people, closes
// issues or creates links.
func Inert(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		line = Visible(strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    "))
		for _, form := range inert {
			for range 2 { // adjacent matches share a character, so a second pass is needed
				line = form.ReplaceAllString(line, "$1 $2")
			}
		}
		if line = strings.TrimRight(line, " "); line != "" {
			line = "    " + line
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}
