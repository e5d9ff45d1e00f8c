package nightly

import (
	"context"
	"fmt"
	"time"

	"evolve/archive"
	"evolve/bench/stats"
)

// Outlook is what earlier nights leave an agent's confirmation to work with.
type Outlook struct {
	Agent string `json:"agent"`
	// Entries is the error control of the month.
	Entries archive.EntryLedger `json:"entries"`
	// Open counts candidates that may go on with what they have, as far as the champion
	// decides that.
	Open int `json:"open"`
	// Notes say in words what stands in the way.
	Notes []string `json:"notes,omitempty"`
}

// outlook reads it from the archive, which it leaves alone.
func (r *runner) outlook(ctx context.Context, p archive.AgentPlan) (Outlook, error) {
	control, now := r.o.Workspace.Settings.Confirm.Control(), r.o.Now()
	var entries []*archive.Candidate
	out := Outlook{Agent: p.Agent}
	for c, err := range r.o.Archive.Candidates(ctx, p.Agent) {
		if err != nil {
			return out, fmt.Errorf("reading the candidates: %w", err)
		}
		entries = append(entries, &c)
		if c.Void == "" && !c.State.Ended() && c.Champion == p.Champion {
			out.Open++
		}
	}
	out.Entries = entryLedger(control, entries, now)
	if p.Confirm > 0 && out.Entries.Used >= out.Entries.Most {
		out.Notes = append(out.Notes, noEntry(control, entries))
	}
	adoptions := 0
	for proposal, err := range r.o.Archive.Proposals(ctx) {
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

// entryLedger is what the error control allows and has used at a time.
func entryLedger(c stats.Control, entries []*archive.Candidate, now time.Time) archive.EntryLedger {
	return archive.EntryLedger{
		Days: c.Days, Most: c.Entries, Used: c.Entries - c.Left(entered(entries), now), Level: c.Level, Alpha: c.Alpha(),
	}
}
