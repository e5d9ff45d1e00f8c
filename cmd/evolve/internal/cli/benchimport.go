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
	answers         string
	parts           cli.StringSlice
	read            importer.Options
}

func benchImportCommand(sh *shell) *cli.Command {
	var o benchImportOptions
	return &cli.Command{
		Name: "import", Usage: "convert a task set in another format into a suite, or into an agent's memories", ArgsUsage: "FILE",
		Description: "FILE may be - for standard input. The format is detected; nothing named in the file is\n" +
			"executed, fetched or followed. The formats:\n\n" + listFormats(),
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "format", Destination: &o.format, Usage: "read the file as `FORMAT`: " + strings.Join(texts(importer.Formats()), ", ")},
			&cli.StringFlag{Name: "suite", Destination: &o.suite, Usage: "write suites/`NAME`.jsonl"},
			&cli.StringFlag{Name: "memories", Destination: &o.memories, Usage: "write agents/`AGENT`/memories.jsonl instead of a suite"},
			&cli.StringSliceFlag{Name: "part", Destination: &o.parts, Usage: "the `PART` of a labelled set (train, val, test); test by default"},
			&cli.IntFlag{Name: "per-label", Destination: &o.read.PerLabel, Usage: "at most `N` tasks with each label in a labelled set"},
			&cli.IntFlag{Name: "limit", Destination: &o.read.Limit, Usage: "at most `N` tasks"},
			&cli.Int64Flag{Name: "seed", Destination: &o.read.Seed, Usage: "random seed `N` for the selection by --per-label and --limit"},
			&cli.StringFlag{Name: "domain", Destination: &o.read.Domain, Usage: "the column `DOMAIN` that contains the domain; if the file has no such column, DOMAIN itself is the domain of all tasks that have none"},
			&cli.StringFlag{Name: "domains", Destination: &o.domains, Usage: "a JSON `FILE` that maps each domain to its labels"},
			&cli.StringFlag{Name: "grader", Destination: &o.read.Grader, Usage: "the `GRADER`, such as numeric or f1, for formats that name none, or an Inspect scorer: " + strings.Join(importer.InspectScorers(), ", ")},
			&cli.StringFlag{Name: "question", Destination: &o.read.Columns.Question, Usage: "the `COLUMN` of the question"},
			&cli.StringFlag{Name: "answer", Destination: &o.read.Columns.Answer, Usage: "the `COLUMN` of the answer"},
			&cli.StringFlag{Name: "id", Destination: &o.read.Columns.ID, Usage: "the `COLUMN` of the id"},
			&cli.StringFlag{Name: "cluster", Destination: &o.read.Columns.Cluster, Usage: "the `COLUMN` of the cluster: the tasks of a cluster are variations of one task and count as one"},
			&cli.StringFlag{Name: "tags", Destination: &o.read.Columns.Tags, Usage: "the `COLUMN` of the tags, which are separated by commas, semicolons or vertical bars"},
			&cli.StringFlag{Name: "answers", Destination: &o.answers, Usage: "the `FILE` with the answers, for formats that keep them in a separate file: BFCL (possible_answer), BEIR and TREC (qrels)"},
			&cli.StringFlag{Name: "choices", Destination: &o.read.Columns.Choices, Usage: "the `COLUMN` of the choices, which are shown below the question"},
			&cli.BoolFlag{Name: "force", Destination: &o.force, Usage: "replace the existing file"},
		},
		Action: func(c *cli.Context) error { return benchImport(sh, c, o) },
	}
}

