package scope

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// malformed refuses paths that must never be in a tree, because they lead out of their
// folder or refer to a different file than they seem to.
func malformed(path string) (rule, why string) {
	switch {
	case path == "":
		return "malformed path", "the path is empty"
	case strings.HasPrefix(path, "/"):
		return "malformed path", "the path is absolute"
	case strings.Contains(path, `\`):
		return "malformed path", "a backslash separates folders on some systems and not on others"
	}
	for _, s := range strings.Split(path, "/") {
		if s == "" || s == "." || s == ".." {
			return "malformed path", fmt.Sprintf("the segment %q is not allowed in a path", s)
		}
	}
	return "", ""
}

// nonASCII refuses every character outside printable ASCII. Some legitimate names contain
// other characters, but no weaker rule separates these characters from look-alikes (a
// Cyrillic а, a full-width dot, an invisible joiner) in a way that a person could check by
// eye, and the source files of a Go program hardly ever need them.
func nonASCII(path string) (rule, why string) {
	if !utf8.ValidString(path) {
		return "deceptive name", "the path is not valid UTF-8"
	}
	for _, r := range path {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) {
			return "deceptive name", fmt.Sprintf("the path has the control character %U", r)
		}
		if r > unicode.MaxASCII {
			return "deceptive name", fmt.Sprintf("the character %U is not ASCII and may look like another character: a patch can change only files with ASCII paths", r)
		}
	}
	return "", ""
}

// reserved are the names for which Windows opens a device instead of a file, in any folder
// and with any extension.
var reserved = []string{"con", "prn", "aux", "nul", "conin$", "conout$"}

// unportable refuses a segment that some file system treats as a different name.
func unportable(s string) (rule, why string) {
	switch {
	case s == "" || s == "." || s == "..": // refused as malformed
		return "", ""
	case strings.HasSuffix(s, ".") || strings.HasSuffix(s, " "):
		return "unportable name", fmt.Sprintf("Windows drops the dot or space at the end of %q", s)
	case strings.HasPrefix(s, " "):
		return "unportable name", fmt.Sprintf("%q begins with a space", s)
	case strings.HasPrefix(s, "-"):
		return "unportable name", fmt.Sprintf("commands treat %q as an option", s)
	case strings.ContainsAny(s, `<>:"|?*`):
		return "unportable name", fmt.Sprintf("%q has a character with a special meaning on Windows or in a shell", s)
	case len(s) > 255:
		return "unportable name", "a name is longer than 255 bytes"
	}
	stem, _, _ := strings.Cut(strings.ToLower(s), ".")
	stem = strings.TrimRight(stem, " ")
	port := len(stem) == 4 && (strings.HasPrefix(stem, "com") || strings.HasPrefix(stem, "lpt")) && stem[3] >= '0' && stem[3] <= '9'
	if port || slices.Contains(reserved, stem) {
		return "unportable name", fmt.Sprintf("%q is the name of a device on Windows", s)
	}
	return "", ""
}
