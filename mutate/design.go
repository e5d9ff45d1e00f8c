package mutate

import (
	"evolve/mutate/irt"
	"evolve/runtime/agent"
)

// addDesign makes the design. It consists of the default, if that is not the champion,
// followed by a Latin hypercube over the numbers in which every value of choices and
// switches occurs equally often (McKay et al. 1979); subsets and texts are drawn at random.
// If there is a pool of demonstrations, most points differ from the champion only in their
// demonstrations.
func (s *search) addDesign() {
	if d := s.space.Default(); d.ID() != s.champion.id {
		s.design = append(s.design, proposal{config: d, operator: "default", rationale: "the default value of every parameter"})
	}
	s.fill(s.plan.design)
}

// fill adds n points to the design.
func (s *search) fill(n int) {
	defer s.codec.forget()
	points := make([]irt.Point, max(0, n))
	for k := range points {
		points[k] = s.codec.random(s.champion.point, s.rng)
	}
	for i := range s.codec.settings {
		st := &s.codec.settings[i]
		column := s.rng.Perm(len(points))
		for k, x := range points {
			if x[st.first] == inactive {
				continue
			}
			switch st.param.Kind {
			case agent.Float, agent.Int:
				u := (float64(column[k]) + s.rng.Float64()) / float64(len(points))
				x[st.first] = st.snapped[int(u*irt.Grid+0.5)]
			case agent.Choice:
				x[st.first] = category - int16(column[k]%len(st.param.Values))
			case agent.Bool:
				x[st.first] = presence(column[k]%2 == 0)
			}
		}
	}
	for k, x := range points {
		if s.demoPool.Shows() && k%variedDesign != 0 {
			s.keepOthers(x)
		}
		s.codec.normalize(x, s.rng)
		if c, ok := s.codec.decode(x, s.champion.config, s.champion.point); ok {
			s.design = append(s.design, proposal{config: c, operator: "design", rationale: "a config from a space-filling design"})
		}
	}
}

// variedDesign is the interval, in a design with demonstrations, between the points that
// also vary the other settings.
const variedDesign = 4

// keepOthers sets all positions of a point to the champion's, except those of
// demonstrations.
func (s *search) keepOthers(x irt.Point) {
	for i := range s.codec.settings {
		if st := &s.codec.settings[i]; st.pool == nil {
			copy(x[st.first:st.first+st.dims], s.champion.point[st.first:])
		}
	}
}
