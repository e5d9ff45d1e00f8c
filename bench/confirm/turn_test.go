package confirm

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// world simulates one variant's confirmation in memory: score returns the scores of
// champion and variant on a task in a block, and cost returns the variant's cost relative
// to the champion's.
type world struct {
	tasks  int
	domain func(task int) string
	score  func(task, block int) (champion, variant float64)
	cost   func(task, block int) float64
	guards []stats.Bound
	// fails is the block in which the process dies, or 0 for none.
	fails int

	entries   []Entry
	exposures []Exposure
	blocks    int
	earlier   int // blocks of earlier runs
	states    []stats.State
}

func (w *world) Entries(context.Context) ([]Entry, error) {
	return append([]Entry(nil), w.entries...), nil
}

func (w *world) Enter(_ context.Context, e Entry) (Entry, error) {
	e.Number = len(w.entries) + 1
	w.entries = append(w.entries, e)
	return e, nil
}

func (w *world) Put(_ context.Context, e Entry) error {
	w.entries[e.Number-1] = e
	w.states = append(w.states, e.State)
	return nil
}

func (w *world) Exposures(context.Context) ([]Exposure, error) { return w.exposures, nil }

func (w *world) Expose(_ context.Context, e Exposure) error {
	w.exposures = append(w.exposures, e)
	return nil
}

func (w *world) Run(context.Context, Block) error {
	if w.fails > 0 && w.blocks+1 == w.fails {
		panic("killed")
	}
	w.blocks++
	return nil
}

func (w *world) Evidence(context.Context, Entry) (Evidence, error) { return have{w}, nil }

type have struct{ *world }

func (h have) Blocks() (all, tonight int) { return h.blocks, h.blocks - h.earlier }

func (h have) Differences(float64) stats.Differences { return stats.Differences{} }

func (h have) Judge(variant string, rule stats.Rule) stats.Ruling {
	rule.Guards = h.guards
	pairs := make([]stats.Pair, h.tasks)
	for i := range pairs {
		p := &pairs[i]
		p.Task = fmt.Sprintf("t%03d", i)
		if h.domain != nil {
			p.Domain = h.domain(i)
		}
		for b := range h.blocks {
			x, y := h.score(i, b)
			p.A, p.B = append(p.A, x), append(p.B, y)
			if h.cost != nil {
				p.CostA, p.CostB = append(p.CostA, 1), append(p.CostB, h.cost(i, b))
			}
		}
	}
	return stats.Judge(variant, pairs, rule)
}

