package nightly

import (
	"context"

	"github.com/sourcegraph/conc/pool"

	"evolve/bench"
	"evolve/mutate"
)

// drive feeds a searcher's trials to evaluators without a generation barrier.
//
// Ordered, the n-th ask happens when exactly the results of the first n − lookahead
// trials have been told, in order of issue (and more, one by one, when the
// searcher must wait for them): the search depends on nothing but its seed and
// the agent's answers, whatever the timing and the concurrency up to lookahead.
// Free, results are told as they arrive.
type drive struct {
	searcher mutate.Searcher
	// begin is called with each trial in order of issue, before it is evaluated.
	begin       func(mutate.Trial) error
	evaluate    func(mutate.Trial) (bench.Evaluation, error)
	concurrency int
	lookahead   int
	ordered     bool
	// told is called after each observation with the number told so far.
	told func(n int)
	// count is the number of observations told.
	count int
}

type arrival struct {
	trial mutate.Trial
	n     int
	eval  bench.Evaluation
	err   error
}

// run asks and tells until the searcher is done, an evaluation ends the run, or
// issue is done; what is under way then is finished and told. The error is the
// first that an evaluation ended with, or issue's cause.
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
		waiting = false
		if a.err == nil || a.eval.Scored {
			d.searcher.Tell(mutate.Observation{Trial: a.trial, Scored: a.eval.Scored, Score: a.eval.Score, CostUSD: a.eval.Usage.CostUSD})
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
					if stop = d.begin(trial); stop != nil {
						break
					}
					n := asked
					asked++
					inFlight++
					workers.Go(func() {
						e, err := d.evaluate(trial)
						arrivals <- arrival{trial, n, e, err}
					})
				case mutate.Wait:
					waiting = true
					finished = told == asked // nothing will ever be told
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
