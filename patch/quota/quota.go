package quota

import (
	"fmt"
	"slices"
	"time"
)

// The limits. Both use sliding windows rather than calendar days, so that neither
// midnight nor a time zone offers a way around them.
const (
	// Pause is the minimum time between two attempts of one agent.
	Pause = time.Hour
	// Day is the window in which at most PerDay patches are adopted, by all agents
	// together.
	Day    = 24 * time.Hour
	PerDay = 3
)

// Attempt is one proposed patch, as recorded in the ledger.
type Attempt struct {
	Agent string
	// Time is the time of the attempt; an attempt counts whatever its result.
	Time time.Time
	// Adopted is the time of its adoption, or zero. An adoption that was rolled back
	// counts too.
	Adopted time.Time
}

// TooSoonError reports that a limit is reached.
type TooSoonError struct {
	// Limit describes the limit.
	Limit string
	// Next is the earliest time at which the limit allows another one.
	Next time.Time
	// Ahead reports whether the ledger holds a time after now: the clock was set back.
	// Such entries count, because otherwise setting the clock back would be a way around
	// the limit; a person who sees the wrong clock can correct it.
	Ahead bool
}

func (e *TooSoonError) Error() string {
	text := fmt.Sprintf("%s; the next is possible at %s", e.Limit, e.Next.UTC().Format(time.RFC3339))
	if e.Ahead {
		text += " (the ledger has an entry with a later time: the clock was set back)"
	}
	return text
}

// Check returns a *TooSoonError if less than Pause has passed since an agent's latest
// attempt, nil otherwise.
func Check(past []Attempt, agent string, now time.Time) error {
	var latest time.Time
	for _, a := range past {
		if a.Agent == agent && a.Time.After(latest) {
			latest = a.Time
		}
	}
	next := latest.Add(Pause)
	if latest.IsZero() || !now.Before(next) {
		return nil
	}
	return &TooSoonError{Limit: fmt.Sprintf("%s may attempt one patch an hour", agent), Next: next, Ahead: latest.After(now)}
}

// CheckAdoption returns a *TooSoonError if PerDay patches were adopted less than a Day
// before now, nil otherwise.
func CheckAdoption(past []Attempt, now time.Time) error {
	var adopted []time.Time
	for _, a := range past {
		if !a.Adopted.IsZero() {
			adopted = append(adopted, a.Adopted)
		}
	}
	if len(adopted) < PerDay {
		return nil
	}
	slices.SortFunc(adopted, func(a, b time.Time) int { return b.Compare(a) })
	next := adopted[PerDay-1].Add(Day)
	if !now.Before(next) {
		return nil
	}
	return &TooSoonError{Limit: fmt.Sprintf("%d patches a day may be adopted in all", PerDay), Next: next, Ahead: adopted[0].After(now)}
}
