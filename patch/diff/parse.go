package diff

import (
	"fmt"
	"regexp"
	"strings"
)

// Parse reads a unified diff from a text. It accepts wrong or omitted line numbers and
// counts, names without prefixes, missing "diff --git" lines, a missing newline at the end,
// CRLF endings, Markdown fences, and prose before, after and between the files. It returns
// a *RefusedError for everything that is not a change to the text of regular files, for
// unsafe paths, and for everything that could be part of a diff but cannot be read as such:
// nothing is dropped silently. It also refuses a diff that exceeds MaxText, MaxFiles or
// MaxHunks.
func Parse(text []byte) (Patch, error) {
	if len(text) > MaxText {
		return Patch{}, &RefusedError{Reason: TooLarge, Text: fmt.Sprintf("the diff has %d bytes; the maximum is %d", len(text), MaxText), Hint: "propose smaller changes, one at a time"}
	}
	p := &parser{lines: strings.Split(string(text), "\n"), paths: map[string]bool{}}
	if last := len(p.lines) - 1; p.lines[last] == "" {
		p.lines = p.lines[:last]
	} else {
		p.cut = true
	}
	for p.i < len(p.lines) {
		if err := p.next(); err != nil {
			return Patch{}, err
		}
	}
	if err := p.finish(); err != nil {
		return Patch{}, err
	}
	if p.fence != "" && p.short {
		return Patch{}, p.refuse(len(p.lines)-1, Malformed, "the diff seems to be cut off: the fence is not closed and the last hunk has fewer lines than its header states", "send the whole diff")
	}
	if len(p.out) == 0 {
		return Patch{}, &RefusedError{Reason: Empty, Text: "there is no unified diff in the text", Hint: "write one with lines like `--- a/FILE`, `+++ b/FILE`, `@@ -1,3 +1,4 @@`, or give old and new text"}
	}
	return Patch{sections: p.out}, nil
}

// parser reads the lines of a text in one pass.
type parser struct {
	lines []string
	i     int
	cut   bool   // the text's last line has no newline
	cur   *draft // the file to which hunks belong; nil while reading prose
	out   []section
	paths map[string]bool
	hunks int

	fence  string // the marker of the open fence; "" outside a fence
	strict bool   // the fence encloses a diff, all of which must be read
	files  int    // the number of files read when the fence was opened
	// short reports whether the last hunk had fewer lines than its header states. torn
	// reports whether prose followed such a hunk; in that case, a later line that looks
	// like part of a diff is a line that the hunk lost.
	short, torn bool
}

var (
	fenceForm  = regexp.MustCompile("^ {0,3}(```+|~~~+)[ \t]*([A-Za-z0-9_+-]*)")
	hunkLike   = regexp.MustCompile(`^@@( |$)`)
	mergeLike  = regexp.MustCompile(`^(@@@+ -|diff --(cc|combined) )`)
	binaryLike = regexp.MustCompile(`^(GIT binary patch$|Binary files .* differ$)`)
	moveLike   = regexp.MustCompile(`^(rename|copy) (from|to) .`)
	alikeLike  = regexp.MustCompile(`^similarity index \d+%$`)
	modeLike   = regexp.MustCompile(`^(old mode|new mode|new file mode|deleted file mode) ([0-7]{6})$`)
	indexLike  = regexp.MustCompile(`^index ([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: ([0-7]{6}))?$`)
	toolLike   = regexp.MustCompile(`^(diff|Index:|Only in) `) // lines that tools write between files
	pageLike   = regexp.MustCompile(`^[0-9]+\.[0-9]+[0-9A-Za-z.-]*( \(.*\))?$`)
)

// line returns line i without the CR of its line ending; it returns "" after the end.
func (p *parser) line(i int) string {
	if i >= len(p.lines) {
		return ""
	}
	return strings.TrimSuffix(p.lines[i], "\r")
}

func (p *parser) refuse(i int, why Reason, text, hint string) error {
	e := &RefusedError{Line: i + 1, Reason: why, Text: text, Hint: hint}
	if d := p.cur; d != nil {
		e.Hunk = d.reading
		for _, name := range []string{d.path, d.git, strings.TrimPrefix(d.after, "b/"), strings.TrimPrefix(d.before, "a/")} {
			if name != "" && name != null {
				e.Path = name[:min(len(name), maxPath)]
				break
			}
		}
	}
	return e
}

