package stats

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestPending(t *testing.T) {
	open := DomainRuling{Domain: "d", Difference: -.04, Interval: Interval{Lo: -.15, Hi: .07}, Verdict: DomainOpen}
	hopeless, up := open, open
	hopeless.Hopeless, up.Difference = true, .01
	guard := func(verdict string) Guard { return Guard{Name: Cost, Of: Mean, Most: 1.1, Ratio: 1, Verdict: verdict} }
	for _, c := range []struct {
		name    string
		change  func(r *Ruling)
		cap     float64
		pending bool
	}{
		{"nothing is open", func(*Ruling) {}, 0, false},
		{"a domain looks worse", func(r *Ruling) { r.Parts = []DomainRuling{open} }, 0, true},
		{"a domain looks better", func(r *Ruling) { r.Parts = []DomainRuling{up} }, 0, false},
		{"it has had its pairs", func(r *Ruling) { r.Parts = []DomainRuling{open} }, 199, false},
		{"it has pairs left", func(r *Ruling) { r.Parts = []DomainRuling{open} }, 200, true},
		{"blocks do not help", func(r *Ruling) { r.Parts = []DomainRuling{hopeless} }, 0, false},
		{"too early to say so", func(r *Ruling) { r.Parts, r.Blocks = []DomainRuling{hopeless}, 7 }, 0, true},
		{"a guard is open", func(r *Ruling) { r.Guards = []Guard{guard(GuardPassed), guard(GuardOpen)} }, 0, true},
		{"all passed", func(r *Ruling) { r.Guards = []Guard{guard(GuardPassed)} }, 0, false},
		{"a guard looks broken", func(r *Ruling) { r.State, r.Guards = Trade, []Guard{guard(GuardOpen)} }, 0, true},
		{"one has failed", func(r *Ruling) { r.State, r.Guards = Trade, []Guard{guard(GuardFailed), guard(GuardOpen)} }, 0, false},
		{"one has failed, and a domain is open", func(r *Ruling) {
			r.State, r.Guards, r.Parts = Trade, []Guard{guard(GuardFailed)}, []DomainRuling{open}
		}, 0, true},
		{"not proven", func(r *Ruling) { r.State, r.Parts = Open, []DomainRuling{open} }, 0, false},
		{"a fixed agent", func(r *Ruling) { r.Fixed, r.Parts = true, []DomainRuling{open} }, 0, false},
	} {
		r := ruling("v", Proven, .1, .05)
		c.change(&r)
		if got := r.Pending(Rule{Cap: c.cap}); got != c.pending {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	r := ruling("v", Proven, .1, .05)
	other := open
	other.Domain, other.Difference = "e", -.02
	r.Parts = []DomainRuling{up, other, open}
	if got, want := r.Undecided(), "; a loss of 10 points in the domain d is not ruled out: −4.0 points [−15.0, +7.0], the worst of 2 such domains"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Conclude([]Ruling{r}, Circumstances{Searched: true}).Sentence; !strings.Contains(got, "; a loss of 10 points in the domain d is not ruled out: −4.0 points") {
		t.Error(got)
	}
}

// TestProofStands checks that a candidate that is judged after every block stays proven,
// once proven, until its interval for new tasks includes 0. An unproven candidate is judged
// as it would be without a proof.
func TestProofStands(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 9))
	kept, fell := 0, 0
	for range 60 {
		pairs := blocksOf(20, 0, nil)
		gain := .35
		var proof *Proof
		for block := range 20 {
			if proof != nil {
				gain = -.05 // later runs are worse
			}
			for i := range pairs {
				pairs[i].A = append(pairs[i].A, float64(btoi(rng.Float64() < .4)))
				pairs[i].B = append(pairs[i].B, float64(btoi(rng.Float64() < .4+gain)))
			}
			alone, r := Judge("v", pairs, Rule{Alpha: entryAlpha}), Judge("v", pairs, Rule{Alpha: entryAlpha, Proof: proof})
			switch {
			case proof == nil || alone.Claim == NewTasks:
				if r.Claim != alone.Claim || r.State != alone.State || r.NewLower != alone.NewLower {
					t.Fatalf("%s, and alone %s", r.State, alone.State)
				}
			case r.Claim == NewTasks:
				kept++
				if r.New.Lo <= 0 || r.State != Proven || r.NewLower != proof.NewLower || r.LogE < r.Threshold || !strings.Contains(r.Reason, ", shown after ") {
					t.Fatalf("%+v after %d blocks", r, block+1)
				}
			default:
				fell++
				if r.New.Lo > 0 && r.State != Harmful {
					t.Fatalf("%+v after %d blocks", r, block+1)
				}
			}
			if proof = r.Proof; proof == nil && r.Claim == NewTasks {
				t.Fatal("a proof is not noted")
			}
		}
	}
	if kept < 20 || fell < 20 {
		t.Errorf("kept %d times, fell %d times: the test says little", kept, fell)
	}
}
