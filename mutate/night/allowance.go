package night

import (
	"context"
	"errors"
	"fmt"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/mutate/night/limits"
)

// allowance tracks the use of a night's [Share], with the measured speed and price of its
// evaluations.
type allowance struct {
	// used is the number of the agent's evaluations in this run that this process does not
	// request again, and confirmed is the number of those that belong to the confirmation.
	used, confirmed int
	// began is the time at which the agent's turn began, and paid is the money that had
	// been spent by then.
	began time.Time
	paid  float64

	// released is the share of the confirmation's evaluations that was moved to the search.
	released float64

	// spare is the number of extra evaluations that are reserved for the stages after the
	// search.
	spare int

	meter    *limits.Meter
	seen     bench.Made // the counts last passed to the meter
	forecast limits.Forecast
	// allowed is the total number of evaluations that the last forecast allowed.
	allowed int
}

// beginTurn begins the agent's turn: it sets the known pace, the share and the plan.
func (n *night) beginTurn(ctx context.Context) error {
	n.began, n.paid = n.Now(), n.Budget.Spent()
	most, err := n.dearest(ctx)
	if err != nil {
		return err
	}
	n.Budget.Forget(most)
	n.seen = n.Budget.Made()
	before, err := KnownPace(ctx, n.Archive, n.Plan, n.paced())
	if err != nil {
		return err
	}
	n.meter = limits.NewMeter(before.Pace, n.paced())
	n.replay = n.Agent.Deterministic
	if n.Run.Resumed > 0 {
		then, err := n.Archive.Plan(ctx, n.Run.ID, n.Agent.ID)
		if err != nil && !errors.Is(err, archive.ErrNotFound) {
			return fmt.Errorf("reading the plan of the run: %w", err)
		}
		// Requests that depended on measured speeds cannot be repeated in the same order.
		n.Plan.Replanned = then.Replanned
		n.replay = n.replay && !then.Replanned
		if !n.replay {
			if err := n.countUsed(ctx); err != nil {
				return err
			}
		}
	}
	if n.Share.adaptive() {
		return nil
	}
	if was := n.Plan.Search + n.Plan.AA + n.Plan.Ablate + n.Plan.Confirm; was != n.Share.Evaluations {
		n.Allocate(n.Plan, n.Share.Evaluations)
	}
	return nil
}

// dearest returns the cost, in USD, of the agent's most expensive evaluation before the
// run was resumed; it is negative if there are none.
func (n *night) dearest(ctx context.Context) (float64, error) {
	most := -1.0
	if n.Run.Resumed == 0 {
		return most, nil
	}
	for e, err := range n.Archive.Evaluations(ctx, n.Run.ID, n.Agent.ID) {
		if err != nil {
			return 0, fmt.Errorf("reading the costs of the run: %w", err)
		}
		if !e.Cached {
			most = max(most, e.Paid())
		}
	}
	return most, nil
}

// countUsed counts the run's evaluations for the agent, except those that are requested
// again.
func (n *night) countUsed(ctx context.Context) error {
	for e, err := range n.Archive.Evaluations(ctx, n.Run.ID, n.Agent.ID) {
		if err != nil {
			return fmt.Errorf("counting the evaluations of the run: %w", err)
		}
		switch e.Stage {
		case bench.StageAA: // these are requested again and then found by their keys
			continue
		case bench.StageConfirm:
			n.confirmed++
		}
		n.used++
	}
	return nil
}

// left returns what remains of the agent's limits after the given number of evaluations.
// The number is a parameter so that the caller reads it only once, because evaluations
// under way increase it.
func (n *night) left(made int) limits.Left {
	left := limits.Unlimited()
	if n.Most > 0 {
		left.Most = float64(n.Most)
	}
	left.Most -= float64(made)
	if n.Share.Evaluations > 0 || n.Run.BudgetEval > 0 {
		left.Evaluations = float64(n.Share.Evaluations - made)
	}
	if n.Share.USD > 0 {
		left.USD = n.Share.USD - n.Budget.Spent()
	}
	if !n.Share.Till.IsZero() {
		seconds := n.Share.Till.Sub(n.Now()).Seconds()
		if n.Share.Due {
			left.Deadline = seconds
		} else {
			left.Seconds = seconds
		}
	}
	return left
}

// made returns the number of the agent's evaluations in this run that the plan counts. A
// resumed night does not request the recorded blocks of the confirmation again, so a
// replayed night counts fewer than [night.recorded].
func (n *night) made() int { return n.used + int(n.got.Load()) }

// measure passes the evaluations made since its last call to the meter.
func (n *night) measure() {
	now := n.Budget.Made()
	if now.Evaluations == n.seen.Evaluations {
		return // evaluations that failed since then cost something, but are not measurements
	}
	n.meter.Add(now.Evaluations-n.seen.Evaluations, now.Took-n.seen.Took, now.USD-n.seen.USD)
	n.seen = now
}

