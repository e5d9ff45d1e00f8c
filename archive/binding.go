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

// Rests names the evaluations that a proposal of a config rests on: those of the
// confirmation of its variant and of the one that it was measured against.
type Rests struct {
	// Runs are those that measured it, in order.
	Runs    []string       `json:"runs"`
	Against agent.ConfigID `json:"against"`
}

// Binding holds digests of what a proposal is. Each ledger entry that tells of a proposal
// has one in its data, under "bound", so that a record which was changed without an entry
// is found.
type Binding struct {
	State ProposalState `json:"state"`
	// Files covers paths and contents before and after, Changes the list of parameters,
	// Gates the verdicts, and Basis what the proposal is of and what it was measured on.
	Files   string `json:"files"`
	Changes string `json:"changes"`
	Gates   string `json:"gates"`
	Basis   string `json:"basis"`
	// Evidence covers the evaluations that it rests on, as they were when it was made, and
	// Evaluations is their number; both are absent where it rests on none.
	Evidence    string `json:"evidence,omitempty"`
	Evaluations int    `json:"evaluations,omitempty"`
}

// Digest is one digest for all of it but the state, "sha256:" and hexadecimal.
func (b Binding) Digest() string {
	b.State = ""
	return digestOf(b)
}

// boundData is the part of an entry's data that holds the binding.
type boundData struct {
	Bound *Binding `json:"bound"`
}

// BoundError says that a proposal is not the one that the ledger tells of, or that the
// ledger has no digests of it. With anything in Differs it is an ErrCorrupt.
type BoundError struct {
	ID string
	// Differs names what is not as it was; empty when the ledger binds nothing, as an older
	// evolve left it.
	Differs []string
}

func (e *BoundError) Error() string {
	if len(e.Differs) == 0 {
		return fmt.Sprintf("the ledger has no digest of %s", e.ID)
	}
	return fmt.Sprintf("%s is not what the ledger tells of: another %s", e.ID, strings.Join(e.Differs, ", another "))
}

func (e *BoundError) Unwrap() error {
	if len(e.Differs) == 0 {
		return nil
	}
	return ErrCorrupt
}

// digestOf is the SHA-256 of the JSON form. What proposals hold can be written as JSON.
func digestOf(v any) string {
	var b bytes.Buffer
	if err := writeJSON(&b, v); err != nil {
		return "none: " + err.Error()
	}
	sum := sha256.Sum256(b.Bytes())
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Bind digests a proposal as it is, without its evidence.
func Bind(p ProposalRecord) Binding {
	files := slices.SortedFunc(slices.Values(p.Files), func(x, y FileChange) int { return strings.Compare(x.Path, y.Path) })
	changes := slices.Clone(p.Changes)
	basis := struct {
		Title, Rationale         string // a person reads them, and the commit has them
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
	}{Title: p.Title, Rationale: p.Rationale, Kind: p.Kind, Agent: p.Agent, Run: p.Run, Variant: p.Variant, Champion: p.Champion, Base: p.Base, Evidence: p.Evidence, Rests: p.Rests}
	if b := p.Patch; b != nil {
		basis.Target, basis.Repository, basis.Named, basis.Terms = b.Target, b.Repository, b.Named, b.Terms
		basis.Commit, basis.Tree, basis.Policy, basis.Of = b.BaseCommit, b.Tree, b.Policy, b.Digest
	}
	return Binding{
		State: p.State, Files: digestOf(slices.Clip(append([]FileChange{}, files...))), Changes: digestOf(append([]Change{}, changes...)),
		Gates: digestOf(append([]GateVerdict{}, p.Gates...)), Basis: digestOf(basis),
	}
}

// Evidence digests the evaluations that a proposal rests on, as they are stored: "" and 0
// for one that rests on none.
func (a *Archive) Evidence(ctx context.Context, p ProposalRecord) (digest string, evaluations int, err error) {
	if p.Rests == nil {
		return "", 0, nil
	}
	if err := a.Flush(ctx); err != nil {
		return "", 0, err
	}
	sum := sha256.New()
	for _, run := range p.Rests.Runs {
		for e, err := range a.Evaluations(ctx, run, p.Agent) {
			if err != nil {
				return "", 0, err
			}
			if e.Stage != bench.StageConfirm || e.Variant != p.Variant && e.Variant != p.Rests.Against {
				continue
			}
			evaluations++
			var line bytes.Buffer
			if err := writeJSON(&line, toLine(&e)); err != nil {
				return "", 0, err
			}
			line.WriteByte('\n')
			sum.Write(line.Bytes())
		}
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil)), evaluations, nil
}

// Bound returns what the last ledger entry of a proposal binds, and that entry; nil when
// no entry of it binds anything.
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

// BindingOf returns what a ledger entry binds; nil for nothing.
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

// CheckBound compares a stored proposal, and the evaluations that it rests on, with what
// the ledger binds: a *BoundError names what differs.
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
		differs = append(differs, "evidence")
	}
	if len(differs) > 0 {
		return &BoundError{p.ID, differs}
	}
	return nil
}

// differs names the parts of a record that are not as they are bound.
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

// bind adds the binding of a proposal to the data of the entry that tells of it. The
// evidence is bound once: it is digested anew only where the proposal rests on something
// else than the one stored before.
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
	var bound, out bytes.Buffer
	if err := writeJSON(&bound, boundData{&now}); err != nil {
		return nil, err
	}
	if len(data) == 0 {
		return bound.Bytes(), nil
	}
	if err := json.Compact(&out, data); err != nil {
		return nil, fmt.Errorf("the entry's data is no JSON: %w", err)
	}
	had := out.Bytes()
	switch {
	case len(had) < 2 || had[0] != '{':
		return nil, fmt.Errorf("the entry's data is no JSON object")
	case len(had) == 2:
		return bound.Bytes(), nil
	}
	return slices.Concat(had[:len(had)-1], []byte{','}, bound.Bytes()[1:]), nil
}
