package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/wire"
	"evolve/runtime/text"
)

// shell is one invocation of evolve: the parts that agents, archives and decisions need,
// the streams, and the form of the output.
type shell struct {
	*wire.Host
	stdin  io.Reader
	stdout io.Writer
	dir    string
	// json reports whether --json is set: errors are then an object.
	json bool
	// place is the workspace's name in printed commands; empty if it is found from the
	// current folder.
	place string
	// stands is what this command has done and a repetition would not do again; "" before.
	stands string

	args    []string
	signals <-chan os.Signal
	release func()
}

// Run parses the arguments, runs one command, and returns the exit code.
func Run(ctx context.Context, p Process) int {
	out := &errWriter{Writer: p.Stdout}
	sh := newShell(ctx, p)
	sh.stdout = out
	err := sh.dispatch()
	if err == nil {
		err = out.failure()
	}
	if sh.stands != "" && out.broke(err) {
		err = exit.Errorf(exit.Infrastructure, "do not repeat the command; `evolve status` shows the present state", "%s; only the output is not complete: %s", sh.stands, out.reason())
	}
	if err != nil {
		return sh.fail(err)
	}
	return 0
}

func newShell(ctx context.Context, p Process) *shell {
	if p.Sleep == nil {
		p.Sleep = sleep
	}
	sh := &shell{stdin: p.Stdin, stdout: p.Stdout, dir: p.Dir, json: wantsJSON(p.Args), args: p.Args, signals: p.Signals, release: p.Release}
	sh.Host = &wire.Host{
		Ctx: ctx, Env: p.Env, Now: p.Now, Sleep: p.Sleep, Stderr: p.Stderr, Log: slog.New(slog.DiscardHandler),
		Command: sh.typed, Reached: p.Reached,
	}
	return sh
}

func (sh *shell) dispatch() error {
	app := sh.app()
	line, err := arrange(app.Commands, sh.args)
	switch {
	case err != nil:
		return err
	case line.version:
		return sh.printVersion()
	case line.help || len(line.path) == 0:
		return sh.help(line.path)
	}
	return app.RunContext(sh.Ctx, append([]string{"evolve"}, line.args...))
}

// app returns the command table.
func (sh *shell) app() *cli.App {
	app := &cli.App{
		Name: "evolve", Usage: "make an LLM agent better overnight, and leave the decision to a person",
		Writer: sh.stdout, ErrWriter: sh.Stderr, Reader: sh.stdin,
		HideHelp: true, HideVersion: true,
		Commands:       sh.commands(),
		ExitErrHandler: func(*cli.Context, error) {},
	}
	sh.dress(app.Commands, "evolve")
	return app
}

// common returns the flags of every command.
func common() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "workspace", Aliases: []string{"C"}, Usage: "the workspace `DIR`; found upwards from here by default"},
		&cli.BoolFlag{Name: "json", Usage: "machine-readable output; see `evolve help json`"},
		&cli.BoolFlag{Name: "no-color", Usage: "no colour (NO_COLOR does the same)"},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no progress, only results and errors"},
		&cli.StringFlag{Name: "log-format", Usage: "write warnings as `FORMAT` text or json", Value: "text"},
	}
}

// dress gives every command the common flags, the check of its arguments, and usage
// errors in evolve's own form.
func (sh *shell) dress(commands []*cli.Command, parent string) {
	for _, c := range commands {
		c.HideHelp = true
		c.Flags = append(c.Flags, common()...)
		flags, name, action := c.Flags, parent+" "+c.Name, c.Action
		c.OnUsageError = func(_ *cli.Context, err error, _ bool) error { return badFlag(err, flags) }
		c.Action = func(ctx *cli.Context) error {
			if err := checkCommon(ctx); err != nil {
				return err
			}
			if action == nil {
				if first := ctx.Args().First(); first != "" {
					return unknownCommand(first, name, c.Subcommands)
				}
				return sh.help(pathTo(sh.app().Commands, strings.Fields(name)[1:]))
			}
			if err := checkArguments(ctx, name, c); err != nil {
				return err
			}
			sh.Log, sh.Quiet = sh.logger(ctx), ctx.Bool("quiet")
			if name != "evolve run" && name != "evolve demo" { // these drain on the first interrupt
				stoppable, stop := sh.stoppable()
				defer stop()
				ctx.Context = stoppable
			}
			return action(ctx)
		}
		sh.dress(c.Subcommands, name)
	}
}

