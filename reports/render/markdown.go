package render

import (
	"bytes"
	"io"
	"regexp"
	"strings"

	"evolve/reports/model"
	"evolve/runtime/text"
)

// Markdown writes the whole report as GitHub-flavoured Markdown. Foreign text is in code
// spans and code blocks, in which it cannot act as structure or as a link.
func Markdown(w io.Writer, r model.Report) error {
	var m markdown
	for _, line := range waitingLines(r.Volatile) {
		m.line(mdText(line) + "\n")
	}
	for i, s := range subjects(r) {
		if i > 0 {
			m.b.WriteString("\n---\n\n")
		}
		m.box(decisionBox(s))
		if line := patchLine(r.Volatile.Patches); i == 0 && len(line) > 0 {
			m.line("\nPatches: " + mdText(line))
		}
		for _, sec := range sections(s) {
			m.line("\n## " + mdOwn(sec.Title))
			m.blocks(sec.Blocks)
		}
	}
	for _, sec := range closing(r) {
		m.line("\n## " + mdOwn(sec.Title))
		m.blocks(sec.Blocks)
	}
	_, err := w.Write(m.b.Bytes())
	return err
}

type markdown struct{ b bytes.Buffer }

func (m *markdown) line(s string) {
	m.b.WriteString(strings.TrimRight(s, " "))
	m.b.WriteByte('\n')
}

func (m *markdown) box(b box) {
	m.line("# " + mdText(b.Title))
	m.line("")
	for _, a := range b.Alarms {
		m.line("**!** " + mdText(a.Words()))
		m.line("")
		if a.Command != "" {
			m.fenced("sh", []string{a.Command})
			m.line("")
		}
	}
	head := "**" + b.Verdict + "**"
	if len(b.Subject) > 0 {
		head += " " + mdText(b.Subject)
	}
	for _, part := range []string{mdOwn(b.Claim), mdText(b.Sentence)} {
		if part != "" {
			head += ": " + part
		}
	}
	m.line(head)
	m.line("")
	for _, r := range b.Rows {
		parts := make([]string, 0, len(r.Figures)+1)
		for _, f := range append(append([]spans{}, r.Figures...), r.Note) {
			if len(f) > 0 {
				parts = append(parts, mdText(f))
			}
		}
		m.line("- " + r.Label + ": " + strings.Join(parts, ", "))
	}
	if len(b.Rows) > 0 {
		m.line("")
	}
	m.commands(b.Commands)
}

// commands writes the command that a person should type first, and then the other commands
// on one line.
func (m *markdown) commands(list []string) {
	if len(list) == 0 {
		return
	}
	m.fenced("sh", list[:1])
	if len(list) < 2 {
		return
	}
	var others []string
	for _, c := range list[1:] {
		others = append(others, mdText(say(theirs(c, command))))
	}
	m.line("")
	m.line("or " + strings.Join(others, ", "))
}

func (m *markdown) blocks(blocks []block) {
	for _, b := range blocks {
		if f, ok := b.(fold); ok && f.PageOnly {
			continue
		}
		if p, ok := b.(para); ok && p.Drawn {
			continue
		}
		m.line("")
		switch b := b.(type) {
		case para:
			m.line(mdText(b.Text))
		case subhead:
			m.line("### " + mdText(b.Text))
		case facts:
			for _, f := range b {
				m.line("- " + mdOwn(f.Name) + ": " + mdText(f.Value))
			}
		case table:
			m.table(b)
		case listing:
			m.line(mdText(b.Label) + ":")
			m.line("")
			kind, lines := "text", make([]string, len(b.Lines))
			for i, l := range b.Lines {
				if l.Op != " " {
					kind = "diff"
				}
				lines[i] = l.Op + " " + l.Text.raw()
			}
			m.fenced(kind, lines)
		case picture:
			m.line("*" + mdOwn(b.Title) + "*: " + mdText(say(foreign(b.Description))))
		case fold:
			m.line("**" + strings.TrimSpace(mdText(b.Summary.changed(func(s *span) { s.Style = plainStyle }))) + "**")
			m.blocks(b.Blocks)
		}
	}
}

func (m *markdown) table(t table) {
	var head, rule []string
	for _, c := range t.Columns {
		head = append(head, mdOwn(c.Title))
		if c.Figures {
			rule = append(rule, "--:")
		} else {
			rule = append(rule, "---")
		}
	}
	m.line("| " + strings.Join(head, " | ") + " |")
	m.line("|" + strings.Join(rule, "|") + "|")
	for _, r := range t.Rows {
		out := make([]string, len(r.Cells))
		for i, c := range r.Cells {
			out[i] = mdCell(c)
		}
		m.line("| " + strings.Join(out, " | ") + " |")
	}
}

// fenced writes a code block whose fence is longer than any run of backticks in it.
func (m *markdown) fenced(kind string, lines []string) {
	longest := 2
	for _, l := range lines {
		longest = max(longest, backticks(l))
	}
	fence := strings.Repeat("`", longest+1)
	m.line(fence + kind)
	for _, l := range lines {
		m.line(text.Visible(l))
	}
	m.line(fence)
}

func mdText(t spans) string {
	var b strings.Builder
	for _, s := range t {
		b.WriteString(mdSpan(s))
	}
	return strings.TrimSpace(b.String())
}

// mdCell formats a text as mdText does, for use in a table cell. It writes pipes as \x7c,
// because a pipe ends the cell even inside a code span and after any number of backslashes.
func mdCell(t spans) string {
	return mdText(t.changed(func(s *span) { s.Text = strings.ReplaceAll(s.Text, "|", `\x7c`) }))
}

// mdBreak stands for a line break in a cell or list item, which in Markdown must be on one
// line.
const mdBreak = " ↵ "

func mdSpan(s span) string {
	s.Text = strings.ReplaceAll(s.Text, "\n", mdBreak)
	words := strings.TrimSpace(s.Text)
	if words == "" {
		return s.Text
	}
	lead, trail := s.Text[:strings.Index(s.Text, words)], ""
	if n := len(lead) + len(words); n < len(s.Text) {
		trail = s.Text[n:]
	}
	switch {
	case s.Style == command || s.Foreign && !harmless(words):
		words = codeSpan(words)
	case !s.Foreign:
		words = mdOwn(words)
	}
	switch s.Style {
	case strong:
		words = "**" + words + "**"
	case aside:
		lead, words = " ", "("+words+")"
	}
	return lead + words + trail
}

// prose matches untrusted text that Markdown treats as plain text. Such text begins with
// a letter and contains no brackets, no emphasis marks, and no colon that could be part
// of a link. Text that begins with www would still become a link.
var prose = regexp.MustCompile(`^\p{L}(?:[\p{L}\p{N} ,;.()%/'"?!+=→−–…-]|: )*$`)

func harmless(s string) bool {
	return prose.MatchString(s) && !strings.Contains(strings.ToLower(s), "www.")
}

var mdEscaper = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", `\<`, "~", `\~`, "|", `\|`, "#", `\#`)

// mdOwn escapes the report's own words for Markdown.
func mdOwn(s string) string { return mdEscaper.Replace(s) }

// codeSpan quotes s with more backticks than the longest run of backticks in s.
func codeSpan(s string) string {
	fence := strings.Repeat("`", backticks(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// backticks returns the length of the longest run of backticks in a text.
func backticks(s string) int {
	longest, run := 0, 0
	for i := 0; i < len(s); i++ {
		if s[i] == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return longest
}
