package cli

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"

	"evolve/runtime/text"
)

// TestFoldLine tests that a long line continues after its label without losing a word, that
// columns keep their distance, and that a command or a path is not broken.
func TestFoldLine(t *testing.T) {
	for _, c := range []struct {
		line string
		want []string
	}{
		{"short", []string{"short"}},
		{"", []string{""}},
		{
			"F1    active  clerk             negative    grep ×0.3, for good  by Robin on 23 Nov",
			[]string{"F1    active  clerk             negative", "      grep ×0.3, for good  by Robin on", "      23 Nov"},
		},
		{
			"  allowed    calculate, read_file, list_directory, grep",
			[]string{"  allowed    calculate, read_file,", "             list_directory, grep"},
		},
		{"    evolve autonomy lower aide --reason \"two words\"", []string{"    evolve autonomy lower aide --reason \"two words\""}},
		{
			"aide has autonomy level 2 (draft and queue): evolve autonomy status aide",
			[]string{"aide has autonomy level 2 (draft and", "  queue): evolve autonomy status aide"},
		},
		{
			"    stale: it cannot be approved; evolve run may measure it again",
			[]string{"    stale: it cannot be approved; evolve", "      run may measure it again"},
		},
		{
			"  suggestion 3 negative verdicts (F1, F2, F3); to forbid the tool: evolve feedback add aide --verdict negative --tool grep --goal 'a b'",
			[]string{"  suggestion 3 negative verdicts (F1,", "    F2, F3); to forbid the tool:", "    evolve feedback add aide --verdict negative --tool grep --goal 'a b'"},
		},
		{
			"signed  /a/path/without/any/space/that/is/longer/than/the/line at entry 7",
			[]string{"signed  /a/path/without/any/space/that/is/longer/than/the/line", "        at entry 7"},
		},
		{
			"hint: read `evolve show P4 --workspace /tmp/a/b` first, then add --yes",
			[]string{"hint: read", "  `evolve show P4 --workspace /tmp/a/b`", "  first, then add --yes"},
		},
		{
			"error: a sentence of an error that is too long for one line",
			[]string{"error: a sentence of an error that is", "       too long for one line"},
		},
		{
			"  \x1b[1mbold words that take forty cells at most\x1b[0m",
			[]string{"  \x1b[1mbold words that take forty cells at", "    most\x1b[0m"},
		},
		{"\x1b[1mforty cells with the escapes left out..\x1b[0m", []string{"\x1b[1mforty cells with the escapes left out..\x1b[0m"}},
	} {
		got := foldLine(c.line, 40)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q: %s", c.line, diff)
		}
	}
}

// TestFoldAnyLine tests, for lines made of random words, that every word is present and in
// order, and that no part exceeds the width, unless the part is a single word, a command or
// a text in backquotes.
func TestFoldAnyLine(t *testing.T) {
	words := []string{
		"a", "word", "longer,", "proposals", "漢字漢字", "e\u0301", "/a/path/of/a/file/that/is/longer/than/most/lines/are",
		"`evolve show P4 --workspace /tmp/x`", "  ", "    ", "\x1b[1mbold\x1b[0m", "evolve", "run", "+3.5", "×", "it's", "\"",
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var line strings.Builder
		line.WriteString(strings.Repeat(" ", random.IntN(12)))
		for range random.IntN(30) {
			line.WriteString(words[random.IntN(len(words))])
			if random.IntN(6) > 0 {
				line.WriteString(" ")
			}
		}
		width := 20 + random.IntN(100)
		parts := foldLine(line.String(), width)
		if got, want := strings.Fields(strings.Join(parts, " ")), strings.Fields(line.String()); !cmp.Equal(got, want) {
			t.Fatalf("%q at %d lost words: %q", line.String(), width, parts)
		}
		for _, part := range parts {
			one := strings.Trim(part, " ")
			if cellsOf(part) > width && len(foldWords(strings.TrimPrefix(one, label.FindString(one)))) > 1 {
				t.Fatalf("%q of %q is wider than %d", part, line.String(), width)
			}
		}
	}
}

// TestFoldWriter tests that parts of a line are folded as one line, that flush prints a
// question with the space after it, and that text that is not folded keeps its
// place in the order.
func TestFoldWriter(t *testing.T) {
	var file bytes.Buffer
	out := &foldWriter{file: &file, tty: true, width: 20}
	con := &console{stdout: out}
	con.printf("twelve words are ")
	con.printf("printed in two parts\nand a question that is long? ")
	if err := flush(out); err != nil {
		t.Fatal(err)
	}
	con.printf("\n")
	con.whole().printf("%s\n", strings.Repeat("code ", 6))
	want := "twelve words are\n  printed in two\n  parts\nand a question that\n  is long? \ncode code code code code code \n"
	if diff := cmp.Diff(want, file.String()); diff != "" {
		t.Error(diff)
	}
}

