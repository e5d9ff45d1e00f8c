package patching

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
	"evolve/cmd/evolve/internal/decide"
	"evolve/gates"
	"evolve/patch/diff"
)

// The origins of a patch. All except Person have the limit of one attempt an hour.
const (
	Person    = "person"
	Agent     = "agent"     // an agent proposed it with its tool propose_patch
	Model     = "model"     // a language model wrote it in a nightly run, from failures
	Constants = "constants" // the search changed marked constants
)

// Submission is a patch as it is submitted. All its texts are untrusted.
type Submission struct {
	Target string
	// Author is the agent or person that it comes from.
	Author string
	// Origin is one of the constants above.
	Origin    string
	Rationale string
	// Diff is a unified diff; Replacements, if there are any, are used instead of it.
	Diff         string
	Replacements []diff.Replacement
	// Gain is the measured gain; empty if none was measured.
	Gain string
	// Run is the nightly run that it comes from.
	Run string
}

// The bounds of what is kept of a submission, in bytes.
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

// Propose takes a submission: it records the attempt in the ledger, applies the patch,
// runs the gates, and records the result. A fault of the patch itself makes a failed
// proposal, with the reason as a gate's evidence. A refusal (a *decide.RefusedError)
// makes no proposal. With a *LeftError, for example after ctx is canceled, the proposal
// is recorded and its gates still have to run. Other errors are those of the machine. The
// archive is not held while the gates run.
func (d *Desk) Propose(ctx context.Context, s Submission) (archive.ProposalRecord, error) {
	t, err := d.target(s.Target)
	if err != nil {
		return archive.ProposalRecord{}, err
	}
	if err := sayable(s.Author); err != nil {
		return archive.ProposalRecord{}, err
	}
	hash, err := s.hash()
	if err != nil {
		return archive.ProposalRecord{}, err
	}
	var p archive.ProposalRecord
	var mine *decide.Claim
	err = d.Archive(context.WithoutCancel(ctx), func(a *archive.Archive) (err error) {
		p, mine, err = d.begin(context.WithoutCancel(ctx), a, t, s, hash)
		return err
	})
	if mine != nil {
		defer mine.Release()
	}
	if err != nil || p.State != archive.Drafted {
		return p, err
	}
	return d.gate(ctx, t, p, p, entryCreate)
}

// sayable refuses an author's name that is blank or has control characters, such as line
// breaks.
func sayable(author string) error {
	if strings.TrimSpace(author) == "" || strings.ContainsFunc(author, unicode.IsControl) {
		return decide.Refuse("name yourself with --by \"Name <mail>\", or set git's user.name", "a patch needs the name of whoever proposes it")
	}
	return nil
}

// begin does the part of a proposal that needs the archive: it records the attempt,
// applies the patch, records the proposal and takes the claim to gate it. A patch that
// could not be applied is recorded as failed.
func (d *Desk) begin(ctx context.Context, a *archive.Archive, t Target, s Submission, hash string) (p archive.ProposalRecord, mine *decide.Claim, err error) {
	attempt, err := d.admit(ctx, a, s, hash)
	if err != nil {
		return p, nil, err
	}
	if err := d.step("attempt"); err != nil {
		return p, nil, err
	}
	p, why, err := d.draw(t, s, hash)
	var same *archive.ProposalRecord
	if err == nil {
		same, err = d.told(ctx, a, p)
	}
	if err == nil && same != nil {
		p, mine, err = d.resubmitted(ctx, a, *same, s.Author, attempt)
		if err == nil {
			return p, mine, nil
		}
	}
	if err != nil {
		return p, mine, errors.Join(err, d.turnedAway(ctx, a, s, attempt, err))
	}
	p.Patch.Attempt = attempt
	if p, err = a.NewProposal(ctx, p); err != nil {
		return p, nil, fmt.Errorf("recording the proposal: %w", err)
	}
	if mine, err = d.sole(p.ID); err != nil {
		return p, nil, err
	}
	if err := d.step("record"); err != nil {
		return p, mine, err
	}
	if why != "" {
		p, err = d.unappliable(ctx, a, p, entryCreate, why)
	}
	return p, mine, err
}

