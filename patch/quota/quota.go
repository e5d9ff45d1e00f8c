package quota

import (
	"fmt"
	"slices"
	"time"
)

// The limits, spec 6.3. Both run over sliding windows rather than calendar days, so
// that neither midnight nor a time zone is a way round them.
const (
	// Pause is what must lie between two attempts of one agent.
	Pause = time.Hour
	// Day is the window in which at most PerDay patches are adopted, by whomever.
	Day    = 24 * time.Hour
	PerDay = 3
)

// Attempt is one patch that was proposed, as the ledger tells of it.
type Attempt struct {
	Agent string
	// Time is when it was made; it counts whatever became of it.
	Time time.Time
	// Adopted is when it was adopted; zero when it was not. An adoption that was
	// rolled back counts all the same.
	Adopted time.Time
}

// TooSoonError says that a limit is reached.
type TooSoonError struct {
	// Limit says which one, in words.
	Limit string
	// Next is the first moment at which the limit allows it.
	Next time.Time
	// Ahead says that the ledger holds a time after now: the clock was set back. Such
	// entries count, because otherwise setting the clock back would be a way round
	// the limit; a person who sees the wrong clock can put it right.
	Ahead bool
}

func (e *TooSoonError) Error() string {
	text := fmt.Sprintf("%s; the next is possible at %s", e.Limit, e.Next.UTC().Format(time.RFC3339))
	if e.Ahead {
		text += " (the ledger has an entry after now: the clock was set back)"
	}
	return text
}

// Check tells whether an agent may attempt a patch now: a *TooSoonError until Pause
// has passed since its latest attempt, nil from that very moment on.
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

// CheckAdoption tells whether one more patch may be adopted now: a *TooSoonError
// while PerDay adoptions lie within Day before now, nil from the very moment on at
// which the oldest of them is a Day old.
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