// replan plans the agent's night from the remaining limits and the pace of its evaluations
// so far, and reserves the evaluations that the ablation and the confirmation need. It does
// not change the plan if the number of evaluations is the only limit.
func (n *night) replan() {
	if n.Share.adaptive() {
		n.measure()
		n.updateForecast()
		n.distribute(n.allowed)
	}
	n.reserve(n.Plan.Ablate + n.Plan.Confirm)
}

// updateForecast forecasts which limit will bind the agent's night, and the total number of
// evaluations that this limit allows.
func (n *night) updateForecast() {
	made := n.made()
	n.forecast = limits.Plan(n.left(made), n.meter.Pace(), n.confirmShare())
	n.allowed = made + n.forecast.Evaluations
}

// confirmShare returns the share of the plan's evaluations that need no decision from the
// search: those for the confirmation and those that compare the champion with itself.
func (n *night) confirmShare() float64 {
	p := n.Plan
	if all := p.Search + p.AA + p.Ablate + p.Confirm; all > 0 {
		return float64(p.Confirm+p.AA) / float64(all)
	}
	return n.Settings.Confirm.Share
}

// distribute divides the given total number of the agent's evaluations among the stages.
func (n *night) distribute(total int) {
	w := n.inputOf(n.sample, total)
	w.AA = n.aa
	w.Confirm.Share *= 1 - n.released
	a := divide(w)
	if small := int(float64(a.Ablate) * (1 - n.released)); small < a.Ablate {
		a.Search, a.Ablate = a.Search+a.Ablate-small, small
		a.Baseline = int(float64(a.Search) * w.Baseline)
	}
	n.spare = 0
	if l := n.forecast.Limit; a.Confirm > 0 && (l == limits.Money || l == limits.Time || l == limits.Deadline) {
		// A winner may take more time or money than the mean, and too few blocks are run
		// for the difference to average out.
		n.spare = min(int(slack*float64(a.Confirm)/float64(a.Blocks)), a.Search/4)
		a.Search -= n.spare
		a.Baseline = int(float64(a.Search) * w.Baseline)
	}
	a.plan(n.Plan)
	n.Plan.Warnings = withFewVariants(n.Plan.Warnings, a.Search, w.SearchTasks)
}

// slack is the fraction of a block by which the confirmation may exceed the mean pace. The
// search gives up that many evaluations, but at most a quarter of its own.
const slack = .5

// mostReserved is the maximum share of an agent's money and time that is reserved for the
// stages after the search.
const mostReserved = .8

// reserve limits the next stage so that the given number of evaluations can be paid for
// after it. While the pace of evaluations is unknown, it reserves a share of the money and
// time.
func (n *night) reserve(evaluations int) {
	usd, till := n.Share.USD, n.Share.Till
	pace := n.meter.Pace()
	switch {
	case !n.Share.adaptive() || evaluations == 0:
	case pace.Weight <= 0:
		n.limitStage(1 - n.reservedShare())
		return
	default:
		e := float64(evaluations + n.spare)
		if usd > 0 {
			usd -= min(e*pace.USD, mostReserved*(usd-n.paid))
		}
		if !till.IsZero() {
			reserved := min(e*pace.Alone, mostReserved*till.Sub(n.began).Seconds())
			till = till.Add(-time.Duration(reserved * float64(time.Second)))
		}
	}
	n.Budget.Limit(usd, till)
}

// limitStage limits the next stage to the given share of the agent's remaining money and
// time.
func (n *night) limitStage(share float64) {
	usd, till := n.Share.USD, n.Share.Till
	if usd > 0 {
		spent := n.Budget.Spent()
		usd = spent + (usd-spent)*share
	}
	if !till.IsZero() {
		now := n.Now()
		till = now.Add(time.Duration(float64(till.Sub(now)) * share))
	}
	n.Budget.Limit(usd, till)
}

// leastReserved is the share of money and time that is reserved during the first
// evaluations for an agent that needs only one block.
const leastReserved = .25

// reservedShare returns the share of money and time that is reserved for the confirmation
// while the pace is unknown.
func (n *night) reservedShare() float64 {
	if share := n.Settings.Confirm.Share; !n.Agent.Fixed() {
		return share
	}
	return min(leastReserved, n.Settings.Confirm.Share)
}

