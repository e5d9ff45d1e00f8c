package night

import (
	"context"
	"errors"

	"github.com/sourcegraph/conc/pool"

	"evolve/bench"
	"evolve/mutate"
	"evolve/mutate/reflection"
)

// drive passes a searcher's trials to evaluators without a generation barrier.
//
// In ordered mode, the n-th ask happens when exactly the results of the first n −
// lookahead trials have been told, in order of issue (and more, one by one, if the
// searcher must wait for them): the search depends only on its seed and the agent's
// answers, whatever the timing and the concurrency up to lookahead. In free mode, results
// are told as they arrive.
type drive struct {
	searcher mutate.Asker
	// begin is called with each trial in order of issue, before it is evaluated.
	begin    func(mutate.Trial) error
	evaluate func(mutate.Trial) (bench.Evaluation, error)
	// ask prepares the answer to a trial with a Brief, in order of issue; the function
	// that it returns runs like an evaluation. keep is called with the answer before the
	// searcher is told. Both are nil if the searcher has no author.
	ask         func(mutate.Trial) func() (reflection.Reply, error)
	keep        func(mutate.Trial, reflection.Reply) error
	concurrency int
	lookahead   int
	ordered     bool
	// learn, if not nil, is called with each evaluation before the searcher is told.
	learn func(mutate.Trial, bench.Evaluation)
	// told is called after each observation of an evaluation with the number told so far.
	told func(n int)
	// count is the number of evaluations told.
	count int
}

type arrival struct {
	trial mutate.Trial
	n     int
	eval  bench.Evaluation
	reply reflection.Reply // to a brief
	err   error
}

// run asks and tells until the searcher is done, an evaluation ends the run, or issue is
// done; trials under way are then finished and told. It returns the first error that an
// evaluation ended with, or issue's cause.
func (d *drive) run(issue context.Context) error {
	parallel := d.concurrency
	if d.ordered {
		parallel = min(parallel, d.lookahead)
	}
	workers := pool.New().WithMaxGoroutines(parallel)
	defer workers.Wait()
	arrivals := make(chan arrival, parallel)

	var (
		buffer   = map[int]arrival{} // arrived, not told (ordered only)
		asked    int
		told     int
		inFlight int
		waiting  bool // the searcher needs one more result before it is asked again
		finished bool
		stop     error
	)
	tell := func(a arrival) {
		told++
		waiting, finished = false, false // the searcher may have more to ask now
		switch {
		case a.trial.Brief != nil && a.err == nil:
			if err := d.keep(a.trial, a.reply); err != nil && stop == nil {
				stop = err
			}
			d.searcher.Tell(mutate.Observation{Trial: a.trial, Draft: a.reply.Draft})
		case a.trial.Brief == nil && errors.Is(a.err, bench.ErrBudget):
			d.searcher.Tell(mutate.Observation{Trial: a.trial}) // it is not waited for
		case a.trial.Brief == nil && (a.err == nil || a.eval.Scored):
			if d.learn != nil {
				d.learn(a.trial, a.eval)
			}
			d.searcher.Tell(observation(a.trial, a.eval, d.ordered))
			d.count++
			if d.told != nil {
				d.told(d.count)
			}
		}
	}
	tellNext := func() bool {
		a, ok := buffer[told]
		if ok {
			delete(buffer, told)
			tell(a)
		}
		return ok
	}
	for {
		if stop == nil && issue.Err() != nil {
			stop = context.Cause(issue)
		}
		if stop == nil && !finished && inFlight < parallel {
			behind := d.ordered && (waiting || told < asked-d.lookahead+1)
			switch {
			case behind && tellNext():
				continue
			case behind || waiting:
				// fall through to waiting for an arrival
			default:
				trial, status := d.searcher.Ask()
				switch status {
				case mutate.Ready:
					work, err := d.issue(trial)
					if stop = err; stop != nil {
						break
					}
					n := asked
					asked++
					inFlight++
					workers.Go(func() {
						a := work()
						a.trial, a.n = trial, n
						arrivals <- a
					})
				case mutate.Wait:
					waiting = true
					finished = told == asked // nothing more will be told
				case mutate.Done:
					finished = true
				}
				continue
			}
		}
		if inFlight == 0 {
			for told < asked && tellNext() {
			}
			return stop
		}
		a := <-arrivals
		inFlight--
		if a.err != nil && stop == nil {
			stop = a.err
		}
		if d.ordered {
			buffer[a.n] = a
		} else {
			tell(a)
		}
	}
}

// issue prepares a trial for a worker.
func (d *drive) issue(t mutate.Trial) (func() arrival, error) {
	if t.Brief != nil {
		answer := d.ask(t)
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
