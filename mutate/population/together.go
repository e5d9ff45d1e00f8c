package population

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"evolve/mutate"
	"evolve/mutate/operator"
	"evolve/runtime/agent"
)

// Together returns a search over programs and, at the same time, over the parameters under
// which they run. space holds the parameters; the other parameters of o.Space are the texts
// of the programs.
//
// The first half of the evaluations searches only the parameters, with [mutate.New] and the
// original program. The second half searches both with [New], and starts with the results
// of the first half as its population. Thus a program is not rejected because of parameters
// that do not fit it, and a program that parameters can no longer improve is rewritten
// under the best known parameters.
func Together(o Options, space agent.Space) (mutate.Searcher, error) {
	o, err := o.checked()
	if err != nil {
		return nil, err
	}
	s := &together{options: o, space: space, code: agent.Config{}, byID: map[agent.ConfigID]agent.Config{}}
	for name, v := range o.Champion {
		if _, ok := space.Lookup(name); !ok {
			s.code[name] = v
		}
	}
	if !varies(space) || o.Budget < 2 {
		return New(o)
	}
	first := o.Options
	first.Space, first.Author, first.Budget, first.BaselineShare, first.History = space, nil, s.half(), -1, nil
	if first.Champion, err = s.parameters(o.Champion); err != nil {
		return nil, err
	}
	first.View = nil
	for _, h := range o.History {
		if s.asIs(h.Config) {
			h.Config, err = s.parameters(h.Config)
			if err != nil {
				continue
			}
			h.Variant = h.Config.ID()
			first.History = append(first.History, h)
		}
	}
	s.now, err = mutate.New(first)
	return s, err
}

// together is the state of a search in two parts.
type together struct {
	options Options
	space   agent.Space
	// code holds the texts of the champion.
	code agent.Config
	// now searches in the current part; second reports whether the current part is the
	// second part.
	now    mutate.Searcher
	second bool
	// before is the number of trials of the first part, told is the number of results
	// received for them, and recalled is the number of results received before any trial
	// was asked for. results holds the results of this run so far, until the second part
	// begins. byID holds the configs of the first part by the ids that they have in its
	// search.
	before, told, recalled int
	results                []mutate.Observation
	byID                   map[agent.ConfigID]agent.Config
}

// varies reports whether a space has a parameter that can take more than one value.
func varies(space agent.Space) bool {
	return slices.ContainsFunc(space.Params, func(p agent.Param) bool { return !operator.Fixed(p) })
}

// half returns the number of evaluations of the first part.
func (s *together) half() int { return max(1, s.options.Budget/2) }

// asIs reports whether a config has the champion's texts.
func (s *together) asIs(c agent.Config) bool {
	for name, v := range s.code {
		if c[name] != v {
			return false
		}
	}
	return true
}

// parameters returns a config's parameters, without its texts.
func (s *together) parameters(c agent.Config) (agent.Config, error) {
	out := agent.Config{}
	for name, v := range c {
		if _, ok := s.code[name]; !ok {
			out[name] = v
		}
	}
	parsed, problems := s.space.Parse(out)
	if len(problems) > 0 {
		return nil, fmt.Errorf("the parameters: %s", problems[0])
	}
	return parsed, nil
}

// whole returns the config made of the given parameters and the champion's texts.
func (s *together) whole(c agent.Config) agent.Config {
	out := c.Clone()
	for name, v := range s.code {
		out[name] = v
	}
	return out
}

// Ask implements [mutate.Searcher].
func (s *together) Ask() (mutate.Trial, mutate.Status) {
	if !s.second {
		t, status := s.now.Ask()
		if status != mutate.Done {
			return s.outward(t), status
		}
		switch {
		case s.told-s.recalled < s.before: // the second part begins once all results of the first have arrived
			return mutate.Trial{}, mutate.Wait
		case s.told >= s.options.Budget || s.turn() != nil:
			return mutate.Trial{}, mutate.Done
		}
	}
	t, status := s.now.Ask()
	t.N += int64(s.before)
	return t, status
}

