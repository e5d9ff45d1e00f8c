package watch

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"evolve/archive"
	"evolve/runtime/autonomy"
	"evolve/runtime/experience"
)

// deed is an act with its effect. The act puts the effect named by key in force or, if
// ends is true, ends that effect. Acts with an empty key change nothing that evaluations
// read.
type deed struct {
	archive.Act
	key  string
	ends bool
}

// deeds returns, in order of time, people's actions that concern an agent, except
// commits: feedback, levels of autonomy, decisions on proposals, and tools that people
// shared or withdrew from use. Levels affect only live turns, and so does feedback that
// applies to one conversation or until a given day.
func deeds(ctx context.Context, store Store, agentID string, decided []archive.ProposalRecord) ([]deed, error) {
	of := map[string]*archive.ProposalRecord{}
	for i := range decided {
		of[decided[i].ID] = &decided[i]
	}
	var out []deed
	for e, err := range store.Ledger(ctx, 1) {
		if err != nil {
			return nil, fmt.Errorf("reading people's actions: %w", err)
		}
		d := deed{Act: archive.Act{Kind: e.Kind, ID: e.Subject, By: e.Actor, Time: e.Time}}
		known := false
		switch kind, verb, _ := strings.Cut(e.Kind, "."); kind {
		case "feedback":
			known = e.Subject == agentID && d.feedback(e.Data, verb)
		case "autonomy":
			known = e.Subject == agentID && d.level(e.Data)
		case "tool":
			known = d.tool(e.Data, agentID, verb)
		case "proposal":
			if p := of[e.Subject]; p != nil && (verb == "approve" || verb == "rollback") {
				known, d.What = true, p.Title
				if d.Commit = p.AdoptedCommit; verb == "rollback" {
					d.Commit = p.Decision.Commit
				}
			}
		}
		if known {
			out = append(out, d)
		}
	}
	slices.SortStableFunc(out, func(a, b deed) int { return a.Time.Compare(b.Time) })
	return out, nil
}

// feedback reads a change to feedback. Even if the feedback was given while a run held the
// archive, the entry has the time at which it was given.
func (d *deed) feedback(data json.RawMessage, verb string) bool {
	var note struct {
		Feedback experience.Feedback `json:"feedback"`
	}
	if json.Unmarshal(data, &note) != nil || note.Feedback.ID == "" || verb != "add" && verb != "remove" {
		return false
	}
	f := note.Feedback
	d.ID, d.What, d.Live = f.ID, f.Wish(), !f.Lasts()
	if !d.Live {
		d.key, d.ends = "feedback "+f.ID, verb == "remove"
	}
	return true
}

func (d *deed) level(data json.RawMessage) bool {
	var l struct {
		From autonomy.Level `json:"from"`
		To   autonomy.Level `json:"to"`
	}
	if json.Unmarshal(data, &l) != nil {
		return false
	}
	d.ID, d.What, d.Live = "", fmt.Sprintf("%d to %d", l.From, l.To), true
	return true
}

// tool reads a change to a tool of the agent, or to a tool that another agent shares with
// it.
func (d *deed) tool(data json.RawMessage, agentID, verb string) bool {
	owner, name, _ := strings.Cut(d.ID, "/")
	var shared struct {
		With []string `json:"with"`
	}
	switch verb {
	case "share", "unshare":
		if json.Unmarshal(data, &shared) != nil || !slices.Contains(shared.With, agentID) {
			return false
		}
		d.key, d.ends = "shared "+d.ID, verb == "unshare"
	case "quarantine", "release":
		if owner != agentID {
			return false
		}
		d.key, d.ends = "quarantine "+d.ID, verb == "release"
	default:
		return false
	}
	d.ID = cmp.Or(name, d.ID)
	return true
}

// given returns, as one text, the keys of the effects in force at the given time: those
// that people had given and not taken back by then.
func given(all []deed, at time.Time) string {
	holds := map[string]bool{}
	for _, d := range all {
		if d.key != "" && !d.Time.After(at) {
			holds[d.key] = !d.ends
		}
	}
	var keys []string
	for k, on := range holds {
		if on {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return strings.Join(keys, "\n")
}

// mostActs is the maximum number of acts that a change lists; it lists the latest.
const mostActs = 20

// actsBetween returns the acts that are later than the first time and no later than the
// second, earliest first.
func actsBetween(all []deed, after, until time.Time) []archive.Act {
	var out []archive.Act
	for _, d := range all {
		if d.Time.After(after) && !d.Time.After(until) {
			out = append(out, d.Act)
		}
	}
	return out[max(0, len(out)-mostActs):]
}
