package archive

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"hash/maphash"
	"slices"
	"time"

	"evolve/bench"
	"evolve/runtime/agent"
)

// Retention determines which transcripts and evaluations of nights, and which transcripts
// of turns, are kept. The transcripts of a turn are removed if the turn is older than the
// oldest night that keeps its transcripts. The questions of holdout tasks are removed
// together with the transcripts of the last night that used them. All other records are
// always kept, and so are:
//
//   - the latest run, and every run that is not over
//   - the evaluations, with their transcripts, of the confirmation and the ablation that a
//     proposal or an open candidate rests on; for a rejected, expired, superseded or failed
//     proposal they are kept only for 90 days
//   - the evaluations of an agent's latest 30 nights with a search, because later nights use
//     them for the search, the forecast of the agent's pace and the estimate of its variances
//   - the first evaluation with a key, as long as a later evaluation that is kept refers to it
//
// Transcripts are removed before evaluations, the oldest first. The zero value keeps
// everything.
type Retention struct {
	// Nights is the number of an agent's latest nights whose transcripts and evaluations
	// are kept; 0 means all. Evaluations may be kept for longer.
	Nights int `json:"nights,omitempty"`
	// Bytes is the maximum size of the archive on disk; 0 means unlimited.
	Bytes int64 `json:"bytes,omitempty"`
}

const (
	// learningNights is the number of an agent's latest nights from which later nights
	// learn: the trust in an evaluation falls below its bound after 29 nights, and the pace
	// and the variances are estimated from the last 30.
	learningNights = 30
	// recentDecision is how long the evidence of a proposal that was not adopted is kept.
	recentDecision = 90 * 24 * time.Hour
)

// records returns how many bytes of records fit into the maximum size. Measured over
// 100,000 evaluations, the store takes 1.3 times the size of its records.
func (r Retention) records() int64 { return r.Bytes / 13 * 10 }

// part identifies the work of one run for one agent.
type part struct{ run, agent string }

// partFacts holds the facts about a part that the selection uses.
type partFacts struct {
	part
	number int
	// learns reports whether the part has evaluations of a search.
	learns bool
	// evaluations and transcripts are the sizes, in bytes, of the evaluations and
	// transcripts that may be removed.
	evaluations, transcripts int64
	// whole reports whether everything in the part is protected, and cited reports whether
	// the part's evidence for decisions is protected.
	whole, cited bool
	// noTranscripts and noEvaluations report whether the transcripts and the evaluations of
	// the part are to be removed.
	noTranscripts, noEvaluations bool
	// latest reports whether the part is the latest night of its agent.
	latest  bool
	removed NightRemoved
}

// citable reports whether the evaluations of a stage are protected if the part that
// contains them is cited.
func citable(stage bench.Stage) bool {
	return stage != bench.StageSearch && stage != bench.StageBaseline
}

// spot locates an evaluation by the index of its part and its Seq.
type spot struct {
	part int
	seq  int64
}

// selection is the set of records that GC removes, together with the facts that determine
// it.
type selection struct {
	a     *Archive
	parts []partFacts
	index map[part]int
	seed  maphash.Seed
	// dropped holds the evaluations to remove, and kept holds the hashes of the keys whose
	// transcripts stay.
	dropped map[spot]struct{}
	kept    map[uint64]struct{}
	// owner maps the hash of a key to the newest part that has an evaluation with that key.
	owner map[uint64]int
	// live is the size of all pairs, in bytes.
	live  int64
	total Removed
	// ongoing holds the parts of the latest run and of the runs that are not over.
	ongoing []part
	// asked holds the hashes of the suites whose questions stay; nil keeps all.
	asked map[string]bool
	// started holds the start times of the runs, the latest first.
	started []time.Time
	// forget is the session to remove, or nil for none; forgotten holds the numbers of
	// the session's turns.
	forget    *sessionName
	forgotten map[uint64]bool
	// created holds the time of each turn, by the turn's number.
	created map[uint64]time.Time
	// turns lists the stored turns that have a transcript, ordered by number, the oldest
	// first; bared holds the turns whose transcript is removed.
	turns []turnFacts
	bared map[uint64]struct{}
}

// turnFacts holds the facts about a turn that the selection uses.
type turnFacts struct {
	number  uint64
	created time.Time
	size    int64
}

