package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"evolve/archive"
	"evolve/reports/model"
	"evolve/runtime/text"
)

// watched returns what the latest night of each agent recorded about the agent's active
// config. It leaves out agents whose config a person has since adopted or rolled back,
// because the night measured another config.
func watched(ctx context.Context, a readOnce, runs []archive.Run) ([]model.Watch, error) {
	decided := map[string]time.Time{} // by agent
	for _, p := range a.proposals {
		if d := p.Decision; d != nil && (p.State == archive.Adopted || p.State == archive.RolledBack) && d.Time.After(decided[p.Agent]) {
			decided[p.Agent] = d.Time
		}
	}
	var seen []string
	var out []model.Watch
	for _, r := range runs {
		for _, id := range r.Agents {
			if slices.Contains(seen, id) {
				continue
			}
			result, err := a.Result(ctx, r.ID, id)
			if errors.Is(err, archive.ErrNotFound) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("reading a result: %w", err)
			}
			if seen = append(seen, id); decided[id].After(r.Started) {
				continue
			}
			w, err := model.WatchOf(ctx, a, result)
			if err != nil {
				return nil, err
			}
			if w != nil {
				out = append(out, *w)
			}
		}
	}
	return out, nil
}

// printWatch begins the status with what the nights showed about the active configs.
func printWatch(con *console, list []model.Watch) {
	for _, w := range list {
		for _, alarm := range w.Alarms() {
			con.printf("! %s: %s\n", text.Visible(w.Agent), text.Visible(alarm.Text))
			if alarm.Command != "" {
				con.printf("    %s\n", con.command(alarm.Command))
			}
		}
		if row := w.Row(); row != "" {
			con.printf("%s  watch  %s\n", text.Visible(w.Agent), text.Visible(row))
		}
	}
	if len(list) > 0 {
		con.printf("\n")
	}
}