func checkCommon(c *cli.Context) error {
	if f := c.String("log-format"); f != "text" && f != "json" {
		return exit.Misuse(fmt.Errorf("--log-format is text or json, not %q", f))
	}
	return nil
}

// checkArguments holds the number of arguments to what the usage line says:
// "A B" both, "[A]" at most one, "A…" any number from one on.
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
		return exit.Errorf(exit.Usage, "`"+name+" --help` shows what it takes", "%s takes no arguments, not %q", name, c.Args().First())
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

// commandLine is a parsed command line.
type commandLine struct {
	// path is the command and its subcommand, as far as they were named.
	path []*cli.Command
	// args are the same words with flags where the flag parser looks for them.
	args          []string
	help, version bool
}

// arrange moves flags before arguments, where the flag parser expects them, and refuses
// unknown ones with a hint. Everything after "--" is an argument.
func arrange(commands []*cli.Command, args []string) (commandLine, error) {
	var line commandLine
	var names, flags, used, rest []string
	all := append(common(), allFlags(commands)...)
	known := common()
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			rest = append(rest, args[i+1:]...)
			break
		}
		if isFlag(a) {
			name, _, inline := strings.Cut(strings.TrimLeft(a, "-"), "=")
			switch name {
			case "h", "help":
				line.help = true
				continue
			case "version":
				line.version = true
				continue
			}
			// It may belong to a command that is named after it.
			f := findFlag(all, name)
			if f == nil {
				return line, unknownFlag(name, orElse(known, all, len(line.path) > 0))
			}
			flags, used = append(flags, a), append(used, name)
			if _, isBool := f.(*cli.BoolFlag); !isBool && !inline {
				if i++; i == len(args) {
					return line, exit.Misuse(fmt.Errorf("--%s needs a value", name))
				}
				flags = append(flags, args[i])
			}
			continue
		}
		c := findCommand(commands, a)
		switch {
		case c != nil && len(rest) == 0:
			line.path, names = append(line.path, c), append(names, a)
			commands, known = c.Subcommands, c.Flags
		case len(line.path) == 0:
			return line, unknownCommand(a, "evolve", commands)
		default:
			rest = append(rest, a)
		}
	}
	if line.help || line.version {
		return line, nil
	}
	if len(line.path) == 0 && len(flags)+len(rest) > 0 {
		return line, exit.Errorf(exit.Usage, "`evolve help` lists the commands", "no command is named")
	}
	for _, name := range used {
		if findFlag(known, name) == nil {
			return line, unknownFlag(name, known)
		}
	}
	line.args = append(names, flags...)
	if len(rest) > 0 {
		line.args = append(append(line.args, "--"), rest...)
	}
	return line, nil
}

func orElse[T any](a, b T, first bool) T {
	if first {
		return a
	}
	return b
}

// isFlag reports whether an argument is a flag, not a lone dash or a negative number.
func isFlag(a string) bool {
	return len(a) > 1 && a[0] == '-' && !(a[1] >= '0' && a[1] <= '9') && a[1] != '.'
}

// wantsJSON looks for --json before anything is parsed: the rest may be invalid.
func wantsJSON(args []string) bool {
	for _, a := range args {
		switch a {
		case "--":
			return false
		case "--json", "-json", "--json=true":
			return true
		}
	}
	return false
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

// pathTo follows names down the table, as far as they lead.
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

// printJSON writes one indented JSON value.
func (sh *shell) printJSON(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	_, err := sh.stdout.Write(visibleJSON(b.Bytes()))
	return err
}

// visibleJSON escapes characters that are invisible or that control a terminal. They
// occur in strings only, and JSON parsers decode them.
func visibleJSON(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for _, r := range string(data) {
		switch {
		case r == '\n' || text.Shown(r):
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

// terminal reports whether a stream is a terminal, and its width (80 when unknown).
func terminal(stream any) (bool, int) {
	if o, ok := stream.(*errWriter); ok {
		stream = o.Writer
	}
	f, ok := stream.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return false, 80
	}
	if width, ok := drawable(stream); ok {
		return true, width
	}
	return true, 80
}

// color reports whether standard output may be coloured.
func (sh *shell) color(c *cli.Context) bool {
	tty, _ := terminal(sh.stdout)
	return tty && !c.Bool("no-color") && sh.Env.Get("NO_COLOR") == "" && sh.Env.Get("TERM") != "dumb"
}

// on returns the shell with another standard output.
func (sh *shell) on(out io.Writer) *shell {
	return &shell{Host: sh.Host, stdin: sh.stdin, stdout: out, dir: sh.dir, place: sh.place}
}
