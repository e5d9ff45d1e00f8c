package review

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"evolve/archive"
	"evolve/gates"
	"evolve/patch/diff"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// The origins of a patch. All origins except OriginPerson are limited to one attempt per
// hour.
const (
	OriginPerson    = archive.PatchOfPerson
	OriginAgent     = "agent"     // an agent proposed it with its propose_patch tool
	OriginModel     = "model"     // a language model wrote it during a nightly run, based on failures
	OriginConstants = "constants" // the search changed marked constants
	OriginBlocks    = "blocks"    // the search changed the texts of marked blocks
)

// Submission is a patch in the form in which it is submitted. All its texts are untrusted.
type Submission struct {
	Target string
	// Author is the agent or person who submits the patch.
	Author string
	// Origin is one of the constants above.
	Origin    string
	Rationale string
	// Diff is a unified diff. Replacements, if there are any, are used instead of Diff.
	Diff         string
	Replacements []diff.Replacement
	// Gain is the measured gain; empty if none was measured.
	Gain string
	// Confirmed holds the measurements made when a night confirmed the patch; nil for any
	// other patch.
	Confirmed *archive.Confirmed
	// Run is the nightly run from which the patch comes.
	Run string
	// Variant is the variant of searched code that the patch implements; empty for any
	// other patch.
	Variant agent.ConfigID
}

// The limits on the parts of a submission that are stored, in bytes.
const (
	maxRationale = 4000
	maxTitle     = 100
)

