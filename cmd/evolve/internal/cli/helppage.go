package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/cmd/evolve/internal/exit"
	"evolve/runtime/text"
)

// page is a help text being written, wrapped at a width.
type page struct {
	strings.Builder
	width int
}

// newPage returns an empty page for the terminal.
func newPage(con *console) *page {
	_, width := terminal(con.stdout)
	return &page{width: min(max(width, leastColumns), 100)}
}

// flagsOf writes the output of `evolve help COMMAND flags`.
func (p *page) flagsOf(path []*cli.Command) {
	if len(path) > 0 {
		name := "evolve"
		for _, c := range path {
			name += " " + c.Name
		}
		fmt.Fprintf(p, "flags of %s\n", name)
		own := ownFlags(path[len(path)-1])
		p.flags(own)
		if len(own) == 0 {
			p.WriteString("  none\n")
		}
		p.WriteString("\n")
	}
	p.WriteString("global flags\n")
	p.flags(common())
}

// overview is `evolve help`.
func (p *page) overview(app *cli.App) {
	p.paragraph("evolve: " + app.Usage)
	p.WriteString("\n")
	p.WriteString("  evolve COMMAND [ARGUMENTS] [FLAGS]\n\n")
	p.paragraph("Start with `evolve demo`, or with `evolve init` in an empty folder.")
	group := ""
	for _, c := range app.Commands {
		if c.Category != group {
			group = c.Category
			fmt.Fprintf(p, "\n%s\n", group)
		}
		p.entry(c.Name, c.Usage, 12)
	}
	p.WriteString("\ntopics: evolve help TOPIC\n")
	longest := 0
	for _, name := range topicNames() {
		longest = max(longest, len(name))
	}
	for _, t := range topics {
		p.entry(t.name, t.usage, longest)
	}
	p.WriteString("\nglobal flags\n")
	p.flags(common())
	p.WriteString("\n")
	p.paragraph(exit.Table)
}

// command writes the output of `evolve help COMMAND` and `evolve COMMAND --help`.
func (p *page) command(path []*cli.Command) {
	name := "evolve"
	for _, c := range path {
		name += " " + c.Name
	}
	c := path[len(path)-1]
	p.paragraph(name + ": " + c.Usage)
	p.WriteString("\n")
	usage := name
	if len(c.Subcommands) > 0 {
		usage += orElse(" [COMMAND]", " COMMAND", hasOwn(c))
	}
	if c.ArgsUsage != "" {
		usage += " " + c.ArgsUsage
	}
	p.WriteString("  " + usage + " [FLAGS]\n")
	if c.Description != "" {
		p.WriteString("\n")
		p.paragraph(c.Description)
	}
	if len(c.Subcommands) > 0 {
		p.WriteString("\ncommands\n")
		for _, sub := range c.Subcommands {
			p.entry(sub.Name, sub.Usage, 12)
		}
	}
	if own := ownFlags(c); len(own) > 0 {
		p.WriteString("\nflags\n")
		p.flags(own)
	}
	p.WriteString("\nglobal flags\n")
	p.flags(common())
	p.WriteString("\n")
	p.paragraph(exit.Table)
}

// hasOwn reports whether a command with subcommands also does something by itself, in which
// case it has flags of its own.
func hasOwn(c *cli.Command) bool { return len(ownFlags(c)) > 0 }

func ownFlags(c *cli.Command) []cli.Flag {
	shared := common()
	return slices.DeleteFunc(slices.Clone(c.Flags), func(f cli.Flag) bool { return findFlag(shared, f.Names()[0]) != nil })
}

func (p *page) flags(list []cli.Flag) {
	names := make([]string, len(list))
	column := 0
	for i, f := range list {
		value, _ := placeholder(f)
		for _, short := range f.Names()[1:] {
			if len(short) == 1 {
				names[i] = "-" + short + ", "
			}
		}
		names[i] += "--" + f.Names()[0]
		if value != "" {
			names[i] += " " + value
		}
		column = max(column, len(names[i]))
	}
	for i, f := range list {
		_, usage := placeholder(f)
		if d := shownDefault(f); d != "" {
			usage += " (" + d + " by default)"
		}
		p.entry(names[i], usage, column)
	}
}

// placeholder returns the placeholder for a flag's value, and the usage text without the
// quotes around the placeholder.
func placeholder(f cli.Flag) (value, usage string) {
	d, ok := f.(cli.DocGenerationFlag)
	if !ok {
		return "", ""
	}
	usage = d.GetUsage()
	if !d.TakesValue() {
		return "", usage
	}
	before, rest, found := strings.Cut(usage, "`")
	name, after, closed := strings.Cut(rest, "`")
	if !found || !closed || strings.Contains(name, " ") {
		return "VALUE", usage
	}
	return name, before + name + after
}

// shownDefault returns a flag's default, or "" for a flag without a value and for a default
// that is empty or zero.
func shownDefault(f cli.Flag) string {
	d, ok := f.(cli.DocGenerationFlag)
	if !ok || !d.TakesValue() {
		return ""
	}
	switch v := strings.Trim(d.GetValue(), `"`); v {
	case "", "0", "0s", "[]":
		return ""
	default:
		return v
	}
}

// entry writes a name and its description, wrapped in a second column.
func (p *page) entry(name, prose string, column int) {
	const indent = 2
	behind := indent + column + 2
	if p.width-behind < 24 { // too narrow for columns
		fmt.Fprintf(p, "  %s\n", name)
		for _, l := range text.Fill(prose, p.width-6) {
			fmt.Fprintf(p, "      %s\n", l)
		}
		return
	}
	for i, l := range text.Fill(prose, p.width-behind) {
		if i > 0 {
			name = ""
		}
		fmt.Fprintf(p, "  %-*s  %s\n", column, name, l)
	}
}

// paragraph wraps prose; line breaks count as spaces, and an empty line begins a new
// paragraph.
func (p *page) paragraph(prose string) {
	for i, part := range strings.Split(prose, "\n\n") {
		if i > 0 {
			p.WriteString("\n")
		}
		for _, l := range fillLines(strings.Join(strings.Fields(part), " "), min(p.width, 80)) {
			p.WriteString(l + "\n")
		}
	}
}
