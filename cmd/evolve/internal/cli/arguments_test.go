package cli

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"

	"evolve/cmd/evolve/internal/exit"
)

func testCommands(t *testing.T) []*cli.Command {
	t.Helper()
	sh := newShell(t.Context(), Process{})
	return sh.app().Commands
}

func TestArrange(t *testing.T) {
	for _, tt := range []struct{ typed, want string }{
		{"status", "status"},
		{"status --json", "status --json"},
		{"--json status", "status --json"},
		{"show P1 --json", "show --json -- P1"},
		{"show --json P1", "show --json -- P1"},
		{"--workspace there show P1", "show --workspace there -- P1"},
		{"show P1 -C there", "show -C there -- P1"},
		{"show -C=there P1", "show -C=there -- P1"},
		{"run --seed -5", "run --seed -5"}, // a value, whatever it looks like
		{"run --resume=false", "run --resume=false"},
		{"variants show v3 --agent x", "variants show --agent x -- v3"},
		{"variants --agent x show v3", "variants show --agent x -- v3"},
		{"--agent x variants show v3", "variants show --agent x -- v3"},
		{"agent run -- --what is this", "agent run -- --what is this"},
		{"agent run what is -5 plus 3", "agent run -- what is -5 plus 3"},
		{"agent run run", "agent run -- run"},
		{"bench import - --suite s", "bench import --suite s -- -"},
		{"reject P1 --reason --yes", "reject --reason --yes -- P1"},
		{"help run", "help -- run"},
		{"report index", "report -- index"},
	} {
		t.Run(tt.typed, func(t *testing.T) {
			line, err := arrange(testCommands(t), strings.Fields(tt.typed))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, strings.Join(line.args, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestArrangeHelp(t *testing.T) {
	for _, tt := range []struct {
		typed, path   string
		help, version bool
	}{
		{"", "", false, false},
		{"--help", "", true, false},
		{"run --help", "run", true, false},
		{"bench import --suite x -h", "bench import", true, false},
		{"--version", "", false, true},
	} {
		t.Run(tt.typed, func(t *testing.T) {
			line, err := arrange(testCommands(t), strings.Fields(tt.typed))
			if err != nil {
				t.Fatal(err)
			}
			var path []string
			for _, c := range line.path {
				path = append(path, c.Name)
			}
			if got := strings.Join(path, " "); got != tt.path || line.help != tt.help || line.version != tt.version {
				t.Errorf("path %q, help %t, version %t", got, line.help, line.version)
			}
		})
	}
}

func TestArrangeRefuses(t *testing.T) {
	for _, tt := range []struct{ typed, text, hint string }{
		{"statsu", `there is no command "statsu"`, "did you mean `evolve status`?"},
		{"qqqqq", `there is no command "qqqqq"`, "`evolve --help` lists the commands"},
		{"run --budget-evls 5", "there is no flag --budget-evls", "did you mean --budget-evals?"},
		{"--budget-evls 5 run", "there is no flag --budget-evls", "did you mean --budget-evals?"},
		{"--yes status", "there is no flag --yes", "`--help` lists the flags"},
		{"status --html", "there is no flag --html", "`--help` lists the flags"},
		{"run --budget-evals", "--budget-evals needs a value", ""},
		{"--json", "no command was given", "`evolve help` lists the commands"},
		{"--", "", ""},
		{"-- status", "no command was given", "`evolve help` lists the commands"},
	} {
		t.Run(tt.typed, func(t *testing.T) {
			_, err := arrange(testCommands(t), strings.Fields(tt.typed))
			if tt.text == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil {
				t.Fatal("it was accepted")
			}
			code, hint := exit.Of(err)
			if diff := cmp.Diff([]any{tt.text, tt.hint, exit.Usage}, []any{err.Error(), hint, code}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestFlagsAgree checks that if one flag takes a value, all flags with the same name take
// a value. Before arrange knows the command, it must know whether a value follows a flag.
func TestFlagsAgree(t *testing.T) {
	takes := map[string]bool{}
	for _, f := range append(common(), allFlags(testCommands(t))...) {
		d, ok := f.(cli.DocGenerationFlag)
		if !ok {
			t.Fatalf("%v does not say whether it takes a value", f.Names())
		}
		for _, n := range f.Names() {
			if was, known := takes[n]; known && was != d.TakesValue() {
				t.Errorf("--%s takes a value in one command and none in another", n)
			}
			takes[n] = d.TakesValue()
		}
	}
}

func TestBadFlag(t *testing.T) {
	flags := []cli.Flag{&cli.IntFlag{Name: "n"}, &cli.BoolFlag{Name: "b"}, &cli.DurationFlag{Name: "d"}, &cli.Float64Flag{Name: "f"}}
	for _, tt := range []struct{ parser, want string }{
		{`invalid value "x" for flag -n: parse error`, `--n takes a whole number, not "x"`},
		{`invalid boolean value "x" for -b: parse error`, `--b takes true or false, or no value, not "x"`},
		{`invalid value "x" for flag -d: parse error`, `--d takes a length of time such as 45m or 6h, not "x"`},
		{`invalid value "1:2" for flag -f: parse error`, `--f takes a number, not "1:2"`},
		{`something else`, `something else`},
	} {
		if got := badFlag(errors.New(tt.parser), flags).Error(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.parser, got, tt.want)
		}
	}
}

func TestHere(t *testing.T) {
	sh := &console{place: "/w s"}
	for in, want := range map[string]string{
		"`evolve status` and `evolve report`":             "`evolve status --workspace '/w s'` and `evolve report --workspace '/w s'`",
		"`evolve help json`, `evolve demo`":               "`evolve help json`, `evolve demo`",
		"`evolve init --workspace x` creates one there":   "`evolve init --workspace x` creates one there",
		"run `git switch main`; nothing else evolve does": "run `git switch main`; nothing else evolve does",
	} {
		if got := sh.localHint(in); got != want {
			t.Errorf("%s\n became %s\n   want %s", in, got, want)
		}
	}
}

// TestHelpNamesEverything visits every command. The command's help must name each of its
// flags and every exit code, and must fit the width.
func TestHelpNamesEverything(t *testing.T) {
	var walk func(path []*cli.Command)
	walk = func(path []*cli.Command) {
		c := path[len(path)-1]
		for _, width := range []int{40, 80} {
			p := page{width: width}
			p.command(path)
			text := p.String()
			for _, f := range c.Flags {
				if !strings.Contains(text, "--"+f.Names()[0]) {
					t.Errorf("help of %s does not name --%s", c.Name, f.Names()[0])
				}
			}
			flat := strings.Join(strings.Fields(text), " ")
			for _, code := range []string{"0 done", "1 unexpected", "2 usage", "3 proposals", "4 gate", "5 locked", "6 budget", "7 infrastructure", "8 integrity", "130 interrupted"} {
				if !strings.Contains(flat, code) {
					t.Errorf("help of %s does not name exit code %q", c.Name, code)
				}
			}
			for l := range strings.Lines(text) {
				if width == 80 && len([]rune(strings.TrimSuffix(l, "\n"))) > width {
					t.Errorf("help of %s has a line of more than %d: %s", c.Name, width, l)
				}
			}
		}
		if c.Usage == "" {
			t.Errorf("%s has no usage", c.Name)
		}
		for _, sub := range c.Subcommands {
			walk(append(slices.Clone(path), sub))
		}
	}
	for _, c := range testCommands(t) {
		walk([]*cli.Command{c})
	}
}
