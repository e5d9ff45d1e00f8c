package stats

import (
	"fmt"
	"math"
	"slices"
)

// Proof is the look that showed a candidate to be better on new tasks. The confirmation may go on
// after it for what the mean does not settle ([Ruling.Pending]).
//
// The claim is then that of the first proof: the evidence reaches its threshold by chance at any
// look with probability α at most (Ville 1939), so that later looks neither add to the error nor
// take the proof back. It is dropped all the same when the interval for new tasks that is shown no longer lies
// above 0, or when the candidate is proven worse. What is claimed is so a part of what
// stopping at the first proof would claim, and no larger share of it can be false.
type Proof struct {
	// Blocks is how many it took, LogE and NewLower are those of its [Ruling].
	Blocks   int     `json:"blocks"`
	LogE     float64 `json:"log_e"`
	NewLower float64 `json:"new_lower"`
}

// carry keeps the claim of an earlier look, with the figures that made it, and notes the first.
func (r *Ruling) carry(rule Rule) {
	r.Proof = rule.Proof
	switch {
	case r.Claim == NewTasks && r.Proof == nil:
		r.Proof = &Proof{Blocks: r.Blocks, LogE: r.LogE, NewLower: r.NewLower}
	case r.Claim != NewTasks && r.Proof != nil && r.New.Lo > 0:
		r.Claim, r.LogE, r.NewLower = NewTasks, math.Max(r.LogE, r.Proof.LogE), math.Max(r.NewLower, r.Proof.NewLower)
		r.State = r.state(rule)
	}
}

// spent reports whether a candidate has had twice the pairs that it was projected to need.
func (rule Rule) spent(pairs int) bool {
	return rule.Cap > 0 && float64(pairs) > surplus*rule.Cap
}

// Pending reports whether a candidate is better on new tasks, and more blocks may settle what else
// decides about it: a guard that is open where none has failed, or a domain that is open and looks worse, unless
// eight blocks have shown that its tasks differ too much for more blocks to tell.
// It is false when the candidate has had its pairs ([Rule].Cap), and for a fixed agent, of which
// another block tells nothing.
func (r *Ruling) Pending(rule Rule) bool {
	if r.Fixed || r.State != Proven && r.State != Trade || rule.spent(r.Pairs) {
		return false
	}
	if slices.ContainsFunc(r.Parts, func(d DomainRuling) bool { return d.worrying() && !(d.Hopeless && r.Blocks >= enoughBlocks) }) {
		return true
	}
	return slices.ContainsFunc(r.Guards, func(g Guard) bool { return g.Verdict == GuardOpen }) &&
		!slices.ContainsFunc(r.Guards, func(g Guard) bool { return g.Verdict == GuardFailed })
}

// worrying reports whether a domain looks worse, and a loss of [domainMargin] is not ruled out.
func (d DomainRuling) worrying() bool { return d.Verdict == DomainOpen && d.Difference < 0 }

// Undecided names what a claim about new tasks leaves undecided: the open domain that looks worst, and
// the open guards; empty where nothing is. It begins with a semicolon.
func (r *Ruling) Undecided() string {
	out := ""
	var worst *DomainRuling
	others := -1
	for i := range r.Parts {
		if d := &r.Parts[i]; d.worrying() {
			others++
			if worst == nil || d.Difference < worst.Difference {
				worst = d
			}
		}
	}
	if worst != nil {
		out = fmt.Sprintf("; domain %s is open: %s points [%s, %s]", worst.Domain, signed(worst.Difference), signed(worst.Lo), signed(worst.Hi))
		if others > 0 {
			out += fmt.Sprintf(", the worst of %d", others+1)
		}
	}
	return out + r.openGuards()
}
