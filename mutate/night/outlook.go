package night

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"evolve/archive"
	"evolve/bench/confirm"
	"evolve/bench/stats"
	"evolve/runtime/text"
)

// Outlook describes what earlier nights mean for the agent's next confirmation.
type Outlook struct {
	Agent string `json:"agent"`
	// Entries holds the number of entries that the month's error control allows, and the
	// number used.
	Entries archive.EntryLedger `json:"entries"`
	// Open counts the candidates that may continue with their existing evidence, as far as
	// this depends on the champion.
	Open int `json:"open"`
	// Notes describe the obstacles.
	Notes []string `json:"notes,omitempty"`
}

// Outlook reads the agent's outlook from the archive.
func (s *Spec) Outlook(ctx context.Context) (Outlook, error) {
	p := s.Plan
	control, now := s.Settings.Confirm.Control(), s.Now()
	out := Outlook{Agent: p.Agent}
	entries, err := entriesOf(ctx, s.Archive, p.Agent)
	if err != nil {
		return out, err
	}
	for _, e := range entries {
		if e.Void == "" && !e.State.Ended() && e.Champion == p.Reference() {
			out.Open++
		}
	}
	others, err := spentByOthers(ctx, s.Archive, p.Agent, s.Agent.Spends)
	if err != nil {
		return out, err
	}
	spent := slices.Concat(entries, others)
	out.Entries = entryLedger(control, spent, now)
	if note := spentUnder(others, control, now); note != "" {
		out.Notes = append(out.Notes, note)
	}
	for _, w := range p.Waits {
		if len(w.Stale) > 0 {
			out.Notes = append(out.Notes, fmt.Sprintf("%s is undecided and stale: %s changed since the measurement; the run may measure the proposal again", w.Proposal, strings.Join(w.Stale, ", ")))
			continue
		}
		next := "`evolve approve " + w.Proposal + "`"
		if p, err := s.Archive.Proposal(ctx, w.Proposal); w.Drafted || err == nil && p.Branch != nil {
			next = "`evolve show " + w.Proposal + "`"
		}
		out.Notes = append(out.Notes, fmt.Sprintf("%s %s (%s): while it waits, only variants that look better than the proposal enter the confirmation, where they are compared with it", w.Proposal, waitsFor(w), next))
	}
	if p.Confirm > 0 && out.Entries.Used >= out.Entries.Most {
		out.Notes = append(out.Notes, confirm.NoEntry(control, spent))
	}
	if note, err := s.constant(ctx); err != nil {
		return out, err
	} else if note != "" {
		out.Notes = append(out.Notes, note)
	}
	adoptions := 0
	for proposal, err := range s.Archive.Proposals(ctx) {
		if err != nil {
			return out, fmt.Errorf("reading the proposals: %w", err)
		}
		if proposal.Agent == p.Agent && proposal.State == archive.Adopted {
			adoptions++
		}
	}
	if worn := stats.Worn(len(entries), adoptions); worn != "" {
		out.Notes = append(out.Notes, worn)
	}
	return out, nil
}

// spentUnder describes the entries in the window that were made under other names; it
// returns "" if there are none.
func spentUnder(others []confirm.Entry, c stats.Control, now time.Time) string {
	counted := map[string]bool{}
	for _, e := range others {
		counted[e.Agent] = counted[e.Agent] || c.Left([]time.Time{e.Time}, now) < c.Entries
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(counted)) {
		if counted[name] {
			names = append(names, text.Visible(name))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "confirmations on the same held-out tasks under the name " + strings.Join(names, ", ") + " also count"
}

// constant describes what declaring the agent deterministic would save, if the latest rerun
// of the champion gave the same answers; otherwise it returns "".
func (s *Spec) constant(ctx context.Context) (string, error) {
	p := s.Plan
	if p.AA == 0 {
		return "", nil
	}
	looked := 0
	for run, err := range s.Archive.Runs(ctx) {
		if err != nil {
			return "", fmt.Errorf("reading the reruns of the champion: %w", err)
		}
		if looked++; looked > paceNights {
			break
		}
		res, err := s.Archive.Result(ctx, run.ID, p.Agent)
		switch {
		case errors.Is(err, archive.ErrNotFound):
			continue
		case err != nil:
			return "", fmt.Errorf("reading the reruns of the champion: %w", err)
		case res.Repeats == nil:
			continue
		case !res.Repeats.Constant():
			return "", nil
		}
		return fmt.Sprintf("the champion gave the same answer twice on all %d tasks in run %s, with different seeds: deterministic: true and uses_seed: false in agent.yaml would save about %d of tonight's evaluations",
			res.Repeats.Tasks, run.ID, p.AA+max(0, p.Confirm-2*p.HoldoutTasks)), nil
	}
	return "", nil
}

// entryLedger returns how many entries the error control allows, and how many are used, at
// the given time.
func entryLedger(c stats.Control, entries []confirm.Entry, now time.Time) archive.EntryLedger {
	return archive.EntryLedger{
		Days: c.Days, Most: c.Entries, Used: c.Entries - c.Left(confirm.Entered(entries), now), Level: c.Level, Alpha: c.Alpha(),
	}
}
