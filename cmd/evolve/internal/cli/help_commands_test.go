package cli

import (
	"cmp"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// shownCommand is a command line of evolve in a chapter of the manual.
type shownCommand struct {
	chapter, text string
	// words are the words after "evolve"; optional words are without their brackets.
	words []string
	// typed reports whether the line follows "$ ", which means that a person is to type
	// the line as it is.
	typed bool
}

var (
	// shownAt matches the beginning of a command line in an indented line.
	shownAt = regexp.MustCompile(`(?:^|, |&& |/bin/)(?:\$ )?evolve `)
	// shownInline matches a command line in a sentence.
	shownInline = regexp.MustCompile("`evolve ([^`]*)`")
	// shownEnd matches where a command line ends: at its description, at the comma before
	// the next command, at a redirection, or at a comma in a sentence.
	shownEnd = regexp.MustCompile(`  |, evolve| >|,$`)
)

// shownCommands returns the command lines in a chapter: those in indented blocks and, if
// inline is set, also those between backticks.
func shownCommands(chapter, page string, inline bool) []shownCommand {
	var shown []shownCommand
	add := func(text string, typed bool) {
		text = strings.TrimSpace(text)
		shown = append(shown, shownCommand{chapter, text, shellWords(strings.NewReplacer("[", "", "]", "").Replace(text)), typed})
	}
	for _, block := range indentedBlocks(page) {
		for line := range strings.Lines(block) {
			line = strings.TrimSpace(line)
			for _, at := range shownAt.FindAllStringIndex(line, -1) {
				text := line[at[1]:]
				if end := shownEnd.FindStringIndex(text); end != nil {
					text = text[:end[0]]
				}
				add(text, strings.HasPrefix(line, "$ "))
			}
		}
	}
	if inline {
		for _, m := range shownInline.FindAllStringSubmatch(proseOf(page), -1) {
			add(m[1], false)
		}
	}
	return shown
}

// proseOf returns a page without its indented lines.
func proseOf(page string) string {
	var b strings.Builder
	for line := range strings.Lines(page) {
		if !strings.HasPrefix(line, "    ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// shellWords splits a command line at spaces that are not between quotation marks.
func shellWords(line string) []string {
	var words []string
	word, open, quote := "", false, rune(0)
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, open = r, true
		case quote == 0 && (r == ' ' || r == '\t' || r == '\n'):
			if open {
				words = append(words, word)
			}
			word, open = "", false
		default:
			word, open = word+string(r), true
		}
	}
	if open {
		words = append(words, word)
	}
	return words
}

// parseApp returns the app with actions that only check flags and arguments.
func parseApp() *cli.App {
	app := testApp()
	app.Writer, app.ErrWriter = io.Discard, io.Discard
	var dress func(commands []*cli.Command, parent string)
	dress = func(commands []*cli.Command, parent string) {
		for _, c := range commands {
			flags, name := c.Flags, parent+" "+c.Name
			c.Action = func(ctx *cli.Context) error {
				return cmp.Or(checkCommon(ctx), checkTexts(ctx, name, flags), checkArguments(ctx, name, c))
			}
			dress(c.Subcommands, name)
		}
	}
	dress(app.Commands, "evolve")
	return app
}

// commandShape is a command line without values: its path of commands and the names of its
// flags.
type commandShape struct {
	path  string
	flags []string
}

func (s commandShape) String() string {
	return strings.Join(append([]string{s.path}, s.flags...), " ")
}

// shapeOf parses a command line as evolve does and reports any mistake in it. The name of a
// command by itself may stand for the command.
func shapeOf(words []string) (commandShape, error) {
	app := parseApp()
	for i, w := range words {
		if w == "N" {
			words[i] = "3" // a number to fill in
		}
	}
	line, err := arrange(app.Commands, slices.Clone(words))
	if err != nil {
		return commandShape{}, err
	}
	s := commandShape{path: strings.Join(line.names, " ")}
	for _, name := range line.used {
		if f := findFlag(line.known, name); f != nil {
			s.flags = append(s.flags, "--"+f.Names()[0])
		}
	}
	slices.Sort(s.flags)
	if line.version || len(line.flags)+len(line.rest) == 0 {
		return s, nil
	}
	return s, app.Run(append([]string{"evolve"}, line.args...))
}

// TestChaptersShowCommandsThatParse checks every command line in the manual. The command
// and its flags must exist, the flags must accept their values, and the number of arguments
// must be one that the command accepts.
func TestChaptersShowCommandsThatParse(t *testing.T) {
	t.Parallel()
	n := 0
	for _, topic := range topics {
		for _, shown := range shownCommands(topic.name, chapterText(t, topic.name), true) {
			if len(shown.words) == 0 {
				continue
			}
			n++
			if _, err := shapeOf(shown.words); err != nil {
				t.Errorf("%s: evolve %s: %v", shown.chapter, shown.text, err)
			}
		}
	}
	if n < 200 {
		t.Errorf("only %d command lines were found", n)
	}
}

// notRun lists the forms of command lines in indented blocks that no script runs. It maps
// each form to the reason, or to the test that runs such a line.
var notRun = map[string]string{
	"run --quiet --until":                           "of a crontab: the script schedule_cron runs such a line by a shell",
	"run --budget-time --quiet --until --workspace": "of a unit: TestChapterShowsTheUnits; the script schedule_cron runs a line like it",
	"worker --creds --hub --metrics --slots":        "TestWorkerMetrics and TestExpiringCredentials run workers with these",
}

// typedBy names the chapters whose lines after "$ " are typed by a test of this package.
var typedBy = map[string]bool{"quickstart": true, "agents": true}

// TestChaptersShowCommandsThatRun checks that a script runs every command line in the
// manual's indented blocks. If a person is to type the line, the script must run the same
// line; otherwise, it must run the same command with the same flags.
func TestChaptersShowCommandsThatRun(t *testing.T) {
	t.Parallel()
	lines, shapes := scriptedCommands(t)
	missing := map[string]bool{}
	for _, topic := range topics {
		for _, shown := range shownCommands(topic.name, chapterText(t, topic.name), false) {
			if shown.typed && typedBy[shown.chapter] || len(shown.words) == 0 {
				continue
			}
			if shown.typed && !lines[strings.Join(shown.words, " ")] {
				t.Errorf("%s: no script runs evolve %s", shown.chapter, shown.text)
			}
			s, err := shapeOf(shown.words)
			if err != nil || slices.ContainsFunc(shapes, func(run commandShape) bool {
				return run.path == s.path && !slices.ContainsFunc(s.flags, func(f string) bool { return !slices.Contains(run.flags, f) })
			}) {
				continue
			}
			missing[s.String()] = true
			if notRun[s.String()] == "" {
				t.Errorf("%s: no script runs a command like evolve %s", shown.chapter, s)
			}
		}
	}
	for _, s := range slices.Sorted(maps.Keys(notRun)) {
		if !missing[s] {
			t.Errorf("evolve %s is run, or the manual does not show it: take it off the list", s)
		}
	}
}

// scripted matches the command lines in a script that run evolve.
var scripted = regexp.MustCompile(`(?m)^(?:\[[^\]]*\] )*(?:!? ?exec|exit \d+|terminal \d+ \S+|viewed \S+ \S+) evolve (.*?)(?: &)?$|^(?:later \d+|hasty) \d+ \S+ (.*)$`)

// scriptedCommands returns the command lines in all scripts, with single spaces between
// words, and their shapes.
func scriptedCommands(t *testing.T) (lines map[string]bool, shapes []commandShape) {
	t.Helper()
	files, err := filepath.Glob("scripts/*/testdata/script/*.txtar")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d scripts: %v", len(files), err)
	}
	lines = map[string]bool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range scripted.FindAllStringSubmatch(string(data), -1) {
			words := shellWords(cmp.Or(m[1], m[2]))
			if line := strings.Join(words, " "); !lines[line] {
				lines[line] = true
				if s, err := shapeOf(words); err == nil {
					shapes = append(shapes, s)
				}
			}
		}
	}
	return lines, shapes
}
