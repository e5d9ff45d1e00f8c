package operator

import (
	"math/rand/v2"
	"strings"
	"testing"

	"evolve/runtime/agent"
)

func TestLinesOfAPersonStay(t *testing.T) {
	p := agent.Param{Name: "text", Kind: agent.Text, MaxChars: 200, Lines: []string{"one", "two", "three"}}
	for _, text := range []string{"first\n\nmine", "first\n\nmine\n", "one\nfirst\n\nmine\ntwo\n"} {
		p.Default = text
		space := agent.Space{Params: []agent.Param{p}}
		rng := rand.New(rand.NewPCG(1, 2))
		failures := []Failure{{Outcome: agent.OK, Words: []string{"one", "three"}, Count: 2}}
		at := space.Default()
		for n := range 400 {
			op := Standard(lexicon)[rng.IntN(len(Standard(lexicon)))]
			if n%5 == 0 {
				at = Random(space, space.Default(), rng)
			} else if m, ok := op.Make(FailureContext{Space: space, Champion: space.Default(), Parent: at, Failures: failures}, rng); ok {
				at = m.Config
			}
			rest := at.String("text")
			for _, l := range p.Lines {
				if strings.Count("\n"+rest+"\n", "\n"+l+"\n") > 1 {
					t.Fatalf("%q is there twice in %q", l, rest)
				}
				rest = dropLine(rest, l)
			}
			if want := dropLine(dropLine(text, "one"), "two"); rest != want {
				t.Fatalf("a person's lines were %q, are %q in %q", want, rest, at.String("text"))
			}
		}
	}
}
