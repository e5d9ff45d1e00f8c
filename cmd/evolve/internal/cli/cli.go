package cli

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
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
	// stands describes what this command has already done and would not do again if it were
	// repeated; it is empty if there is nothing of the kind.
	stands string

	args    []string
	signals <-chan os.Signal
	release func()
}

// Run parses the arguments, runs the command that they name, and returns the exit code.
func Run(ctx context.Context, p Process) int {
	out := &errWriter{Writer: p.Stdout}
	p.Stdout = out
	sh := newShell(ctx, p)
	err := sh.dispatch()
	_ = flush(sh.stdout)
	defer func() { _ = flush(sh.stderr) }()
	if err == nil {
		err = out.failure()
	}
	if sh.stands != "" && out.broke(err) {
		err = exit.Errorf(exit.Infrastructure, "do not repeat the command; `evolve status` shows the current state", "%s, but the output is not complete: %s", sh.stands, out.reason())
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
	if !con.json {
		env := wire.Environment(p.Env)
		set, dumb := columns(env.Get("COLUMNS")), env.Get("TERM") == "dumb"
		con.stdout, con.stderr = foldTo(p.Stdout, set, dumb), foldTo(p.Stderr, set, dumb)
	}
	return &shell{
		Host: &wire.Host{
			Ctx: ctx, Env: p.Env, Now: p.Now, Sleep: p.Sleep, Stderr: con.stderr, Log: slog.New(slog.DiscardHandler),
			Command: con.command, Reached: p.Reached,
		},
		console: con, dir: p.Dir, args: p.Args, signals: p.Signals, release: p.Release,
	}
}

func (sh *shell) dispatch() error {
	if len(sh.args) > 0 && sh.args[0] == completing {
		sh.complete(sh.args[1:])
		return nil
	}
	app := sh.app()
	line, err := arrange(app.Commands, sh.args)
	switch {
	case err != nil:
		return err
	case line.version:
		return printVersion(sh.console)
	case line.help || len(line.path) == 0:
		return help(sh, line.path)
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

// common returns the flags that every command has.
func common() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "workspace", Aliases: []string{"C"}, Usage: "the workspace `DIR`; by default the nearest one at or above the current folder"},
		&cli.BoolFlag{Name: "json", Usage: "machine-readable output; see `evolve help json`"},
		&cli.BoolFlag{Name: "no-color", Usage: "no colour (NO_COLOR does the same)"},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no progress, only results and errors"},
		&cli.StringFlag{Name: "log-format", Usage: "write warnings in the `FORMAT` text or json", Value: "text"},
	}
}

// dress adds to every command the common flags, the check of its arguments, and usage
// errors in evolve's own format.
func (sh *shell) dress(commands []*cli.Command, parent string) {
	for _, c := range commands {
		c.HideHelp = true
		c.Flags = append(c.Flags, common()...)
		flags, name, action := c.Flags, parent+" "+c.Name, c.Action
		c.OnUsageError = func(_ *cli.Context, err error, _ bool) error { return badFlag(err, flags) }
		c.Action = func(ctx *cli.Context) error {
			if err := cmp.Or(checkCommon(ctx), checkTexts(ctx, name, flags)); err != nil {
				return err
			}
			if action == nil {
				if first := ctx.Args().First(); first != "" {
					return unknownCommand(first, name, c.Subcommands)
				}
				return help(sh, pathTo(sh.app().Commands, strings.Fields(name)[1:]))
			}
			if err := checkArguments(ctx, name, c); err != nil {
				return err
			}
			sh.configure(ctx)
			if name != "evolve run" && name != "evolve demo" && name != "evolve worker" { // on the first interrupt these commands finish the work under way
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
		return exit.Misuse(fmt.Errorf("--log-format must be text or json, not %q", f))
	}
	return nil
}

// configure applies the flags that are common to all commands.
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
