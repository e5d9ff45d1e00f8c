package archive

import (
	"bytes"
	"cmp"
	"strings"
	"time"

	"evolve/runtime/agent"
)

// ProposalKind classifies a proposal by what it changes.
type ProposalKind string

// The kinds of proposal.
const (
	KindConfig ProposalKind = "config"
	KindPatch  ProposalKind = "patch"
	// KindTool is a tool or a skill that an agent wrote.
	KindTool ProposalKind = "tool"
	// KindMemory is a change to an agent's memories: new ones, or marks on existing ones.
	KindMemory ProposalKind = "memory"
	// KindAutonomy is a higher level of autonomy; it changes no file.
	KindAutonomy ProposalKind = "autonomy"
)

// ProposalState is the state of a proposal.
type ProposalState string

// The states of a proposal.
const (
	Drafted    ProposalState = "drafted"
	Gated      ProposalState = "gated"
	Awaiting   ProposalState = "awaiting"
	HumanLane  ProposalState = "human_lane"
	GateFailed ProposalState = "failed"
	Approved   ProposalState = "approved"
	Adopted    ProposalState = "adopted"
	RolledBack ProposalState = "rolled_back"
	Rejected   ProposalState = "rejected"
	Expired    ProposalState = "expired"
	Superseded ProposalState = "superseded"
)

// Name returns the state as people see it: "flagged" for a proposal that gates flagged for
// a person, and "not gated" for a draft.
func (s ProposalState) Name() string {
	switch s {
	case Drafted:
		return "not gated"
	case HumanLane:
		return "flagged"
	}
	return strings.ReplaceAll(string(s), "_", " ")
}

// ProposalRecord is a change proposed for a person's decision, with its current state.
type ProposalRecord struct {
	// ID is "P<number>".
	ID    string        `json:"id"`
	Kind  ProposalKind  `json:"kind"`
	State ProposalState `json:"state"`
	Agent string        `json:"agent"`
	Run   string        `json:"run,omitempty"`
	// RuledBy is set only for a proposal that no run made: it is the run with the latest
	// ruling on the variant against the same champion. It is empty if there is no such
	// ruling, and in proposals made by an older evolve.
	RuledBy  string         `json:"ruled_by,omitempty"`
	Variant  agent.ConfigID `json:"variant,omitempty"`
	Champion agent.ConfigID `json:"champion,omitempty"`
	Title    string         `json:"title"`
	// Rationale is untrusted text if a model wrote it.
	Rationale string `json:"rationale,omitempty"`
	// Base holds the hashes of the paths and inputs that the proposal depends on, keyed
	// by name.
	Base map[string]string `json:"base"`
	// Files lists the changed files by workspace path; a nil new content removes the file.
	Files []FileChange `json:"files"`
	// Changes lists the changed parameters, with their old and new values.
	Changes []Change `json:"changes"`
	// Commit is the commit of the proposal, and Ref is the ref that points to it. Both are
	// empty while the workspace is not a git repository.
	Commit string `json:"commit,omitempty"`
	Ref    string `json:"ref,omitempty"`
	// Evidence is the digest of the comparison that supports the proposal.
	Evidence string `json:"evidence,omitempty"`
	// Rests names the evaluations that the proposal rests on; it is nil if nothing was
	// measured.
	Rests    *Rests         `json:"rests,omitempty"`
	Gates    []GateVerdict  `json:"gates,omitempty"`
	Created  time.Time      `json:"created,omitzero"`
	Decision *DecisionBrief `json:"decision,omitempty"`
	// Imported is the state of the proposal in the archive from which it was imported; it
	// is empty for a proposal made in this archive. An imported proposal was measured and
	// gated in the other archive, not in this one.
	Imported ProposalState `json:"imported,omitempty"`
	// AdoptedCommit is the commit that an approval made.
	AdoptedCommit string `json:"adopted_commit,omitempty"`
	// Branch is the branch that presents the proposal on a remote; it is nil if there is
	// none.
	Branch *BranchBrief `json:"branch,omitempty"`
	// Patch holds the fields that only proposals of kind patch have.
	Patch *PatchBrief `json:"patch,omitempty"`
	// Autonomy holds the fields that only proposals of kind autonomy have.
	Autonomy *AutonomyBrief `json:"autonomy,omitempty"`
}