// hash returns the hash of the submitted target, diff and replacements.
func (s Submission) hash() (string, error) {
	data, err := json.Marshal(struct {
		Target, Diff string
		Replacements []diff.Replacement
	}{s.Target, s.Diff, s.Replacements})
	if err != nil {
		return "", fmt.Errorf("reading the submission: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// ProposePatch handles a submission: it records the attempt in the ledger, applies the
// patch, runs the gates, and records the result. A fault in the patch itself leads to a
// failed proposal, with the reason as a gate's evidence. A refusal (a *RefusedError)
// leads to no proposal. With a *LeftError, the proposal is recorded, but its gates still
// have to run. This happens if ctx is canceled, and for a version of searched code if its
// author has already made an attempt in the past hour. Other errors are due to the
// machine. The archive is not held while the gates run.
func (rev *Reviewer) ProposePatch(ctx context.Context, sub Submission) (archive.ProposalRecord, error) {
	t, err := rev.target(sub.Target)
	if err != nil {
		return archive.ProposalRecord{}, err
	}
	if err := namesAuthor(sub.Author); err != nil {
		return archive.ProposalRecord{}, err
	}
	hash, err := sub.hash()
	if err != nil {
		return archive.ProposalRecord{}, err
	}
	var p archive.ProposalRecord
	var held *Lock
	err = rev.with(context.WithoutCancel(ctx), func(s *session) (err error) {
		p, held, err = s.begin(context.WithoutCancel(ctx), t, sub, hash)
		return err
	})
	if held != nil {
		defer held.Release()
	}
	if err != nil || p.State != archive.Drafted {
		return p, err
	}
	return rev.gateDraft(ctx, t, p)
}

// gateDraft runs the gates on a draft. If they do not all run, it stores the reason with
// the draft.
func (rev *Reviewer) gateDraft(ctx context.Context, t Target, p archive.ProposalRecord) (archive.ProposalRecord, error) {
	id := p.ID
	p, err := rev.gate(ctx, t, p, p, entryCreate)
	if err == nil {
		return p, nil
	}
	left := &LeftError{ID: id, Err: err}
	errors.As(err, &left)
	p, kept := rev.keepWaiting(ctx, p, left)
	return p, errors.Join(err, kept)
}

// namesAuthor refuses an author's name that is blank or contains control characters, such
// as line breaks.
func namesAuthor(author string) error {
	if strings.TrimSpace(author) == "" || strings.ContainsFunc(author, unicode.IsControl) {
		return Refuse("name yourself with --by \"Name <mail>\", or set git's user.name", "a patch needs the name of its author")
	}
	return nil
}

// begin carries out the part of a submission that needs the archive: it records the
// attempt, applies the patch, records the proposal and acquires the claim to gate it. A
// patch that cannot be applied is recorded as a failed proposal.
func (s *session) begin(ctx context.Context, t Target, sub Submission, hash string) (p archive.ProposalRecord, held *Lock, err error) {
	attempt, waits, err := s.admit(ctx, sub, hash)
	if err != nil {
		return p, nil, err
	}
	if waits != nil {
		p, err = s.wait(ctx, t, sub, hash, waits)
		return p, nil, err
	}
	if err := s.step("attempt"); err != nil {
		return p, nil, err
	}
	p, why, err := s.patchRecord(t, sub, hash)
	var same *archive.ProposalRecord
	if err == nil {
		same, err = s.findDuplicate(ctx, p)
	}
	if err == nil && same != nil { // the gates of the same proposal were interrupted earlier
		if held, err = s.claimGates(same.ID); err == nil {
			p, err = s.takeUp(ctx, *same, sub.Author, attempt)
		}
		if err == nil {
			return p, held, nil
		}
	}
	if err != nil {
		return p, held, errors.Join(err, s.recordRefusal(ctx, sub, attempt, err))
	}
	p.Patch.Attempt = attempt
	if p, err = s.store.NewProposal(ctx, p); err != nil {
		return p, nil, fmt.Errorf("recording the proposal: %w", err)
	}
	if held, err = s.claimGates(p.ID); err != nil {
		return p, nil, err
	}
	if err := s.step("record"); err != nil {
		return p, held, err
	}
	if why != "" {
		p, err = s.unappliable(ctx, p, entryCreate, why)
	}
	return p, held, err
}

// patchRecord creates the record of a submission. why is the reason why the submission
// cannot be applied, or "".
func (rev *Reviewer) patchRecord(t Target, s Submission, hash string) (p archive.ProposalRecord, why string, err error) {
	p = archive.ProposalRecord{
		Kind: archive.KindPatch, State: archive.Drafted, Agent: s.Author, Run: s.Run, Created: rev.Now(),
		Title: title(t, s), Rationale: text.Clip(s.Rationale, maxRationale, text.Ellipsis),
		Patch: &archive.PatchBrief{Target: t.Name, Repository: t.Repo, Named: t.Named, Author: s.Author, Origin: s.Origin, Submitted: hash, Gain: s.Gain, Confirmed: s.Confirmed, Variant: s.Variant},
	}
	b := p.Patch
	if b.Terms, b.Policy, err = t.terms(); err != nil {
		return p, "", err
	}
	repo, err := rev.open(t)
	if err != nil {
		return p, "", err
	}
	if _, b.BaseCommit, err = repo.Head(); err != nil {
		return p, "", err
	}
	p.Base = map[string]string{"commit": b.BaseCommit, "policy": b.Policy}
	read := func(path string) ([]byte, error) { return repo.File(b.BaseCommit, path) }
	files, err := apply(s, read)
	var refused *diff.RefusedError
	if errors.As(err, &refused) {
		return p, refused.Error(), nil
	}
	if err != nil {
		return p, "", fmt.Errorf("applying the patch: %w", err)
	}
	for _, f := range files {
		p.Files = append(p.Files, archive.FileChange{Path: f.Path, Old: f.Old, New: f.New})
	}
	if len(p.Files) == 0 {
		return p, "it changes nothing", nil
	}
	return p, "", nil
}

// apply returns the files that a submission changes, with their complete old and new
// contents.
func apply(s Submission, base diff.Base) ([]diff.File, error) {
	if len(s.Replacements) > 0 {
		return diff.Replace(s.Replacements, base)
	}
	parsed, err := diff.Parse([]byte(s.Diff))
	if err != nil {
		return nil, err
	}
	return diff.Apply(parsed, base)
}

// findDuplicate refuses a patch that is the same as a patch that already awaits a
// decision. Unless a person proposes the patch, it is also refused if it is the same as a
// rejected or rolled back patch. In both cases, the target may have another name. If the
// same patch is a draft whose gates were interrupted, it returns that draft. It ignores a
// patch that awaits a decision under a target name that is no longer in the settings,
// because such a patch cannot be approved.
func (s *session) findDuplicate(ctx context.Context, p archive.ProposalRecord) (left *archive.ProposalRecord, err error) {
	if len(p.Files) == 0 {
		return nil, nil
	}
	for other, err := range s.store.Proposals(ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading the proposals: %w", err)
		}
		if other.ID == p.ID || other.Patch == nil || !samePlace(other, p) || !sameFiles(other, p) {
			continue
		}
		based := other.Patch.BaseCommit == p.Patch.BaseCommit
		waits := other.State == archive.Awaiting || other.State == archive.HumanLane || other.State == archive.Approved
		turned := other.State == archive.Rejected || other.State == archive.RolledBack
		if waits && based && !s.renamed(p, other) || turned && p.Patch.Origin != OriginPerson {
			return nil, Refuse("`evolve show "+other.ID+"` shows it", "%s is the same patch and is %s", other.ID, other.State.Name())
		}
		if other.State == archive.Drafted && other.Imported == "" && based && other.Patch.Target == p.Patch.Target {
			left = &other
		}
	}
	return left, nil
}

// renamed reports whether the target of another patch is no longer in the settings while
// the target of p is.
func (rev *Reviewer) renamed(p, other archive.ProposalRecord) bool {
	named := func(name string) bool {
		return slices.ContainsFunc(rev.Targets, func(t Target) bool { return t.Name == name })
	}
	return other.Patch.Named && !named(other.Patch.Target) && named(p.Patch.Target)
}

func sameFiles(a, b archive.ProposalRecord) bool {
	return slices.EqualFunc(a.Files, b.Files, func(x, y archive.FileChange) bool {
		return x.Path == y.Path && string(x.Old) == string(y.Old) && string(x.New) == string(y.New) && (x.New == nil) == (y.New == nil)
	})
}

// unappliable stores a patch as failed because it could not be applied. It runs no other
// gates.
func (s *session) unappliable(ctx context.Context, p archive.ProposalRecord, entry, why string) (archive.ProposalRecord, error) {
	p.Gates = []archive.GateVerdict{{Gate: gateApply, Verdict: string(gates.Failed), Evidence: text.Clip(why, maxEvidence, text.Ellipsis)}}
	p.State, p.Patch.Review, p.Patch.Unreviewed = archive.GateFailed, nil, nil
	p.Patch.Digest = Digest(p)
	return p, s.record(ctx, p, entry, p.Agent, gatedData(p))
}

// title returns the first line of the patch's rationale or, if there is none, a title that
// names the author.
func title(t Target, s Submission) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s.Rationale), "\n")
	if line = strings.Join(strings.Fields(line), " "); line == "" {
		line = "by " + s.Author
	}
	return text.Clip(fmt.Sprintf("patch for %s: %s", t.Name, line), maxTitle, text.Ellipsis)
}
