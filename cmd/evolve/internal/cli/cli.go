package cli

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/wire"
)

// shell is one invocation of evolve: the parts that agents, archives and decisions need,
// and the console.
type shell struct {
	*wire.Host
	*console
	dir string
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
	con := &console{stdin: p.Stdin, stdout: p.Stdout, stderr: p.Stderr, json: wantsJSON(p.Args)}
	return &shell{
		Host: &wire.Host{
			Ctx: ctx, Env: p.Env, Now: p.Now, Sleep: p.Sleep, Stderr: p.Stderr, Log: slog.New(slog.DiscardHandler),
			Command: con.command, Reached: p.Reached,
		},
		console: con, dir: p.Dir, args: p.Args, signals: p.Signals, release: p.Release,
	}
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
		Writer: sh.stdout, ErrWriter: sh.stderr, Reader: sh.stdin,
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
			sh.configure(ctx)
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

// configure takes over the flags of every command.
func (sh *shell) configure(c *cli.Context) {
	opts := &slog.HandlerOptions{Level: slog.LevelWarn}
	sh.Log = slog.New(slog.NewTextHandler(sh.stderr, opts))
	if c.String("log-format") == "json" {
		sh.Log = slog.New(slog.NewJSONHandler(sh.stderr, opts))
	}
	sh.json, sh.quiet = c.Bool("json"), c.Bool("quiet")
	sh.Host.Quiet = sh.quiet
	tty, _ := terminal(sh.stdout)
	sh.color = tty && !c.Bool("no-color") && sh.Env.Get("NO_COLOR") == "" && sh.Env.Get("TERM") != "dumb"
}
