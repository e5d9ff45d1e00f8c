package quota

import (
	"fmt"
	"slices"
	"time"
)

// The limits. Both use sliding windows rather than calendar days, so that neither
// midnight nor a time zone offers a way around them.
const (
	// Pause is the minimum time between two attempts for the same agent.
	Pause = time.Hour
	// Day is the window in which at most PerDay patches are adopted, counted over all
	// agents.
	Day    = 24 * time.Hour
	PerDay = 3
)

// Attempt is one proposed patch, as recorded in the ledger.
type Attempt struct {
	Agent string
	// Time is the time of the attempt. An attempt counts whatever its result.
	Time time.Time
	// Adopted is the time at which the patch was adopted, or zero. An adoption that was
	// rolled back counts, too.
	Adopted time.Time
}

// TooSoonError reports that a limit has been reached.
type TooSoonError struct {
	// Limit describes the limit.
	Limit string
	// Next is the earliest time at which the limit allows another attempt or adoption.
	Next time.Time
	// Ahead reports whether the ledger holds a time after now, which means that the clock
	// was set back. An entry with a time after now counts, because otherwise setting the
	// clock back would be a way around the limit. A person who sees that the clock is wrong
	// can correct it.
	Ahead bool
}

func (e *TooSoonError) Error() string {
	text := fmt.Sprintf("%s; the next patch is possible at %s", e.Limit, e.Next.UTC().Format(time.RFC3339))
	if e.Ahead {
		text += " (the ledger has an entry dated in the future: the clock was set back)"
	}
	return text
}

// Check returns a *TooSoonError if less than Pause has passed since the latest attempt for
// an agent, and nil otherwise.
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

// CheckAdoption returns a *TooSoonError if PerDay patches or more were adopted in the
// period of length Day before now, and nil otherwise.
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
	return &TooSoonError{Limit: fmt.Sprintf("at most %d patches a day may be adopted in total", PerDay), Next: next, Ahead: adopted[0].After(now)}
}
