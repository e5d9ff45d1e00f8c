package problem

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"evolve/runtime/agent"
)

// sampled is the number of uniform configs over which terms and skills are standardised.
const sampled = 400

// maker draws one problem.
type maker struct {
	recipe
	rng    *rand.Rand
	params []agent.Param
	p      *Problem
	// weights are the weights of the terms from which the skills of all domains are made.
	weights []float64
	// owner maps each term that belongs to one domain to the number of that domain, counted
	// from 1.
	owner  map[int]int
	spread float64
	domain []string
	// written holds the prompts, right holds the right values of the gates, and latches
	// holds the latches of the parameters that follow the gates. They are set only in
	// families that have them.
	written []prompt
	right   []float64
	latches []latch
}

func (r recipe) make(seed int64) *Problem {
	h := fnv.New64a()
	h.Write([]byte(r.name))
	rng := rand.New(rand.NewPCG(uint64(seed), h.Sum64()))
	m := &maker{recipe: r, rng: rng, p: &Problem{Family: r.name, Seed: seed}}
	m.settings()
	m.p.noise = noise{r.grading, rng.Uint64()}
	sample := make([]point, sampled)
	for i := range sample {
		sample[i] = m.p.codec.random(rng)
	}
	m.p.landscape.curve = r.curve
	m.effects(sample)
	m.skills(sample)
	m.catastrophes()
	crowd := m.population()
	m.p.search = crowd.items("task", m.tasks.draw(rng))
	m.p.holdout = crowd.items("held", m.tasks.draw(rng))
	if r.judged > 0 {
		m.p.Fixed, m.p.judged = true, crowd.items("judged", r.judged)
	}
	for _, it := range m.p.search {
		m.p.Tasks = append(m.p.Tasks, it.Task)
	}
	m.p.bill = newBill(rng, len(m.params), len(m.p.search), r.drifts)
	m.standard(sample)
	if r.finish != nil {
		r.finish(m, sample)
	}
	m.p.best = m.p.onceBest()
	return m.p
}

func (s span) draw(rng *rand.Rand) int { return s.lo + rng.IntN(s.hi-s.lo+1) }

func (s stretch) draw(rng *rand.Rand) float64 { return between(rng, s.lo, s.hi) }

// settings draws the space without its defaults; standard chooses these at the end.
func (m *maker) settings() {
	if m.recipe.params != nil {
		m.params = m.recipe.params(m)
		m.p.codec = newCodec(agent.Space{Params: m.params})
		return
	}
	m.params = choose(m.rng, m.choices.draw(m.rng), m.switches.draw(m.rng), m.numbers.draw(m.rng))
	if n := m.recipe.tools.draw(m.rng); n > 1 {
		m.params = append(m.params, agent.Param{Name: "tools", Kind: agent.Subset, Of: tools()[:n]})
	}
	if n := m.lines.draw(m.rng); n > 1 {
		p := agent.Param{Name: "instructions", Kind: agent.Text, Lines: directives()[:n], Default: ownLine}
		p.MaxChars = len(ownLine) + len(strings.Join(p.Lines, "\n")) + 1
		m.params = append(m.params, p)
	}
	m.p.codec = newCodec(agent.Space{Params: m.params})
}

// ownLine is a line in the instructions that a person wrote; it is always present.
const ownLine = "You answer customers of a lending library."

// effects draws the terms and standardises them over the sample.
func (m *maker) effects(sample []point) {
	if m.compose != nil {
		m.compose(m, sample)
		return
	}
	matters := m.rng.Perm(len(m.params))
	for i, p := range m.params {
		weight := 0.5 + 0.7*m.rng.ExpFloat64()
		if m.matter > 0 && matters[i] >= m.matter {
			weight /= 50
		}
		m.add(single(m.rng, p, i, m.shape), weight, sample)
	}
	var lists, numbers []int
	for i, p := range m.params {
		if m.matter > 0 && matters[i] >= m.matter {
			continue
		}
		switch p.Kind {
		case agent.Choice, agent.Bool:
			lists = append(lists, i)
		case agent.Float, agent.Int:
			numbers = append(numbers, i)
		}
	}
	m.interactions(lists, numbers, sample)
	m.teamwork(sample)
}

// interactions draws the interactions of choices, switches and numbers. Interactions of the
// same kind involve different parameters as long as enough are left; only the number in a
// bend or a chain is drawn independently.
func (m *maker) interactions(lists, numbers []int, sample []point) {
	draw := func(s span, of []int, n int, one func(i []int)) {
		if len(of) < n {
			return
		}
		var deck []int
		for range s.draw(m.rng) {
			if len(deck) < n {
				deck = slices.Clone(of)
				m.rng.Shuffle(len(deck), func(a, b int) { deck[a], deck[b] = deck[b], deck[a] })
			}
			one(deck[:n])
			deck = deck[n:]
		}
	}
	weight := func() float64 { return m.weight * (0.5 + m.rng.Float64()) }
	draw(m.pairs, lists, 2, func(i []int) {
		m.add(pair(m.rng, i[0], levels(m.params[i[0]]), i[1], levels(m.params[i[1]])), weight(), sample)
	})
	if len(numbers) == 0 {
		return
	}
	number := func() int { return numbers[m.rng.IntN(len(numbers))] }
	draw(m.bends, slices.Concat(lists, numbers), 1, func(i []int) {
		if n := number(); n != i[0] {
			m.add(bend(m.rng, n, i[0], m.params[i[0]]), weight(), sample)
		}
	})
	draw(m.chains, lists, 2, func(i []int) {
		m.add(chain(m.rng, number(), i[0], levels(m.params[i[0]]), i[1], levels(m.params[i[1]])), weight(), sample)
	})
}

