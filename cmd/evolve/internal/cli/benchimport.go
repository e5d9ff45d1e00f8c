package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/bench"
	"evolve/bench/importer"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/text"
)

// benchImportOptions are the flags of `evolve bench import`.
type benchImportOptions struct {
	suite, memories string
	force           bool
	format, domains string
	parts           cli.StringSlice
	read            importer.Options
}

func benchImportCommand(sh *shell) *cli.Command {
	var o benchImportOptions
	var formats []string
	for _, f := range importer.Formats() {
		formats = append(formats, string(f))
	}
	return &cli.Command{
		Name: "import", Usage: "turn a foreign set of tasks into a suite, or into an agent's memories", ArgsUsage: "FILE",
		Description: "FILE may be - for standard input. The format is detected; nothing named in the file is\n" +
			"executed, fetched or followed.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "format", Destination: &o.format, Usage: "read it as `FORMAT`: " + strings.Join(formats, ", ")},
			&cli.StringFlag{Name: "suite", Destination: &o.suite, Usage: "write suites/`NAME`.jsonl"},
			&cli.StringFlag{Name: "memories", Destination: &o.memories, Usage: "write agents/`AGENT`/memories.jsonl instead"},
			&cli.StringSliceFlag{Name: "part", Destination: &o.parts, Usage: "the `PART` of a labelled set (train, val, test); test by default"},
			&cli.IntFlag{Name: "per-label", Destination: &o.read.PerLabel, Usage: "at most `N` of each label of a labelled set"},
			&cli.IntFlag{Name: "limit", Destination: &o.read.Limit, Usage: "at most `N` tasks"},
			&cli.Int64Flag{Name: "seed", Destination: &o.read.Seed, Usage: "random seed `N` of the draw by --per-label and --limit"},
			&cli.StringFlag{Name: "domain", Destination: &o.read.Domain, Usage: "the `DOMAIN` of tasks that name none"},
			&cli.StringFlag{Name: "domains", Destination: &o.domains, Usage: "a JSON `FILE` that maps each domain to its labels"},
			&cli.StringFlag{Name: "grader", Destination: &o.read.Grader, Usage: "the `GRADER` of formats that name none, such as numeric or f1, or a scorer of Inspect: " + strings.Join(importer.InspectScorers(), ", ")},
			&cli.StringFlag{Name: "question", Destination: &o.read.Columns.Question, Usage: "the `COLUMN` of the question"},
			&cli.StringFlag{Name: "answer", Destination: &o.read.Columns.Answer, Usage: "the `COLUMN` of the answer"},
			&cli.StringFlag{Name: "choices", Destination: &o.read.Columns.Choices, Usage: "the `COLUMN` of the choices, which are shown below the question"},
			&cli.BoolFlag{Name: "force", Destination: &o.force, Usage: "replace what is there"},
		},
		Action: func(c *cli.Context) error { return benchImport(sh, c, o) },
	}
}

// imported is a converted set of tasks or memories.
type imported struct {
	path    string
	content bytes.Buffer
	entries int
	notes   []importer.Note
	alike   *bench.Likeness // of tasks
}

func benchImport(sh *shell, c *cli.Context, o benchImportOptions) error {
	name := c.Args().First()
	if (o.suite == "") == (o.memories == "") {
		return exit.Misuse(errors.New("say where it goes: --suite NAME or --memories AGENT"))
	}
	for flag, v := range map[string]string{"suite": o.suite, "memories": o.memories} {
		if v != filepath.Base(v) && v != "" || strings.HasPrefix(v, ".") {
			return exit.Misuse(fmt.Errorf("--%s is a name, not the path %q", flag, v))
		}
	}
	if problem := workspace.SuiteProblem(o.suite); problem != "" && o.suite != "" {
		return exit.Errorf(exit.Usage, "--suite NAME writes suites/NAME.jsonl", "--suite: %s", problem)
	}
	root, err := sh.root(c)
	if err != nil {
		return err
	}
	opts, err := importOptions(c.Context, sh, o)
	if err != nil {
		return err
	}
	in, err := openInput(c.Context, sh, name)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	var out imported
	if agent := o.memories; agent != "" {
		if _, err := os.Stat(filepath.Join(root, "agents", agent)); err != nil {
			return exit.Misuse(fmt.Errorf("the workspace has no agent %q", agent))
		}
		out.path = filepath.Join(root, "agents", agent, "memories.jsonl")
		err = out.memories(in, opts)
	} else {
		out.path = filepath.Join(root, "suites", o.suite+".jsonl")
		err = out.tasks(in, opts)
	}
	for _, n := range out.notes {
		sh.eprintf("note: %s\n", text.Visible(n.String()))
	}
	if err != nil {
		return exit.Errorf(exit.Usage, howToRead, "%s: %w", name, err)
	}
	if err := writeNew(out.path, out.content.Bytes(), o.force); err != nil {
		return err
	}
	if sh.json {
		return sh.printJSON(map[string]any{"file": out.path, "entries": out.entries, "notes": len(out.notes), "likeness": out.alike})
	}
	_, err = fmt.Fprintf(sh.stdout, "%d written to %s\n", out.entries, out.path)
	if out.alike != nil {
		printLikeness(sh.console, "", *out.alike)
	}
	return err
}

// memories converts a set into memories.
func (o *imported) memories(in io.Reader, opts importer.Options) error {
	list, notes, err := importer.Memories(in, opts)
	o.entries, o.notes = len(list), notes
	if err != nil {
		return err
	}
	return importer.WriteMemories(&o.content, list)
}

// tasks converts a set into the tasks of a suite.
func (o *imported) tasks(in io.Reader, opts importer.Options) error {
	list, notes, err := importer.Read(in, opts)
	o.entries, o.notes = len(list), notes
	if err != nil {
		return err
	}
	twins := bench.DeclareDuplicates(list)
	o.alike = &twins
	return bench.WriteSuite(&o.content, list)
}

// howToRead is the hint for a file that cannot be parsed.
const howToRead = "--format, --question, --answer and --part say how to read it"

// importOptions completes the options with the file of domains.
func importOptions(ctx context.Context, sh *shell, o benchImportOptions) (importer.Options, error) {
	read := o.read
	if problem := workspace.DomainProblem(read.Domain); problem != "" && read.Domain != "" {
		return read, exit.Errorf(exit.Usage, "--domain NAME stands beside each task and with its scores", "--domain: %s", problem)
	}
	read.DomainProblem = workspace.DomainProblem
	read.Format, read.Parts = importer.Format(o.format), o.parts.Value()
	if o.domains == "" {
		return read, nil
	}
	in, err := openInput(ctx, sh, o.domains)
	if err != nil {
		return read, err
	}
	read.Domains, err = importer.ReadDomains(in)
	if err = errors.Join(err, in.Close()); err != nil {
		return read, exit.Misuse(fmt.Errorf("%s does not map domains to lists of labels: %w", o.domains, err))
	}
	for _, name := range slices.Sorted(maps.Values(read.Domains)) {
		if problem := workspace.DomainProblem(name); problem != "" {
			return read, exit.Errorf(exit.Usage, "rename it in the file", "%s: %s", o.domains, problem)
		}
	}
	return read, nil
}
