package mutate

import (
	"cmp"
	"math"
	"slices"

	"evolve/mutate/irt"
	"evolve/runtime/agent"
)

// past is a config from an earlier night with its evaluations. The evaluations are part
// of the model's data but are not counted as tonight's, and no recommendation is based on
// them alone.
type past struct {
	id      agent.ConfigID
	config  agent.Config
	point   irt.Point
	shows   []int // the tasks that the config demonstrates
	night   int   // by its index
	cells   []irt.Cell
	weight  float64 // number of evaluations, each weighted by its trust
	mean    float64
	ability float64
}

// maxHistory is the maximum number of configs from earlier nights in the model.
const maxHistory = 150

// recall adds the history of those configs and tasks that still exist.
func (s *search) recall(history []Remembered) {
	type ofNight struct {
		id    agent.ConfigID
		night int
	}
	index := map[ofNight]*past{}
	nights := map[int]int{}
	var list []*past
	for _, r := range history {
		task, ok := s.taskIndex[r.Task]
		if !ok || !(r.Trust > 0) || !(r.Score >= 0 && r.Score <= 1) {
			continue
		}
		key := ofNight{r.Variant, r.Night}
		h, known := index[key]
		if !known {
			if config, problems := s.space.Parse(r.Config); len(problems) == 0 {
				if _, known := nights[r.Night]; !known {
					nights[r.Night] = len(s.nights)
					s.nights = append(s.nights, newPastNight(r.Changed))
				}
				h = &past{id: config.ID(), config: config, shows: s.demonstrated.of(config), night: nights[r.Night]}
				list = append(list, h)
			}
			index[key] = h // nil if the config is no longer valid in the space
		}
		if h == nil || slices.Contains(h.shows, task) {
			continue
		}
		trust := math.Min(r.Trust, 1)
		h.cells = irt.AddScore(h.cells, task, r.Score, trust)
		h.weight += trust
		h.mean += trust * r.Score
	}
	for _, h := range list {
		h.mean = (h.mean + 0.5) / (h.weight + 1)
	}
	if len(list) > maxHistory {
		slices.SortStableFunc(list, func(a, b *past) int { return cmp.Compare(b.mean, a.mean) })
		rest := list[maxHistory/2:]
		for i := range maxHistory / 2 {
			list[maxHistory/2+i] = rest[i*len(rest)/(maxHistory/2)]
		}
		list = list[:maxHistory]
	}
	for _, h := range list {
		h.point = s.codec.encode(h.config)
	}
	s.history = list
	spare := s.spare(len(s.design))
	s.replaced = slices.Clone(s.design[len(s.design)-spare:])
	s.design = s.design[:len(s.design)-spare]
}

// resume puts the ablest configs from earlier nights at the front of the design.
func (s *search) resume() {
	const most = 4
	var first []proposal
	for _, p := range s.recalled(min(most, (len(s.design)+1)/2)) {
		if p.past.weight >= 1 { // its evaluations have at least the weight of one evaluation from tonight
			first = append(first, p.past.proposal(p.past.ability))
		}
	}
	s.design = append(first, s.design...)
}

// proposal returns a proposal to evaluate a config from an earlier night again.
func (h *past) proposal(ability float64) proposal {
	return proposal{config: h.config, operator: "recall", rationale: "among the best of earlier nights", ability: ability}
}

// merged returns a variant's scores from tonight and from the earlier nights that still
// count.
func (s *search) merged(a *variantStats) []irt.Cell {
	all := a.scores()
	for _, h := range s.history {
		if h.id == a.id && s.nights[h.night].holds {
			all = irt.Merge(all, h.cells)
		}
	}
	return all
}

// recalled returns the ablest configs from earlier nights whose results still hold,
// except those that were already tried tonight.
func (s *search) recalled(most int) []prospect {
	var list []*past
	for _, h := range s.held() {
		if s.byID[h.id] == nil {
			list = append(list, h)
		}
	}
	slices.SortStableFunc(list, func(a, b *past) int { return cmp.Compare(b.ability, a.ability) })
	// Several nights may have the same config.
	seen := map[agent.ConfigID]bool{}
	list = slices.DeleteFunc(list, func(h *past) bool {
		again := seen[h.id]
		seen[h.id] = true
		return again
	})
	var out []prospect
	for _, h := range list[:min(len(list), most)] {
		out = append(out, prospect{point: h.point, past: h})
	}
	return out
}
