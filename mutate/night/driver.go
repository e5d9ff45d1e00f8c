package night

import (
	"context"
	"errors"

	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/pool"

	"evolve/bench"
	"evolve/mutate"
	"evolve/mutate/reflection"
)

// driver passes a searcher's trials to evaluators without a generation barrier.
//
// In ordered mode, the n-th trial is asked for when exactly the results of the first n −
// lookahead trials have been passed to the searcher, in order of issue. If the searcher
// must wait for further results, they are passed one at a time. The search therefore
// depends only on its seed and the agent's answers, whatever the timing, the order of
// evaluation and the concurrency up to lookahead. Trials that were asked for before a slot
// was free are evaluated config by config (see [queue]). In free mode, results are passed
// as they arrive, and at most twice as many trials are asked for as there are slots, so
// that few trials lack the latest results.
type driver struct {
	searcher mutate.Asker
	// begin is called with each trial in the order of asking, before it is evaluated.
	begin    func(mutate.Trial) error
	evaluate func(mutate.Trial) (bench.Evaluation, error)
	// draft prepares the answer to a trial with a Brief, in order of issue; the function
	// that it returns runs alongside the evaluations and does not take up one of their
	// slots. record is called with the answer before the searcher receives it. abandon ends
	// the answers under way when nothing else is left to do. All three are nil if the
	// searcher has no author.
	draft       func(mutate.Trial) func() (reflection.Reply, error)
	record      func(mutate.Trial, reflection.Reply) error
	abandon     func(cause error)
	concurrency int
	lookahead   int
	ordered     bool
	// bounded reports whether money or time may end the search at any evaluation. If so, no
	// trial is asked for before a slot is free, because the end of the search would drop
	// the waiting trials, which may be the earliest.
	bounded bool
	// learn, if not nil, is called with each evaluation before the searcher receives it.
	learn func(mutate.Trial, bench.Evaluation)
	// progress, if not nil, is called each time the searcher has received an evaluation,
	// with the number received so far.
	progress func(told int)
	// count is the number of evaluations that the searcher has received.
	count int
}

// run asks the searcher for trials and passes it their results until the searcher is done,
// an evaluation ends the run, or issue is done. It then waits for the trials under way and
// passes on their results too. run returns the first error that ended an evaluation, or
// issue's cause.
func (d *driver) run(issue context.Context) error {
	s := d.start()
	defer s.workers.Wait()
	defer s.authors.Wait()
	for {
		if issue.Err() != nil {
			s.end(context.Cause(issue))
		}
		switch s.next() {
		case stepAsk:
			s.ask()
		case stepTell:
			s.tellNext()
		case stepIssue:
			s.inFlight++
			s.workers.Go(s.queue.next().run)
		case stepAwait:
			s.abandonBriefs()
			s.await()
		case stepEnd:
			s.drop()
			for s.tellNext() {
			}
			return s.err
		}
	}
}

// driveState is the state of one run of a driver.
type driveState struct {
	*driver
	// parallel is the maximum number of evaluations under way, and ahead is the maximum
	// number of evaluations that are under way or wait for a slot.
	parallel, ahead int
	queue           *queue
	workers         *pool.Pool
	authors         *conc.WaitGroup // of briefs
	// latest has a channel for each route; the channel is closed when the route's latest
	// brief ends.
	latest   map[string]chan struct{}
	arrivals chan arrival
	// buffer holds the results that have arrived but have not yet been passed to the
	// searcher, by their position in the order of issue. It is empty in free mode.
	buffer map[int]arrival
	// asked is the number of trials that were issued, and told is the number of results
	// passed to the searcher; inFlight and open are the numbers of evaluations and of
	// briefs under way.
	asked, told, inFlight, open int
	// waiting reports whether the searcher needs one more result before it is asked
	// again, and finished reports whether the searcher has no more trials.
	waiting, finished bool
	// err is the first error; no trial is issued after it.
	err error
}

// arrival is the result of a trial; n is the trial's position in the order of issue.
type arrival struct {
	trial mutate.Trial
	n     int
	eval  bench.Evaluation
	reply reflection.Reply // to a brief
	err   error
}

// Ahead returns the number of evaluations that a night without limits on money and time
// asks for before it needs the first result.
func Ahead(concurrency, lookahead int, deterministic bool) int {
	if deterministic {
		return lookahead
	}
	return max(concurrency, min(2*concurrency, lookahead))
}

func (d *driver) start() *driveState {
	parallel, ahead := d.concurrency, Ahead(d.concurrency, d.lookahead, d.ordered)
	if d.ordered {
		parallel = min(parallel, d.lookahead)
	}
	if d.bounded {
		ahead = parallel
	}
	return &driveState{
		driver: d, parallel: parallel, ahead: ahead, queue: newQueue(parallel, (ahead-parallel)/2), workers: pool.New().WithMaxGoroutines(parallel), authors: conc.NewWaitGroup(), latest: map[string]chan struct{}{},
		arrivals: make(chan arrival, parallel), buffer: map[int]arrival{},
	}
}

// step is an action of a driver.
type step int

const (
	stepAsk   step = iota // ask the searcher for a trial
	stepTell              // pass the next result to the searcher, in the order of asking
	stepIssue             // evaluate a waiting trial
	stepAwait             // wait for a result
	stepEnd               // pass the remaining results to the searcher, and return
)

