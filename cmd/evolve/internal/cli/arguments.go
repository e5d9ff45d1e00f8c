package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/cmd/evolve/internal/exit"
)

// checkArguments compares the number of arguments with the usage line, in which "A B"
// stands for exactly two arguments, "[A]" for at most one, and "A…" for one or more.
func checkArguments(c *cli.Context, name string, command *cli.Command) error {
	least, most := 0, 0
	for _, a := range strings.Fields(command.ArgsUsage) {
		if !strings.HasPrefix(a, "[") {
			least++
		}
		most++
		if strings.Contains(a, "…") {
			most = 1 << 20
		}
	}
	n := c.NArg()
	switch {
	case n > most && len(command.Subcommands) > 0:
		return unknownCommand(c.Args().First(), name, command.Subcommands)
	case n > most && most == 0:
		return exit.Errorf(exit.Usage, "`"+name+" --help` shows its arguments", "%s takes no arguments; it was given %q", name, c.Args().First())
	case n > most:
		return exit.Errorf(exit.Usage, "it is `"+name+" "+command.ArgsUsage+"`", "%q is one argument too many", c.Args().Get(most))
	case n < least:
		missing := strings.Fields(command.ArgsUsage)[n]
		return exit.Errorf(exit.Usage, "it is `"+name+" "+command.ArgsUsage+"`", "%s is missing", strings.TrimSuffix(missing, "…"))
	}
	for _, a := range c.Args().Slice() {
		if strings.TrimSpace(a) == "" {
			return exit.Errorf(exit.Usage, "it is `"+name+" "+command.ArgsUsage+"`", "an argument is empty")
		}
	}
	return nil
}

// neededTexts lists the text flags that each command requires.
var neededTexts = map[string][]string{
	"evolve audit accept-head": {"reason"},
	"evolve autonomy lower":    {"reason"},
	"evolve autonomy request":  {"reason"},
	"evolve memory retract":    {"reason"},
	"evolve reject":            {"reason"},
	"evolve worker":            {"hub"},
}

// checkTexts refuses flags whose text is empty. If a flag narrows what the command does, an
// empty text, for example from an unset variable, would widen it.
func checkTexts(c *cli.Context, command string, flags []cli.Flag) error {
	for _, f := range flags {
		name, value := f.Names()[0], ""
		switch f.(type) {
		case *cli.StringFlag:
			value = c.String(name)
		case *cli.StringSliceFlag:
			value = strings.Join(c.StringSlice(name), "")
		default:
			continue
		}
		if c.IsSet(name) && strings.TrimSpace(value) == "" {
			hint := "give it a value, or leave --" + name + " out"
			if slices.Contains(neededTexts[command], name) {
				hint = fmt.Sprintf("%s needs this flag: write --%s \"…\"", strings.TrimPrefix(command, "evolve "), name)
			}
			return exit.Errorf(exit.Usage, hint, "--%s is empty", name)
		}
	}
	return nil
}

// commandLine is a command line whose words are sorted by their kind.
type commandLine struct {
	// path is the command and its subcommand, as far as the words name them.
	path []*cli.Command
	// args holds, in this order, the names of the path, the flags, "--" and the arguments.
	args          []string
	help, version bool

	// names are the names in the path as they were typed, flags are the flags with their
	// values, used are the names of the flags, and rest are the arguments.
	names, flags, used, rest []string
	// values maps the name of each flag to its value. If no value is attached with "=",
	// the value is the word after the flag.
	values map[string]string
	// known holds the flags of the path's last command, and below holds the commands that
	// may follow it.
	known []cli.Flag
	below []*cli.Command
	// open is the flag whose value is missing after the last word. ended reports whether
	// there was a "--".
	open  cli.Flag
	ended bool
}

// arrange sorts the words of a command line: first commands, then flags with their values,
// then "--" and arguments. This is needed because urfave/cli accepts flags only before
// arguments. arrange refuses unknown flags and commands. A flag may precede the command to
// which it belongs; everything after "--" is an argument.
func arrange(commands []*cli.Command, args []string) (commandLine, error) {
	line, err := scan(commands, args)
	if err != nil || line.help || line.version {
		return line, err
	}
	if len(line.path) == 0 && len(line.flags)+len(line.rest) > 0 {
		return line, exit.Errorf(exit.Usage, "`evolve help` lists the commands", "no command was given")
	}
	for _, name := range line.used {
		if findFlag(line.known, name) == nil {
			return line, unknownFlag(name, line.values[name], line.known)
		}
	}
	line.args = append(line.names, line.flags...)
	if len(line.rest) > 0 {
		line.args = append(append(line.args, "--"), line.rest...)
	}
	return line, nil
}

