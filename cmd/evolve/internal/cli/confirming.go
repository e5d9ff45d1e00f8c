package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/evidence"
	"evolve/runtime/agent"
)

// confirmingLine is a variant whose confirmation continues.
type confirmingLine struct {
	Agent   string      `json:"agent"`
	Variant string      `json:"variant"`
	Number  int         `json:"number,omitempty"`
	Run     string      `json:"run"` // of its entry
	State   stats.State `json:"state"`
	Blocks  int         `json:"blocks"`
	// LogE is the natural logarithm of the variant's evidence (its e-value), and Required
	// is the threshold for LogE.
	LogE     float64 `json:"log_e"`
	Required float64 `json:"required"`
	Reason   string  `json:"reason,omitempty"`
}

// share returns the evidence as a percentage of the threshold. Both are logarithms, so the
// share grows linearly with the number of pairs if the difference is constant.
func (l confirmingLine) share() int {
	return int(100 * math.Max(0, math.Min(1, l.LogE/l.Required)))
}

// entriesLine holds how many more candidates of an agent the error control over all runs
// allows to enter the confirmation.
type entriesLine struct {
	Agent string  `json:"agent"`
	Days  int     `json:"days"`
	Most  int     `json:"most"`
	Left  int     `json:"left"`
	Level float64 `json:"level"`
	Alpha float64 `json:"alpha"`
}

// championOf returns the active champion of an agent, or "" if the workspace, which may be
// nil, does not have the agent.
func championOf(w *workspace.Workspace, agentID string) agent.ConfigID {
	if w == nil {
		return ""
	}
	if of, ok := w.Agent(agentID); ok {
		return of.Champion.ID()
	}
	return ""
}

// confirmations lists an agent's open candidates, and returns the entries that the agent
// has left at the given time (now). It leaves out candidates that were measured against
// another config than the active champion, because the next run will not count their
// evidence. active is that champion; if it is "", the champion of the last run counts. The
// entries are nil if no run of the agent had a confirmation.
func confirmations(ctx context.Context, a *archive.Archive, agentID string, active agent.ConfigID, runs []archive.Run, now time.Time) ([]confirmingLine, *entriesLine, error) {
	var lines []confirmingLine
	var entered []time.Time
	champion, spends, control, err := standing(ctx, a, agentID, runs)
	if err != nil {
		return nil, nil, err
	}
	for c, err := range a.Candidates(ctx, agentID) {
		if err != nil {
			return nil, nil, fmt.Errorf("reading the candidates: %w", err)
		}
		entered = append(entered, c.Time)
		if c.Void != "" || c.State.Ended() || c.Champion != cmp.Or(active, champion) {
			continue
		}
		l := confirmingLine{
			Agent: agentID, Variant: string(c.Variant), Run: c.Run, State: c.State, Blocks: c.Blocks,
			LogE: c.LogE, Required: -math.Log(c.Alpha), Reason: c.Reason,
		}
		v, err := a.Variant(ctx, agentID, c.Variant)
		if err == nil {
			l.Number = v.Number
		} else if !errors.Is(err, archive.ErrNotFound) {
			return nil, nil, fmt.Errorf("reading a candidate: %w", err)
		}
		lines = append(lines, l)
	}
	if control == nil {
		return lines, nil, nil
	}
	for c, err := range a.SpentByOthers(ctx, agentID, spends) {
		if err != nil {
			return nil, nil, fmt.Errorf("reading the candidates of other agents: %w", err)
		}
		entered = append(entered, c.Time)
	}
	window := stats.Control{Level: control.Level, Days: control.Days, Entries: control.Most}
	return lines, &entriesLine{
		Agent: agentID, Days: control.Days, Most: control.Most, Left: window.Left(entered, now), Level: control.Level, Alpha: window.Alpha(),
	}, nil
}

// standing returns the champion in an agent's last run, the identifier of the data that
// entries into that run's confirmation use up, and the error control of the last run that
// had a confirmation. runs must be sorted with the latest first.
func standing(ctx context.Context, a *archive.Archive, agentID string, runs []archive.Run) (champion agent.ConfigID, spends string, control *archive.EntryLedger, err error) {
	for _, r := range runs {
		if !slices.Contains(r.Agents, agentID) {
			continue
		}
		if champion == "" {
			plan, err := a.Plan(ctx, r.ID, agentID)
			if err != nil && !errors.Is(err, archive.ErrNotFound) {
				return "", "", nil, fmt.Errorf("reading a plan: %w", err)
			}
			champion, spends = plan.Champion, plan.Spends
		}
		result, err := a.Result(ctx, r.ID, agentID)
		if err != nil && !errors.Is(err, archive.ErrNotFound) {
			return "", "", nil, fmt.Errorf("reading a result: %w", err)
		}
		if result.Entries != nil {
			return champion, spends, result.Entries, nil
		}
	}
	return champion, spends, nil, nil
}

// claimOf returns the claim about a proposal's variant from the run that ruled on it.
// It returns NoClaim if nothing confirmed the variant, or if the confirmation was of an
// older kind.
func claimOf(ctx context.Context, a *archive.Archive, p archive.ProposalRecord) (stats.Claim, error) {
	if p.Imported != "" { // imported results make no claim
		return stats.NoClaim, nil
	}
	r, err := rulingOn(ctx, a, p)
	if errors.As(err, new(*archive.AuditError)) { // `evolve show` prints the contradiction
		return stats.NoClaim, nil
	}
	if r == nil || err != nil {
		return stats.NoClaim, err
	}
	return r.Claim, nil
}

// rulingOn returns the ruling on the variant of a config proposal, or nil if there is none.
// An *archive.AuditError means that the stored evaluations contradict the ruling.
func rulingOn(ctx context.Context, a *archive.Archive, p archive.ProposalRecord) (*stats.Ruling, error) {
	if p.RulingRun() == "" || p.Kind != archive.KindConfig {
		return nil, nil
	}
	result, err := resultBehind(ctx, a, p)
	if err != nil {
		return nil, err
	}
	for _, f := range result.Finalist {
		if f.Variant == p.Variant && f.Ruling != nil {
			return f.Ruling, nil
		}
	}
	return nil, nil
}

// resultBehind returns the result of the run that ruled on a proposal's variant, or the zero
// value if the result is not stored. An *archive.AuditError means that the stored
// evaluations contradict the result.
func resultBehind(ctx context.Context, a *archive.Archive, p archive.ProposalRecord) (archive.AgentResult, error) {
	result, err := a.Result(ctx, p.RulingRun(), p.Agent)
	if errors.Is(err, archive.ErrNotFound) {
		return result, nil
	}
	if err == nil && p.Imported == "" {
		_, err = evidence.Check(ctx, a, result)
	}
	if err != nil {
		return result, fmt.Errorf("reading the result that %s is based on: %w", p.ID, err)
	}
	return result, nil
}

// contradiction describes how the stored evaluations contradict the evidence of a config
// proposal; it returns "" if they do not.
func contradiction(ctx context.Context, a *archive.Archive, p archive.ProposalRecord) (string, error) {
	if p.RulingRun() == "" || !p.OfConfig() {
		return "", nil
	}
	_, err := resultBehind(ctx, a, p)
	if errors.As(err, new(*archive.AuditError)) {
		return err.Error(), nil
	}
	return "", err
}

// claims maps each claim to a description of what is known about the variant.
var claims = map[stats.Claim]string{
	stats.NewTasks:   "better on new tasks like these",
	stats.TheseTasks: "better on these tasks; not demonstrated for new ones",
}
