package archive

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"evolve/bench"
	"evolve/runtime/agent"
)

// Rests names the evaluations that a config proposal rests on: those in the confirmations
// of its variant and of the config that the variant was compared with.
type Rests struct {
	// Runs lists the runs that measured the variant, in order.
	Runs    []string       `json:"runs"`
	Against agent.ConfigID `json:"against"`
}

// Binding holds digests of a proposal. Each ledger entry about a proposal has a Binding
// in its data, under "bound", so that a record changed without an entry is detected.
type Binding struct {
	State ProposalState `json:"state"`
	// Files, Changes, Gates and Basis are digests. Files covers the paths and the contents
	// before and after the change, Changes covers the list of changed parameters, Gates
	// covers the verdicts of the gates, and Basis covers what the proposal is about and
	// what it was measured on.
	Files   string `json:"files"`
	Changes string `json:"changes"`
	Gates   string `json:"gates"`
	Basis   string `json:"basis"`
	// Evidence covers the evaluations that the proposal rests on, as they were when the
	// digest was computed, and Evaluations is the number of these evaluations. Both are
	// absent if the proposal rests on no evaluations.
	Evidence    string `json:"evidence,omitempty"`
	Evaluations int    `json:"evaluations,omitempty"`
}

// Digest returns one digest of all fields except State, as "sha256:" followed by
// hexadecimal digits.
func (b Binding) Digest() string {
	b.State = ""
	return digestOf(b)
}

// boundData is the part of an entry's data that holds the binding.
type boundData struct {
	Bound *Binding `json:"bound"`
}

// BoundError means that a proposal does not match the ledger, or that the ledger has no
// digests for it. It wraps ErrCorrupt if Differs is not empty.
type BoundError struct {
	ID string
	// Differs names the parts that changed; it is empty if the ledger has no binding, as
	// is the case for proposals from an older version of evolve.
	Differs []string
}

func (e *BoundError) Error() string {
	if len(e.Differs) == 0 {
		return fmt.Sprintf("the ledger has no digest of %s", e.ID)
	}
	return fmt.Sprintf("%s does not match the ledger, which records a different %s", e.ID, strings.Join(e.Differs, ", a different "))
}

func (e *BoundError) Unwrap() error {
	if len(e.Differs) == 0 {
		return nil
	}
	return ErrCorrupt
}

// digestOf returns the SHA-256 of the JSON form of v. All fields of proposals can be
// encoded as JSON.
func digestOf(v any) string {
	data, err := appendJSON(nil, v)
	if err != nil {
		return "none: " + err.Error()
	}
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Bind returns the binding of a proposal in its current form, without the fields about its
// evidence.
func Bind(p ProposalRecord) Binding {
	files := slices.SortedFunc(slices.Values(p.Files), func(x, y FileChange) int { return strings.Compare(x.Path, y.Path) })
	changes := slices.Clone(p.Changes)
	basis := struct {
		Title, Rationale         string // a person reads them, and the commit contains them
		Kind                     ProposalKind
		Agent, Run               string
		Variant, Champion        agent.ConfigID
		Base                     map[string]string
		Evidence                 string
		Rests                    *Rests
		Target, Repository       string
		Named                    bool
		Commit, Tree, Policy, Of string
		Terms                    json.RawMessage
		Autonomy                 *AutonomyBrief `json:",omitempty"` // absent from older digests
		RuledBy                  string         `json:",omitempty"`
	}{Title: p.Title, Rationale: p.Rationale, Kind: p.Kind, Agent: p.Agent, Run: p.Run, Variant: p.Variant, Champion: p.Champion, Base: p.Base, Evidence: p.Evidence, Rests: p.Rests, Autonomy: p.Autonomy, RuledBy: p.RuledBy}
	if b := p.Patch; b != nil {
		basis.Target, basis.Repository, basis.Named, basis.Terms = b.Target, b.Repository, b.Named, b.Terms
		basis.Commit, basis.Tree, basis.Policy, basis.Of = b.BaseCommit, b.Tree, b.Policy, b.Digest
	}
	return Binding{
		State: p.State, Files: digestOf(slices.Clip(append([]FileChange{}, files...))), Changes: digestOf(append([]Change{}, changes...)),
		Gates: digestOf(append([]GateVerdict{}, p.Gates...)), Basis: digestOf(basis),
	}
}

// Evidence returns a digest of the stored evaluations that a proposal rests on, and their
// number, or "" and 0 if it rests on none.
func (a *Archive) Evidence(ctx context.Context, p ProposalRecord) (digest string, evaluations int, err error) {
	if p.Rests == nil {
		return "", 0, nil
	}
	if err := a.Flush(ctx); err != nil {
		return "", 0, err
	}
	sum := sha256.New()
	for _, run := range p.Rests.Runs {
		for e, err := range a.EvaluationsIn(ctx, run, p.Agent, bench.StageConfirm) {
			if err != nil {
				return "", 0, err
			}
			if e.Variant != p.Variant && e.Variant != p.Rests.Against {
				continue
			}
			evaluations++
			e.Key = bench.Key(strings.TrimPrefix(string(e.Key), importedKey)) // an import adds a prefix to the key
			line, err := appendJSON(nil, e)
			if err != nil {
				return "", 0, err
			}
			sum.Write(append(line, '\n'))
		}
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil)), evaluations, nil
}

