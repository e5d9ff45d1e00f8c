package coding

import (
	"evolve/mutate/ablation"
	"evolve/mutate/rewrite"
	"evolve/mutate/tokens"
)

// Smaller returns texts of a block from which parts of a change were taken back, for
// [ablation.Options.Smaller]; none for a component that is no block.
func (p *Prospect) Smaller(block, base, text string) []ablation.Piece {
	r, ok := p.rewriters[block]
	if !ok {
		return nil
	}
	var out []ablation.Piece
	for _, piece := range r.Smaller(base, text) {
		out = append(out, ablation.Piece(piece))
	}
	return out
}

// Smaller returns the texts that compile, without the variables that nothing uses any more.
func (t typed) Smaller(base, text string) []tokens.Piece {
	if t.lines == nil {
		return nil
	}
	var out []tokens.Piece
	had, normal := map[string]bool{text: true}, rewrite.Normal(text)
	for _, piece := range t.lines.Smaller(base, text) {
		fit, ok := t.Fit(piece.Text)
		switch {
		case ok && t.lines.Nearer(base, fit, text):
			piece.Text = fit
		case t.Problem(piece.Text) != "": // as it is where the base is not formatted
			continue
		}
		if !had[piece.Text] && rewrite.Normal(piece.Text) != normal {
			out = append(out, piece)
		}
		had[piece.Text] = true
	}
	return out
}