// replanConfirmation plans the confirmation from what remains of the limits when it begins.
func (n *night) replanConfirmation() {
	if !n.Share.adaptive() || n.Plan.HoldoutTasks == 0 || n.Settings.SearchOnly {
		return
	}
	n.measure()
	f := limits.Plan(n.left(n.made()), n.meter.Pace(), 1)
	room := f.Evaluations + n.confirmed
	if l := n.forecast.Limit; l == limits.Evaluations || l == limits.Enough {
		room = min(room, n.Plan.Confirm)
	}
	if f.Limit != limits.Unknown && n.forecast.Limit == limits.Unknown {
		n.forecast = f
	}
	tasks, p := n.Plan.HoldoutTasks, n.Plan
	p.Repeats, p.Finalists = room/(2*tasks), n.Settings.Confirm.Finalists
	p.Confirm = 2 * tasks * p.Repeats
	if n.Agent.Fixed() && p.Repeats > 0 {
		p.Repeats, p.Finalists = 1, min(p.Finalists, room/tasks-1)
		p.Confirm = (p.Finalists + 1) * tasks
	}
	a := allocation{Confirm: p.Confirm, Blocks: p.Repeats}
	if a.Confirm > 0 && n.released == 0 {
		a.power(n.inputOf(n.sample, room))
		p.Detectable, p.Month, p.Power = a.Detectable, a.Month, a.Power
	}
}

// recorded sums up the agent's evaluations in this run that the archive holds, whichever
// process made them.
func (n *night) recorded(ctx context.Context) (archive.Tally, error) {
	ctx = context.WithoutCancel(ctx)
	if err := n.Archive.Flush(ctx); err != nil {
		return archive.Tally{}, err
	}
	return n.Archive.Tally(ctx, n.Run.ID, n.Agent.ID)
}

// record stores the limit that constrained the agent's night, how work on the agent
// ended, and the time and cost of the agent's evaluations. ended is the error that ended
// the work, or nil.
func (n *night) record(ctx context.Context, ended error) {
	if n.meter == nil {
		return
	}
	n.measure()
	pace := n.meter.Pace()
	all, err := n.recorded(ctx)
	if err != nil {
		n.Log.Warn("the run's evaluations are counted without those of earlier processes", "agent", n.Agent.ID, "error", err)
		all.Evaluations = n.made()
	}
	used := all.Evaluations // counted as in the plan, in which an evaluation without a score counts as well
	l := archive.AgentLimit{
		Agent: n.Agent.ID, Evaluations: n.Share.Evaluations, Used: all.Used(), Missing: all.Missing, Parallel: n.paced(), Slots: PartOf(n.Run.Concurrency, n.Beside),
	}
	left := n.bindingLimit(used)
	l.Bound = string(left.Limit)
	if n.Share.adaptive() {
		l.Evaluations = used + left.Evaluations
	}
	l.End, l.Policy = n.limitEnd(ended, left.Evaluations)
	if made := n.meter.Made(); made > 0 {
		l.Made, l.Seconds, l.Alone, l.USD = made, finite(pace.Seconds), finite(pace.Alone), finite(pace.USD)
	}
	n.Running.Lock()
	defer n.Running.Unlock()
	for i := range n.Run.Limits {
		if n.Run.Limits[i].Agent == l.Agent {
			if l.Made == 0 { // no evaluation was made since the run was resumed
				l.Made, l.Seconds, l.Alone, l.USD = n.Run.Limits[i].Made, n.Run.Limits[i].Seconds, n.Run.Limits[i].Alone, n.Run.Limits[i].USD
			}
			n.Run.Limits[i] = l
			return
		}
	}
	n.Run.Limits = append(n.Run.Limits, l)
}

// bindingLimit returns the limit that leaves the agent the fewest further evaluations
// after the given number of evaluations, and how many it leaves.
func (n *night) bindingLimit(used int) limits.Forecast {
	if !n.Share.adaptive() {
		return limits.Forecast{Limit: limits.Evaluations, Evaluations: max(0, n.Share.Evaluations-used)}
	}
	f := limits.Plan(n.left(used), n.meter.Pace(), 1)
	if f.Limit == limits.Unknown && used == 0 && !n.Share.Till.IsZero() { // there is money for a first evaluation
		f = limits.Forecast{Limit: limits.Time}
		if n.Share.Due {
			f.Limit = limits.Deadline
		}
	}
	return f
}

// limitEnd returns how work on the agent ended, given the error that ended it and the
// number of evaluations left. It also returns the policy that ended the work, or "" if none
// did.
func (n *night) limitEnd(ended error, left int) (archive.LimitEnd, string) {
	var spent *bench.SpentError
	switch {
	case errors.As(ended, &spent):
		return archive.LimitPolicies, spent.Policy
	case n.blocking != "" && n.result.Incomplete != "":
		return archive.LimitPolicies, n.blocking
	case errors.Is(ended, ErrInterrupted) || errors.Is(ended, context.Canceled):
		return archive.LimitInterrupted, ""
	case ended != nil:
		return archive.LimitFailed, ""
	case n.result.Incomplete != "" || n.Plan.HoldoutTasks > 0 && left < 2*n.Plan.HoldoutTasks || left == 0:
		return archive.LimitSpent, ""
	case n.result.Search.Exhausted:
		return archive.LimitExhausted, ""
	}
	return archive.LimitLeft, ""
}
