package text

import (
	"regexp"
	"strings"
)

// inert are the forms in which hosts of git repositories and their neighbours find something to
// do in the text of a commit or a pull request: mentions of people, references that close
// issues, addresses, links, requests to skip checks. A space after the first group stops each.
var inert = []*regexp.Regexp{
	regexp.MustCompile(`([@#!&])([\pL\pN_{"])`),
	regexp.MustCompile(`\b([A-Za-z][A-Za-z0-9_]+-)(\pN)`), // GH-12, and the issues of other trackers
	regexp.MustCompile(`(:)(//)`),
	regexp.MustCompile(`(\[)([\pL\pN])`),
	regexp.MustCompile(`(?i)(NO)(_CI)\b`),
}

// Inert returns foreign text of several lines for a commit message or a pull request: each line
// is [Visible] and indented by four spaces, so that Markdown shows it as it is, no line is a
// trailer or a command, and nothing in it mentions people, closes issues or links anywhere.
func Inert(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		line = Visible(strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    "))
		for _, form := range inert {
			for range 2 { // forms that follow each other share a character
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
