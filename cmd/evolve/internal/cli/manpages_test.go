package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// rendered renders the man pages of an app for a fixed build.
func rendered(t *testing.T, app *cli.App) []manPage {
	t.Helper()
	pages, err := manPages(app, build{Version: "v1.2.3", Date: "2026-11-27T12:26:59Z"})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// testApp returns the app of an invocation without arguments.
func testApp() *cli.App { return newShell(nil, Process{}).app() } //nolint:staticcheck // no command runs

// plainText returns a man page as a reader sees it, on one line. It skips the test if man
// is not installed.
func plainText(t *testing.T, p manPage) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.Base(p.file()))
	if err := os.WriteFile(path, p.roff, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, program := range [][]string{{"mandoc", "-T", "utf8", "-O", "width=1000"}, {"groff", "-K", "utf8", "-T", "utf8", "-P", "-cbou", "-rLL=1000n", "-man"}} {
		if _, err := exec.LookPath(program[0]); err != nil {
			continue
		}
		out, err := exec.Command(program[0], append(program[1:], path)...).Output()
		if err != nil {
			t.Fatalf("%v: %v", program, err)
		}
		var text []byte
		for _, c := range out { // overstruck
			if c == '\b' {
				text = text[:len(text)-1]
				continue
			}
			text = append(text, c)
		}
		return strings.Join(strings.Fields(string(text)), " ")
	}
	t.Skip("neither mandoc nor groff is installed")
	return ""
}

func TestManPages(t *testing.T) {
	pages := rendered(t, testApp())
	for i, p := range rendered(t, testApp()) {
		if !bytes.Equal(p.roff, pages[i].roff) {
			t.Errorf("%s is rendered differently a second time", p.file())
		}
	}
	of := map[string]string{}
	for _, p := range pages {
		of[p.file()] = string(p.roff)
		if want := `"2026-11-27" "evolve v1.2.3" "evolve manual"`; !strings.Contains(of[p.file()], want) {
			t.Errorf("%s has no %s", p.file(), want)
		}
	}
	for _, c := range testApp().Commands {
		page := of["man1/evolve-"+c.Name+".1"]
		walkCommands(c, "evolve", func(name string, c *cli.Command) {
			if (len(c.Subcommands) == 0 || hasOwn(c)) && !strings.Contains(page, `\fB`+strings.ReplaceAll(name, "-", `\-`)+`\fP`) {
				t.Errorf("the page has no %s", name)
			}
			for _, f := range c.Flags {
				if flag := `\fB` + strings.ReplaceAll(dashed(f.Names()[0]), "-", `\-`) + `\fP`; !strings.Contains(page, flag) {
					t.Errorf("the page of %s has no %s", name, flag)
				}
			}
		})
	}
	for _, topic := range topics {
		if of["man7/evolve-"+topic.name+".7"] == "" {
			t.Errorf("there is no page of the topic %s", topic.name)
		}
	}
}

// TestManPagesAreValid checks every page with the programs that render man pages.
func TestManPagesAreValid(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for _, p := range rendered(t, testApp()) {
		path := filepath.Join(dir, filepath.Base(p.file()))
		if err := os.WriteFile(path, p.roff, 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	checked := false
	for _, check := range [][]string{{"mandoc", "-T", "lint", "-W", "warning"}, {"groff", "-K", "utf8", "-T", "utf8", "-w", "w", "-man", "-z"}} {
		if _, err := exec.LookPath(check[0]); err != nil {
			continue
		}
		checked = true
		if out, err := exec.Command(check[0], append(check[1:], files...)...).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%v: %v\n%s", check, err, out)
		}
	}
	if !checked {
		t.Skip("neither mandoc nor groff is installed")
	}
}

// TestManPageShowsTextAsItIs checks that no character in a text acts as Markdown or roff.
func TestManPageShowsTextAsItIs(t *testing.T) {
	for _, text := range []string{
		`all of *these*, _each_, **both**, [a](b), <tag>, ~~not~~, &amp;, a|b, !x, #1, 1. one`,
		`a\b, \fBbold\fP, \n(xx, C:\dir\*.txt, \\`,
		`.TH as a macro`, `'quoted'`, `- no list`, `+ nor this`, `: nor a term`, `1. nor a number`, `# nor a heading`, `> nor a quote`, `== nor`,
		`--flag=value and a-b`, `it's "quoted", …, → and 95 %`,
	} {
		app := &cli.App{Commands: []*cli.Command{{
			Name: "try", Usage: text, Description: text + "\n\n" + text,
			Flags: []cli.Flag{&cli.StringFlag{Name: "flag", Usage: text}},
		}}}
		page := plainText(t, rendered(t, app)[1])
		if got := strings.Count(page, text); got != 4 {
			t.Errorf("%q stands on the page %d times, want 4:\n%s", text, got, page)
		}
	}
}