// TestColumns tests which values of COLUMNS are used, on a terminal and elsewhere.
func TestColumns(t *testing.T) {
	for value, want := range map[string]int{"": 0, "50": 50, " 72 ": 72, "19": 0, "20": 20, "1000": 1000, "1001": 0, "-80": 0, "wide": 0} {
		if got := columns(value); got != want {
			t.Errorf("COLUMNS=%q is width %d, want %d", value, got, want)
		}
	}
	for _, c := range []struct {
		set  string
		want string
	}{{"", "error: " + strings.Repeat("word ", 20) + "\n"}, {"40", "error: word word word word word word\n       word word word word word word\n       word word word word word word\n       word word\n"}} {
		var stderr bytes.Buffer
		sh := newShell(t.Context(), Process{Stdout: &bytes.Buffer{}, Stderr: &stderr, Env: []string{"COLUMNS=" + c.set}})
		sh.eprintf("error: %s\n", strings.Repeat("word ", 20))
		if diff := cmp.Diff(c.want, stderr.String()); diff != "" {
			t.Errorf("COLUMNS=%s: %s", c.set, diff)
		}
	}
}

// TestChapterLines tests that each chapter of the manual keeps its words at any width, and
// that no line is wider, except for single words and JSON records, which stay on one line.
// Code may be wider on a terminal of fewer than 80 columns.
func TestChapterLines(t *testing.T) {
	for _, topic := range topics {
		chapter, err := os.ReadFile("help/" + topic.name + ".md")
		if err != nil {
			t.Fatal(err)
		}
		if got := chapterLines(string(chapter), 0); got != string(chapter) {
			t.Errorf("%s is changed where no width is known", topic.name)
		}
		for _, width := range []int{40, 60, 80, 120} {
			got := chapterLines(string(chapter), width)
			if !cmp.Equal(wordsToKeep(got), wordsToKeep(string(chapter))) {
				t.Errorf("%s at %d lost words", topic.name, width)
			}
			for line := range strings.Lines(got) {
				line = strings.TrimSuffix(line, "\n")
				words := strings.TrimLeft(line, " ")
				code := strings.HasPrefix(line, "    ") && !shellLine.MatchString(words) && width < 80
				if text.Width(line) > width && !code && !strings.HasPrefix(line, "#") && len(foldWords(words)) > 1 && !json.Valid([]byte(words)) {
					t.Errorf("%s at %d has the line %q", topic.name, width, line)
				}
			}
		}
	}
}

// wordsToKeep returns the sorted words of a chapter, without the marks that continue
// lines or begin comments.
func wordsToKeep(chapter string) []string {
	words := slices.DeleteFunc(strings.Fields(chapter), func(w string) bool { return w == `\` || w == "#" })
	slices.Sort(words)
	return words
}

// TestCodeLines tests that code is broken only where that does not change its meaning.
func TestCodeLines(t *testing.T) {
	for _, c := range []struct {
		line  string
		width int
		want  []string
	}{
		{`    evolve feedback add aide --verdict negative --evidence "it rounded a price"`, 50, []string{`    evolve feedback add aide --verdict negative \`, `        --evidence "it rounded a price"`}},
		{`    $ evolve approve P2 --yes --override-reason "I read it"`, 50, []string{`    $ evolve approve P2 --yes \`, `        --override-reason "I read it"`}},
		{`    adapter: {kind: command, argv: [python3, agent.py], pool: 2}   # two`, 50, []string{"    # two", "    adapter: {kind: command, argv: [python3,", "        agent.py], pool: 2}"}},
		{`        annotations: {summary: "no night since yesterday or so"}`, 50, []string{`        annotations: {summary: "no night since`, `            yesterday or so"}`}},
		{`    {"id": "m1", "goal": "How many miles are 5 km?", "split": "search"}`, 40, []string{`    {"id": "m1", "goal": "How many miles are 5 km?", "split": "search"}`}},
		{`    {"id", "task": {"id", "domain", "goal"}, "config": {…}}`, 40, []string{`    {"id", "task": {"id", "domain",`, `        "goal"}, "config": {…}}`}},
		{`    error: the run ended early: the limit on time ended it`, 40, []string{"    error: the run ended early: the", "           limit on time ended it"}},
	} {
		got := indentedLines(c.line, c.width, 0)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.line, diff)
		}
	}
}

// TestPagesFit tests that no line of a command's help is wider than the terminal.
func TestPagesFit(t *testing.T) {
	for _, width := range []int{50, 80} {
		var check func(path []*cli.Command)
		check = func(path []*cli.Command) {
			p := &page{width: width}
			p.command(path)
			p.flagsOf(path)
			for line := range strings.Lines(p.String()) {
				if line = strings.TrimSuffix(line, "\n"); text.Width(line) > width && len(foldWords(strings.TrimSpace(line))) > 1 {
					t.Errorf("at %d: %q", width, line)
				}
			}
			for _, c := range path[len(path)-1].Subcommands {
				check(append(slices.Clone(path), c))
			}
		}
		for _, c := range testCommands(t) {
			check([]*cli.Command{c})
		}
		p := &page{width: width}
		p.overview(newShell(t.Context(), Process{}).app())
		for line := range strings.Lines(p.String()) {
			if line = strings.TrimSuffix(line, "\n"); text.Width(line) > width {
				t.Errorf("overview at %d: %q", width, line)
			}
		}
	}
}
