package wire

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"evolve/runtime/policy"
	"evolve/runtime/text"
)

// liveLimitsFile is the name of a file below .evolve. The file holds, for each day, the
// waits for limits and the refusals by breakers in live turns. They are stored in a file
// rather than in the archive because each turn is its own process, and a run may hold the
// archive.
const liveLimitsFile = "live-limits.json"

// LiveDays is the number of days, including today, for which the file holds the waits and
// refusals.
const LiveDays = 7

// The limits on the file: the number of tools and providers per agent and day, the number
// of agents per day, and the size in bytes.
const (
	mostLiveTargets = 64
	mostLiveAgents  = 256
	maxLiveLimits   = 16 << 20
)

// liveLimits holds the waits and refusals in an agent's live turns on one day (UTC).
type liveLimits struct {
	Day    string              `json:"day"`
	Agent  string              `json:"agent"`
	Limits []policy.Saturation `json:"limits"`
}

// KeepLiveLimits records the waits for limits and the refusals by breakers in a live turn.
func KeepLiveLimits(root, agentID string, now time.Time, stats []policy.Stat) error {
	if !slices.ContainsFunc(stats, func(s policy.Stat) bool { return s.Calls > 0 }) {
		return nil
	}
	err := changeState(root, liveLimitsFile, func() ([]liveLimits, error) {
		days, err := readLiveLimits(root, now)
		if err != nil {
			days = nil // the figures cannot be read, so those of up to a week are lost
		}
		return addLiveLimits(days, now.UTC().Format(time.DateOnly), agentID, stats), nil
	})
	if err != nil {
		return fmt.Errorf("storing the statistics of live turns: %w", err)
	}
	return nil
}

// addLiveLimits adds the statistics of a turn to those of the turn's day and agent.
func addLiveLimits(days []liveLimits, day, agentID string, stats []policy.Stat) []liveLimits {
	i := slices.IndexFunc(days, func(d liveLimits) bool { return d.Day == day && d.Agent == agentID })
	if i < 0 {
		if len(days) >= LiveDays*mostLiveAgents {
			return days
		}
		i = len(days)
		days = append(days, liveLimits{Day: day, Agent: agentID})
	}
	for _, s := range stats {
		if s.Calls > 0 {
			s.Name, s.Origin = text.Clip(s.Name, 80), text.Clip(s.Origin, 80)
			days[i].Limits = addSaturation(days[i].Limits, s.Saturation)
		}
	}
	if l := days[i].Limits; len(l) > mostLiveTargets {
		slices.SortStableFunc(l, func(a, b policy.Saturation) int { return cmp.Compare(b.Calls, a.Calls) })
		days[i].Limits = l[:mostLiveTargets]
	}
	return days
}

// LiveLimits returns the waits and refusals in the live turns of the last [LiveDays] days,
// summed over all agents. The tools and providers with the most calls come first.
func LiveLimits(root string, now time.Time) ([]policy.Saturation, error) {
	days, err := readLiveLimits(root, now)
	if err != nil {
		return nil, fmt.Errorf("the statistics of live turns in .evolve/%s cannot be read: %w", liveLimitsFile, err)
	}
	var all []policy.Saturation
	for _, d := range days {
		for _, s := range d.Limits {
			all = addSaturation(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b policy.Saturation) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Origin, b.Origin))
	})
	return all, nil
}

// readLiveLimits reads the figures of the last [LiveDays] days; it returns none if there is
// no file.
func readLiveLimits(root string, now time.Time) ([]liveLimits, error) {
	days, err := readState[[]liveLimits](root, liveLimitsFile, maxLiveLimits)
	first := now.UTC().AddDate(0, 0, 1-LiveDays).Format(time.DateOnly)
	return slices.DeleteFunc(days, func(d liveLimits) bool { return d.Day < first }), err
}

func addSaturation(list []policy.Saturation, s policy.Saturation) []policy.Saturation {
	if i := slices.IndexFunc(list, s.Same); i >= 0 {
		list[i] = list[i].Plus(s)
		return list
	}
	return append(list, s)
}
