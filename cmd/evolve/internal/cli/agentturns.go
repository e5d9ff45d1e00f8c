package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// served describes who answered a turn, and why the turn was referred.
type served struct {
	// Route is the turn's route. Models are the models that answered, in the order of their
	// first call.
	Route  string   `json:"route,omitempty"`
	Models []string `json:"models,omitempty"`
	// Signal describes how the message was interpreted; it is empty for the first message
	// of a conversation.
	Signal string `json:"signal,omitempty"`
	// Referral is the boundary that the agent named; it is absent if the turn was not
	// referred.
	Referral json.RawMessage `json:"referral,omitempty"`
}

// servedBy determines from a transcript who answered a turn.
func servedBy(t agent.Transcript) served {
	var s served
	for _, e := range t.Events {
		switch {
		case e.Kind == agent.EventSignal:
			s.Signal = e.Name
		case e.Kind == agent.EventRoute:
			s.Route = e.Name
		case e.Kind == agent.EventModel && e.Name != "" && (e.Outcome == "" || e.Outcome == agent.OK) && !slices.Contains(s.Models, e.Name):
			s.Models = append(s.Models, e.Name)
		case e.Kind == agent.EventCheck && e.Name == agent.Referral && json.Valid(e.Data):
			s.Referral = e.Data
		}
	}
	return s
}

// line returns the route and the models as text on one line.
func (s served) line() string {
	var parts []string
	if s.Route != "" {
		parts = append(parts, "route "+oneLine(s.Route, 80))
	}
	if len(s.Models) > 0 {
		parts = append(parts, "model "+oneLine(strings.Join(s.Models, ", "), 160))
	}
	return strings.Join(parts, ", ")
}

// turnLine is one stored turn in a list.
type turnLine struct {
	ID      string        `json:"id"`
	Agent   string        `json:"agent"`
	Session string        `json:"session,omitempty"`
	Outcome agent.Outcome `json:"outcome"`
	Goal    string        `json:"goal"`
	Usage   agent.Usage   `json:"usage"`
	Created time.Time     `json:"created"`
}

func agentTurns(sh *shell, c *cli.Context) error {
	lines := []turnLine{}
	named, known := c.String("agent"), false // an agent that no longer exists may have turns
	err := readingIfThere(sh, c, func(_ string, a *archive.Archive) error {
		return forEach("turns", a.Turns(c.Context), func(t archive.TurnRecord) {
			if named != "" && named != t.Agent {
				return
			}
			known = true
			if c.IsSet("session") && c.String("session") != t.Session {
				return
			}
			lines = append(lines, turnLine{t.ID, t.Agent, t.Session, t.Outcome, t.Goal, t.Usage, t.Created})
		})
	})
	if err == nil && named != "" && !known {
		_, _, err = sh.loadAgent(c, named)
	}
	if err != nil {
		return err
	}
	lines = lines[max(0, len(lines)-max(0, c.Int("last"))):]
	return printList(sh.console, "turns", lines, "no turn is stored", func(l turnLine) error {
		_, err := fmt.Fprintf(sh.stdout, "%-4s  %s  %-12s  %-12s  %-14s  %s\n", l.ID, stamp(l.Created, "_2 Jan 15:04"), cell(l.Agent, 24), cell(l.Session, 24),
			cell(string(l.Outcome), 24), cell(l.Goal, 60))
		return err
	})
}

// storedTurn is the output of `evolve agent turn --json`.
type storedTurn struct {
	archive.TurnRecord
	served
}

func agentTurn(sh *shell, c *cli.Context) error {
	return reading(sh, c, func(_ string, a *archive.Archive) error {
		t, err := turnOf(c.Context, a, c.Args().First())
		if err != nil {
			return err
		}
		return sh.show(storedTurn{t, servedBy(t.Transcript)}, func() { printTurn(sh.console, t) })
	})
}

func turnOf(ctx context.Context, a *archive.Archive, id string) (archive.TurnRecord, error) {
	t, err := a.Turn(ctx, id)
	if errors.Is(err, archive.ErrNotFound) {
		return t, exit.Errorf(exit.Usage, "`evolve agent turns` lists them", "there is no turn %q", id)
	}
	if err != nil {
		return t, fmt.Errorf("reading turn %s: %w", id, err)
	}
	return t, nil
}

func printTurn(con *console, t archive.TurnRecord) {
	con.printf("%s  %s on %s", t.ID, text.Visible(t.Agent), day(t.Created))
	if t.Session != "" {
		con.printf(", session %s", text.Visible(t.Session))
	}
	con.printf("\n")
	for line := range strings.SplitSeq(t.Goal, "\n") {
		con.printf("    %s\n", text.Visible(line))
	}
	con.printf("\n")
	for _, e := range t.Transcript.Events {
		printEvent(con, e, storedStep)
	}
	if n := t.Transcript.Dropped; n > 0 {
		con.printf("… %s more\n", count(n, "step"))
	}
	v := turnView{Outcome: t.Outcome, Error: t.Error, served: servedBy(t.Transcript), Usage: t.Usage}
	if t.Answer != "" {
		v.Answer = &t.Answer
	}
	printEnd(con, v)
	if t.Autonomy > 0 {
		con.printf("%-9s  %d of autonomy\n", "level", t.Autonomy)
	}
	for _, kv := range [][2]string{{"config", string(t.Config)}, {"policies", t.PolicyVersion}} {
		if kv[1] != "" {
			con.printf("%-9s  %s\n", kv[0], text.Visible(kv[1]))
		}
	}
}
