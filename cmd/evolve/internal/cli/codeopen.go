package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/gates/review"
	"evolve/mutate/night"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// codeOpen is a pending proposal of a version: it waits for a person or for its gates.
type codeOpen struct {
	Proposal string                `json:"proposal"`
	State    archive.ProposalState `json:"state"`
	Variant  agent.ConfigID        `json:"variant"`
	Number   int                   `json:"number"`
	// Ref is the ref of the version's commit in the target's repository; it is empty if
	// there is none.
	Ref string `json:"ref,omitempty"`
	// Moved describes the difference between the code for which the proposal was made and
	// the target's present code, and whether the proposal still applies. It is empty if the
	// proposal was made for the present code.
	Moved string `json:"moved,omitempty"`
}

// open returns the waiting proposals of versions, the oldest first.
func (b *codeBook) open() ([]codeOpen, error) {
	var out []codeOpen
	for p, err := range b.archive.Proposals(b.ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading the proposals: %w", err)
		}
		id, ok := p.VariantOf(b.Target.Name)
		if !ok || p.Patch == nil || p.Imported != "" || !review.Open(p.State) {
			continue
		}
		o := codeOpen{Proposal: p.ID, State: p.State, Variant: id, Moved: b.Moved(p)}
		v, err := b.archive.Variant(b.ctx, b.Target.Name, id)
		if err != nil && !errors.Is(err, archive.ErrNotFound) {
			return nil, fmt.Errorf("reading a version: %w", err)
		}
		if err == nil {
			o.Number, o.Ref = v.Number, b.Ref(b.id, v)
		}
		out = append(out, o)
	}
	return out, nil
}

// fillOpen fills v's list of waiting proposals, but leaves out the proposal of the best
// version if that proposal was made for the present code. It also sets v.Unsearched,
// which reports whether no night has searched the present code.
func (b *codeBook) fillOpen(v *codeView, best agent.ConfigID) (err error) {
	v.Unsearched = true
	for _, err := range b.nights(b.ID()) {
		if err != nil {
			return err
		}
		v.Unsearched = false
		break
	}
	v.Open, err = b.open()
	v.Open = slices.DeleteFunc(v.Open, func(o codeOpen) bool { return o.Variant == best && o.Moved == "" })
	return err
}

func printOpen(con *console, v *codeView) {
	for _, o := range v.Open {
		con.printf("  open     %s of v%d%s%s\n", o.Proposal, o.Number, codeAct{state: o.State}.standing(""), orElse(": "+text.Visible(o.Moved), "", o.Moved != ""))
		if o.Ref != "" {
			con.printf("           %s\n", text.GitShow(v.folder, o.Ref))
		}
	}
}

// equal returns the other versions that have the same values as the given version on
// search cases, sorted by number. The values come from nights that can be compared with
// the latest night on the given state of the code.
func (b *codeBook) equal(hash string, id agent.ConfigID) ([]archive.Variant, error) {
	for n, err := range b.nights(hash) {
		if err != nil {
			return nil, err
		}
		plan, err := b.archive.Plan(b.ctx, n.run, b.Target.Name)
		if err != nil {
			return nil, fmt.Errorf("reading the plan of run %s: %w", n.run, err)
		}
		values, err := night.ReadValues(b.ctx, b.archive, plan, nil)
		if err != nil {
			return nil, err
		}
		var out []archive.Variant
		for _, other := range values.Class(id) {
			v, err := b.archive.Variant(b.ctx, b.Target.Name, other)
			if err != nil && !errors.Is(err, archive.ErrNotFound) {
				return nil, fmt.Errorf("reading a version: %w", err)
			}
			if err == nil {
				out = append(out, v)
			}
		}
		slices.SortFunc(out, func(x, y archive.Variant) int { return cmp.Compare(x.Number, y.Number) })
		return out, nil
	}
	return nil, nil
}

// mostNamed is the maximum number of versions that are named on one line.
const mostNamed = 8

// versionsNamed names versions by their numbers.
func versionsNamed(numbers []int) string {
	var names []string
	for _, n := range numbers[:min(len(numbers), mostNamed)] {
		names = append(names, fmt.Sprintf("v%d", n))
	}
	words := strings.Join(names, ", ")
	if more := len(numbers) - len(names); more > 0 {
		words += fmt.Sprintf(" and %d more", more)
	}
	return words
}
