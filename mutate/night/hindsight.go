package night

import (
	"evolve/archive"
	"evolve/mutate"
)

// addHindsight evaluates the search in hindsight: it adds the curve of the search's
// recommendations, and the comparison of the search with a random search.
func (n *night) addHindsight(s mutate.Searcher, moments []mutate.Moment) {
	h := s.Hindsight(moments)
	out := &n.result.Search
	for _, v := range h.Curve {
		out.Curve = append(out.Curve, archive.CurvePoint{
			Evaluations: v.Evaluations, Variant: v.Best, Best: finite(v.Score),
			RandomVariant: v.RandomBest, Random: finite(v.RandomScore), RandomEvals: v.Random,
		})
	}
	out.Equal, out.End = match(h.Equal), match(h.End)
}

func match(m *mutate.Match) *archive.Match {
	if m == nil {
		return nil
	}
	return &archive.Match{
		Search: scored(m.Search), Random: scored(m.Random), SearchSpent: m.SearchSpent, RandomSpent: m.RandomSpent,
		Difference: finite(m.Difference), Lo: finite(m.Lo), Hi: finite(m.Hi), Common: m.Common,
	}
}
