package review

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"evolve/archive"
	"evolve/runtime/autonomy"
	"evolve/runtime/text"
)

// LevelRequest requests a higher level of autonomy for an agent.
type LevelRequest struct {
	Agent  string
	Level  autonomy.Level
	Reason string
	// By is the person who makes the request.
	By string
	// Request is the change request in which the agent asked for the higher level; it may
	// be empty.
	Request string
}

// lowerHint returns the hint that names the command for lowering a level.
func lowerHint(agentID string) string {
	return "`evolve autonomy lower " + agentID + " --reason \"…\"` lowers it at once"
}

// ProposeAutonomy creates the proposal to raise an agent to its next higher level, which
// then awaits a person's decision. It refuses if the archive does not show that the
// requirements of the level are met, or if such a proposal is already open.
func (rev *Reviewer) ProposeAutonomy(ctx context.Context, r LevelRequest) (archive.ProposalRecord, error) {
	return inSession(ctx, rev, func(s *session) (archive.ProposalRecord, error) { return s.proposeAutonomy(ctx, r) })
}

func (s *session) proposeAutonomy(ctx context.Context, r LevelRequest) (archive.ProposalRecord, error) {
	var p archive.ProposalRecord
	if _, err := s.person(r.By); err != nil {
		return p, err
	}
	if strings.TrimSpace(r.Reason) == "" {
		return p, Refuse("--reason \"…\" gives the reason to the person who decides", "a request for a higher level of autonomy needs a reason")
	}
	a, err := s.proposer(r.Agent)
	if err != nil {
		return p, err
	}
	now, err := s.store.Autonomy(ctx, a.ID)
	if err != nil {
		return p, fmt.Errorf("reading the level of %s: %w", a.ID, err)
	}
	status := "`evolve autonomy status " + a.ID + "` shows what each level needs"
	switch {
	case !r.Level.Valid():
		return p, Refuse(status, "there is no level %d", r.Level)
	case r.Level == now.Level:
		return p, Refuse(status, "%s already has level %d", a.ID, now.Level)
	case r.Level < now.Level:
		return p, Refuse(lowerHint(a.ID), "%s already has level %d, which is higher than %d", a.ID, now.Level, r.Level)
	case r.Level > now.Level+1:
		return p, Refuse(fmt.Sprintf("ask for level %d first", now.Level+1), "%s has level %d; a level is raised one step at a time", a.ID, now.Level)
	}
	open, err := proposals(ctx, s.store, func(p archive.ProposalRecord) bool {
		return p.Kind == archive.KindAutonomy && p.Agent == a.ID && p.Imported == "" && Undecided(p.State)
	})
	if err != nil {
		return p, err
	}
	if len(open) > 0 {
		return p, Refuse("`evolve show "+open[0].ID+"` shows it; approve or reject the open request first", "a request for %s is already open: %s", a.ID, open[0].ID)
	}
	p = archive.ProposalRecord{
		Kind: archive.KindAutonomy, State: archive.Awaiting, Agent: a.ID, Created: s.Now(),
		Title:     fmt.Sprintf("autonomy level %d (%s) for %s", r.Level, r.Level, a.ID),
		Rationale: text.Clip(text.OneLine(r.Reason), maxRequestReason, text.Runes, text.Ellipsis), Base: map[string]string{},
		Changes:  []archive.Change{{Param: autonomy.Parameter, Old: int(now.Level), New: int(r.Level)}},
		Autonomy: &archive.AutonomyBrief{From: now.Level, To: r.Level, By: r.By, Request: r.Request},
	}
	if err := s.earned(ctx, &p); err != nil {
		return p, err
	}
	if p, err = s.store.NewProposal(ctx, p); err != nil {
		return p, fmt.Errorf("recording the request: %w", err)
	}
	return p, s.record(ctx, p, entryCreate, r.By, map[string]any{"kind": p.Kind, "agent": p.Agent, "level": r.Level, "request": r.Request})
}

// earned adds the archive's figures about an agent to the proposal to raise its level, and
// refuses a level whose requirements are not met.
func (s *session) earned(ctx context.Context, p *archive.ProposalRecord) error {
	f, err := s.store.Conduct(ctx, p.Agent, s.Now())
	if err != nil {
		return err
	}
	brief := *p.Autonomy
	brief.Figures, brief.Needs, brief.Risks = f, autonomy.Requirements(brief.To, f), autonomy.Risks(brief.To, f)
	p.Autonomy = &brief
	unmet := autonomy.Unmet(brief.Needs)
	if len(unmet) == 0 && len(brief.Needs) > 0 {
		return nil
	}
	return &UnmetError{Agent: p.Agent, Level: brief.To, Unmet: unmet}
}

// UnmetError reports that an agent does not meet the requirements of a level.
type UnmetError struct {
	Agent string
	Level autonomy.Level
	Unmet []autonomy.Requirement
}

