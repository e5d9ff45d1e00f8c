package stats

import (
	"fmt"
	"math"
	"slices"

	"evolve/runtime/text"
)

// Proof is the look at which a candidate was shown to be better on new tasks. The
// confirmation may continue after it because of open guards and domains ([Ruling.Pending]).
//
// From then on the claim is that of the first proof: the probability that the evidence
// reaches its threshold by chance at any look is at most α (Ville 1939), so later looks
// neither add to the error nor invalidate the proof. The claim is still dropped when the
// shown interval for new tasks no longer lies above 0, or when the candidate is proven
// worse. The claims are thus a subset of those made by stopping at the first proof, and
// their error is no larger.
type Proof struct {
	// Blocks is the number of blocks until the proof; LogE and NewLower are copied from
	// the proof's [Ruling].
	Blocks   int     `json:"blocks"`
	LogE     float64 `json:"log_e"`
	NewLower float64 `json:"new_lower"`
}

// carry restores the claim of an earlier look, with its figures, or records the first claim
// about new tasks.
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

// spent reports whether a candidate has used twice its projected number of pairs.
func (rule Rule) spent(pairs int) bool {
	return rule.Cap > 0 && float64(pairs) > surplus*rule.Cap
}

// Pending reports whether a candidate is better on new tasks and more blocks may settle its
// other conditions: an open guard, if no guard has failed, or an open domain that looks
// worse, unless eight blocks have shown that its tasks differ too much for more blocks to
// help. It is false if the candidate has used up its pairs ([Rule].Cap), and for a fixed
// agent, for which another block provides no evidence.
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

// worrying reports whether a domain looks worse and a loss of [domainMargin] is not ruled
// out.
func (d DomainRuling) worrying() bool { return d.Verdict == DomainOpen && d.Difference < 0 }

// Undecided describes what a claim about new tasks leaves undecided: the open domain that
// looks worst, and the open guards. The text begins with a semicolon, or is empty.
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
		out = fmt.Sprintf("; a loss of %s points in the domain %s is not ruled out: %s points [%s, %s]", text.Short(100*domainMargin), worst.Domain, text.Points(worst.Difference), text.Points(worst.Lo), text.Points(worst.Hi))
		if others > 0 {
			out += fmt.Sprintf(", the worst of %d such domains", others+1)
		}
	}
	return out + r.openGuards()
}