// resubmitted takes up the same patch whose gates were interrupted.
func (d *Desk) resubmitted(ctx context.Context, a *archive.Archive, p archive.ProposalRecord, author string, attempt int64) (archive.ProposalRecord, *decide.Claim, error) {
	mine, err := d.sole(p.ID)
	if err != nil {
		return p, nil, err
	}
	p, err = d.takeUp(ctx, a, p, author, attempt)
	return p, mine, err
}

// draw makes the record of a submission. why is the reason why it cannot be applied.
func (d *Desk) draw(t Target, s Submission, hash string) (p archive.ProposalRecord, why string, err error) {
	p = archive.ProposalRecord{
		Kind: archive.KindPatch, State: archive.Drafted, Agent: s.Author, Run: s.Run, Created: d.Now(),
		Title: title(t, s), Rationale: clip(s.Rationale, maxRationale),
		Patch: &archive.PatchBrief{Target: t.Name, Repository: t.Repo, Named: t.Named, Author: s.Author, Origin: s.Origin, Submitted: hash, Gain: s.Gain},
	}
	b := p.Patch
	if b.Terms, err = t.terms(); err != nil {
		return p, "", err
	}
	if b.Policy, err = t.policy(); err != nil {
		return p, "", err
	}
	repo, err := d.open(t)
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

// apply returns the whole files that a submission results in.
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

// told refuses a patch that already awaits a decision and, unless a person proposes it,
// one that was decided against. It returns the same patch if its gates were interrupted.
func (d *Desk) told(ctx context.Context, a *archive.Archive, p archive.ProposalRecord) (left *archive.ProposalRecord, err error) {
	if len(p.Files) == 0 {
		return nil, nil
	}
	for other, err := range a.Proposals(ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading the proposals: %w", err)
		}
		if other.ID == p.ID || other.Patch == nil || other.Patch.Target != p.Patch.Target || other.Patch.Repository != p.Patch.Repository || !sameFiles(other, p) {
			continue
		}
		based := other.Patch.BaseCommit == p.Patch.BaseCommit
		waits := other.State == archive.Awaiting || other.State == archive.HumanLane || other.State == archive.Approved
		turned := other.State == archive.Rejected || other.State == archive.RolledBack
		if waits && based || turned && p.Patch.Origin != Person {
			return nil, decide.Refuse("`evolve show "+other.ID+"` shows it", "%s is the same patch and is %s", other.ID, stateName(other.State))
		}
		if other.State == archive.Drafted && other.Imported == "" && based {
			left = &other
		}
	}
	return left, nil
}

func sameFiles(a, b archive.ProposalRecord) bool {
	return slices.EqualFunc(a.Files, b.Files, func(x, y archive.FileChange) bool {
		return x.Path == y.Path && string(x.Old) == string(y.Old) && string(x.New) == string(y.New) && (x.New == nil) == (y.New == nil)
	})
}

// unappliable records a patch that could not be applied as failed, without other gates.
func (d *Desk) unappliable(ctx context.Context, a *archive.Archive, p archive.ProposalRecord, entry, why string) (archive.ProposalRecord, error) {
	p.Gates = []archive.GateVerdict{{Gate: gateApply, Verdict: string(gates.Failed), Evidence: clip(why, maxEvidence)}}
	p.State, p.Patch.Review, p.Patch.Unreviewed = archive.GateFailed, nil, nil
	p.Patch.Digest = Digest(p)
	return p, d.settle(ctx, a, entry, p.Agent, p, story(p))
}

// title returns the first line of the patch's rationale, or its author.
func title(t Target, s Submission) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s.Rationale), "\n")
	if line = strings.Join(strings.Fields(line), " "); line == "" {
		line = "by " + s.Author
	}
	return clip(fmt.Sprintf("patch of %s: %s", t.Name, line), maxTitle)
}

// clip truncates a text to most bytes, between characters.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-len("…")], "") + "…"
}
