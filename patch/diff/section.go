package diff

import "strings"

// draft is a section under construction.
type draft struct {
	section
	git           string // path on the "diff --git" line
	named         bool   // there is one
	before, after string // the names on the --- and +++ lines, "" if there are none
	begun         bool   // whether a --- or +++ line was read
	first, end    int    // the section's first line, and the line after its last hunk
	reading       int    // number of the hunk being read, from 1; 0 means the whole file
	// headCR and headLF count the header lines with and without CR, and bodyCR and bodyLF
	// count the hunk lines with and without CR.
	headCR, headLF, bodyCR, bodyLF int
	lost                           bool // whether the last line is an added line whose ending is lost
}

// opens reports whether a line belongs to the header of a file.
func (p *parser) opens(s string) bool {
	switch {
	case strings.HasPrefix(s, "diff --git "), modeLike.MatchString(s), indexLike.MatchString(s):
		return true
	case p.named(p.i):
		return true
	case strings.HasPrefix(s, "--- "), strings.HasPrefix(s, "+++ "):
		return hunkLike.MatchString(p.line(p.i + 1)) // the other name is missing
	}
	return false
}

// head reads one or two lines of a file's header.
func (p *parser) head(s string) error {
	git, isGit := strings.CutPrefix(s, "diff --git ")
	name := strings.HasPrefix(s, "--- ") || strings.HasPrefix(s, "+++ ")
	if p.cur == nil || isGit || p.cur.begun || len(p.cur.hunks) > 0 {
		if err := p.finish(); err != nil {
			return err
		}
		p.cur, p.short, p.torn = &draft{first: p.i}, false, false
	}
	d := p.cur
	if isGit {
		d.named = true
		if d.git, isGit = gitPair(git); !isGit {
			return p.refuse(p.i, Unsupported, "the two names on the `diff --git` line differ", "renames are not supported: write the change as a removed file and a new file")
		}
	}
	if m := modeLike.FindStringSubmatch(s); m != nil {
		if err := p.mode(m[1], m[2]); err != nil {
			return err
		}
	}
	if m := indexLike.FindStringSubmatch(s); m != nil {
		d.oldHash, d.newHash = m[1], m[2]
		if m[3] != "" && m[3] != "100644" && m[3] != "100755" {
			return p.refuse(p.i, Unsupported, "mode "+m[3]+" is not the mode of a regular file", "links and submodules cannot be changed by a patch")
		}
	}
	p.ending()
	if !name {
		p.i++
		return nil
	}
	d.begun = true
	for _, side := range []struct {
		lead string
		name *string
	}{{"--- ", &d.before}, {"+++ ", &d.after}} {
		rest, found := strings.CutPrefix(p.line(p.i), side.lead)
		if !found {
			continue
		}
		var ok bool
		if *side.name, ok = header(rest); !ok {
			return p.refuse(p.i, Malformed, "the name of the file cannot be parsed", "write `--- a/FILE` and `+++ b/FILE`")
		}
		p.ending()
		p.i++
	}
	return nil
}

// ending counts the current header line as one with or without CR.
func (p *parser) ending() {
	if strings.HasSuffix(p.lines[p.i], "\r") {
		p.cur.headCR++
	} else {
		p.cur.headLF++
	}
}

// mode parses a header line that gives the file's mode.
func (p *parser) mode(what, mode string) error {
	d := p.cur
	switch {
	case mode[:3] != "100":
		return p.refuse(p.i, Unsupported, "mode "+mode+" is not the mode of a regular file", "links and submodules cannot be changed by a patch")
	case what == "old mode" || what == "new mode":
		return p.refuse(p.i, Unsupported, "a patch cannot change the mode of a file", "leave the mode lines out")
	case what == "new file mode" && mode != "100644":
		return p.refuse(p.i, Unsupported, "new files get mode 100644, not "+mode, "write `new file mode 100644`")
	case what == "new file mode":
		d.created = true
	default:
		d.removed = true
	}
	return nil
}

// finish completes the section of the current file, if there is one, and checks its header.
func (p *parser) finish() error {
	d := p.cur
	if d == nil {
		return nil
	}
	d.reading = 0
	if err := p.name(d); err != nil {
		return err
	}
	if bad := checkPath(d.path); bad != "" {
		return p.refuse(d.first, UnsafePath, bad, "name files relative to the root of the target, with slashes")
	}
	switch {
	case p.paths[d.path]:
		return p.refuse(d.first, Malformed, "the file has two headers", "put all its hunks under one header, in the order of their lines in the file")
	case len(p.out) == MaxFiles:
		return p.refuse(d.first, TooLarge, "too many files in one diff", "propose smaller changes, one at a time")
	case d.created && d.removed:
		return p.refuse(d.first, Malformed, "the file is marked as both new and removed", "keep only one of the two marks")
	case len(d.hunks) == 0 && !d.created && !d.removed:
		return p.refuse(d.first, Malformed, "there is no hunk for the file", "begin every hunk with a line `@@ -LINE,COUNT +LINE,COUNT @@`")
	}
	if err := p.endings(d); err != nil {
		return err
	}
	p.paths[d.path] = true
	p.out = append(p.out, d.section)
	p.cur = nil
	return nil
}

// name determines the path to which the names in a header refer.
func (p *parser) name(d *draft) error {
	differ := p.refuse(d.first, Unsupported, "the old and new names of the file differ", "renames are not supported: write the change as a removed file and a new file, or give the same path twice")
	before, after := d.before, d.after
	if before == "" {
		before = after
	}
	if after == "" {
		after = before
	}
	d.created = d.created || before == null
	d.removed = d.removed || after == null
	ok := true
	switch {
	case before == "": // no such lines
		d.path = d.git
		if !d.named {
			return p.refuse(d.first, Malformed, "a header names no file", "write `--- a/FILE` and `+++ b/FILE` before the first hunk")
		}
	case before == null && after == null:
		return p.refuse(d.first, Malformed, "both names are /dev/null", "name the file")
	case before == null:
		d.path = stripSide(after, "b/", d)
	case after == null:
		d.path = stripSide(before, "a/", d)
	case d.after == "":
		d.path = stripSide(before, "a/", d)
	case d.before == "":
		d.path = stripSide(after, "b/", d)
	default:
		d.path, ok = pair(before, after)
	}
	if !ok || d.named && d.path != d.git {
		return differ
	}
	return nil
}

// stripSide returns the path that a name gives if the other name is missing. It strips the
// prefix unless the "diff --git" line shows that there is none.
func stripSide(name, prefix string, d *draft) string {
	if d.named && name == d.git {
		return name
	}
	if d.named && strings.HasSuffix(name, "/"+d.git) && len(name) == len(d.git)+2 {
		return d.git
	}
	return strings.TrimPrefix(name, prefix)
}

// endings decides whether the CRs at the ends of lines belong to the diff or to the file.
func (p *parser) endings(d *draft) error {
	switch {
	case d.lost && d.bodyCR > 0 && d.headCR == 0:
		return p.refuse(len(p.lines)-1, Endings, "the last line of the diff has no newline, and other lines of the file end in CRLF", "send the whole diff, including the newline at the end of its last line")
	case d.headCR == 0:
		return nil // git ends header lines in LF whatever the file's endings are
	case d.headLF > 0 || d.bodyLF > 0:
		return p.refuse(d.first, Endings, "some lines of the diff end in CRLF and some in LF", "send the whole diff with one kind of line ending")
	}
	d.crlf = true
	for _, h := range d.hunks {
		for i := range h.lines {
			h.lines[i].text = strings.TrimSuffix(h.lines[i].text, "\r")
		}
	}
	return nil
}
