package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/mutate/night/limits"
)

// allowance is one agent's share of the limits of a run, with what is known of the speed
// and the price of its evaluations.
type allowance struct {
	// evaluations is the agent's share of the run's; 0: not limited.
	evaluations int
	// used counts the agent's evaluations in this run before this process resumed it,
	// confirmed those of the confirmation among them.
	used, confirmed int
	// usd and till end the agent's share of money and time; zero: not limited. due
	// reports that till follows from the deadline.
	usd  float64
	till time.Time
	due  bool
	// began and paid are the time and the money spent when the agent's turn began.
	began time.Time
	paid  float64

	// released is the share of the confirmation's evaluations that went to the search.
	released float64

	// spare is the number of extra evaluations that are kept for the stages after the
	// search.
	spare int

	meter    *limits.Meter
	seen     bench.Made // last counts passed to the meter
	forecast limits.Forecast
	// room is the total number of evaluations that the last forecast allowed.
	room int
}

// adaptive reports whether money or time limits the agent: its plan then depends on what
// its evaluations take.
func (a *allowance) adaptive() bool { return a.usd > 0 || !a.till.IsZero() }

// take begins the agent's turn: its share, its known pace, its plan.
func (n *night) take(ctx context.Context) error {
	if err := n.share(ctx); err != nil {
		return err
	}
	n.budget.Forget()
	n.seen = n.budget.Made()
	before, err := n.knownPace(ctx, n.plan, n.parallel())
	if err != nil {
		return err
	}
	n.meter = limits.NewMeter(before.Pace, n.parallel())
	n.replay = n.agent.Deterministic
	if n.run.Resumed > 0 {
		then, err := n.o.Archive.Plan(ctx, n.run.ID, n.agent.ID)
		if err != nil && !errors.Is(err, archive.ErrNotFound) {
			return fmt.Errorf("reading the plan of the run: %w", err)
		}
		// Requests that followed measured speeds cannot be repeated in the same order.
		n.plan.Replanned = then.Replanned
		n.replay = n.replay && !then.Replanned
		if !n.replay {
			if err := n.countUsed(ctx); err != nil {
				return err
			}
		}
	}
	if n.adaptive() {
		return nil
	}
	if was := n.plan.Search + n.plan.AA + n.plan.Ablate + n.plan.Confirm; was != n.evaluations {
		n.allocate(n.evaluations)
	}
	return nil
}

// countUsed counts the run's evaluations for the agent that are not requested again.
func (n *night) countUsed(ctx context.Context) error {
	for e, err := range n.o.Archive.Evaluations(ctx, n.run.ID, n.agent.ID) {
		if err != nil {
			return fmt.Errorf("counting what the run has made: %w", err)
		}
		switch e.Stage {
		case bench.StageAA: // these are found again by their keys
			continue
		case bench.StageConfirm:
			n.confirmed++
		}
		n.used++
	}
	return nil
}

// allocate divides so many evaluations among the stages and records what they can show.
func (n *night) allocate(total int) {
	a := Allocate(n.want(n.agent, n.sides, total))
	a.plan(n.plan)
	n.plan.Detectable, n.plan.Month, n.plan.Power, n.plan.Warnings = a.Detectable, a.Month, a.Power, a.Warnings
}

// share assigns the agent its part of what the run has left, including what earlier
// agents left over.
func (n *night) share(ctx context.Context) error {
	n.began, n.paid = n.o.Now(), n.budget.Spent()
	if total := n.run.BudgetEval; total > 0 {
		spent, err := n.spentBefore(ctx)
		if err != nil {
			return err
		}
		// Equal to the planned share if the earlier agents left nothing; see shareOf.
		n.evaluations = max(0, (total-spent+n.left-1)/n.left)
	}
	if total := n.o.Budget.USD; total > 0 {
		if n.o.payForPatches() {
			total *= 1 - patchShare
		}
		n.usd = n.paid + (total-n.paid)/float64(n.left)
	}
	if !n.stop.IsZero() {
		n.till, n.due = n.began.Add(n.stop.Sub(n.began)/time.Duration(n.left)), n.byDeadline
	}
	return nil
}

// spentBefore counts the evaluations of the agents whose turn came before.
func (n *night) spentBefore(ctx context.Context) (int, error) {
	spent := 0
	for _, a := range n.run.Agents[:len(n.run.Agents)-n.left] {
		for _, err := range n.o.Archive.Evaluations(ctx, n.run.ID, a) {
			if err != nil {
				return 0, fmt.Errorf("counting what the agents before have left: %w", err)
			}
			spent++
		}
	}
	return spent, nil
}

