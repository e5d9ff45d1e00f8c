package batch

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"evolve/bench/stats"
	"evolve/mutate/night"
	"evolve/mutate/night/limits"
	"evolve/reports/number"
)

// Expectation is a forecast of which limit will bind a run's work on an agent.
type Expectation struct {
	Agent string `json:"agent"`
	// Limit is the limit that will bind; it is empty if that depends on an unknown speed or
	// price.
	Limit limits.Limit `json:"limit,omitempty"`
	// Evaluations is the number of evaluations that Limit allows; it is 0, meaning unknown,
	// if Limit is empty.
	Evaluations int `json:"evaluations"`
	// Seconds and USD are the wall time and the cost of one evaluation in the run named by
	// Run; each is 0 if unknown.
	Seconds float64 `json:"seconds,omitempty"`
	USD     float64 `json:"usd,omitempty"`
	Run     string  `json:"run,omitempty"`
	// Text is the forecast in words.
	Text string `json:"text"`
	// Policies describes each rate or budget in the policies section that allows less
	// than planned, and by how much.
	Policies []string `json:"policies,omitempty"`
	// Judges and JudgeNoise describe the judges of the agent's suites, as in its plan.
	Judges     []string `json:"judges,omitempty"`
	JudgeNoise string   `json:"judge_noise,omitempty"`
	// Searched is the number of holdout tasks that an earlier night's search used.
	Searched int `json:"searched_holdout,omitempty"`
	// Variances are the agent's variances as estimated from earlier runs.
	Variances stats.Variances `json:"-"`
}

// Known reports whether the number of evaluations is known.
func (e Expectation) Known() bool { return e.Limit != limits.Unknown }

// Forecast predicts for each agent which limit will bind a run's work on it. Of the
// options, Forecast needs the workspace, the archive, the limits, the concurrency and the
// clock.
func Forecast(ctx context.Context, o Options) ([]Expectation, error) {
	r, err := prepare(ctx, o)
	if err != nil {
		return nil, err
	}
	return r.expect(ctx)
}

// expect uses earlier runs to forecast each agent's evaluations, and bases the plans on
// the forecast.
func (r *runner) expect(ctx context.Context) ([]Expectation, error) {
	out := make([]Expectation, len(r.plans))
	now, agents := r.o.Now(), float64(len(r.plans))
	all := make([]int, len(r.plans))
	for i := range all {
		all[i] = i
	}
	seats := r.seats(all)
	for _, at := range seats {
		i := at.agent
		p := &r.plans[i]
		out[i].Agent, out[i].Variances, out[i].Judges, out[i].JudgeNoise = p.Agent, r.specs[i].Variances, p.Judges, p.JudgeNoise
		out[i].Searched = len(r.specs[i].Agent.Searched)
		left := limits.Unlimited()
		if n := r.o.Budget.Evaluations; n > 0 {
			left.Evaluations = float64(shareOf(n, len(r.plans), i))
		}
		if !r.o.limited() {
			out[i].Limit, out[i].Evaluations = limits.Evaluations, int(left.Evaluations)
			out[i].Text = number.Plural(int(left.Evaluations), "evaluation") + shareOfAll(len(r.plans))
			if r.byDefault {
				out[i].Text += ", the default if no limit is given"
			}
			out[i].Policies = policyWarnings(r.o.Workspace, r.agents[i], out[i].Evaluations, 0, 0)
			continue
		}
		if r.o.Budget.USD > 0 {
			left.USD = r.o.Budget.USD / agents
			left.USD *= 1 - r.sharedAfter()
		}
		if stop, due := r.stopAt(now); !stop.IsZero() {
			seconds := stop.Sub(now).Seconds() / float64(seats[0].rounds)
			if len(r.tunings) > 0 {
				seconds *= 1 - tuneShare
			}
			if due {
				left.Deadline = seconds
			} else {
				left.Seconds = seconds
			}
		}
		k, err := night.KnownPace(ctx, r.o.Archive, p, at.part(r.run.Concurrency))
		if err != nil {
			return nil, err
		}
		r.foresee(&out[i], i, left, k)
		out[i].Text = r.describe(out[i], at, seats[0].rounds, left, k, now)
		seconds := min(left.Seconds, left.Deadline)
		if math.IsInf(seconds, 1) {
			seconds = 0
		}
		out[i].Policies = policyWarnings(r.o.Workspace, r.agents[i], out[i].Evaluations, out[i].USD, seconds)
	}
	return out, nil
}

