package archive

import (
	"bytes"
	"strings"
	"time"

	"evolve/runtime/agent"
)

// ProposalKind is the kind of thing that a proposal changes.
type ProposalKind string

// The kinds of proposal.
const (
	KindConfig ProposalKind = "config"
	KindPatch  ProposalKind = "patch"
	// KindTool is a tool or a skill that an agent wrote.
	KindTool ProposalKind = "tool"
	// KindMemory is a change of an agent's memories: new ones, or marks on existing ones.
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

// Name returns the state as people see it: "flagged" for one that gates flagged for a person, and
// "not gated" for a draft.
func (s ProposalState) Name() string {
	switch s {
	case Drafted:
		return "not gated"
	case HumanLane:
		return "flagged"
	}
	return strings.ReplaceAll(string(s), "_", " ")
}

// ProposalRecord is a change that awaits a person's decision, or its later state.
type ProposalRecord struct {
	// ID is "P<number>".
	ID       string         `json:"id"`
	Kind     ProposalKind   `json:"kind"`
	State    ProposalState  `json:"state"`
	Agent    string         `json:"agent"`
	Run      string         `json:"run,omitempty"`
	Variant  agent.ConfigID `json:"variant,omitempty"`
	Champion agent.ConfigID `json:"champion,omitempty"`
	Title    string         `json:"title"`
	// Rationale is foreign text when a model wrote it.
	Rationale string `json:"rationale,omitempty"`
	// Base is the hash of the paths and inputs it depends on, by name.
	Base map[string]string `json:"base"`
	// Files lists the changed files by workspace path; a nil new content removes the file.
	Files []FileChange `json:"files"`
	// Changes is the per-parameter difference.
	Changes []Change `json:"changes"`
	// Commit and Ref are empty while the workspace is no git repository.
	Commit string `json:"commit,omitempty"`
	Ref    string `json:"ref,omitempty"`
	// Evidence is the digest of the comparison that supports the proposal.
	Evidence string `json:"evidence,omitempty"`
	// Rests names the evaluations of that comparison; nil where nothing was measured.
	Rests    *Rests         `json:"rests,omitempty"`
	Gates    []GateVerdict  `json:"gates,omitempty"`
	Created  time.Time      `json:"created,omitzero"`
	Decision *DecisionBrief `json:"decision,omitempty"`
	// Imported is its state in the archive that it was imported from; empty for a proposal
	// of this archive. It was measured and gated there, not here.
	Imported ProposalState `json:"imported,omitempty"`
	// AdoptedCommit is the commit that an approval made.
	AdoptedCommit string `json:"adopted_commit,omitempty"`
	// Branch is the branch of a remote as which it is proposed; nil: none.
	Branch *BranchBrief `json:"branch,omitempty"`
	// Patch has the fields of proposals of kind patch only.
	Patch *PatchBrief `json:"patch,omitempty"`
	// Autonomy has the fields of proposals of kind autonomy only.
	Autonomy *AutonomyBrief `json:"autonomy,omitempty"`
}

// BranchBrief is the branch of a remote as which a proposal awaits a person.
type BranchBrief struct {
	Remote string `json:"remote"`
	Name   string `json:"name"`
	// Base is the branch that the proposal is to be merged into; empty until the proposal
	// was pushed.
	Base string `json:"base,omitempty"`
	// Commit is the commit that the remote is to have, and From the proposal's commit from
	// which Commit was made. Pushed is the commit that the remote is known to have had.
	Commit string `json:"commit"`
	From   string `json:"from,omitempty"`
	Pushed string `json:"pushed,omitempty"`
	// Opened reports whether the operator's program has opened the pull request.
	Opened bool `json:"opened,omitempty"`
	// Over reports whether the branch is no longer kept in agreement with the proposal.
	// It may still be merged from a copy.
	Over bool `json:"over,omitempty"`
	// Against is the commit that merged the branch after its rejection.
	Against string `json:"against,omitempty"`
	// Trouble is the reason why the last attempt to push the branch or to read its state
	// failed.
	Trouble string `json:"trouble,omitempty"`
}

// OfConfig reports whether the proposal is about a config, that is, a variant.
func (p ProposalRecord) OfConfig() bool {
	return p.Variant != "" && p.Kind != KindPatch && p.Kind != KindTool && p.Kind != KindMemory && p.Kind != KindAutonomy
}

// Outdated reports whether the gates judged the patch, and it failed later only because its
// target has changed so that the patch no longer applies. That is no evidence against the
// measurements.
func (p ProposalRecord) Outdated() bool {
	return p.Patch != nil && p.State == GateFailed && p.Patch.Sandbox != "" && len(p.Gates) == 1 && p.Gates[0].Gate == ApplyGate
}

// ApplyGate is the name of the gate that applies a patch to the code of its target.
const ApplyGate = "apply"

// AddsMemories reports whether the proposal adds memories; one that retracts or restores some
// does not.
func (p ProposalRecord) AddsMemories() bool {
	return p.Kind == KindMemory && len(p.Files) == 1 && bytes.HasPrefix(p.Files[0].New, p.Files[0].Old)
}

// PatchOfPerson is the origin of a patch that a person wrote.
const PatchOfPerson = "person"

// Written reports whether the agent, or a nightly run for it, wrote the proposal: a tool, a
// skill, memories from its turns, or a patch. A person wrote the others: a retraction or
// restoration of memories, a patch by hand, and a request for a level; and the search made
// configs.
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

// VariantOf returns the variant of an agent that the proposal has: a config, or for a target
// whose code is searched under the agent's name a version of the code. It returns false if it
// proposes none.
func (p ProposalRecord) VariantOf(agentID string) (agent.ConfigID, bool) {
	switch {
	case p.OfConfig() && p.Agent == agentID:
		return p.Variant, true
	case p.Kind == KindPatch && p.Patch != nil && p.Patch.Variant != "" && p.Patch.Target == agentID:
		return p.Patch.Variant, true
	}
	return "", false
}

// AwaitsConfig reports whether it is about a config and awaits a person.
func (p ProposalRecord) AwaitsConfig() bool {
	return p.OfConfig() && (p.State == Awaiting || p.State == HumanLane)
}

// FileChange is one file of a proposal, whole before and after.
type FileChange struct {
	Path string `json:"path"`
	Old  []byte `json:"old"` // nil: the file did not exist
	New  []byte `json:"new"` // nil: the file is removed
}

// Change is one parameter's old and new value; a nil value stands for "inactive".
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
	// Deceives reports whether the gate failed because the change deceives its measurement or
	// its tests. Descendants of such a change keep the deception.
	Deceives bool `json:"deceives,omitempty"`
}
