package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/urfave/cli/v2"

	"evolve/cmd/evolve/internal/exit"
	"evolve/runtime/text"
)

// manPage is a page of the manual for man(1).
type manPage struct {
	// name is the page's name without its section, such as evolve-run.
	name    string
	section int
	roff    []byte
	// usage describes the page on one line; body is the text after it, in Markdown.
	usage, body string
}

// file returns the path of the page below a MANPATH folder.
func (p manPage) file() string {
	return filepath.Join(fmt.Sprintf("man%d", p.section), fmt.Sprintf("%s.%d", p.name, p.section))
}

// manPages renders a section 1 page for the program and for each of its commands, and a
// section 7 page for each topic. The pages carry the version and the date of a build, and
// no other time.
func manPages(app *cli.App, b build) ([]manPage, error) {
	m := manual{build: b}
	pages := []manPage{m.page("evolve", 1, app.Usage, m.overview(app))}
	for _, c := range app.Commands {
		pages = append(pages, m.page("evolve-"+c.Name, 1, c.Usage, m.command(c)))
	}
	for _, t := range topics {
		text, err := helpTexts.ReadFile("help/" + t.name + ".md")
		if err != nil {
			return nil, fmt.Errorf("reading the manual: %w", err)
		}
		_, body, _ := strings.Cut(string(text), "\n") // its title
		pages = append(pages, m.page("evolve-"+t.name, 7, t.usage, "# DESCRIPTION\n"+withoutTags(body)+"\n# SEE ALSO\n\n"+manRef("evolve", 1)+"\n"))
	}
	return pages, nil
}

// manual writes pages as Markdown.
type manual struct{ build build }

func (m manual) page(name string, section int, usage, body string) manPage {
	source := fmt.Sprintf("%% %s %d %q %q %q\n\n# NAME\n\n%s \\- %s\n\n%s", strings.ToUpper(name), section, m.build.day(),
		"evolve "+m.build.Version, "evolve manual", name, markdown(usage), body)
	return manPage{name, section, copyable(md2man.Render([]byte(source))), usage, body}
}

func (m manual) overview(app *cli.App) string {
	var s strings.Builder
	s.WriteString("# SYNOPSIS\n\n**evolve** *COMMAND* [*ARGUMENTS*] [*FLAGS*]\n\n")
	s.WriteString("# DESCRIPTION\n\nStart with `evolve demo`, or with `evolve init` in an empty folder.\n")
	group := ""
	for _, c := range app.Commands {
		if c.Category != group {
			group = c.Category
			s.WriteString("\n# COMMANDS: " + markdown(strings.ToUpper(group)) + "\n\n")
		}
		s.WriteString(manItem(manRef("evolve-"+c.Name, 1), c.Usage))
	}
	s.WriteString("\n# TOPICS\n\n")
	for _, t := range topics {
		s.WriteString(manItem(manRef("evolve-"+t.name, 7), t.usage))
	}
	return s.String() + m.end()
}

// command returns the page of a command, including its subcommands at every level.
func (m manual) command(c *cli.Command) string {
	var s strings.Builder
	s.WriteString("# SYNOPSIS\n\n")
	walkCommands(c, "evolve", func(name string, c *cli.Command) {
		if len(c.Subcommands) > 0 && !hasOwn(c) {
			return
		}
		s.WriteString("**" + markdown(name) + "**")
		if c.ArgsUsage != "" {
			s.WriteString(" " + markdown(c.ArgsUsage))
		}
		s.WriteString(" [*FLAGS*]\n\n")
	})
	walkCommands(c, "evolve", func(name string, sub *cli.Command) {
		title := "DESCRIPTION"
		switch {
		case sub != c:
			title = markdown(strings.TrimPrefix(name, "evolve ")) + ": " + markdown(sub.Usage)
		case sub.Description == "" && !hasOwn(sub):
			return
		}
		s.WriteString("\n# " + title + "\n\n")
		if sub.Description != "" {
			s.WriteString(markdown(sub.Description) + "\n\n")
		}
		for _, f := range ownFlags(sub) {
			s.WriteString(manFlag(f))
		}
	})
	also := []string{manRef("evolve", 1)}
	for _, t := range topics {
		if t.name == c.Name {
			also = append(also, manRef("evolve-"+t.name, 7))
		}
	}
	return s.String() + m.end(also...)
}

