package cli

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/cmd/evolve/internal/exit"
	"evolve/runtime/text"
)

//go:embed help/*.md
var helpTexts embed.FS

// topic is a chapter of the manual, stored in help/<name>.md.
type topic struct {
	name, usage string
	also        []string // other names for it
}

var topics = []topic{
	{"quickstart", "two ways from an empty folder to an approved change to your own agent", []string{"start", "tutorial"}},
	{"workspace", "the folder, its files, and who writes them", []string{"evolve.yaml", "config", "files"}},
	{"agents", "agent.yaml, and the protocol of your own program", []string{"agent.yaml", "adapter", "protocol", "command", "space"}},
	{"models", "providers, routes, recordings", []string{"providers", "routes", "openai", "anthropic", "replay", "llm"}},
	{"tools", "what an agent may call: built-in tools, tools of MCP servers, tools written by agents; skills", []string{"mcp", "skills", "starlark"}},
	{"feedback", "feedback from people on an agent's tools: effect, scope, duration, conflicts", nil},
	{"memory", "what agents remember: memory files, what turns learn, retractions", []string{"memories", "recall"}},
	{"autonomy", "the levels that limit what an agent may do in live turns, and who raises them", []string{"levels", "ladder"}},
	{"policies", "deadlines, retries, breakers, rates, budgets, and what no config can change", []string{"policy", "limits", "safety", "guardrails"}},
	{"suites", "tasks, their split, and the graders", []string{"tasks", "graders", "splits", "holdout"}},
	{"budgets", "evaluations, money, time, deadlines, and what a run does with them", []string{"budget", "cost", "deadline"}},
	{"schedule", "a run every night, using systemd, cron or Kubernetes; missed nights", []string{"cron", "crontab", "systemd", "timer", "kubernetes"}},
	{"workers", "evaluations on other machines, over a NATS server", []string{"nats", "keda"}},
	{"statistics", "what the figures claim, and what they do not", []string{"stats", "verdict", "power", "claims", "guards", "ablation", "confirmation"}},
	{"search", "how better configs are found, and how parents are chosen", []string{"selection", "selections", "searcher", "model"}},
	{"decisions", "from a proposal to a commit, and back", []string{"proposals-states", "states", "git"}},
	{"code", "marked blocks of source code, and the search over them", []string{"blocks", "score"}},
	{"patch", "changes to source code: targets, gates, review, adoption", []string{"patches", "gates", "diff", "sandbox"}},
	{"change-requests", "changes that agents request but are not allowed to make themselves", []string{"permissions", "change-request"}},
	{"archive", "backups, restoring them, and how long records are kept", []string{"backup", "restore", "retention", "keep", "gc"}},
	{"notify", "who is told what about nights: programs, webhooks, e-mail, a dead man's switch", []string{"notifications", "heartbeat", "webhook", "email"}},
	{"metrics", "Prometheus metrics for nights and workers; alerts; traces", []string{"prometheus", "monitoring", "alerts", "traces", "opentelemetry", "otel", "otlp"}},
	{"reports", "formats of a night's report: pages, print, JUnit, spreadsheets, GitHub Actions", []string{"junit", "csv", "spreadsheet", "github", "ci", "print"}},
	{"view", "the pages of evolve view: what they show, who can read them, decisions", []string{"browser", "pages", "matrix"}},
	{"security", "what agents, tools, tasks, diffs and models can do, and what they cannot", []string{"secrets", "vulnerability"}},
	{"trust", "what evolve guarantees against crashes, damage, hostile agents and forgers, and what it does not", []string{"integrity", "threats", "forgery"}},
	{"figures", "measured speed, statistics, search and patches, compared with targets and with other tools", []string{"benchmarks", "peers"}},
	{"troubleshooting", "by exit code: usual causes with their messages, and what to type next", []string{"errors", "problems", "faq"}},
	{"exit-codes", "what each exit code means", []string{"exit", "codes", "exitcodes"}},
	{"json", "what every command prints with --json", []string{"schemas", "api"}},
}

func helpCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "help", Usage: "show how to use a command, or show a chapter of the manual", ArgsUsage: "[COMMAND…]",
		Description: "`flags` after a COMMAND shows only that command's flags. In place of a COMMAND, a TOPIC shows its chapter of the manual: " + strings.Join(topicNames(), ", ") + ".",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "man", Usage: "write the manual as pages for man(1) below `DIR`: man1 for commands, man7 for topics"},
			&cli.StringFlag{Name: "site", Usage: "write the manual as a website into `DIR`: static pages without scripts, starting with index.html"},
		},
		Action: func(c *cli.Context) error {
			names := c.Args().Slice()
			man, site := c.String("man"), c.String("site")
			if man+site != "" && len(names) > 0 {
				return exit.Errorf(exit.Usage, "leave "+text.ShellQuote(names[0])+" out", "--man and --site write all pages, and take no command or topic")
			}
			switch {
			case man != "" && site != "":
				return exit.Errorf(exit.Usage, "use one at a time", "--man and --site are mutually exclusive")
			case man != "":
				return writeManPages(sh, sh.abs(man))
			case site != "":
				return writeManualSite(sh, sh.abs(site))
			}
			if len(names) == 0 {
				return help(sh, nil)
			}
			commands := sh.app().Commands
			path := pathTo(commands, names)
			if len(path) == len(names) {
				if err := help(sh, path); err != nil || len(names) > 1 || sh.json {
					return err
				}
				if t, ok := findTopic(names[0]); ok && t.name == names[0] {
					sh.printf("\n")
					return chapter(sh.console, t)
				}
				return nil
			}
			if len(path) == len(names)-1 && names[len(path)] == flagsWord {
				return helpFlags(sh, path)
			}
			if t, ok := findTopic(names[0]); ok && len(names) == 1 {
				return chapter(sh.console, t)
			}
			if len(path) > 0 {
				return unknownHelp(path, names)
			}
			known := topicNames()
			for _, t := range topics {
				known = append(known, t.also...)
			}
			for _, c := range commands {
				known = append(known, c.Name)
			}
			hint := exit.Suggest("`evolve help` lists commands and topics", "`evolve help %s`", names[0], known)
			return exit.Errorf(exit.Usage, hint, "there is no command or topic %q", names[0])
		},
	}
}

func topicNames() []string {
	names := make([]string, len(topics))
	for i, t := range topics {
		names[i] = t.name
	}
	return names
}

func findTopic(name string) (topic, bool) {
	for _, t := range topics {
		if t.name == name || slices.Contains(t.also, name) {
			return t, true
		}
	}
	return topic{}, false
}

func chapter(con *console, t topic) error {
	text, err := helpTexts.ReadFile("help/" + t.name + ".md")
	if err != nil {
		return fmt.Errorf("reading the manual: %w", err)
	}
	return con.show(map[string]string{"topic": t.name, "text": string(text)}, func() {
		con.whole().printf("%s", chapterLines(string(text), con.width()))
	})
}

// flagsWord is the argument that requests only the flags of a command instead of its whole
// help.
const flagsWord = "flags"

// helpFlags prints the flags of a command and the flags that all commands have. For an
// empty path it prints only the latter.
func helpFlags(sh *shell, path []*cli.Command) error {
	if sh.json {
		return helpJSON(sh, path)
	}
	p := newPage(sh.console)
	p.flagsOf(path)
	sh.printf("%s", p.String())
	return nil
}

// unknownHelp returns an error for words after a command that are neither its subcommands
// nor `flags`. The error suggests the word that was probably meant: a subcommand, `flags`
// or a topic.
func unknownHelp(path []*cli.Command, names []string) error {
	known, word := names[:len(path)], names[len(path)]
	below := path[len(path)-1].Subcommands
	parent := "evolve help " + strings.Join(known, " ")
	words := []string{flagsWord}
	for _, c := range below {
		if !c.Hidden {
			words = append(words, c.Name)
		}
	}
	hint := exit.Suggest("`"+parent+"` is the only help on this command", "`"+parent+" %s`", word, words)
	if t, ok := findTopic(word); ok {
		hint = "did you mean `evolve help " + t.name + "`?"
	} else if near := exit.Nearest(word, topicNames()); near != "" && !strings.HasPrefix(hint, "did you mean") {
		hint = "did you mean `evolve help " + near + "`?"
	}
	if len(path) == len(names)-1 {
		return exit.Errorf(exit.Usage, hint, "there is no command %q", strings.Join(append(slices.Clone(known), word), " "))
	}
	return exit.Errorf(exit.Usage, hint, "unexpected argument %q", names[len(names)-1])
}