// teamwork draws the interactions between lines and tools.
func (m *maker) teamwork(sample []point) {
	var all []member
	for i, p := range m.params {
		for k := range len(p.Of) + len(p.Lines) {
			all = append(all, member{i, k})
		}
	}
	some := func(n int) []member {
		var list []member
		for _, k := range m.rng.Perm(len(all))[:n] {
			list = append(list, all[k])
		}
		return list
	}
	for range m.teams.draw(m.rng) {
		m.add(team(some(2+m.rng.IntN(2))), m.weight*(0.5+m.rng.Float64()), sample)
	}
	for range m.clashes.draw(m.rng) {
		two := some(2)
		m.add(clash(two[0], two[1]), m.weight*(0.5+m.rng.Float64()), sample)
	}
}

// add standardises an effect and adds it as a term. A constant effect is left out.
func (m *maker) add(raw effect, weight float64, sample []point) {
	mean, deviation := moments(sample, raw)
	if deviation > 1e-9 {
		m.p.landscape.terms = append(m.p.landscape.terms, term{raw, mean, deviation})
		m.weights = append(m.weights, weight)
	}
}

// skills gives every domain a skill. Its weights over the terms mix weights that are common
// to all domains with the domain's own, so that the skill has mean 0 and the standard
// deviation m.spread over the sample.
func (m *maker) skills(sample []point) {
	m.spread = m.recipe.spread.draw(m.rng)
	for d := range m.domains.draw(m.rng) {
		m.domain = append(m.domain, fmt.Sprintf("domain-%d", d+1))
		row := make([]float64, len(m.weights))
		for t, w := range m.weights {
			row[t] = w * (math.Sqrt(1-m.conflict) + math.Sqrt(m.conflict)*m.rng.NormFloat64())
			if o := m.owner[t]; o > 0 && o != d+1 {
				row[t] *= foreign
			}
		}
		l := &m.p.landscape
		_, deviation := moments(sample, func(at point) float64 { return dot(row, l.view(at).terms) })
		for t := range row {
			row[t] *= m.spread / deviation
		}
		l.skills = append(l.skills, row)
	}
}

// foreign is the factor by which the weight of a term that belongs to one domain is
// multiplied in the skills of the other domains.
const foreign = 0.05

// standard makes a decent config the default. Like manual tuning, it starts from a uniform
// config, changes single parameters, and retains the changes that help, until the config is
// about 35 to 65 % of the way from the mean of uniform configs to the result of a quick
// climb.
func (m *maker) standard(sample []point) {
	mean, _ := moments(sample, m.p.truth)
	top := m.p.climber().run(brisk).score
	share := func(at point) float64 { return (m.p.truth(at) - mean) / (top - mean) }
	var best point
	off := math.Inf(1)
	for _, at := range sample {
		aim := between(m.rng, 0.38, 0.6)
		at = m.tune(at, share, aim)
		if d := math.Abs(share(at) - aim); d < off {
			best, off = at, d
		}
		if off < 0.03 {
			break
		}
	}
	for i := range m.params {
		p := &m.params[i]
		x := best[i]
		if !best.on(i) {
			x = m.p.codec.draw(i, m.rng)
		}
		p.Default = decode(*p, x)
	}
	m.p.Space = agent.Space{Params: m.params}
	m.p.codec = newCodec(m.p.Space)
}

// tune changes parameters of a point at random, and retains changes that help without
// exceeding the aim by much.
func (m *maker) tune(at point, share func(point) float64, aim float64) point {
	have := share(at)
	for range 60 {
		if have > aim-0.03 {
			break
		}
		next := slices.Clone(at)
		i := m.rng.IntN(len(next))
		if !next.on(i) {
			continue
		}
		next[i] = m.p.codec.draw(i, m.rng)
		m.p.codec.settle(next, m.rng)
		if s := share(next); s > have && s < aim+0.05 {
			at, have = next, s
		}
	}
	return at
}

// moments returns the mean and standard deviation of f over points.
func moments(sample []point, f func(point) float64) (mean, deviation float64) {
	sum, squares := 0.0, 0.0
	for _, at := range sample {
		x := f(at)
		sum += x
		squares += x * x
	}
	n := float64(len(sample))
	mean = sum / n
	return mean, math.Sqrt(math.Max(0, squares/n-mean*mean))
}