// next returns the next step. It does not change the state.
func (s *driveState) next() step {
	if s.err == nil && !s.finished && s.inFlight+s.queue.len() < s.ahead {
		behind := s.ordered && (s.waiting || s.told < s.asked-s.lookahead+1)
		_, arrived := s.buffer[s.told]
		switch {
		case behind && arrived:
			return stepTell
		case !behind && !s.waiting:
			return stepAsk
		}
	}
	switch {
	case s.err == nil && s.queue.len() > 0 && s.inFlight < s.parallel:
		return stepIssue
	case s.inFlight+s.open > 0:
		return stepAwait
	}
	return stepEnd
}

// end stops issuing trials if err is not nil. Only the first error is stored.
func (s *driveState) end(err error) {
	if s.err == nil {
		s.err = err
	}
}

// ask asks the searcher for a trial. A brief is answered at once; any other trial waits in
// the queue.
func (s *driveState) ask() {
	trial, status := s.searcher.Ask()
	switch status {
	case mutate.Ready:
		work, err := s.issue(trial)
		if err != nil {
			s.end(err)
			return
		}
		n := s.asked
		s.asked++
		run := func() {
			a := work()
			a.trial, a.n = trial, n
			s.arrivals <- a
		}
		if trial.Brief != nil {
			s.open++
			s.write(trial.Brief.Route, run)
		} else {
			s.queue.add(waiting{trial, n, run})
		}
	case mutate.Wait:
		s.waiting = true
		s.finished = s.told == s.asked // no result will follow
	case mutate.Done:
		s.finished = true
	}
}

// write runs the function that answers a brief, after the earlier briefs for the same route
// have ended.
func (s *driveState) write(route string, run func()) {
	before, ended := s.latest[route], make(chan struct{})
	s.latest[route] = ended
	s.authors.Go(func() {
		defer close(ended)
		if before != nil {
			<-before
		}
		run()
	})
}

// issue returns the function that a worker runs to get the result of a trial.
func (d *driver) issue(t mutate.Trial) (func() arrival, error) {
	if t.Brief != nil {
		answer := d.draft(t)
		return func() (a arrival) {
			a.reply, a.err = answer()
			return a
		}, nil
	}
	if err := d.begin(t); err != nil {
		return nil, err
	}
	return func() (a arrival) {
		a.eval, a.err = d.evaluate(t)
		return a
	}, nil
}

// await waits for a result. In free mode the result is passed to the searcher at once.
func (s *driveState) await() {
	a := <-s.arrivals
	if a.trial.Brief != nil {
		s.open--
	} else {
		s.inFlight--
		s.queue.vacate(a.trial.Variant)
	}
	s.end(a.err)
	s.arrived(a)
}

// arrived buffers a result until its turn comes, or passes it to the searcher at once in
// free mode.
func (s *driveState) arrived(a arrival) {
	if s.ordered {
		s.buffer[a.n] = a
	} else {
		s.tell(a)
	}
}

// drop ends the trials that still wait for a slot when no more trials are issued: each of
// them gets [bench.ErrBudget] as its result, because the searcher would otherwise wait for
// it.
func (s *driveState) drop() {
	for _, w := range s.queue.waiting {
		s.arrived(arrival{trial: w.trial, n: w.n, err: bench.ErrBudget})
	}
	s.queue.waiting = nil
}

// abandonBriefs ends the briefs under way if no evaluation is under way and none will
// follow. In ordered mode, a search that has made all of its evaluations waits for the
// answers, so that its result does not depend on when they arrive.
func (s *driveState) abandonBriefs() {
	switch {
	case s.inFlight > 0 || s.open == 0 || s.abandon == nil:
	case s.err != nil:
		s.abandon(s.err)
	case s.finished && !s.ordered:
		s.abandon(errSearchOver)
	}
}

// tellNext passes the next result in order of issue to the searcher, and reports whether
// that result has arrived.
func (s *driveState) tellNext() bool {
	a, ok := s.buffer[s.told]
	if ok {
		delete(s.buffer, s.told)
		s.tell(a)
	}
	return ok
}

// tell passes a result to the searcher, which may then have more trials.
func (s *driveState) tell(a arrival) {
	s.told++
	s.waiting, s.finished = false, false
	switch brief := a.trial.Brief != nil; {
	case brief && a.err == nil:
		s.end(s.record(a.trial, a.reply))
		s.searcher.Tell(mutate.Observation{
			Trial: a.trial, Draft: a.reply.Draft, Reason: a.reply.Reason, Outcome: a.reply.Outcome, CostUSD: a.reply.Usage.CostUSD,
			Tokens: a.reply.Usage.InputTokens + a.reply.Usage.OutputTokens, Full: a.reply.Full,
		})
	case brief:
	case errors.Is(a.err, bench.ErrBudget):
		s.searcher.Tell(mutate.Observation{Trial: a.trial, Dropped: true})
	case a.err == nil || a.eval.Scored:
		if s.learn != nil {
			s.learn(a.trial, a.eval)
		}
		s.searcher.Tell(observation(a.trial, a.eval, s.ordered))
		s.count++
		if s.progress != nil {
			s.progress(s.count)
		}
	}
}
