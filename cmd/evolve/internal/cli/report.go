package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/google/renameio/v2"
	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/reports/model"
	"evolve/reports/render"
	"evolve/runtime/text"
)

// reportOptions are the flags of `evolve report`.
type reportOptions struct{ html, markdown, junit, csv, github, open bool }

// form returns the function that writes the report in the requested format, or nil for the
// terminal's format.
func (o reportOptions) form() func(io.Writer, model.Report) error {
	switch {
	case o.markdown:
		return render.Markdown
	case o.junit:
		return render.JUnit
	case o.csv:
		return render.CSV
	case o.github:
		return render.GitHub
	}
	return nil
}

// single returns an error if more than one format is requested.
func (o reportOptions) single(json bool) error {
	n := 0
	for _, asked := range []bool{json, o.html || o.open, o.markdown, o.junit, o.csv, o.github} {
		if asked {
			n++
		}
	}
	if n > 1 {
		return exit.Errorf(exit.Usage, "give only one of --json, --html, --markdown, --junit, --csv and --github", "a report can have only one format")
	}
	return nil
}

func reportCommand(sh *shell) *cli.Command {
	var o reportOptions
	return &cli.Command{
		Name:      "report",
		Usage:     "show one night on one page",
		ArgsUsage: "[RUN]",
		Description: "RUN is a run's id or number; the latest by default. RUN may be `index`: the page that links to " +
			"all nights. Also works during a run. --junit prints a test case for each held-out task, failed if it scored " +
			"lower with the variant; --csv prints a row for each; --github prints an error if the run failed, a warning if a person is needed, else a notice. See `evolve help reports`.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "html", Destination: &o.html, Usage: "write the page and print its path"},
			&cli.BoolFlag{Name: "markdown", Destination: &o.markdown, Usage: "print Markdown"},
			&cli.BoolFlag{Name: "junit", Destination: &o.junit, Usage: "print the held-out tasks as a JUnit test report"},
			&cli.BoolFlag{Name: "csv", Destination: &o.csv, Usage: "print the held-out tasks as a table for spreadsheets"},
			&cli.BoolFlag{Name: "github", Destination: &o.github, Usage: "print one line that GitHub Actions shows as an annotation"},
			&cli.BoolFlag{Name: "open", Destination: &o.open, Usage: "write the page and show it in the browser"},
		},
		Action: func(c *cli.Context) error {
			if err := o.single(sh.json); err != nil {
				return err
			}
			index := c.Args().First() == "index"
			if index && o.form() != nil {
				return exit.Errorf(exit.Usage, "`evolve report index` writes it as a page, and --json prints it; --markdown, --junit, --csv and --github need one run", "the index of all nights has only the formats HTML and JSON")
			}
			return reading(sh, c, func(root string, a *archive.Archive) error {
				if index {
					return printIndex(c.Context, sh, root, a, o)
				}
				return printReport(c.Context, sh, root, a, c.Args().First(), o)
			})
		},
	}
}

func printReport(ctx context.Context, sh *shell, root string, a *archive.Archive, run string, o reportOptions) error {
	src, err := asTheyAreIn(ctx, root, a)
	if err != nil {
		return err
	}
	r, err := model.Build(ctx, src, run)
	if errors.Is(err, archive.ErrNotFound) {
		return exit.Errorf(exit.Usage, "`evolve status` lists the runs", "there is no run %q", run)
	}
	if err != nil {
		return fmt.Errorf("building the report: %w", err)
	}
	switch {
	case sh.json:
		return render.JSON(unfolded(sh.stdout), r)
	case o.form() != nil:
		if o.markdown {
			r = withoutItself(r)
		}
		return o.form()(unfolded(sh.stdout), r)
	case o.html, o.open:
		path, err := writeReports(ctx, root, a, r)
		if err != nil {
			return err
		}
		return showPage(ctx, sh, path, o.open)
	}
	_, width := terminal(sh.stdout)
	return render.Terminal(sh.stdout, sh.localReport(withoutItself(r)), render.TerminalOptions{Width: width, Color: sh.color})
}

// withoutItself returns a report whose next commands do not include the command that
// prints the report.
func withoutItself(r model.Report) model.Report {
	r.Agents = slices.Clone(r.Agents)
	for i := range r.Agents {
		d := &r.Agents[i].Decision
		d.Commands = slices.DeleteFunc(slices.Clone(d.Commands), func(c string) bool { return c == "evolve report "+strconv.Itoa(r.Run.Number) })
	}
	return r
}