// listFormats returns a list of all formats with their descriptions.
func listFormats() string {
	var entries []string
	for _, f := range importer.Formats() {
		entries = append(entries, fmt.Sprintf("- %s: %s", f, f.About()))
	}
	return strings.Join(entries, "\n\n")
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
		return exit.Misuse(errors.New("name the destination: --suite NAME or --memories AGENT"))
	}
	for flag, v := range map[string]string{"suite": o.suite, "memories": o.memories} {
		if v != filepath.Base(v) && v != "" || strings.HasPrefix(v, ".") {
			return exit.Misuse(fmt.Errorf("--%s must be a name, not the path %q", flag, v))
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
	for _, n := range importer.Fold(out.notes) {
		sh.eprintf("note: %s\n", text.Visible(n.String()))
	}
	var domain *importer.DomainError
	if errors.As(err, &domain) {
		return exit.Errorf(exit.Usage, "--domain names a column of the file, or a domain that is shown with each task and its scores", "--domain: %s", domain.Problem)
	}
	if err != nil {
		return exit.Errorf(exit.Usage, importHint(err), "%s: %w", name, err)
	}
	if err := writeNew(out.path, out.content.Bytes(), o.force); err != nil {
		return err
	}
	var problems []string
	if o.suite != "" {
		problems = suiteProblems(root, o.suite)
		noteProblems(sh.console, problems)
	}
	if sh.json {
		return sh.printJSON(map[string]any{"file": out.path, "entries": out.entries, "notes": len(out.notes), "likeness": out.alike, "problems": orEmpty(problems)})
	}
	_, err = fmt.Fprintf(sh.stdout, "%d written to %s\n", out.entries, out.path)
	if out.alike != nil {
		printLikeness(sh.console, "", *out.alike)
	}
	return err
}

// memories converts a data set into memories.
func (o *imported) memories(in io.Reader, opts importer.Options) error {
	list, notes, err := importer.Memories(in, opts)
	o.entries, o.notes = len(list), notes
	if err != nil {
		return err
	}
	return importer.WriteMemories(&o.content, list)
}

// tasks converts a data set into the tasks of a suite.
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

// howToRead is the hint about a file that cannot be parsed.
const howToRead = "--format, --question, --answer and --part specify how to read the file; `evolve bench import --help` lists the formats"

// importHint returns the hint about a file that cannot be imported.
func importHint(err error) string {
	var encoding *importer.EncodingError
	if errors.As(err, &encoding) {
		return encoding.Hint()
	}
	if errors.As(err, new(*importer.PointerError)) {
		return "run `git lfs pull` in the file's repository to fetch the content"
	}
	return howToRead
}

// importOptions completes the options with the contents of the domains file and the
// answers file.
func importOptions(ctx context.Context, sh *shell, o benchImportOptions) (importer.Options, error) {
	read := o.read
	read.DomainProblem = workspace.DomainProblem
	read.Format, read.Parts = importer.Format(o.format), o.parts.Value()
	if formats := texts(importer.Formats()); o.format != "" && !slices.Contains(formats, o.format) {
		hint := exit.Suggest("the formats are "+strings.Join(formats, ", "), "--format %s", o.format, formats)
		return read, exit.Errorf(exit.Usage, hint, "there is no format %s", text.Quote(o.format))
	}
	if o.answers != "" {
		var err error
		if read.Answers, err = answersIn(ctx, sh, o.answers); err != nil {
			return read, err
		}
	}
	if o.domains == "" {
		return read, nil
	}
	in, err := openInput(ctx, sh, o.domains)
	if err != nil {
		return read, err
	}
	read.Domains, err = importer.ReadDomains(in)
	if err = errors.Join(err, in.Close()); errors.As(err, new(*importer.EncodingError)) {
		return read, exit.Errorf(exit.Usage, importHint(err), "%s: %w", o.domains, err)
	} else if err != nil {
		return read, exit.Misuse(fmt.Errorf("%s does not map domains to lists of labels: %w", o.domains, err))
	}
	for _, name := range slices.Sorted(maps.Values(read.Domains)) {
		if problem := workspace.DomainProblem(name); problem != "" {
			return read, exit.Errorf(exit.Usage, "rename the domain in the file", "%s: %s", o.domains, problem)
		}
	}
	return read, nil
}

// mostAnswers limits the size of a file of answers, in bytes.
const mostAnswers = 256 << 20

// answersIn reads a whole file of answers.
func answersIn(ctx context.Context, sh *shell, name string) ([]byte, error) {
	in, err := openInput(ctx, sh, name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(in, mostAnswers+1))
	if err = errors.Join(err, in.Close()); err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	if data, err = importer.Unpacked(data); err == nil {
		err = importer.Readable(data)
	}
	if err != nil {
		return nil, exit.Errorf(exit.Usage, importHint(err), "%s: %w", name, err)
	}
	if len(data) > mostAnswers {
		return nil, exit.Misuse(fmt.Errorf("%s is larger than %d MB", name, mostAnswers>>20))
	}
	return data, nil
}
