package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"evolve/archive"
	"evolve/reports/number"
)

// limitLine is one limit of a run and how much of it is spent, in evaluations, USD or
// seconds.
type limitLine struct {
	Limit string  `json:"limit"`
	Of    float64 `json:"of"`
	Spent float64 `json:"spent"`
	Left  float64 `json:"left"`
	// Binds reports whether a larger share of this limit is used up than of any other
	// limit.
	Binds bool `json:"binds"`
}

// limitLines returns the limits of a run, and how much of each limit all processes of the
// run together had spent by a given time (now). If the end of the run was not recorded, the
// number of evaluations comes from the tallies of the run's agents. For a run that ended
// under an older version of evolve, which recorded no use of the limits, limitLines returns
// no limits.
func limitLines(ctx context.Context, a *archive.Archive, r archive.Run, now time.Time) ([]limitLine, error) {
	lines := []limitLine{}
	counted, paid, err := spentSoFar(ctx, a, r)
	if err != nil {
		return nil, err
	}
	used := 0
	for _, l := range r.Limits {
		used += l.Used
	}
	if r.Ended.IsZero() {
		used = counted
	} else if now = r.Ended; used == 0 && len(r.Limits) > 0 && r.Limits[0].End == "" {
		return lines, nil
	}
	since := r.Since
	if since.IsZero() {
		since = r.Started
	}
	add := func(name string, of, spent float64) {
		if of > 0 {
			lines = append(lines, limitLine{Limit: name, Of: of, Spent: spent, Left: max(0, of-spent)})
		}
	}
	add("evaluations", float64(r.BudgetEval), float64(used))
	add("money", r.BudgetUSD, paid)
	add("time", r.BudgetTime.Seconds(), (now.Sub(since) + r.Worked).Seconds())
	if !r.Until.IsZero() {
		add("deadline", r.Until.Sub(since).Seconds(), now.Sub(since).Seconds())
	}
	furthest := 0
	for i, l := range lines {
		if l.Spent/l.Of > lines[furthest].Spent/lines[furthest].Of {
			furthest = i
		}
	}
	if len(lines) > 0 {
		lines[furthest].Binds = true
	}
	return lines, nil
}

// spentSoFar returns the number of evaluations in a run and the amount in USD that the run
// paid.
func spentSoFar(ctx context.Context, a *archive.Archive, r archive.Run) (used int, usd float64, err error) {
	for _, id := range r.Agents {
		t, err := a.Tally(ctx, r.ID, id)
		if err != nil {
			return 0, 0, fmt.Errorf("counting what run %s has spent: %w", r.ID, err)
		}
		used += t.Used()
		usd += t.USD
	}
	if paid, known, err := a.Paid(ctx, r); known || err != nil {
		return used, paid, err
	}
	return used, usd + r.PatchUSD, nil
}

// words describes a limit, and how much of it is spent and how much is left.
func (l limitLine) words() string {
	say := func(v float64) string { return humanize.Comma(int64(v)) }
	unit := ""
	switch l.Limit {
	case "evaluations":
		unit = orElse(" evaluation", " evaluations", l.Of == 1)
	case "money":
		say = number.Dollars
	default:
		say = func(v float64) string {
			return time.Duration(v * float64(time.Second)).Round(time.Second).String()
		}
		unit = orElse(" to the deadline", " of time", l.Limit == "deadline")
	}
	return fmt.Sprintf("%s of %s%s, %s left", say(l.Spent), say(l.Of), unit, say(l.Left))
}

// limitWords describes how much of each limit of a run is spent, starting with the limit
// that binds.
func limitWords(lines []limitLine) string {
	var first, rest []string
	for _, l := range lines {
		if l.Binds {
			first = append(first, l.words())
		} else {
			rest = append(rest, l.words())
		}
	}
	return strings.Join(append(first, rest...), "; ")
}