// BranchBrief is the branch that presents a proposal to a person on a remote.
type BranchBrief struct {
	Remote string `json:"remote"`
	Name   string `json:"name"`
	// Base is the branch into which the proposal is to be merged; it is empty until the
	// proposal is pushed.
	Base string `json:"base,omitempty"`
	// Commit is the commit that the remote should have, and From is the commit of the
	// proposal from which Commit was made. Pushed is the commit that the remote is known
	// to have had.
	Commit string `json:"commit"`
	From   string `json:"from,omitempty"`
	Pushed string `json:"pushed,omitempty"`
	// Opened reports whether the operator's program has opened the pull request.
	Opened bool `json:"opened,omitempty"`
	// Over reports whether the branch is no longer updated to match the proposal. It may
	// still be merged from a copy.
	Over bool `json:"over,omitempty"`
	// Against is the commit that merged the branch although the proposal had been rejected.
	Against string `json:"against,omitempty"`
	// Trouble is the reason why the last attempt to push the branch or to read its state
	// failed.
	Trouble string `json:"trouble,omitempty"`
}

// RulingRun returns the run that ruled on the proposal's variant: the run that made the
// proposal or, for a proposal that no run made, RuledBy.
func (p ProposalRecord) RulingRun() string { return cmp.Or(p.Run, p.RuledBy) }

// OfConfig reports whether the proposal is about a config, that is, a variant.
func (p ProposalRecord) OfConfig() bool {
	return p.Variant != "" && p.Kind != KindPatch && p.Kind != KindTool && p.Kind != KindMemory && p.Kind != KindAutonomy
}

// Outdated reports whether the gates judged the patch and it later failed only because its
// target has changed and the patch no longer applies. Such a failure is not evidence
// against the measurements.
func (p ProposalRecord) Outdated() bool {
	return p.Patch != nil && p.State == GateFailed && p.Patch.Sandbox != "" && len(p.Gates) == 1 && p.Gates[0].Gate == ApplyGate
}

// ApplyGate is the name of the gate that applies a patch to the code of its target.
const ApplyGate = "apply"

// AddsMemories reports whether the proposal adds memories. A proposal that retracts or
// restores memories does not.
func (p ProposalRecord) AddsMemories() bool {
	return p.Kind == KindMemory && len(p.Files) == 1 && bytes.HasPrefix(p.Files[0].New, p.Files[0].Old)
}

// PatchOfPerson is the origin of a patch that a person wrote.
const PatchOfPerson = "person"

// Written reports whether the agent, or a nightly run for it, wrote the proposal: a tool, a
// skill, memories from its turns, or a patch. All other proposals come from a person (a
// retraction or restoration of memories, a patch by hand, a request for a level) or from
// the search (a config).
func (p ProposalRecord) Written() bool {
	switch p.Kind {
	case KindTool:
		return true
	case KindMemory:
		return p.AddsMemories()
	case KindPatch:
		return p.Patch != nil && p.Patch.Origin != PatchOfPerson
	}
	return false
}

// VariantOf returns the variant of an agent that the proposal would adopt: a config or, for
// a target whose code is searched under the agent's name, a version of the code. It returns
// false if the proposal would adopt neither.
func (p ProposalRecord) VariantOf(agentID string) (agent.ConfigID, bool) {
	switch {
	case p.OfConfig() && p.Agent == agentID:
		return p.Variant, true
	case p.Kind == KindPatch && p.Patch != nil && p.Patch.Variant != "" && p.Patch.Target == agentID:
		return p.Patch.Variant, true
	}
	return "", false
}

// AwaitsConfig reports whether the proposal is about a config and awaits a person.
func (p ProposalRecord) AwaitsConfig() bool {
	return p.OfConfig() && (p.State == Awaiting || p.State == HumanLane)
}

// FileChange is one file of a proposal, with its whole content before and after.
type FileChange struct {
	Path string `json:"path"`
	Old  []byte `json:"old"` // nil if the file did not exist
	New  []byte `json:"new"` // nil if the file is removed
}

// Change is the old and the new value of one parameter. A nil value means that the
// parameter is inactive.
type Change struct {
	Param string `json:"param"`
	Old   any    `json:"old"`
	New   any    `json:"new"`
}

// GateVerdict is one gate's verdict on a proposal.
type GateVerdict struct {
	Gate     string `json:"gate"`
	Verdict  string `json:"verdict"` // passed, failed, flagged, not_run
	Evidence string `json:"evidence"`
	// Deceives reports whether the gate failed because the change deceives its measurement
	// or its tests. Descendants of such a change inherit the deception.
	Deceives bool `json:"deceives,omitempty"`
}
