package coding

import (
	"evolve/mutate/ablation"
	"evolve/mutate/rewrite"
	"evolve/mutate/tokens"
)

// Smaller returns attempts to take back parts of a change of a block, for
// [ablation.Options.Smaller]; none for a component that is no block.
func (p *Prospect) Smaller(block, base, text string) []ablation.Attempt {
	r, ok := p.rewriters[block]
	if !ok {
		return nil
	}
	var out []ablation.Attempt
	for _, a := range r.Smaller(base, text) {
		out = append(out, ablation.Attempt{Order: a.Order, Make: func() (ablation.Piece, bool) {
			piece, ok := a.Make()
			return ablation.Piece(piece), ok
		}})
	}
	return out
}

// Smaller returns attempts that make texts which compile, without the variables that nothing uses
// any more.
func (t typed) Smaller(base, text string) []tokens.Attempt {
	if t.lines == nil {
		return nil
	}
	had, normal := map[string]bool{text: true}, rewrite.Normal(text)
	list := t.lines.Smaller(base, text)
	for i, a := range list {
		list[i].Make = func() (tokens.Piece, bool) {
			piece, ok := a.Make()
			if !ok {
				return piece, false
			}
			fit, ok := t.Fit(piece.Text)
			switch {
			case ok && t.lines.Nearer(base, fit, text):
				piece.Text = fit
			case t.Problem(piece.Text) != "": // as it is where the base is not formatted
				return piece, false
			}
			again := had[piece.Text] || rewrite.Normal(piece.Text) == normal
			had[piece.Text] = true
			return piece, !again
		}
	}
	return list
}