// night opens a confirmation with a budget for the given number of blocks.
func (w *world) night(t *testing.T, blocks int, fits func() bool) *Confirmation {
	t.Helper()
	if fits == nil {
		fits = func() bool { return true }
	}
	w.earlier = 0
	c, err := Open(t.Context(), World{
		Store: w, Ledger: w, Runner: w, Now: func() time.Time { return time.Unix(0, 0) },
		Fits: func(int) bool { return fits() }, Stop: func() error { return nil },
	}, Setup{
		Run: "1", Champion: "champion", Score: .5, Tasks: w.tasks, SearchTasks: w.tasks, Evaluations: 2 * w.tasks * blocks, Most: 3,
		Room: 1e6, Control: stats.Monthly(), Finalists: []Finalist{{Variant: agent.ConfigID("variant"), Gain: .4, SD: .02}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// better returns scores for which the variant beats the champion on four of five tasks in
// every block.
func better(task, block int) (champion, variant float64) {
	if (task+block)%5 == 0 {
		return .5, .5
	}
	return 0, 1
}

// planned is the number of blocks in a night, and capped is the number of blocks of an
// entry with the smallest projection.
const (
	planned = 16
	capped  = 2*LeastBlocks + 1
)

// needs returns the number of blocks after which the mean is proven.
func needs(t *testing.T) int {
	t.Helper()
	w := &world{tasks: 40, score: better}
	c := w.night(t, planned, nil)
	if err := c.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	if w.entries[0].State != stats.Proven || w.blocks >= planned/2 {
		t.Fatalf("%s after %d blocks", w.entries[0].State, w.blocks)
	}
	return w.blocks
}

// domains puts eight of forty tasks into a small domain and the others into a large one.
// In the small domain, differs returns the variant's score minus the champion's; in the
// large one, the variant is better.
func domains(differs func(task, block int) float64) *world {
	return &world{
		tasks: 40, domain: func(task int) string { return map[bool]string{true: "small", false: "large"}[task < 8] },
		score: func(task, block int) (champion, variant float64) {
			if task >= 8 {
				return better(task, block)
			}
			return .5, .5 + differs(task, block)
		},
	}
}

// worse is a loss in every second run. unclear is a difference that varies more between
// runs, and hopeless is one that varies as much between tasks.
func worse(task, block int) float64 { return -.5 * float64((task+block)%2) }

func unclear(task, block int) float64 {
	return []float64{-.5, .5, -.5, .4, .5, -.5, -.4, .1}[(task*3+block*5)%8] - .02
}

func hopeless(task, _ int) float64 { return []float64{-.5, -.5, -.5, .5, .3, -.2, .4, -.1}[task] }

// TestTurnGoesOnForADomain checks a gain that is proven before a small domain is decided.
// The turn must run further planned blocks until the domain is decided.
func TestTurnGoesOnForADomain(t *testing.T) {
	first := needs(t)
	w := domains(worse)
	c := w.night(t, planned, nil)
	if err := c.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := c.Turns()[0].Ruling
	if w.blocks <= first || w.blocks >= planned || got.State != stats.Vetoed || w.entries[0].State != stats.Vetoed {
		t.Errorf("%s after %d blocks, where the mean takes %d: %s", got.State, w.blocks, first, got.Reason)
	}
	for _, s := range w.states[:len(w.states)-1] {
		if s != stats.Open {
			t.Errorf("stored as %s while more blocks were to come", s)
		}
	}
	if got.Proof == nil || got.Proof.Blocks != first {
		t.Errorf("the proof is %+v, want one after %d blocks", got.Proof, first)
	}
}

// TestTurnEndsWithItsBlocks checks that if a domain stays undecided, the turn ends as
// proven after the planned blocks, and that the sentences name the domain.
func TestTurnEndsWithItsBlocks(t *testing.T) {
	w := domains(unclear)
	c := w.night(t, 5, nil)
	if err := c.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := c.Turns()[0].Ruling
	if w.blocks != 5 || got.State != stats.Proven || w.entries[0].State != stats.Proven {
		t.Fatalf("%s after %d blocks: %s", got.State, w.blocks, got.Reason)
	}
	said := c.Conclude(true, stats.Design{Tasks: 40, Units: 40, Alpha: .004}, nil).Sentence
	for what, words := range map[string]string{"reason": got.Reason, "sentence": said} {
		if !strings.Contains(words, "in the domain small is not ruled out: −") {
			t.Errorf("the %s does not name the open domain: %s", what, words)
		}
	}
	// Running out of budget has the same effect, and does not count as a failure of the
	// night.
	w = domains(unclear)
	c = w.night(t, planned, func() bool { return w.blocks < 6 })
	if err := c.Work(t.Context()); err != nil || w.blocks != 6 || w.entries[0].State != stats.Proven {
		t.Errorf("%s after %d blocks: %v", w.entries[0].State, w.blocks, err)
	}
}

// TestTurnIsOverWhereBlocksDoNotHelp checks that the turn ends after eight blocks if the
// tasks of a domain differ too much for more blocks to help.
func TestTurnIsOverWhereBlocksDoNotHelp(t *testing.T) {
	w := domains(hopeless)
	c := w.night(t, planned, nil)
	if err := c.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := c.Turns()[0].Ruling; w.blocks != 8 || r.State != stats.Proven || !strings.Contains(r.Reason, "in the domain small is not ruled out: −") {
		t.Errorf("%s after %d blocks: %s", r.State, w.blocks, r.Reason)
	}
}

// TestTurnGoesOnForAGuard checks that an undecided guard gets the planned blocks, and that
// a failed or passed guard gets no more.
func TestTurnGoesOnForAGuard(t *testing.T) {
	first := needs(t)
	for name, c := range map[string]struct {
		cost   func(task, block int) float64
		state  stats.State
		blocks func(int) bool
	}{
		"passes at once": {func(int, int) float64 { return 1 }, stats.Proven, func(n int) bool { return n == first }},
		"fails at once":  {func(int, int) float64 { return 2 }, stats.Trade, func(n int) bool { return n == first }},
		// The variant is expensive in the first blocks by chance, but within the bound on
		// average.
		"passes later": {func(task, block int) float64 {
			return 1 + .6*float64((task*task*7+task*block*3+block*block)%9-4)/4 - .05 + .2*float64(1-min(1, block/2))
		}, stats.Proven, func(n int) bool { return n > first && n < capped }},
		"never passes": {func(task, _ int) float64 { return 1.09 + .1*float64(task%5-2) }, stats.Proven, func(n int) bool { return n == capped }},
	} {
		w := &world{tasks: 40, score: better, cost: c.cost, guards: []stats.Bound{{Name: stats.Cost, Of: stats.Mean, AtMost: 1.1}}}
		night := w.night(t, planned, nil)
		if err := night.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r := night.Turns()[0].Ruling; r.State != c.state || !c.blocks(w.blocks) {
			t.Errorf("%s: %s after %d blocks: %s", name, r.State, w.blocks, r.Reason)
		}
	}
}

// TestTurnKeepsItsProof checks that a proof stands as long as the shown interval lies
// above 0, even if later blocks would no longer prove the gain, and even in a run that is
// killed and resumed in between. Once the interval no longer lies above 0, the proof is
// dropped.
func TestTurnKeepsItsProof(t *testing.T) {
	first := needs(t)
	for name, c := range map[string]struct {
		wins  int // of twenty
		state stats.State
	}{"a weaker gain": {10, stats.Proven}, "hardly any": {6, stats.Parked}} {
		late := domains(unclear)
		before := late.score
		late.score = func(task, block int) (champion, variant float64) {
			switch {
			case block < first || task < 8:
				return before(task, block)
			case (task*3+block*7)%20 < c.wins:
				return .5, 1
			}
			return .5, 0
		}
		night := late.night(t, planned, nil)
		if err := night.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		whole := night.Turns()[0].Ruling
		if whole.State != c.state || late.blocks <= first {
			t.Errorf("%s: %s after %d blocks: %s", name, whole.State, late.blocks, whole.Reason)
		}
		alone := whole.Proof
		if r := (have{late}).Judge("v", stats.Rule{Alpha: stats.Monthly().Alpha()}); r.Claim == stats.NewTasks || alone == nil || alone.Blocks != first {
			t.Errorf("%s: the proof %+v is that of the last block as well: the test cannot fail", name, alone)
		}

		killed := *late
		killed.entries, killed.exposures, killed.blocks, killed.fails = nil, nil, 0, late.blocks-1
		func() {
			defer func() { _ = recover() }()
			_ = killed.night(t, planned, nil).Work(t.Context())
		}()
		if s := killed.entries[0].State; s != stats.Open || killed.blocks >= late.blocks {
			t.Fatalf("%s after %d blocks", s, killed.blocks)
		}
		killed.fails = 0
		night = killed.night(t, planned, nil)
		if err := night.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r := night.Turns()[0].Ruling; r.State != whole.State || r.Reason != whole.Reason || killed.blocks != late.blocks {
			t.Errorf("%s: taken up again it is %s after %d blocks: %s", name, r.State, killed.blocks, r.Reason)
		}
	}
}
