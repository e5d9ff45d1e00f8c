package diff

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"evolve/runtime/text"
)

// null is the name that stands for no file.
const null = "/dev/null"

// checkPath returns the reason why a path is unsafe, or "" if it is safe. Which paths a
// change may touch is decided by package scope.
func checkPath(path string) string {
	switch {
	case path == "":
		return "the path is empty"
	case len(path) > maxPath:
		return "the path is longer than " + strconv.Itoa(maxPath) + " bytes"
	case !utf8.ValidString(path):
		return "the path is not UTF-8"
	case strings.HasPrefix(path, "/"), len(path) > 1 && path[1] == ':':
		return "the path is absolute"
	case strings.Contains(path, `\`):
		return "the path has a backslash"
	}
	for _, r := range path {
		if !text.Shown(r) || r == '⟦' || r == '⟧' { // the brackets of escapes
			return "the path has control or invisible characters"
		}
	}
	for segment := range strings.SplitSeq(path, "/") {
		// File systems of other operating systems drop trailing spaces and dots and
		// everything after a colon, and accept a short name for .git.
		bare, _, _ := strings.Cut(strings.ToLower(segment), ":")
		bare = strings.TrimRight(bare, " .")
		switch {
		case segment == "":
			return "the path has an empty segment"
		case segment == "." || segment == "..":
			return "the path has a segment " + segment
		case bare == ".git" || bare == "git~1":
			return "the path leads into git's own folder"
		case bare == "":
			return "the path has a segment that consists of dots and spaces"
		case len(segment) > maxSegment:
			return "the path has a segment longer than " + strconv.Itoa(maxSegment) + " bytes"
		}
	}
	return ""
}

// header parses a file's name on a header line. The name ends at a tab, after which a time
// may follow, and is unquoted if git quoted it. ok is false if the quoting is invalid.
func header(rest string) (name string, ok bool) {
	rest = strings.TrimSuffix(rest, "\r")
	if strings.HasPrefix(rest, `"`) {
		name, _, ok = unquote(rest)
		return name, ok
	}
	name, _, timed := strings.Cut(rest, "\t")
	if !timed {
		name = strings.TrimRight(name, " ")
	}
	return name, name != ""
}

// unquote parses a name that git quoted with the escapes of C.
func unquote(s string) (name, rest string, ok bool) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			return b.String(), s[i+1:], true
		case '\\':
			i++
			if i >= len(s) {
				return "", "", false
			}
			if at := strings.IndexByte(`abtnvfr"\`, s[i]); at >= 0 {
				b.WriteByte("\a\b\t\n\v\f\r\"\\"[at])
				continue
			}
			if i+3 > len(s) {
				return "", "", false
			}
			n, err := strconv.ParseUint(s[i:i+3], 8, 8)
			if err != nil {
				return "", "", false
			}
			b.WriteByte(byte(n))
			i += 2
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

// pair returns the path to which an old and a new name refer, without the prefixes of the
// two sides: a/ and b/, or other prefixes of one letter. If the names are equal, they have
// no prefixes. ok is false if the names refer to different files.
func pair(before, after string) (path string, ok bool) {
	if before == after {
		return before, true
	}
	p, b, prefixed := strings.Cut(before, "/")
	q, a, prefixed2 := strings.Cut(after, "/")
	switch {
	case prefixed && prefixed2 && len(p) == 1 && len(q) == 1 && b == a:
		return b, true
	case before == "a/"+after: // one of the prefixes is missing
		return after, true
	case after == "b/"+before:
		return before, true
	}
	return "", false
}

// gitPair returns the path on a "diff --git" line. A space separates the two names on the
// line, but the names may also contain spaces.
func gitPair(rest string) (path string, ok bool) {
	rest = strings.TrimSuffix(rest, "\r")
	if len(rest) > 8*maxPath { // enough for two names, each byte written as \ooo
		return "", false
	}
	if strings.HasPrefix(rest, `"`) {
		before, rest, ok := unquote(rest)
		if !ok || !strings.HasPrefix(rest, " ") {
			return "", false
		}
		after := rest[1:]
		if strings.HasPrefix(after, `"`) {
			if after, _, ok = unquote(after); !ok {
				return "", false
			}
		}
		return pair(before, after)
	}
	for i := range len(rest) {
		if rest[i] != ' ' {
			continue
		}
		after := rest[i+1:]
		if strings.HasPrefix(after, `"`) {
			if after, _, ok = unquote(after); !ok {
				continue
			}
		}
		if path, ok := pair(rest[:i], after); ok {
			return path, true
		}
	}
	return "", false
}