// foresee plans an agent's work on the basis of its forecast.
func (r *runner) foresee(e *Expectation, at int, left limits.Left, k night.Known) {
	f := limits.Plan(left, k.Pace, r.o.Workspace.Settings.Confirm.Share)
	e.Limit, e.Evaluations, e.Seconds, e.USD, e.Run = f.Limit, f.Evaluations, k.Seconds, k.USD, k.Run
	if f.Limit == limits.Unknown && math.IsInf(left.Evaluations, 1) {
		e.Evaluations = 0 // the number is not known yet
		return
	}
	r.specs[at].Allocate(&r.plans[at], f.Evaluations)
}

// shareOfAll describes how many agents share a limit; it returns "" if there is only one.
func shareOfAll(n int) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(", one of %d shares of the total", n)
}

// sharing describes how an agent shares a limit: evaluations and money with all agents,
// time with the agents before and after it, and slots with the agents that run at the same
// time.
func (r *runner) sharing(l limits.Limit, at seat, rounds int) string {
	if l != limits.Time && l != limits.Deadline {
		return shareOfAll(len(r.plans))
	}
	beside := ""
	if at.beside > 1 {
		beside = " beside " + number.Plural(at.beside-1, "other agent")
	}
	return beside + shareOfAll(rounds)
}

// describe describes the limit that will bind an agent, and what the estimate is based
// on. The agent's seat and the number of rounds are given.
func (r *runner) describe(e Expectation, at seat, rounds int, left limits.Left, k night.Known, now time.Time) string {
	given := func(l limits.Limit) string {
		switch l {
		case limits.Money:
			return number.Dollars(left.USD)
		case limits.Time:
			return span(left.Seconds) + " of time"
		case limits.Deadline:
			return span(left.Deadline) + " to the deadline"
		case limits.Enough:
			return "as many as the search can use"
		case limits.Evaluations, limits.Unknown:
		}
		return ""
	}
	var all, shared []string
	for _, x := range []struct {
		l    limits.Limit
		left float64
	}{{limits.Money, left.USD}, {limits.Time, left.Seconds}, {limits.Deadline, left.Deadline}} {
		if !math.IsInf(x.left, 1) {
			all, shared = append(all, given(x.l)), append(shared, given(x.l)+r.sharing(x.l, at, rounds))
		}
	}
	count := number.Plural(e.Evaluations, "evaluation")
	if e.Limit == limits.Unknown {
		text := strings.Join(shared, ", ") + ": the number of evaluations will be known after the first one"
		if e.Evaluations > 0 {
			text += "; at most " + count
		}
		return text
	}
	took := number.Duration(k.Seconds)
	if k.USD > 0 {
		took += " and " + number.Dollars(k.USD)
	}
	took += " per evaluation, as in run " + k.Run
	if !k.Ended.IsZero() {
		took += ", " + humanize.RelTime(k.Ended, now, "ago", "from now")
	}
	switch e.Limit {
	case limits.Evaluations:
		return count + shareOfAll(len(r.plans)) + ": no other limit ends the night earlier (" + took + ")"
	case limits.Enough:
		return fmt.Sprintf("about %s, %s: %s would allow more (%s)", count, given(e.Limit), strings.Join(all, ", "), took)
	case limits.Money, limits.Time, limits.Deadline, limits.Unknown:
	}
	return fmt.Sprintf("%s%s, about %s: %s", given(e.Limit), r.sharing(e.Limit, at, rounds), count, took)
}

// span formats a duration in seconds, rounded for people.
func span(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	for _, unit := range []time.Duration{time.Minute, time.Second, 10 * time.Millisecond, 10 * time.Microsecond} {
		if d >= 100*unit {
			d = d.Round(unit)
			break
		}
	}
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}
