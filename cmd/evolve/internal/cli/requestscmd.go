package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	foreign "evolve/runtime/text"
)

// requestLine is one change request in a list.
type requestLine struct {
	ID      string               `json:"id"`
	State   archive.RequestState `json:"state"`
	Agent   string               `json:"agent"`
	Type    string               `json:"type"`
	Tool    string               `json:"tool"`
	Target  string               `json:"target"`
	Count   int                  `json:"count"`
	Created time.Time            `json:"created"`
	Last    time.Time            `json:"last"`
	By      string               `json:"by,omitempty"`
}

func requestLineOf(r archive.ChangeRequestRecord) requestLine {
	l := requestLine{
		ID: r.ID, State: r.State, Agent: r.Agent, Type: r.Request.Type, Tool: r.Request.Tool, Target: r.Request.Target,
		Count: r.Count, Created: r.Created, Last: r.Last,
	}
	if r.Decision != nil {
		l.By = r.Decision.By
	}
	return l
}

func requestsCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "requests", Usage: "changes that agents requested but are not allowed to make themselves",
		Subcommands: []*cli.Command{
			{
				Name: "list", Usage: "list the open requests", Description: "Also works during a run.",
				Flags:  []cli.Flag{&cli.BoolFlag{Name: "all", Usage: "also list the requests that have been decided"}},
				Action: func(c *cli.Context) error { return requestsList(sh, c) },
			},
			{
				Name: "show", Usage: "show one request in full: the exact call, its reason, its history", ArgsUsage: "ID", Description: "Also works during a run.",
				Action: func(c *cli.Context) error {
					return reading(sh, c, func(_ string, a *archive.Archive) error {
						r, err := requestOf(c.Context, a, c.Args().First())
						if err != nil {
							return err
						}
						return sh.show(requestView{ChangeRequestRecord: r}, func() { printRequest(sh.console, r) })
					})
				},
			},
			requestDecision(sh, granting()),
			requestDecision(sh, denying()),
		},
	}
}

func requestsList(sh *shell, c *cli.Context) error {
	lines := []requestLine{}
	err := readingIfThere(sh, c, func(_ string, a *archive.Archive) error {
		return forEach("change requests", a.Requests(c.Context), func(r archive.ChangeRequestRecord) {
			if r.State == archive.RequestOpen || c.Bool("all") {
				lines = append(lines, requestLineOf(r))
			}
		})
	})
	if err != nil {
		return err
	}
	return printList(sh.console, "requests", lines, "no change request is open", func(l requestLine) error {
		_, err := fmt.Fprintf(sh.stdout, "%-4s  %-8s  %s  %-4s  %-12s  %-9s  %-18s  %s\n", l.ID, l.State, stamp(l.Last, "_2 Jan 15:04"),
			fmt.Sprintf("%d×", l.Count), cell(l.Agent, 24), cell(l.Type, 12), cell(l.Tool, 24), cell(l.Target, 60))
		return err
	})
}

// cell formats untrusted text for a table, shortened to the given number of characters
// (most).
func cell(text string, most int) string {
	return orDash(oneLine(foreign.Visible(oneLine(text, most)), most))
}

func requestOf(ctx context.Context, a *archive.Archive, id string) (archive.ChangeRequestRecord, error) {
	r, err := a.Request(ctx, id)
	if errors.Is(err, archive.ErrNotFound) {
		return r, exit.Errorf(exit.Usage, nearRecord(a.Requests(ctx), func(r archive.ChangeRequestRecord) string { return r.ID }, id, "`evolve requests list --all` lists them"), "there is no change request %q", id)
	}
	if err != nil {
		return r, fmt.Errorf("reading change request %s: %w", id, err)
	}
	return r, nil
}

func printRequest(con *console, r archive.ChangeRequestRecord) {
	con.printf("%s  %s asks for a change: %s  %s\n", r.ID, foreign.Visible(r.Agent), foreign.Visible(r.Request.Type), r.State)
	if r.Request.Reason != "" {
		con.printf("    %s\n", foreign.Visible(oneLine(r.Request.Reason, len(r.Request.Reason)+1)))
	}
	con.printf("\nthe exact call, which was not executed\n")
	printCall(con.stdout, r, 0)
	con.printf("\nstory\n")
	con.printf("  %-10s %s, first on %s, last on %s\n", "uttered", count(r.Count, "time"), day(r.Created), day(r.Last))
	con.printFacts([][2]string{{"session", r.Session}, {"turn", r.Turn}, {"hash", r.Request.ID}})
	d := r.Decision
	if d == nil {
		con.printf("\n  %s\n  %s\n", con.command("evolve requests approve "+r.ID), con.command("evolve requests deny "+r.ID+` --reason "…"`))
		return
	}
	printDecided(con, d.Action, d.By, d.Time, d.Reason)
	if d.Proposal != "" {
		con.printf("  %-10s %s\n\n  %s\n", "proposal", foreign.Visible(d.Proposal), con.command("evolve show "+d.Proposal))
	}
}

func day(t time.Time) string { return stamp(t, "2 Jan 2006 15:04") }

// stamp formats a time for people; the zero time becomes a dash.
func stamp(t time.Time, layout string) string {
	if t.IsZero() {
		return orDash("")
	}
	return t.Local().Format(layout)
}

// printCall shows the requested call. Its arguments are cut to the given number of bytes
// (most); 0 means that they are shown in full.
func printCall(w io.Writer, r archive.ChangeRequestRecord, most int) {
	for _, kv := range [][2]string{{"tool", r.Request.Tool}, {"target", r.Request.Target}} {
		_, _ = fmt.Fprintf(w, "  %-10s %s\n", kv[0], orDash(foreign.Visible(kv[1])))
	}
	var b bytes.Buffer
	if err := json.Indent(&b, r.Request.Arguments, "", "  "); err != nil {
		b.Reset()
		b.Write(r.Request.Arguments)
	}
	text, rest := b.String(), 0
	if most > 0 && len(text) > most {
		cut := strings.ToValidUTF8(text[:most], "")
		text, rest = cut, len(text)-len(cut)
	}
	lead := "arguments"
	for line := range strings.SplitSeq(text, "\n") {
		_, _ = fmt.Fprintf(w, "  %-10s %s\n", lead, foreign.Visible(line))
		lead = ""
	}
	if rest > 0 {
		_, _ = fmt.Fprintf(w, "  %-10s … %s more; `evolve requests show %s` shows all\n", "", humanize.IBytes(uint64(rest)), r.ID)
	}
}
