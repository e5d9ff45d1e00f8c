package stats

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
)

// TestWording checks that the sentences of rulings and verdicts are those of the version
// that [Wording] names. After changing a sentence, raise Wording and update the sum here.
func TestWording(t *testing.T) {
	t.Parallel()
	const of, want = 5, "99f32276f4f6883c"
	h := sha256.New()
	everywhere := func(task, block int) int { return btoi((task+block)%4 == 0) }
	someTasks := func(task, _ int) int { return btoi(task < 3) }
	worse := func(task, block int) int { return -everywhere(task, block) }
	dear := Rule{Alpha: .05 / 12, Guards: DefaultBounds()}
	r := Judge("aaaaaaaaaa", costing(1.5, blocksOf(20, 8, everywhere)), dear)
	h.Write([]byte(r.Reason + "\n"))
	for _, pairs := range [][]Pair{blocksOf(20, 8, everywhere), blocksOf(10, 8, someTasks), blocksOf(20, 8, worse), blocksOf(10, 1, everywhere)} {
		for _, fixed := range []bool{false, true} {
			r := Judge("aaaaaaaaaa", pairs, Rule{Alpha: .05 / 12, Fixed: fixed})
			h.Write([]byte(r.Reason + "\n" + Conclude([]Ruling{r}, Circumstances{Searched: true}).Sentence + "\n"))
		}
	}
	if got := hex.EncodeToString(h.Sum(nil)[:8]); got != want || of != Wording {
		t.Errorf("the sentences of wording %d have the sum %s; wording %d had %s", Wording, got, of, want)
	}
}
