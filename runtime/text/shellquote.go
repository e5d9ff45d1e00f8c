package text

import (
	"regexp"
	"strings"
)

// plainWord matches words that no shell interprets.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9@%_+=:,./-]+$`)

// ShellQuote returns s as it must be typed as one word in a POSIX shell, for use in a hint.
func ShellQuote(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// GitShow returns the command that shows a commit or ref of the repository in a folder; ""
// or "." means the current folder.
func GitShow(folder, revision string) string {
	if folder == "" || folder == "." {
		return "git show " + ShellQuote(revision)
	}
	return "git -C " + ShellQuote(folder) + " show " + ShellQuote(revision)
}