// signature reports whether the signature of git format-patch begins here. It consists of
// two dashes and git's version.
func (p *parser) signature() bool {
	s, last := p.line(p.i), p.line(p.i+2)
	return (s == "-- " || s == "--") && pageLike.MatchString(p.line(p.i+1)) && (last == "" || strings.HasPrefix(last, "From "))
}

// starts reports whether the two names at the current line begin a file although the
// previous hunk expects more lines. The names begin a file if a hunk follows them and the
// previous hunk does not expect exactly these two lines.
func (p *parser) starts(old, now int) bool {
	return hunkLike.MatchString(p.line(p.i+2)) && (old != 1 || now != 1)
}

// named reports whether lines i and i+1 are the lines with the two names of a file.
func (p *parser) named(i int) bool {
	return strings.HasPrefix(p.line(i), "--- ") && strings.HasPrefix(p.line(i+1), "+++ ")
}

// next reads the element that begins at the current line.
func (p *parser) next() error {
	s := p.line(p.i)
	if p.fence != "" || fenceForm.MatchString(s) {
		if read, err := p.fenced(s); read || err != nil {
			return err
		}
	}
	switch {
	case mergeLike.MatchString(s):
		return p.refuse(p.i, Unsupported, "this is the diff of a merge", "make a diff against one base: `git diff BASE`")
	case binaryLike.MatchString(s):
		return p.refuse(p.i, Unsupported, "binary files cannot be changed by a patch", "leave them out")
	case alikeLike.MatchString(s), p.cur != nil && moveLike.MatchString(s):
		return p.refuse(p.i, Unsupported, "renames and copies are not supported", "write them as a removed file and a new file: `git diff --no-renames`")
	case hunkLike.MatchString(s):
		return p.hunk()
	case p.opens(s):
		return p.head(s)
	case p.cur != nil && p.signature():
		p.i += 2
		return p.finish()
	case s == "":
		p.i++
		return nil
	}
	return p.prose(s)
}

// fenced reads a line that opens or closes a Markdown fence, unless the line belongs to the
// content of an open fence.
func (p *parser) fenced(s string) (read bool, err error) {
	m := fenceForm.FindStringSubmatch(s)
	switch {
	case m == nil:
		return false, nil
	case p.fence == "":
		if err := p.finish(); err != nil {
			return true, err
		}
		p.fence, p.strict, p.torn, p.files = m[1], m[2] == "diff" || m[2] == "patch" || m[2] == "udiff", false, len(p.out)
	case strings.Trim(s, p.fence[:1]+" \t") == "" && len(strings.TrimSpace(s)) >= len(p.fence):
		if err := p.finish(); err != nil {
			return true, err
		}
		if p.strict && len(p.out) == p.files {
			return true, p.refuse(p.i, Malformed, "a fenced block marked as a diff contains no file", "put `--- a/FILE` and `+++ b/FILE` before the first hunk, at the beginning of the line")
		}
		p.fence, p.strict, p.short, p.torn = "", false, false, false
	default:
		return false, nil
	}
	p.i++
	return true, nil
}

// prose skips a line that is not part of a diff. It returns an error if the line could be
// part of a diff.
func (p *parser) prose(s string) error {
	likely := s[0] == '+' || s[0] == '-' && s != "---"
	switch {
	case p.cur != nil && len(p.cur.hunks) > 0 && p.i == p.cur.end && (p.short || !toolLike.MatchString(s)):
		return p.refuse(p.i, Malformed, "a line does not begin with a space, + or -: "+quote(s),
			"begin every line of a hunk with a space, + or -; put an empty line or the closing fence before prose")
	case likely && p.strict:
		return p.refuse(p.i, Malformed, "a changed line comes before any `--- a/FILE` and `+++ b/FILE`", "put the --- and +++ lines before the first hunk")
	case likely && (p.torn || p.cur != nil):
		return p.refuse(p.i, Malformed, "a changed line belongs to no hunk: "+quote(s), "begin every hunk with a line `@@ -LINE,COUNT +LINE,COUNT @@` and keep prose out of it")
	}
	if p.cur != nil {
		p.torn = p.short || p.fence != ""
	}
	p.i++
	return p.finish()
}