// over returns what the limits leave the agent after had evaluations. The caller reads
// that number only once, because running evaluations raise it.
func (n *night) over(had int) limits.Left {
	left := limits.Unlimited()
	if n.o.most > 0 {
		left.Most = float64(n.o.most)
	}
	left.Most -= float64(had)
	if n.evaluations > 0 || n.run.BudgetEval > 0 {
		left.Evaluations = float64(n.evaluations - had)
	}
	if n.usd > 0 {
		left.USD = n.usd - n.budget.Spent()
	}
	if !n.till.IsZero() {
		seconds := n.till.Sub(n.o.Now()).Seconds()
		if n.due {
			left.Deadline = seconds
		} else {
			left.Seconds = seconds
		}
	}
	return left
}

// had returns the number of the agent's evaluations in this run.
func (n *night) had() int { return n.used + int(n.got.Load()) }

// measure passes the evaluations since the last call to the meter.
func (n *night) measure() {
	now := n.budget.Made()
	n.meter.Add(now.Evaluations-n.seen.Evaluations, now.Took-n.seen.Took, now.USD-n.seen.USD)
	n.seen = now
}

// replan plans the agent's night by the remaining limits and the pace of its evaluations
// so far, and reserves what ablation and confirmation need. It does not change the plan
// if evaluations are the only limit.
func (n *night) replan() {
	if n.adaptive() {
		n.measure()
		n.foresee()
		n.adopt(n.room)
	}
	n.keep(n.plan.Ablate + n.plan.Confirm)
}

// foresee forecasts which limit will bind the agent's night, and how many evaluations
// that allows in total.
func (n *night) foresee() {
	had := n.had()
	n.forecast = limits.Plan(n.over(had), n.meter.Pace(), n.withoutThinking())
	n.room = had + n.forecast.Evaluations
}

// withoutThinking is the share of the plan's evaluations that need no decision of the
// search.
func (n *night) withoutThinking() float64 {
	p := n.plan
	if all := p.Search + p.AA + p.Ablate + p.Confirm; all > 0 {
		return float64(p.Confirm+p.AA) / float64(all)
	}
	return n.o.Workspace.Settings.Confirm.Share
}

// adopt divides so many evaluations of the agent among the stages.
func (n *night) adopt(total int) {
	w := n.want(n.agent, n.sides, total)
	w.AA = n.aa
	w.Confirm.Share *= 1 - n.released
	a := divide(w)
	if small := int(float64(a.Ablate) * (1 - n.released)); small < a.Ablate {
		a.Search, a.Ablate = a.Search+a.Ablate-small, small
		a.Baseline = int(float64(a.Search) * w.Baseline)
	}
	n.spare = 0
	if l := n.forecast.Limit; a.Confirm > 0 && (l == limits.Money || l == limits.Time || l == limits.Deadline) {
		// A winner may take more time or money than the mean, and a few blocks do not
		// average that out.
		n.spare = min(int(slack*float64(a.Confirm)/float64(a.Blocks)), a.Search/4)
		a.Search -= n.spare
		a.Baseline = int(float64(a.Search) * w.Baseline)
	}
	a.plan(n.plan)
}

// slack is the part of a block by which the confirmation may exceed the mean pace. The
// search leaves that, but at most a quarter of its evaluations.
const slack = .5

// mostKept is the maximum share of an agent's money and time that the search leaves to
// later stages.
const mostKept = .8

// keep limits the next stage so that so many evaluations can be paid for after it. Until
// their pace is known, it reserves a share.
func (n *night) keep(evaluations int) {
	usd, till := n.usd, n.till
	pace := n.meter.Pace()
	switch {
	case !n.adaptive() || evaluations == 0:
	case pace.Weight <= 0:
		n.limit(1 - n.heldBack())
		return
	default:
		e := float64(evaluations + n.spare)
		if usd > 0 {
			usd -= min(e*pace.USD, mostKept*(usd-n.paid))
		}
		if !till.IsZero() {
			kept := min(e*pace.Alone, mostKept*till.Sub(n.began).Seconds())
			till = till.Add(-time.Duration(kept * float64(time.Second)))
		}
	}
	n.budget.Limit(usd, till)
}

// limit limits the next stage to a share of what is left of the agent's money and time.
func (n *night) limit(share float64) {
	usd, till := n.usd, n.till
	if usd > 0 {
		spent := n.budget.Spent()
		usd = spent + (usd-spent)*share
	}
	if !till.IsZero() {
		now := n.o.Now()
		till = now.Add(time.Duration(float64(till.Sub(now)) * share))
	}
	n.budget.Limit(usd, till)
}

// leastHeldBack is the share of money and time that the first evaluations reserve for an
// agent that needs only one block.
const leastHeldBack = .25

