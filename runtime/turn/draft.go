package turn

import (
	"context"
	"encoding/json"
	"fmt"

	"evolve/runtime/agent"
	"evolve/runtime/tool"
)

// maxTries is the maximum number of drafts of tools that are checked in one turn. It is
// limited because a check runs every test of a draft.
const maxTries = 5

// drafts holds the tools that a turn wrote. They end with the turn.
type drafts struct {
	tries int
	order []string
	named map[string]*drafted
}

// drafted is a tool that the turn wrote and that passed its tests.
type drafted struct {
	request   agent.ChangeRequest
	calls, ok int
}

// draft checks the draft of a tool and makes it callable for the rest of the turn,
// replacing the version in use if there is one. A draft that fails changes nothing.
func (r *run) draft(ctx context.Context, raw json.RawMessage) tool.Result {
	d := &r.drafts
	if d.tries >= maxTries {
		return tool.Failed(agent.Denied, "at most %d drafts are checked in a turn", maxTries)
	}
	d.tries++
	made, res := r.agent.author(ctx, raw)
	if res.Outcome != agent.OK {
		res.Output = fmt.Sprintf("try %d of %d: %s", d.tries, maxTries, res.Output)
	}
	if res.Outcome != agent.OK || made == nil || res.Request == nil {
		return res
	}
	registry, err := r.registry.WithDraft(made)
	if err != nil {
		return tool.Failed(agent.ContractViolation, "try %d of %d: %s", d.tries, maxTries, err)
	}
	name := made.Spec().Name
	_, replaces := r.agent.registry.Spec(name)
	if d.named == nil {
		d.named = map[string]*drafted{}
	}
	if d.named[name] == nil {
		d.order = append(d.order, name)
	}
	d.named[name] = &drafted{request: *res.Request}
	r.registry, r.active[name] = registry, -1
	text := "callable until this turn ends"
	if replaces {
		text += ", instead of the version in use"
	}
	r.event(agent.Event{Kind: agent.EventDraft, Name: name, Outcome: agent.OK, Text: text})
	return tool.OK(res.Output)
}

// countDraft counts a call if it was a call to a draft.
func (r *run) countDraft(name string, outcome agent.Outcome) {
	d := r.drafts.named[name]
	if d == nil {
		return
	}
	d.calls++
	if outcome == agent.OK {
		d.ok++
	}
}

// offerDrafts discards the drafts at the end of the turn. If the turn ended ok, it adds a
// change request for each draft of which at least one call ended ok.
func (r *run) offerDrafts(outcome agent.Outcome) {
	for _, name := range r.drafts.order {
		d := r.drafts.named[name]
		use := fmt.Sprintf("calls in the turn that wrote it: %d, ok: %d", d.calls, d.ok)
		r.event(agent.Event{Kind: agent.EventDraft, Name: name, Text: use, Data: encode(map[string]int{"calls": d.calls, "ok": d.ok})})
		if d.ok > 0 && outcome == agent.OK {
			d.request.Reason += "; " + use
			r.addRequest(d.request)
		}
	}
	r.drafts = drafts{}
}