// Bound returns the last binding of a proposal in the ledger, and the ledger entry that
// contains it. The binding is nil if no entry contains one.
func (a *Archive) Bound(ctx context.Context, id string) (*Binding, LedgerEntry, error) {
	var last *Binding
	var entry LedgerEntry
	for e, err := range a.Ledger(ctx, 1) {
		if err != nil {
			return nil, entry, err
		}
		if b := BindingOf(e); b != nil && e.Subject == id {
			last, entry = b, e
		}
	}
	return last, entry, nil
}

// BindingOf returns the binding in a ledger entry, or nil if the entry has none.
func BindingOf(e LedgerEntry) *Binding {
	if !strings.HasPrefix(e.Kind, "proposal.") && !strings.HasPrefix(e.Kind, "patch.") {
		return nil
	}
	var d boundData
	if json.Unmarshal(e.Data, &d) != nil {
		return nil
	}
	return d.Bound
}

// CheckBound compares a stored proposal, and the evaluations on which it rests, with the
// proposal's binding in the ledger. A *BoundError names what differs.
func (a *Archive) CheckBound(ctx context.Context, p ProposalRecord) error {
	want, _, err := a.Bound(ctx, p.ID)
	if err != nil {
		return err
	}
	if want == nil {
		return &BoundError{ID: p.ID}
	}
	differs := want.differs(Bind(p))
	digest, _, err := a.Evidence(ctx, p)
	if err != nil {
		return err
	}
	if digest != want.Evidence {
		differs = append(differs, "body of evidence")
	}
	if len(differs) > 0 {
		return &BoundError{p.ID, differs}
	}
	return nil
}

// differs returns the names of the parts in which b differs from the binding of the
// current record (now).
func (b Binding) differs(now Binding) []string {
	var out []string
	for _, part := range []struct{ name, was, is string }{
		{"state", string(b.State), string(now.State)},
		{"set of files", b.Files, now.Files},
		{"list of changes", b.Changes, now.Changes},
		{"set of verdicts", b.Gates, now.Gates},
		{"basis", b.Basis, now.Basis},
	} {
		if part.was != part.is {
			out = append(out, part.name)
		}
	}
	return out
}

// bind adds the binding of a proposal to the data of its ledger entry. The evidence is
// digested again only when the basis of the proposal differs from the basis of the last
// binding.
func (a *Archive) bind(ctx context.Context, p ProposalRecord, data json.RawMessage) (json.RawMessage, error) {
	now := Bind(p)
	was, _, err := a.Bound(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	if was != nil && was.Basis == now.Basis {
		now.Evidence, now.Evaluations = was.Evidence, was.Evaluations
	} else if now.Evidence, now.Evaluations, err = a.Evidence(ctx, p); err != nil {
		return nil, err
	}
	bound, err := appendJSON(nil, boundData{&now})
	if err != nil || len(data) == 0 {
		return bound, err
	}
	var out bytes.Buffer
	if err := json.Compact(&out, data); err != nil {
		return nil, fmt.Errorf("the entry's data is not JSON: %w", err)
	}
	had := out.Bytes()
	switch {
	case len(had) < 2 || had[0] != '{':
		return nil, fmt.Errorf("the entry's data is not a JSON object")
	case len(had) == 2:
		return bound, nil
	}
	return slices.Concat(had[:len(had)-1], []byte{','}, bound[1:]), nil
}
