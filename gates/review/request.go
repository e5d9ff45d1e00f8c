package review

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// Requested is the change that a change request asks for.
type Requested struct {
	// Agent and Config are set if the request can become a proposal. Agent is the agent,
	// and Config is its champion with the requested values.
	Agent  *Agent
	Config agent.Config
	// Why is the reason why a request for parameters cannot become a proposal.
	Why string
}

// configRequest is the type of change requests that change parameters.
const configRequest = "config"

// maxRequestReason is the maximum length of an agent's reason in a proposal, in characters.
const maxRequestReason = 300

// RequestedOf parses a change request as a change to its agent's parameters. Any other
// request is left to a person. The request is untrusted text.
func RequestedOf(w *Workspace, r archive.ChangeRequestRecord) Requested {
	if r.Request.Type != configRequest {
		return Requested{}
	}
	a, ok := w.Agent(r.Agent)
	if !ok {
		return Requested{Why: fmt.Sprintf("the workspace has no agent %q", r.Agent)}
	}
	values, err := wanted(r.Request.Arguments)
	if err != nil {
		return Requested{Why: err.Error()}
	}
	raw := map[string]any{}
	for name, v := range a.Champion {
		raw[name] = v
	}
	for name, v := range values {
		raw[name] = v
	}
	config, problems := a.Space.Parse(raw)
	if len(problems) > 0 {
		return Requested{Why: problems[0].String()}
	}
	for name := range values {
		if _, active := config[name]; !active {
			return Requested{Why: fmt.Sprintf("parameter %q would not be active with these values", name)}
		}
	}
	return Requested{Agent: a, Config: config}
}

// wanted parses the values in the arguments of a call: {"param": …, "value": …} or
// {"values": {parameter: value}}. An "action" must be "set" or absent, and a reason is
// ignored here.
func wanted(arguments []byte) (agent.Config, error) {
	var call map[string]json.RawMessage
	if err := json.Unmarshal(arguments, &call); err != nil {
		return nil, errors.New("its arguments are not a JSON object")
	}
	for name := range call {
		if !slices.Contains([]string{"action", "param", "value", "values", "reason"}, name) {
			return nil, fmt.Errorf("its arguments include %q, which is not an argument of a parameter change", name)
		}
	}
	if action, there := call["action"]; there && string(action) != `"set"` {
		return nil, errors.New(`its action is not "set"`)
	}
	values := agent.Config{}
	if many, there := call["values"]; there {
		if err := json.Unmarshal(many, &values); err != nil {
			return nil, fmt.Errorf("its values cannot be read: %w", err)
		}
	}
	name, value := call["param"], call["value"]
	if (name == nil) != (value == nil) {
		return nil, errors.New("its arguments have a parameter without a value, or a value without a parameter")
	}
	if name != nil {
		one := agent.Config{}
		key, twice := "", false
		if err := json.Unmarshal(name, &key); err != nil {
			return nil, errors.New("its parameter is not text")
		}
		if err := json.Unmarshal(append(append([]byte(`{"v":`), value...), '}'), &one); err != nil {
			return nil, fmt.Errorf("its value cannot be read: %w", err)
		}
		if _, twice = values[key]; twice {
			return nil, fmt.Errorf("it names %q twice", key)
		}
		values[key] = one["v"]
	}
	if len(values) == 0 {
		return nil, errors.New("its arguments name no parameter")
	}
	return values, nil
}

// Granted is the result of approving a change request.
type Granted struct {
	Request archive.ChangeRequestRecord
	// Proposal is the proposal made from the request; nil if a person must carry out the
	// request.
	Proposal *archive.ProposalRecord
	// Why is the reason why a request for parameters did not lead to a proposal.
	Why string
}

// ApproveRequest records a person's permission for the exact call in a change request.
// The call is never executed. If the call would change parameters of its agent, the
// change becomes a variant and a proposal, which passes through the gates and awaits its
// own approval. If a crash interrupts this, repeating the call finds the proposal.
func (rev *Reviewer) ApproveRequest(ctx context.Context, id string, d Decision) (Granted, error) {
	return inSession(ctx, rev, func(s *session) (Granted, error) { return s.approveRequest(ctx, id, d) })
}