// scan classifies the words of a command line. If it returns an error, the line holds what
// came before the error.
func scan(commands []*cli.Command, args []string) (commandLine, error) {
	line := commandLine{known: common(), below: commands, values: map[string]string{}}
	every := append(common(), allFlags(commands)...)
	for len(args) > 0 {
		word := args[0]
		if args = args[1:]; word == "--" {
			line.rest, line.ended = append(line.rest, args...), true
			break
		}
		if !isFlag(word) {
			c := findCommand(line.below, word)
			switch {
			case c != nil && len(line.rest) == 0:
				line.path, line.names = append(line.path, c), append(line.names, word)
				line.below, line.known = c.Subcommands, c.Flags
			case len(line.path) == 0:
				return line, unknownCommand(word, "evolve", line.below)
			default:
				line.rest = append(line.rest, word)
			}
			continue
		}
		name, value, hasValue := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if !hasValue && len(args) > 0 {
			value = args[0]
		}
		line.values[name] = value
		flag := findFlag(every, name)
		_, isBool := flag.(*cli.BoolFlag)
		switch {
		case name == "h" || name == "help":
			line.help = true
		case name == "version":
			line.version = true
		case flag == nil:
			return line, unknownFlag(name, value, orElse(line.known, every, len(line.path) > 0))
		case isBool || hasValue:
			line.flags, line.used = append(line.flags, word), append(line.used, name)
		case len(args) == 0:
			line.open = flag
			return line, exit.Misuse(fmt.Errorf("--%s needs a value", name))
		default:
			line.flags, line.used, args = append(line.flags, word, args[0]), append(line.used, name), args[1:]
		}
	}
	return line, nil
}

func orElse[T any](a, b T, first bool) T {
	if first {
		return a
	}
	return b
}

// isFlag reports whether an argument is a flag rather than a lone dash or a negative
// number.
func isFlag(a string) bool {
	return len(a) > 1 && a[0] == '-' && !(a[1] >= '0' && a[1] <= '9') && a[1] != '.'
}

// wantsJSON reports whether the arguments contain the flag --json. It is called before
// anything is parsed, because the other arguments may be invalid.
func wantsJSON(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.ContainsFunc(args, func(a string) bool { return a == "--json" || a == "-json" || a == "--json=true" })
}

func findFlag(flags []cli.Flag, name string) cli.Flag {
	for _, f := range flags {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

func findCommand(commands []*cli.Command, name string) *cli.Command {
	for _, c := range commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

// pathTo looks names up in the command table, level by level, and returns the commands
// found, up to the first name that does not match.
func pathTo(commands []*cli.Command, names []string) []*cli.Command {
	var path []*cli.Command
	for _, n := range names {
		c := findCommand(commands, n)
		if c == nil {
			break
		}
		path, commands = append(path, c), c.Subcommands
	}
	return path
}

func allFlags(commands []*cli.Command) []cli.Flag {
	var out []cli.Flag
	for _, c := range commands {
		out = append(append(out, c.Flags...), allFlags(c.Subcommands)...)
	}
	return out
}

// unknownCommand returns an error for a name that is not a command below parent, which is a
// path such as "evolve bench".
func unknownCommand(name, parent string, commands []*cli.Command) error {
	var names []string
	for _, c := range commands {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	hint := exit.Suggest("`"+parent+" --help` lists the commands", "`"+parent+" %s`", name, names)
	if name == "version" {
		hint = "`evolve --version` prints the version"
	}
	return exit.Errorf(exit.Usage, hint, "there is no command %q", strings.TrimPrefix(parent+" ", "evolve ")+name)
}

// invalidValue matches the error that the flag parser returns for an invalid value.
var invalidValue = regexp.MustCompile(`^invalid (?:boolean )?value "(.*)" for (?:flag )?-+([^:]+): `)

// twoForms matches the error that the flag parser returns if one flag is given under two
// names.
var twoForms = regexp.MustCompile(`^Cannot use two forms of the same flag: (\S+) (\S+)$`)

// badFlag returns an error that describes which values a flag accepts.
func badFlag(err error, flags []cli.Flag) error {
	if m := twoForms.FindStringSubmatch(err.Error()); m != nil {
		return exit.Errorf(exit.Usage, "give only one of them", "%s and %s are the same flag", dashed(m[2]), dashed(m[1]))
	}
	m := invalidValue.FindStringSubmatch(err.Error())
	if m == nil {
		return exit.Misuse(err)
	}
	wants := "another value"
	switch findFlag(flags, m[2]).(type) {
	case *cli.IntFlag, *cli.Int64Flag:
		wants = "a whole number"
	case *cli.Float64Flag:
		wants = "a number"
	case *cli.DurationFlag:
		wants = "a length of time such as 45m or 6h"
	case *cli.BoolFlag:
		wants = "true or false, or no value"
	}
	return exit.Misuse(fmt.Errorf("--%s takes %s, not %q", m[2], wants, m[1]))
}

// dashed returns a flag's name with its dashes, as it is typed.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}
