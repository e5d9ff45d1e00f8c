package coding

import (
	"evolve/mutate/rewrite"
	"evolve/mutate/tokens"
)

// Smaller returns attempts to revert parts of a change to a block, for
// [ablation.Options.Smaller]. It returns none for a component that is not a block.
func (p *Prospect) Smaller(block, base, text string) []tokens.Attempt {
	if r, ok := p.rewriters[block]; ok {
		return r.Smaller(base, text)
	}
	return nil
}

// Smaller returns attempts whose texts compile, and removes variables that an attempt
// leaves unused.
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
			case t.Problem(piece.Text) != "": // the text stays unchanged if the base is not formatted
				return piece, false
			}
			again := had[piece.Text] || rewrite.Normal(piece.Text) == normal
			had[piece.Text] = true
			return piece, !again
		}
	}
	return list
}
