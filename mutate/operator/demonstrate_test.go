package operator

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"evolve/runtime/agent"
)

// solvedTask returns a solved task of one of three domains.
func solvedTask(i int) Solved {
	return Solved{
		Task: fmt.Sprintf("t%d", i), Domain: []string{"east", "west", "south"}[i%3],
		Demonstration: agent.Demonstration{Task: fmt.Sprintf("question %d about thing%d and thing%d", i, i, i+100), Answer: fmt.Sprintf("answer %d", i)},
	}
}

func shownParam() agent.Param {
	return agent.Param{Name: "demonstrations", Kind: agent.Text, Use: agent.Demonstrations, MaxChars: 500, Default: ""}
}

// TestDemonstrateKeepsItsBounds checks that every child fits and has at most the allowed
// number of demonstrations, all distinct, unabridged and from the pool, and that all four
// moves occur.
func TestDemonstrateKeepsItsBounds(t *testing.T) {
	p := shownParam()
	pool := &Pool{Most: 4}
	for i := range 20 {
		pool.Add(p, solvedTask(i))
	}
	space := agent.Space{Params: []agent.Param{p, {Name: "n", Kind: agent.Float, Max: 1, Default: 0.5}}}
	rng := rand.New(rand.NewPCG(1, 2))
	c := space.Default()
	moves := map[string]int{}
	for range 2000 {
		child, ok := pool.Operator().Make(FailureContext{Space: space, Champion: c, Parent: c}, rng)
		if !ok {
			continue
		}
		text := child.Config.String(p.Name)
		list, valid := agent.ParseDemonstrations(text)
		before, _ := agent.ParseDemonstrations(c.String(p.Name))
		if !valid || len(list) > pool.Most || utf8.RuneCountInString(text) > p.MaxChars {
			t.Fatalf("%d demonstrations in %q", len(list), text)
		}
		for i, d := range list {
			if slices.Contains(list[:i], d) {
				t.Fatalf("%v twice", d)
			}
			if !slices.ContainsFunc(pool.solved, func(s Solved) bool { return s.Demonstration == d }) {
				t.Fatalf("%v is not one of the pool", d)
			}
		}
		switch {
		case len(list) > len(before):
			moves["add"]++
		case len(list) < len(before):
			moves["drop"]++
		case child.Rationale == "demonstrations in a different order":
			moves["reorder"]++
		default:
			moves["exchange"]++
		}
		if strings.Contains(child.Rationale, "question") {
			t.Fatalf("the rationale has the text of a task: %s", child.Rationale)
		}
		c = child.Config
	}
	for _, m := range []string{"add", "drop", "exchange", "reorder"} {
		if moves[m] < 20 {
			t.Errorf("%s happened %d times of %v", m, moves[m], moves)
		}
	}
}

// TestDemonstrationsAreDiverse checks that two of three demonstrations drawn together are
// seldom from the same domain, and that a domain with failures is preferred.
func TestDemonstrationsAreDiverse(t *testing.T) {
	p := shownParam()
	pool := &Pool{Most: 8}
	for i := range 30 {
		pool.Add(p, solvedTask(i))
	}
	rng := rand.New(rand.NewPCG(3, 4))
	shares := func(failures []Failure) (same, west float64) {
		for range 1000 {
			first, _ := pool.draw(p, nil, failures, rng)
			second, _ := pool.draw(p, []string{pool.solved[first].line}, failures, rng)
			if pool.solved[first].Domain == pool.solved[second].Domain {
				same++
			}
			if pool.solved[first].Domain == "west" {
				west++
			}
		}
		return same / 1000, west / 1000
	}
	if same, _ := shares(nil); same > 0.2 {
		t.Errorf("%.2f of the pairs are of one domain", same)
	}
	if _, west := shares([]Failure{{Domain: "west", Count: 9}}); west < 0.55 {
		t.Errorf("%.2f are of the domain that fails", west)
	}
}

func TestPoolRefuses(t *testing.T) {
	p := shownParam()
	one := solvedTask(1)
	long := solvedTask(2)
	long.Answer = strings.Repeat("long ", 100)
	near := solvedTask(3)
	near.Demonstration.Task = one.Demonstration.Task + " now"
	empty := solvedTask(4)
	empty.Answer = ""
	pool := &Pool{Most: 8}
	for _, s := range []Solved{one, one, long, near, empty} {
		pool.Add(p, s)
	}
	if len(pool.solved) != 1 {
		t.Errorf("%d demonstrations, want 1: no duplicate, near-duplicate, long or empty one", len(pool.solved))
	}
}

func TestRefuseLongTexts(t *testing.T) {
	space := agent.Space{Params: []agent.Param{{Name: "strategy", Kind: agent.Text, MaxChars: 9000, Default: ""}, {Name: "shown", Kind: agent.Text, Use: agent.Demonstrations, MaxChars: 9000, Default: ""}}}
	nine := make([]agent.Demonstration, 9)
	for i := range nine {
		nine[i] = solvedTask(i).Demonstration
	}
	for name, c := range map[string]struct {
		param, before, after string
		refused              bool
	}{
		"a first paragraph":        {"strategy", "", strings.Repeat("x", leastGrowth), false},
		"much text at once":        {"strategy", "", strings.Repeat("x", leastGrowth+1), true},
		"a long text doubles":      {"strategy", strings.Repeat("x", 2000), strings.Repeat("x", 4000), false},
		"a line twice":             {"strategy", "Be brief.", "Be brief.\nThink.\nBe brief.", true},
		"a line that was twice":    {"strategy", "Be brief.\nBe brief.", "Be brief.\nBe brief.\nThink.", false},
		"a rule twice":             {"strategy", "", "---\nBe brief.\n---", false},
		"nine demonstrations":      {"shown", "", agent.FormatDemonstrations(nine), true},
		"eight demonstrations":     {"shown", "", agent.FormatDemonstrations(nine[:8]), false},
		"a demonstration repeated": {"shown", "", agent.FormatDemonstrations(append(nine[:1:1], nine[0])), true},
	} {
		parent, child := space.Default(), space.Default()
		parent[c.param], child[c.param] = c.before, c.after
		why, refused := Refuse(FailureContext{Space: space, Parent: parent}, Child{Config: child})
		if refused != c.refused {
			t.Errorf("%s: refused %v, %s", name, refused, why)
		}
	}
}