// selects returns the records that the given retention (keep) removes at the given time
// (now). If forget is not nil, selects also returns the records of the session that
// forget names.
func (a *Archive) selects(ctx context.Context, keep Retention, now time.Time, forget *sessionName) (*selection, error) {
	s := &selection{
		a: a, forget: forget, index: map[part]int{}, seed: maphash.MakeSeed(),
		dropped: map[spot]struct{}{}, kept: map[uint64]struct{}{}, owner: map[uint64]int{}, bared: map[uint64]struct{}{}, created: map[uint64]time.Time{},
	}
	if err := s.survey(ctx, now); err != nil {
		return nil, err
	}
	s.decide(keep)
	if keep != (Retention{}) {
		if err := s.markQuestions(ctx); err != nil {
			return nil, err
		}
	}
	return s, s.mark(ctx)
}

func (s *selection) hash(key bench.Key) uint64 { return maphash.String(s.seed, string(key)) }

// at returns the index of a part, and adds the part if it is new.
func (s *selection) at(p part) int {
	i, ok := s.index[p]
	if !ok {
		i = len(s.parts)
		s.index[p] = i
		s.parts = append(s.parts, partFacts{part: p, whole: true}) // until the survey finds otherwise
	}
	return i
}

// survey gathers the facts about all parts and turns, and marks the parts that must stay.
func (s *selection) survey(ctx context.Context, now time.Time) error {
	runs := map[string]Run{}
	latest := 0
	for r, err := range s.a.Runs(ctx) {
		if err != nil {
			return err
		}
		runs[r.ID], latest = r, max(latest, r.Number)
		s.started = append(s.started, r.Started)
	}
	for _, r := range runs {
		if r.State == RunRunning || r.Number == latest {
			for _, agentID := range r.Agents {
				s.ongoing = append(s.ongoing, part{r.ID, agentID})
			}
		}
	}
	for t, err := range s.a.Turns(ctx) {
		if err != nil {
			return err
		}
		if n, ok := parseID('T', t.ID); ok {
			s.created[n] = t.Created
			s.findForgotten(n, t)
		}
	}
	err := s.a.store.scan(ctx, newKey(tableEvaluation), nil, func(k, value []byte) error {
		e, err := decodeEvaluation(k, value)
		if err != nil {
			return err
		}
		i := s.at(part{e.Run, e.Agent})
		p := &s.parts[i]
		r, known := runs[e.Run]
		p.number = r.Number
		p.whole = !known || r.State == RunRunning || r.Number == latest
		p.learns = p.learns || e.Split == bench.Search && (!citable(e.Stage) || e.Stage == bench.StageAblate)
		h := s.hash(e.Key)
		if was, ok := s.owner[h]; !ok || s.parts[was].number < p.number {
			s.owner[h] = i
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.protect(ctx, now)
}

// protect marks the parts that decisions and open candidates rest on.
func (s *selection) protect(ctx context.Context, now time.Time) error {
	mark := func(run, agentID string, whole bool) {
		if i, ok := s.index[part{run, agentID}]; ok {
			s.parts[i].cited = true
			s.parts[i].whole = s.parts[i].whole || whole
		}
	}
	proposed := map[part]bool{} // variants, by agent
	for p, err := range s.a.Proposals(ctx) {
		if err != nil {
			return err
		}
		if !p.retained(now) {
			continue
		}
		mark(p.Run, p.Agent, p.Kind != KindConfig)
		if p.Variant != "" {
			proposed[part{string(p.Variant), p.Agent}] = true
		}
		if p.Rests != nil {
			for _, run := range p.Rests.Runs {
				mark(run, p.Agent, false)
			}
		}
		if p.RuledBy != "" {
			mark(p.RuledBy, p.Agent, false)
		}
		result, err := s.a.Result(ctx, p.RulingRun(), p.Agent)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		for _, f := range result.Finalist {
			for _, run := range f.Runs {
				mark(run, p.Agent, false)
			}
		}
	}
	agents := map[string]bool{}
	for _, p := range s.parts {
		agents[p.agent] = true
	}
	for agentID := range agents {
		for c, err := range s.a.Candidates(ctx, agentID) {
			if err != nil {
				return err
			}
			if c.Void == "" && !c.State.Ended() || proposed[part{string(c.Variant), agentID}] {
				for _, run := range c.Runs {
					mark(run, agentID, false)
				}
			}
		}
	}
	return s.weigh(ctx)
}

// retained reports whether the evidence of a proposal must stay.
func (p ProposalRecord) retained(now time.Time) bool {
	switch p.State {
	case Rejected, Expired, Superseded, GateFailed:
		at := p.Created
		if p.Decision != nil && p.Decision.Time.After(at) {
			at = p.Decision.Time
		}
		return now.Sub(at) < recentDecision
	}
	return true
}

// weigh sums up the sizes of the records that may be removed.
func (s *selection) weigh(ctx context.Context) error {
	return s.a.store.dump(ctx, func(k, value []byte) error {
		size := int64(len(k) + len(value))
		s.live += size
		switch k[0] {
		case tableEvaluation:
			e, err := decodeEvaluation(k, value)
			if err != nil {
				return err
			}
			p := &s.parts[s.at(part{e.Run, e.Agent})]
			if !p.whole && !(p.cited && citable(e.Stage)) {
				p.evaluations += size
			}
		case tableTranscript:
			text, err := unpackHex(k[1:])
			if err != nil {
				return err
			}
			if i, ok := s.owner[s.hash(bench.Key(text))]; ok && !s.parts[i].whole {
				s.parts[i].transcripts += size
			}
		case tableTurnTranscript:
			return s.weighTurn(k, value)
		}
		return nil
	})
}

// weighTurn adds a turn to the turns with a removable transcript, unless the transcript has
// no events or was removed already.
func (s *selection) weighTurn(k, value []byte) error {
	bare, err := s.a.bare(value)
	if err != nil || len(bare) >= len(value) {
		return err
	}
	r := readKey(tableTurnTranscript, k)
	n := r.number()
	if err := r.done(); err != nil {
		return err
	}
	s.turns = append(s.turns, turnFacts{n, s.created[n], int64(len(value) - len(bare))})
	return nil
}

// bare reduces a packed transcript to one that contains only the number of its events.
func (a *Archive) bare(packed []byte) ([]byte, error) {
	t, err := a.packer.unpack(packed)
	if err != nil {
		return nil, err
	}
	return a.packer.pack(&agent.Transcript{Dropped: t.Dropped + len(t.Events)})
}

// decideTurns selects the turns whose transcripts are to be removed: the turns for which
// wanted returns true. live is the size of the records that have not been selected so
// far; decideTurns returns that size less the turns that it selects.
func (s *selection) decideTurns(live int64, wanted func(t turnFacts, live int64) bool) int64 {
	for _, t := range s.turns {
		if _, gone := s.bared[t.number]; !gone && wanted(t, live) {
			s.bared[t.number] = struct{}{}
			live -= t.size
		}
	}
	return live
}

// reduced returns the value of a pair that stays, without the parts that are removed. If
// the transcript of a turn is removed, a transcript that contains only the number of its
// events replaces it, so the turn still has a transcript. reduced counts these
// replacements.
func (s *selection) reduced(k, value []byte) ([]byte, error) {
	switch k[0] {
	case tableTurn:
		return s.emptied(k, value)
	case tableExperience, tableFrozen:
		return s.unlearned(k, value)
	case tableRun:
		return s.unnoted(value)
	}
	if k[0] != tableTurnTranscript {
		return value, nil
	}
	r := readKey(tableTurnTranscript, k)
	n := r.number()
	if _, gone := s.bared[n]; !gone {
		return value, r.done()
	}
	bare, err := s.a.bare(value)
	if err != nil {
		return nil, err
	}
	s.total.Turns++
	s.total.Records += int64(len(value) - len(bare))
	return bare, nil
}

// decide sets, for each part, whether GC removes its transcripts and its evaluations.
func (s *selection) decide(keep Retention) {
	order := make([]int, len(s.parts)) // the newest first
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := s.parts[i], s.parts[j]
		return cmp.Or(cmp.Compare(b.number, a.number), cmp.Compare(a.run, b.run), cmp.Compare(a.agent, b.agent))
	})
	nights, searches := map[string]int{}, map[string]int{}
	spare := map[int]bool{} // parts from whose evaluations later nights do not learn
	live := s.live
	for _, i := range order {
		p := &s.parts[i]
		p.latest = nights[p.agent] == 0
		old := keep.Nights > 0 && nights[p.agent] >= keep.Nights
		nights[p.agent]++
		spare[i] = searches[p.agent] >= learningNights
		if p.learns {
			searches[p.agent]++
		}
		if p.whole || !old {
			continue
		}
		p.noTranscripts, p.noEvaluations = true, spare[i]
		live -= p.transcripts
		if spare[i] {
			live -= p.evaluations
		}
	}
	if keep.Nights > 0 && len(s.started) >= keep.Nights {
		oldest := s.started[keep.Nights-1]
		live = s.decideTurns(live, func(t turnFacts, _ int64) bool { return t.created.Before(oldest) })
	}
	if keep.Bytes == 0 {
		return
	}
	for _, i := range slices.Backward(order) {
		if p := &s.parts[i]; live > keep.records() && !p.whole && !p.latest && !p.noTranscripts {
			p.noTranscripts = true
			live -= p.transcripts
		}
	}
	live = s.decideTurns(live, func(_ turnFacts, live int64) bool { return live > keep.records() })
	for _, i := range slices.Backward(order) {
		if p := &s.parts[i]; live > keep.records() && !p.whole && spare[i] && !p.noEvaluations {
			p.noEvaluations = true
			live -= p.evaluations
		}
	}
}

// markQuestions collects the suites of the nights whose reports stay complete.
func (s *selection) markQuestions(ctx context.Context) error {
	s.asked = map[string]bool{}
	stays := slices.Clone(s.ongoing)
	for _, p := range s.parts {
		if !p.noTranscripts || p.cited {
			stays = append(stays, p.part)
		}
	}
	for _, p := range stays {
		plan, err := s.a.Plan(ctx, p.run, p.agent)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		s.asked[plan.SuiteHash] = true
	}
	return nil
}

// mark collects the evaluations to remove and the transcripts to keep.
func (s *selection) mark(ctx context.Context) error {
	var needed []spot
	err := s.a.store.scan(ctx, newKey(tableEvaluation), nil, func(k, value []byte) error {
		e, err := decodeEvaluation(k, value)
		if err != nil {
			return err
		}
		i := s.at(part{e.Run, e.Agent})
		p := &s.parts[i]
		cited := p.cited && citable(e.Stage)
		if !p.noTranscripts || cited {
			s.kept[s.hash(e.Key)] = struct{}{}
		}
		if p.noEvaluations && !cited {
			s.dropped[spot{i, e.Seq}] = struct{}{}
			return nil
		}
		if e.first != nil {
			first, err := s.spot(e.first)
			if err != nil {
				return err
			}
			needed = append(needed, first)
		}
		return nil
	})
	for _, first := range needed {
		delete(s.dropped, first)
	}
	return err
}

func (s *selection) spot(place key) (spot, error) {
	run, agentID, seq, err := readEvaluationKey(place)
	return spot{s.at(part{run, agentID}), seq}, err
}

// removes reports whether a pair is removed, and counts it.
func (s *selection) removes(k, value []byte) (bool, error) {
	switch k[0] {
	case tableEvaluation:
		at, err := s.spot(k)
		if err != nil {
			return false, err
		}
		if _, gone := s.dropped[at]; !gone {
			return false, nil
		}
		s.total.Evaluations++
		s.parts[at.part].removed.Evaluations++
	case tableKey:
		at, err := s.spot(value)
		if err != nil {
			return false, err
		}
		if _, gone := s.dropped[at]; !gone {
			return false, nil
		}
	case tableTranscript:
		text, err := unpackHex(k[1:])
		if err != nil {
			return false, err
		}
		h := s.hash(bench.Key(text))
		owner, known := s.owner[h]
		if _, stays := s.kept[h]; stays || !known {
			return false, nil
		}
		s.total.Transcripts++
		s.parts[owner].removed.Transcripts++
	case tableSession:
		if s.forget == nil || !bytes.Equal(k, s.forget.key()) {
			return false, nil
		}
		s.total.Sessions++
	case tableQuestion:
		r := readKey(tableQuestion, k)
		suites := r.text()
		if r.err != nil || s.asked == nil || s.asked[suites] {
			return false, r.err
		}
		s.total.Questions++
	case tableTally: // the tally would count removed evaluations
		r := readKey(tableTally, k)
		i, known := s.index[part{r.text(), r.text()}]
		return known && s.parts[i].noEvaluations, r.done()
	default:
		return false, nil
	}
	s.total.Records += int64(len(k) + len(value))
	return true, nil
}
