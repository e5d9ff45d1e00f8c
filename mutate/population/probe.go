package population

import "math"

const (
	// hopeless is the threshold for the probability that a variant is better than the
	// champion. If the probability is lower after the probe, the variant is dropped.
	hopeless = .02
	// leastAudits is the number of audits that are needed before equal scores on the probe
	// count as equal behaviour, and mostOther is the maximum share of the audited variants
	// that may have behaved differently. Once equal scores count, one in everyAudit such
	// variants is audited.
	leastAudits, everyAudit = 10, 50
	mostOther               = .25
)

// audits counts variants that had the same scores on the probe as another variant that is
// not larger.
type audits struct {
	// met counts all such variants. Some of them were evaluated in the first stage
	// nevertheless. Of these, same counts the variants that behaved like another variant
	// there too, and other counts the rest.
	met, same, other int
}

// telling reports whether equal scores on the probe indicate equal behaviour. If tasks are
// either passed or failed, variants may have equal scores on three tasks by chance.
func (a audits) telling() bool {
	n := a.same + a.other
	return n >= leastAudits && float64(a.other) <= mostOther*float64(n)
}

// probe drops some of the variants that completed the first case or the whole of the probe:
// those that fail or are far worse than the champion and, after the whole probe, also those
// that behave like another variant that is not larger. Most mutants of a program are of one
// of these kinds, and ten cases for each of them would take up most of a budget. Equal
// scores on one case prove little, because a metric that is a count has few values.
func (s *search) probe() {
	for _, m := range s.ready {
		s.group(m)
		if m.probing() && !m.left && m.judged < m.issued {
			m.judged = m.issued
			m.left = m.beats(0) < hopeless || m.issued >= s.Probe && s.repeats(m)
		}
	}
}

// probing reports whether a variant has begun the probe but not its first stage.
func (m *member) probing() bool { return m.probed && m.stages == 0 }

// repeats reports whether a variant is dropped because it has the same scores on the probe
// as a variant that is not larger.
func (s *search) repeats(m *member) bool {
	key, known := s.behaviour(m, s.Probe)
	if !known {
		return false
	}
	smallest := math.MaxInt
	if own, _ := s.behaviour(s.members[0], s.Probe); key == own {
		smallest = s.members[0].size
	}
	for _, other := range s.alike[key] {
		smallest = min(smallest, other.size)
	}
	s.alike[key] = append(s.alike[key], m)
	if smallest > m.size {
		return false
	}
	s.audits.met++
	m.audited = !s.audits.telling() || s.audits.met%everyAudit == 0
	return !m.audited
}

// group adds a variant that completed its first stage to the variants that behave like it,
// and records what an audit shows.
func (s *search) group(m *member) {
	if m.stages != 1 || m.grouped {
		return
	}
	m.grouped = true
	key, known := s.behaviour(m, s.Stages[0])
	if !known {
		return
	}
	own, _ := s.behaviour(s.members[0], s.Stages[0])
	switch same := key == own || len(s.alike[key]) > 0; {
	case m.audited && same:
		s.audits.same++
	case m.audited:
		s.audits.other++
	}
	s.alike[key] = append(s.alike[key], m)
}