// end returns the last sections of a page, which the pages of all commands share. The
// given references (also) are added to the section SEE ALSO.
func (manual) end(also ...string) string {
	var s strings.Builder
	s.WriteString("\n# GLOBAL FLAGS\n\n")
	for _, f := range common() {
		s.WriteString(manFlag(f))
	}
	_, codes, _ := strings.Cut(exit.Table, ": ")
	s.WriteString("\n# EXIT STATUS\n\n" + markdown(codes) + "\n\n# SEE ALSO\n\n")
	return s.String() + strings.Join(append(also, manRef("evolve-exit-codes", 7)), ", ") + "\n"
}

// walkCommands calls visit with a command and with its subcommands at every level, each
// with its full name.
func walkCommands(c *cli.Command, parent string, visit func(string, *cli.Command)) {
	name := parent + " " + c.Name
	visit(name, c)
	for _, sub := range c.Subcommands {
		walkCommands(sub, name, visit)
	}
}

func manRef(name string, section int) string {
	return fmt.Sprintf("**%s**(%d)", markdown(name), section)
}

func manItem(term, prose string) string { return term + "\n: " + markdown(prose) + "\n\n" }

func manFlag(f cli.Flag) string {
	value, usage := placeholder(f)
	var names []string
	for _, n := range f.Names() {
		names = append(names, "**"+markdown(dashed(n))+"**")
	}
	term := strings.Join(names, ", ")
	if value != "" {
		term += " *" + markdown(value) + "*"
	}
	if d := shownDefault(f); d != "" {
		usage += " (" + d + " by default)"
	}
	return manItem(term, usage)
}

var (
	codeSpan = regexp.MustCompile("`[^`]*`")
	special  = regexp.MustCompile("[\\\\`*_{}\\[\\]()#+.!:|&<>~-]")
)

// markdown escapes plain text for Markdown; text between backquotes stays code.
func markdown(plain string) string {
	var s strings.Builder
	at := 0
	for _, span := range codeSpan.FindAllStringIndex(plain, -1) {
		s.WriteString(escaped(plain[at:span[0]]) + plain[span[0]:span[1]])
		at = span[1]
	}
	return s.String() + escaped(plain[at:])
}

// codeOrTag matches the code in a topic and, outside code, the beginning of what Markdown
// would take for an HTML tag, such as <id>.
var codeOrTag = regexp.MustCompile("(?m)^ {4}.*$|`[^`]*`|<")

// withoutTags escapes the parts of a topic's Markdown that would be taken for HTML tags.
func withoutTags(source string) string {
	return codeOrTag.ReplaceAllStringFunc(source, func(found string) string {
		if found == "<" {
			return `\<`
		}
		return found
	})
}

func escaped(plain string) string {
	return special.ReplaceAllString(plain, `\$0`)
}

// copyable replaces the hyphens in text with plain ones, because roff renders an ordinary
// hyphen as a typographic one, which a shell does not accept as the hyphen of a flag. A
// backslash in the text is rendered as a backslash.
func copyable(roff []byte) []byte {
	lines := bytes.SplitAfter(roff, []byte("\n"))
	for i, l := range lines {
		if !bytes.HasPrefix(l, []byte(".")) {
			l = bytes.ReplaceAll(l, []byte(`\-`), []byte("-"))
			l = bytes.ReplaceAll(l, []byte(`\\`), []byte(`\e`))
			lines[i] = bytes.ReplaceAll(l, []byte("-"), []byte(`\-`))
		}
	}
	return bytes.Join(lines, nil)
}

// writeManPages writes all pages below a folder, which it creates.
func writeManPages(sh *shell, dir string) error {
	pages, err := manPages(sh.app(), ownBuild())
	if err != nil {
		return err
	}
	var written []string
	for _, p := range pages {
		path := filepath.Join(dir, p.file())
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, p.roff, 0o644)
		}
		if err != nil {
			return fmt.Errorf("writing the man pages: %w", err)
		}
		written = append(written, path)
	}
	return sh.result(map[string]any{"written": written}, "%d man pages written; `man -M %s evolve` shows the first\n", len(written), text.ShellQuote(dir))
}
