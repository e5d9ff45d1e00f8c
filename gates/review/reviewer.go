package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/gates"
	"evolve/gates/gotest"
	"evolve/patch"
	"evolve/runtime/authored"
	"evolve/runtime/sandbox"
)

// Reviewer makes proposals, runs their gates and carries out decisions on them. The fields
// from Targets on are needed only for proposals of patches.
type Reviewer struct {
	// Archive opens the archive for a short piece of work. It is closed before models or
	// the gates of patches run, so that other processes can write to the archive while
	// these run.
	Archive WithStore
	// Workspace is the workspace that proposals for configs, tools and skills change; nil
	// if it cannot be loaded.
	Workspace *Workspace
	// Env is the environment for native git and for Go.
	Env []string
	Now func() time.Time
	// Sleep waits between two attempts to open an archive that another process is holding.
	Sleep func(context.Context, time.Duration) error
	// Check runs the tests of a tool that an agent wrote. If it is nil, no proposal for
	// such a tool passes its gates.
	Check func(context.Context, authored.Definition) authored.Report
	// Program is the operator's program, with its arguments, that runs after an adoption or
	// a rollback; if empty, there is none.
	Program []string
	// Branching configures how each proposal is pushed as a branch to a remote, where it
	// awaits a person's decision; if nil, a person approves proposals here.
	Branching *Branching
	// Reached is called at every step of a proposal and of a decision. If it returns an
	// error, work stops at that step as if the process had crashed. It is nil except in
	// tests.
	Reached func(step string) error

	// Targets are the targets in the settings, or the one target that a person specified.
	Targets []Target
	// Scratch is the absolute path of a folder for exported trees. Cache is the absolute
	// path of a folder for build caches; if Cache is empty, the caches are in Scratch.
	Scratch, Cache string
	// Sandbox detects the sandboxes available on this machine.
	Sandbox func() sandbox.Sandbox
	// Unsandboxed permits running tests without a sandbox if there is none.
	Unsandboxed bool
	// Trial prepares an agent from the trees of a patch; it is nil if no agent can be run.
	Trial func(context.Context, TrialSpec) (*AgentTrial, error)
	// CodeReviewers are the agents that review patches. They take turns in this order.
	CodeReviewers []CodeReviewer
	// Notify receives messages about waiting for other work to end; it may be nil.
	Notify func(text string)
	// Run is the nightly run for which the reviewer works, and Budget is the money that
	// it may spend. If a person runs the command, Run is "" and Budget is nil.
	Run    string
	Budget *bench.Budget

	// tests is nil except in tests, where it replaces the gates that start Go.
	tests func(gotest.Change) []gates.Gate
}

// robot is the author of proposal commits. The commit of an adoption has the approving
// person as its author.
const robot = "evolve"

func robotAt(when time.Time) patch.Person {
	return patch.Person{Name: robot, Email: robot + "@localhost", When: when}
}

// RefusedError is the reason why an action was refused, with a hint for the user.
type RefusedError struct {
	Text, Hint string
	err        error
}

func (e *RefusedError) Error() string { return e.Text }

// Unwrap returns the underlying error, if any.
func (e *RefusedError) Unwrap() error { return e.err }

// Refuse makes a *RefusedError.
func Refuse(hint, format string, args ...any) error {
	return &RefusedError{Text: fmt.Sprintf(format, args...), Hint: hint}
}

// notify sends the user a message about what the reviewer is waiting for.
func (rev *Reviewer) notify(format string, args ...any) {
	if rev.Notify != nil {
		rev.Notify(fmt.Sprintf(format, args...))
	}
}

// step reports a step to Reached.
func (rev *Reviewer) step(name string) error {
	if rev.Reached == nil {
		return nil
	}
	return rev.Reached(name)
}

// Find returns a proposal.
func (rev *Reviewer) Find(ctx context.Context, id string) (archive.ProposalRecord, error) {
	return inSession(ctx, rev, func(s *session) (archive.ProposalRecord, error) { return s.find(ctx, id) })
}

func (s *session) find(ctx context.Context, id string) (archive.ProposalRecord, error) {
	p, err := s.store.Proposal(ctx, id)
	if errors.Is(err, archive.ErrNotFound) {
		return p, Refuse("`evolve proposals` lists them", "there is no proposal %q", id)
	}
	if err != nil {
		return p, fmt.Errorf("reading proposal %s: %w", id, err)
	}
	return p, nil
}

// findPatch is like find, but for a proposal that must be a patch.
func (s *session) findPatch(ctx context.Context, id string) (archive.ProposalRecord, error) {
	p, err := s.find(ctx, id)
	if err == nil && p.Patch == nil {
		err = Refuse("`evolve show "+p.ID+"` shows it", "%s is not a patch", p.ID)
	}
	return p, err
}

// Undecided reports whether a person may still decide on a proposal in this state.
func Undecided(s archive.ProposalState) bool {
	return slices.Contains([]archive.ProposalState{archive.Awaiting, archive.HumanLane, archive.GateFailed, archive.Drafted, archive.Gated}, s)
}

// verdictName returns a verdict as it is shown to people.
func verdictName(v archive.GateVerdict) string { return strings.ReplaceAll(v.Verdict, "_", " ") }

// evidenceOf returns the digest to which a decision on a proposal refers.
func evidenceOf(p archive.ProposalRecord) string {
	if p.Patch != nil {
		return p.Patch.Digest
	}
	return p.Evidence
}

// files converts the files in a record to the type that package patch uses.
func files(p archive.ProposalRecord) []patch.File {
	out := make([]patch.File, len(p.Files))
	for i, f := range p.Files {
		out[i] = patch.File{Path: f.Path, Old: f.Old, New: f.New}
	}
	return out
}

func paths(p archive.ProposalRecord) []string {
	out := make([]string, len(p.Files))
	for i, f := range p.Files {
		out[i] = f.Path
	}
	return out
}