// heldBack is the share of money and time that is reserved for the confirmation while the
// pace is unknown.
func (n *night) heldBack() float64 {
	if share := n.o.Workspace.Settings.Confirm.Share; !n.fixed() {
		return share
	}
	return min(leastHeldBack, n.o.Workspace.Settings.Confirm.Share)
}

// replanConfirmation plans the confirmation by what is left when it begins.
func (n *night) replanConfirmation() {
	if !n.adaptive() || n.plan.HoldoutTasks == 0 || n.o.SearchOnly() {
		return
	}
	n.measure()
	f := limits.Plan(n.over(n.had()), n.meter.Pace(), 1)
	room := f.Evaluations + n.confirmed
	if l := n.forecast.Limit; l == limits.Evaluations || l == limits.Enough {
		room = min(room, n.plan.Confirm)
	}
	if f.Limit != limits.Unknown && n.forecast.Limit == limits.Unknown {
		n.forecast = f
	}
	tasks, p := n.plan.HoldoutTasks, n.plan
	p.Repeats, p.Finalists = room/(2*tasks), n.o.Workspace.Settings.Confirm.Finalists
	p.Confirm = 2 * tasks * p.Repeats
	if n.fixed() && p.Repeats > 0 {
		p.Repeats, p.Finalists = 1, min(p.Finalists, room/tasks-1)
		p.Confirm = (p.Finalists + 1) * tasks
	}
	a := Allocation{Confirm: p.Confirm, Blocks: p.Repeats}
	if a.Confirm > 0 && n.released == 0 {
		a.power(n.want(n.agent, n.sides, room))
		p.Detectable, p.Month, p.Power = a.Detectable, a.Month, a.Power
	}
}

// record stores which limit bound the agent's night, how its work ended, with the error
// that ended it, and what its evaluations took.
func (n *night) record(ended error) {
	if n.meter == nil {
		return
	}
	n.measure()
	pace := n.meter.Pace()
	l := archive.AgentLimit{Agent: n.agent.ID, Evaluations: n.evaluations, Used: n.had(), Paid: finite(n.budget.Spent() - n.paid), Parallel: n.parallel()}
	left := n.ranOut()
	l.Bound = string(left.Limit)
	if n.adaptive() {
		l.Evaluations = n.had() + left.Evaluations
	}
	l.End, l.Policy = n.limitEnd(ended, left.Evaluations)
	if made := n.meter.Made(); made > 0 {
		l.Made, l.Seconds, l.Alone, l.USD = made, finite(pace.Seconds), finite(pace.Alone), finite(pace.USD)
	}
	for i := range n.run.Limits {
		if n.run.Limits[i].Agent == l.Agent {
			if l.Made == 0 { // nothing was made again since the run was resumed
				l.Made, l.Seconds, l.Alone, l.USD = n.run.Limits[i].Made, n.run.Limits[i].Seconds, n.run.Limits[i].Alone, n.run.Limits[i].USD
			}
			n.run.Limits[i] = l
			return
		}
	}
	n.run.Limits = append(n.run.Limits, l)
}

// ranOut returns the limit that now leaves the agent the fewest evaluations, and their
// number.
func (n *night) ranOut() limits.Forecast {
	if !n.adaptive() {
		return limits.Forecast{Limit: limits.Evaluations, Evaluations: max(0, n.evaluations-n.had())}
	}
	f := limits.Plan(n.over(n.had()), n.meter.Pace(), 1)
	if f.Limit == limits.Unknown && n.had() == 0 && !n.till.IsZero() { // money allows a first one
		f = limits.Forecast{Limit: limits.Time}
		if n.due {
			f.Limit = limits.Deadline
		}
	}
	return f
}

// limitEnd returns how the work on the agent ended with so many evaluations left.
func (n *night) limitEnd(ended error, left int) (archive.LimitEnd, string) {
	var spent *bench.SpentError
	switch {
	case errors.As(ended, &spent):
		return archive.LimitPolicies, spent.Policy
	case n.held != "" && n.result.Incomplete != "":
		return archive.LimitPolicies, n.held
	case errors.Is(ended, ErrInterrupted) || errors.Is(ended, context.Canceled):
		return archive.LimitInterrupted, ""
	case ended != nil:
		return archive.LimitFailed, ""
	case n.result.Incomplete != "" || n.plan.HoldoutTasks > 0 && left < 2*n.plan.HoldoutTasks || left == 0:
		return archive.LimitSpent, ""
	case n.result.Search.Exhausted:
		return archive.LimitExhausted, ""
	}
	return archive.LimitLeft, ""
}

// shareOf returns the planned part of the agent at an index in so many evaluations.
func shareOf(evaluations, agents, at int) int {
	share := evaluations / agents
	if at < evaluations%agents {
		share++
	}
	return share
}