func printIndex(ctx context.Context, sh *shell, root string, a *archive.Archive, o reportOptions) error {
	if sh.json {
		src, err := asTheyAreIn(ctx, root, a)
		if err != nil {
			return err
		}
		nights, err := model.Summaries(ctx, src)
		if err != nil {
			return fmt.Errorf("building the index: %w", err)
		}
		return render.IndexJSON(unfolded(sh.stdout), nights)
	}
	if err := renewPages(ctx, root, a); err != nil {
		sh.eprintf("warning: some pages were not written: %s\n", text.Visible(err.Error()))
	}
	path, err := writeIndex(ctx, root, a)
	if err != nil {
		return err
	}
	return showPage(ctx, sh, path, o.open)
}

// showPage prints the location of a page, and opens the page if asked to.
func showPage(ctx context.Context, sh *shell, path string, open bool) error {
	if _, err := fmt.Fprintln(sh.stdout, path); err != nil || !open {
		return err
	}
	return browse(ctx, sh, path)
}

// browse passes a page to the program that opens pages on this machine. If there is no such
// program, as on a server, that is not an error, because the page has been written; a hint
// describes how to open it.
func browse(ctx context.Context, sh *shell, path string) error {
	why := "this machine has no program that opens web pages"
	for _, opener := range []string{"xdg-open", "open", "wslview"} {
		program, err := exec.LookPath(opener)
		if err != nil {
			continue
		}
		cmd := exec.CommandContext(ctx, program, path)
		cmd.Env, cmd.Dir = sh.Env, sh.dir
		if err = cmd.Run(); err == nil {
			return nil
		}
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		why = opener + " could not show the page: " + err.Error()
		break
	}
	sh.eprintf("hint: %s; open the file in a browser, or read it here with `%s`\n", why, sh.command("evolve report"))
	return nil
}

func reportsDir(root string) string { return filepath.Join(root, ".evolve", "reports") }

// writeReports writes the pages of a run and the index of all nights, and returns
// the path of the HTML page.
func writeReports(ctx context.Context, root string, a *archive.Archive, r model.Report) (string, error) {
	if err := writePages(root, r); err != nil {
		return "", err
	}
	if _, err := writeIndex(ctx, root, a); err != nil {
		return "", err
	}
	return filepath.Join(reportsDir(root), r.Run.ID+".html"), nil
}

// writePages writes a run's report as JSON, Markdown and HTML, each atomically. The HTML
// is last, because its absence marks a missing report.
func writePages(root string, r model.Report) error {
	base := filepath.Join(reportsDir(root), r.Run.ID)
	for _, form := range []struct {
		suffix string
		render func(io.Writer, model.Report) error
	}{{".json", render.JSON}, {".md", render.Markdown}, {".html", render.HTML}} {
		if err := writeWhole(root, base+form.suffix, func(w io.Writer) error { return form.render(w, r) }); err != nil {
			return err
		}
	}
	return nil
}

// writeIndex writes the page that links all nights.
func writeIndex(ctx context.Context, root string, a *archive.Archive) (string, error) {
	src, err := asTheyAreIn(ctx, root, a)
	if err != nil {
		return "", err
	}
	nights, err := model.Summaries(ctx, src)
	if err != nil {
		return "", fmt.Errorf("building the index: %w", err)
	}
	for _, n := range nights {
		// If a process died between the end of a run and its report, the page does not
		// exist.
		page := filepath.Join(reportsDir(root), render.FileName(n.Run))
		if _, err := os.Stat(page); n.State == archive.RunRunning || !errors.Is(err, os.ErrNotExist) {
			continue
		}
		r, err := model.Build(ctx, src, n.Run)
		if err != nil {
			return "", fmt.Errorf("building the report of run %s: %w", n.Run, err)
		}
		if err := writePages(root, r); err != nil {
			return "", err
		}
	}
	path := filepath.Join(reportsDir(root), "index.html")
	return path, writeWhole(root, path, func(w io.Writer) error { return render.Index(w, nights) })
}

func writeWhole(root, path string, render func(io.Writer) error) error {
	var b bytes.Buffer
	if err := render(&b); err != nil {
		return fmt.Errorf("rendering %s: %w", filepath.Base(path), err)
	}
	if err := workspace.CheckState(root); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	if err := renameio.WriteFile(path, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}
