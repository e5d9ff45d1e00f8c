package ablation

import (
	"cmp"
	"math"
	"slices"

	"evolve/mutate"
	"evolve/runtime/agent"
)

// order lists the units, those first that seem to matter least: by how much better, on
// the tasks they saw, the known configs did that sided with the winner in a unit than those
// that sided with the champion. It decides what is looked at first, and nothing else.
func (c change) order(known []mutate.Observation) []int {
	type tally struct{ sum, n float64 }
	tasks := map[string]tally{}
	for _, o := range known {
		if o.Scored {
			t := tasks[o.Trial.Task]
			tasks[o.Trial.Task] = tally{t.sum + o.Score, t.n + 1}
		}
	}
	sides := make([][2]tally, len(c.units))
	stands := map[agent.ConfigID][]int{}
	for _, o := range known {
		if !o.Scored || o.Trial.Config == nil {
			continue
		}
		side, ok := stands[o.Trial.Variant]
		if !ok {
			side = make([]int, len(c.units))
			for i := range c.units {
				side[i] = c.side(i, o.Trial.Config)
			}
			stands[o.Trial.Variant] = side
		}
		t := tasks[o.Trial.Task]
		for i, s := range side {
			if s >= 0 {
				sides[i][s].sum += o.Score - t.sum/t.n
				sides[i][s].n++
			}
		}
	}
	lead := make([]float64, len(c.units))
	out := make([]int, len(c.units))
	for i, s := range sides {
		out[i] = i
		if s[0].n > 0 && s[1].n > 0 {
			lead[i] = s[1].sum/s[1].n - s[0].sum/s[0].n
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(lead[a], lead[b]) })
	return out
}

// side is 1 for a config that has a unit like the winner, 0 like the champion, −1 for
// neither.
func (c change) side(i int, config agent.Config) int {
	u := c.units[i]
	p := c.params[u.param]
	v, ok := config[p.Name]
	if !ok {
		return -1
	}
	now := c.winner[p.Name]
	switch {
	case p.edits != nil:
		text, _ := v.(string)
		return has(linesOf(text), p.edits[u.edit])
	case u.member != "":
		if slices.Contains(members(v), u.member) == slices.Contains(members(now), u.member) {
			return 1
		}
		return 0
	case p.Numeric():
		return nearer(distance(p.Param, v, now), distance(p.Param, v, p.base))
	case (agent.Config{"": v}).Equal(agent.Config{"": now}):
		return 1
	case (agent.Config{"": v}).Equal(agent.Config{"": p.base}):
		return 0
	}
	return -1
}

// has says whose side lines are on in an edit.
func has(lines []string, e edit) int {
	now, old := e.here && slices.Contains(lines, e.now), e.wasThere && slices.Contains(lines, e.old)
	switch {
	case now && old:
		return -1
	case e.here && now, !e.here && !old:
		return 1
	case e.wasThere && old, !e.wasThere && !now:
		return 0
	}
	return -1
}

func nearer(toWinner, toBase float64) int {
	switch {
	case toWinner < toBase:
		return 1
	case toBase < toWinner:
		return 0
	}
	return -1
}

func distance(p agent.Param, a, b any) float64 {
	x, y := number(a), number(b)
	if p.Log {
		x, y = math.Log(x), math.Log(y)
	}
	return math.Abs(x - y)
}

func number(v any) float64 {
	switch n := v.(type) {
	case int64:
		return float64(n)
	case float64:
		return n
	}
	return math.NaN()
}