func (e *UnmetError) Error() string {
	list := make([]string, len(e.Unmet))
	for i, r := range e.Unmet {
		list[i] = fmt.Sprintf("%s: %s, but the archive shows %s", r.Name, r.Need, r.Have)
	}
	return fmt.Sprintf("%s does not meet the requirements of level %d: %s", e.Agent, e.Level, strings.Join(list, "; "))
}

// Unwrap returns e as a refusal with a hint.
func (e *UnmetError) Unwrap() error {
	return Refuse("`evolve autonomy status "+e.Agent+"` shows all figures; live turns (`evolve agent run`) change them", "%s", e.Error())
}

// approveAutonomy raises the level of an agent. It gathers the figures again and refuses a
// level whose requirements are no longer met.
func (s *session) approveAutonomy(ctx context.Context, p archive.ProposalRecord, d Decision) (archive.ProposalRecord, error) {
	if strings.TrimSpace(d.Reason) == "" {
		return p, Refuse("--reason \"…\" records the reason for later readers", "raising the level of autonomy needs a reason")
	}
	if err := foreign(p); err != nil {
		return p, err
	}
	if p.State != archive.Awaiting || p.Autonomy == nil {
		return p, Refuse("`evolve show "+p.ID+"` shows its history", "%s is %s; it cannot be approved", p.ID, p.State.Name())
	}
	if err := Bound(ctx, s.store, p); err != nil {
		return p, err
	}
	if _, err := s.proposer(p.Agent); err != nil {
		return p, err
	}
	now, err := s.store.Autonomy(ctx, p.Agent)
	if err != nil {
		return p, fmt.Errorf("reading the level of %s: %w", p.Agent, err)
	}
	if now.Level != p.Autonomy.From {
		return p, Refuse("reject the request; a new request starts from the current level", "%s has level %d now, but %s asks for level %d, starting from level %d", p.Agent, now.Level, p.ID, p.Autonomy.To, p.Autonomy.From)
	}
	checked := p
	if err := s.earned(ctx, &checked); err != nil {
		var unmet *UnmetError
		if errors.As(err, &unmet) {
			return p, Refuse("reject the request, or wait until the figures meet the requirements again: `evolve autonomy status "+p.Agent+"`", "the figures have changed since %s was made: %s", p.ID, unmet)
		}
		return p, err
	}
	record := archive.DecisionRecord{Proposal: p.ID, Action: "approve", By: d.By, Reason: strings.TrimSpace(d.Reason), Time: s.Now()}
	p.State, p.Decision = archive.Adopted, brief(record)
	if _, err := s.store.RaiseAutonomy(ctx, record, p); err != nil {
		return p, fmt.Errorf("recording the level: %w", err)
	}
	return p, nil
}

// Lowering returns the change by which a person lowers an agent to the given level or, if
// the given level is 0, to the next lower level. Lowering records nothing.
func (rev *Reviewer) Lowering(r archive.AutonomyRecord, to autonomy.Level, d Decision) (archive.LevelChange, error) {
	if _, err := rev.person(d.By); err != nil {
		return archive.LevelChange{}, err
	}
	if strings.TrimSpace(d.Reason) == "" {
		return archive.LevelChange{}, Refuse("--reason \"…\" records the reason for later readers", "lowering a level needs a reason")
	}
	if to == 0 {
		to = r.Level - 1
	}
	status := "`evolve autonomy status " + r.Agent + "` shows its level"
	switch {
	case r.Level == autonomy.Lowest:
		return archive.LevelChange{}, Refuse(status, "%s already has the lowest level", r.Agent)
	case !to.Valid():
		return archive.LevelChange{}, Refuse(status, "there is no level %d", to)
	case to >= r.Level:
		return archive.LevelChange{}, Refuse(status, "%s has level %d, and %d is not lower", r.Agent, r.Level, to)
	}
	return archive.LevelChange{From: r.Level, To: to, By: d.By, Reason: strings.TrimSpace(d.Reason), Time: rev.Now()}, nil
}

// LowerAutonomy lowers an agent at once to the given level or, if that is 0, to the next
// lower one.
func (rev *Reviewer) LowerAutonomy(ctx context.Context, agentID string, to autonomy.Level, d Decision) (archive.AutonomyRecord, error) {
	return inSession(ctx, rev, func(s *session) (archive.AutonomyRecord, error) {
		r, err := s.store.Autonomy(ctx, agentID)
		if err != nil {
			return r, fmt.Errorf("reading the level of %s: %w", agentID, err)
		}
		change, err := rev.Lowering(r, to, d)
		if err != nil {
			return r, err
		}
		if r, err = s.store.LowerAutonomy(ctx, agentID, change); err != nil {
			return r, fmt.Errorf("recording the level: %w", err)
		}
		return r, nil
	})
}