// chapterLines fits a chapter to a width: it refills paragraphs and folds the lines of
// lists and tables. It continues commands on further lines, and breaks the lines of files
// where that does not change their meaning. A width of 0 leaves the chapter unchanged.
func chapterLines(chapter string, width int) string {
	if width == 0 {
		return chapter
	}
	var out strings.Builder
	var prose []string
	column := 0 // where the second column of the table begins
	end := func() {
		if len(prose) > 0 {
			for _, l := range fillLines(strings.Join(prose, " "), min(width, widestProse)) {
				out.WriteString(l + "\n")
			}
		}
		prose = nil
	}
	for line := range strings.Lines(chapter) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "#") || line == "":
			end()
			parts := []string{line}
			if cellsOf(line) > width && strings.HasPrefix(line, "    ") {
				parts = indentedLines(line, width, column)
			}
			if at := tabled.FindString(line); at != "" {
				column = len(at) - 1
			} else if !strings.HasPrefix(line, strings.Repeat(" ", max(column, 1))) {
				column = 0
			}
			out.WriteString(strings.Join(parts, "\n") + "\n")
		case strings.HasPrefix(line, "- "):
			end()
			prose = []string{line}
		default:
			prose = append(prose, strings.TrimSpace(line))
		}
	}
	end()
	return out.String()
}

// indentedLines fits an indented line to a width. The line may belong to the second column
// of a table, which begins at column.
func indentedLines(line string, width, column int) []string {
	if column > 0 && strings.HasPrefix(line, strings.Repeat(" ", column)) && !strings.HasPrefix(line[column:], "  ") {
		return foldLine(line, width)
	}
	if parts, ok := codeLines(line, width); ok {
		return parts
	}
	return foldLine(line, width)
}

// widestProse is the maximum width of the manual's paragraphs, for wide terminals.
const widestProse = 100

// tabled matches an indented line of the manual with a second column.
var tabled = regexp.MustCompile(`^ {4}\S.*?  +\S`)

// fillLines fills a paragraph or a list entry to a width. The continuation lines of a list
// entry are indented by two spaces.
func fillLines(paragraph string, width int) []string {
	lead := ""
	if strings.HasPrefix(paragraph, "- ") {
		lead = "  "
	}
	var lines []string
	for _, l := range foldLine(paragraph, width) {
		if len(lines) > 0 {
			l = lead + strings.TrimLeft(l, " ")
		}
		lines = append(lines, l)
	}
	return lines
}

// help prints the help of a command, or the overview for an empty path.
func help(sh *shell, path []*cli.Command) error {
	if sh.json {
		return helpJSON(sh, path)
	}
	p := newPage(sh.console)
	if len(path) == 0 {
		p.overview(sh.app())
	} else {
		p.command(path)
	}
	_, err := sh.stdout.Write([]byte(p.String()))
	return err
}

// commandEntry is a command or topic in `evolve help --json`.
type commandEntry struct {
	Name      string         `json:"name"`
	Arguments string         `json:"arguments,omitempty"`
	Usage     string         `json:"usage"`
	Flags     []flagEntry    `json:"flags,omitempty"`
	Commands  []commandEntry `json:"commands,omitempty"`
}

type flagEntry struct {
	Names []string `json:"names"`
	Value string   `json:"value,omitempty"`
	Usage string   `json:"usage"`
}

func entryOf(c *cli.Command, parent string) commandEntry {
	e := commandEntry{Name: strings.TrimSpace(parent + " " + c.Name), Arguments: strings.TrimSpace(c.ArgsUsage), Usage: c.Usage}
	for _, f := range c.Flags {
		value, usage := placeholder(f)
		e.Flags = append(e.Flags, flagEntry{f.Names(), value, usage})
	}
	for _, sub := range c.Subcommands {
		e.Commands = append(e.Commands, entryOf(sub, e.Name))
	}
	return e
}

func helpJSON(sh *shell, path []*cli.Command) error {
	if len(path) > 0 {
		var parent []string
		for _, c := range path[:len(path)-1] {
			parent = append(parent, c.Name)
		}
		return sh.printJSON(entryOf(path[len(path)-1], strings.Join(parent, " ")))
	}
	commands, chapters := []commandEntry{}, []commandEntry{}
	for _, c := range sh.app().Commands {
		commands = append(commands, entryOf(c, ""))
	}
	for _, t := range topics {
		chapters = append(chapters, commandEntry{Name: t.name, Usage: t.usage})
	}
	return sh.printJSON(map[string]any{"commands": commands, "topics": chapters})
}