func (s *session) approveRequest(ctx context.Context, id string, d Decision) (Granted, error) {
	r, err := s.openRequest(ctx, id, d)
	if err != nil {
		return Granted{Request: r}, err
	}
	requested := RequestedOf(s.Workspace, r)
	granted := Granted{Request: r, Why: requested.Why}
	decision := archive.RequestDecision{Action: "approve", By: d.By, Reason: d.Reason, Time: s.Now()}
	if requested.Agent != nil {
		p, err := s.proposeRequested(ctx, r, requested)
		if err != nil {
			return granted, err
		}
		granted.Proposal, decision.Proposal = &p, p.ID
		if err := s.step(StepProposed); err != nil {
			return granted, err
		}
	}
	granted.Request, err = s.store.DecideRequest(ctx, r.ID, decision)
	if err != nil {
		return granted, fmt.Errorf("recording the permission: %w", err)
	}
	return granted, nil
}

// DenyRequest closes a change request with a reason.
func (rev *Reviewer) DenyRequest(ctx context.Context, id string, d Decision) (out Granted, err error) {
	err = rev.with(ctx, func(s *session) error {
		if out.Request, err = s.openRequest(ctx, id, d); err != nil {
			return err
		}
		if strings.TrimSpace(d.Reason) == "" {
			return Refuse("--reason \"…\" records the reason for later readers", "a denial needs a reason")
		}
		out.Request, err = s.store.DecideRequest(ctx, out.Request.ID, archive.RequestDecision{Action: "deny", By: d.By, Reason: d.Reason, Time: s.Now()})
		if err != nil {
			err = fmt.Errorf("recording the denial: %w", err)
		}
		return err
	})
	return out, err
}

// openRequest returns a request on which a person may still decide.
func (s *session) openRequest(ctx context.Context, id string, d Decision) (archive.ChangeRequestRecord, error) {
	r, err := s.store.Request(ctx, id)
	if errors.Is(err, archive.ErrNotFound) {
		return r, Refuse("`evolve requests list` lists them", "there is no change request %q", id)
	}
	if err != nil {
		return r, fmt.Errorf("reading change request %s: %w", id, err)
	}
	if r.State != archive.RequestOpen {
		return r, Refuse("`evolve requests show "+r.ID+"` shows its history", "%s is %s already", r.ID, r.State)
	}
	_, err = ParsePerson(d.By)
	return r, err
}

// proposeRequested records the requested config as a variant and proposes it.
func (s *session) proposeRequested(ctx context.Context, r archive.ChangeRequestRecord, requested Requested) (archive.ProposalRecord, error) {
	champion := requested.Agent.Champion.ID()
	if requested.Config.ID() == champion {
		return archive.ProposalRecord{}, Refuse("deny the request: there is nothing to decide", "%s asks for values that the champion already has", r.ID)
	}
	generation := 1
	switch parent, err := s.store.Variant(ctx, requested.Agent.ID, champion); {
	case err == nil:
		generation = parent.Generation + 1
	case !errors.Is(err, archive.ErrNotFound):
		return archive.ProposalRecord{}, fmt.Errorf("reading the champion: %w", err)
	}
	origin := "asked for by the agent itself in " + r.ID
	reason := text.Clip(text.OneLine(r.Request.Reason), maxRequestReason, text.Runes)
	rationale := origin
	if reason != "" {
		rationale += ": " + reason
	}
	v, err := s.store.PutVariant(ctx, archive.Variant{
		Agent: requested.Agent.ID, Config: requested.Config, Parents: []agent.ConfigID{champion}, Operator: "request",
		Generation: generation, Rationale: rationale, Time: s.Now(),
	})
	if err != nil {
		return archive.ProposalRecord{}, fmt.Errorf("recording the variant: %w", err)
	}
	return s.proposeUnrun(ctx, requested.Agent.ID, v, origin, reason)
}