// outward returns a trial of the first part with the champion's texts added to its config.
func (s *together) outward(t mutate.Trial) mutate.Trial {
	if t.Config == nil {
		return t
	}
	s.before++
	t.Config = s.whole(t.Config)
	s.byID[t.Variant] = t.Config
	t.Variant = t.Config.ID()
	t.Parents = s.wholes(t.Parents)
	return t
}

// wholes returns the ids that configs of the first part have once the champion's texts are
// added to them.
func (s *together) wholes(ids []agent.ConfigID) []agent.ConfigID {
	out := make([]agent.ConfigID, 0, len(ids))
	for _, id := range ids {
		if c, ok := s.byID[id]; ok {
			out = append(out, c.ID())
		}
	}
	return out
}

// turn begins the second part.
func (s *together) turn() error {
	o := s.options
	o.Budget -= s.told
	o.Measured = s.measured()
	next, err := New(o)
	if err != nil {
		return err
	}
	s.now, s.second, s.results = next, true, nil
	return nil
}

// measured returns the results of this run, one for each variant and task; each is the mean
// over the repeats.
func (s *together) measured() []mutate.Observation {
	type key struct {
		variant agent.ConfigID
		task    string
	}
	var out []mutate.Observation
	at, counts, timed := map[key]int{}, map[key]float64{}, map[key]float64{}
	ordered := slices.Clone(s.results) // sorted, because the order of arrival varies
	slices.SortStableFunc(ordered, func(a, b mutate.Observation) int { return cmp.Compare(a.Trial.N, b.Trial.N) })
	for _, r := range ordered {
		if !r.Scored {
			continue
		}
		k := key{r.Trial.Variant, r.Trial.Task}
		i, known := at[k]
		if !math.IsNaN(r.Seconds) {
			timed[k]++
		}
		if counts[k]++; !known {
			at[k] = len(out)
			out = append(out, r)
			continue
		}
		o := &out[i]
		o.Score += (r.Score - o.Score) / counts[k]
		o.CostUSD += (r.CostUSD - o.CostUSD) / counts[k]
		switch {
		case math.IsNaN(r.Seconds):
		case math.IsNaN(o.Seconds):
			o.Seconds = r.Seconds
		default:
			o.Seconds += (r.Seconds - o.Seconds) / timed[k]
		}
	}
	return out
}

// Tell implements [mutate.Searcher].
func (s *together) Tell(o mutate.Observation) {
	if s.second {
		o.Trial.N -= int64(s.before)
		s.now.Tell(o)
		return
	}
	if o.Trial.Brief != nil {
		return // a trial of the second part of a run that was interrupted
	}
	s.results = append(s.results, o)
	if s.told++; s.before == 0 {
		s.recalled++
	}
	if !s.asIs(o.Trial.Config) {
		return
	}
	c, err := s.parameters(o.Trial.Config)
	if err != nil {
		return
	}
	o.Trial.Config, o.Trial.Variant = c, c.ID()
	s.now.Tell(o)
}

// Recommend implements [mutate.Searcher].
func (s *together) Recommend() mutate.Recommendation {
	rec := s.now.Recommend()
	if s.second {
		rec.Told += s.told
		return rec
	}
	rec.Champion, rec.Best = s.estimate(rec.Champion), s.estimate(rec.Best)
	for _, list := range [][]mutate.Estimate{rec.Finalists, rec.Front, rec.Compared} {
		for i := range list {
			list[i] = s.estimate(list[i])
		}
	}
	rec.Exhausted = false // the second part follows
	return rec
}

// estimate takes an estimate from the first part and returns it with the champion's texts
// added to its config.
func (s *together) estimate(e mutate.Estimate) mutate.Estimate {
	e.Config = s.whole(e.Config)
	e.Variant = e.Config.ID()
	e.Parents = s.wholes(e.Parents)
	return e
}

// Hindsight implements [mutate.Searcher].
func (s *together) Hindsight(moments []mutate.Moment) mutate.Hindsight {
	if s.second {
		return s.now.Hindsight(moments)
	}
	return mutate.Hindsight{}
}

// Resize implements [mutate.Searcher].
func (s *together) Resize(budget int) {
	s.options.Budget = max(1, budget)
	if s.second {
		s.now.Resize(s.options.Budget - s.told)
		return
	}
	s.now.Resize(s.half())
}
