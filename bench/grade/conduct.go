package grade

import (
	"context"
	"math"
	"slices"
	"strings"

	"evolve/bench"
	"evolve/runtime/agent"
)

// The graders in this file check how the agent worked, not its answer.

// toolCalled passes when the transcript has a call to the tool, with any result. Calls in a
// foreign transcript cannot be recognized.
func toolCalled(b *builder) scorer {
	tool := b.text("tool")
	return func(_ context.Context, in *bench.GradeInput) (judgement, error) {
		if slices.Contains(in.Result.Transcript.Tools(), tool) {
			return yes(true, "%s was called", show(tool)), nil
		}
		return yes(false, "%s was not called", show(tool)), nil
	}
}

// toolNotCalled is the negation of toolCalled.
func toolNotCalled(b *builder) scorer {
	called := toolCalled(b)
	return func(ctx context.Context, in *bench.GradeInput) (judgement, error) {
		v, err := called(ctx, in)
		v.score = 1 - v.score
		return v, err
	}
}

// toolOrder scores the share of the tools that were called in the given order, with other
// calls allowed between them.
func toolOrder(b *builder) scorer {
	tools := b.texts("tools")
	if len(tools) == 0 && len(b.problems) == 0 {
		b.problem("", "needs %q", "tools")
	}
	if len(tools) > 100 {
		b.problem("tools", "%q has more than 100 tools", "tools")
	}
	return func(_ context.Context, in *bench.GradeInput) (judgement, error) {
		calls := bounded(in.Result.Transcript.Tools())
		n := longestCommon(calls, tools)
		v := yes(false, "%d of %d tools in order; called: %s", n, len(tools), show(strings.Join(calls, ", ")))
		v.score = float64(n) / float64(max(len(tools), 1))
		return v, nil
	}
}

// outcomeIs passes when the run ended in one of the outcomes. Only a grader of this type
// can make a result with an ungradable outcome gradable.
func outcomeIs(b *builder) scorer {
	named := b.texts("outcome")
	if len(named) == 0 && len(b.problems) == 0 {
		b.problem("", "needs %q", "outcome")
	}
	for _, name := range named {
		o := agent.Outcome(name)
		switch {
		case !o.Valid():
			b.problem("outcome", "%s is not an outcome (valid: %s)", show(name), outcomes())
		case o.Missing():
			b.problem("outcome", "%s counts as missing data and is never graded", show(name))
		}
		b.expects = append(b.expects, o)
	}
	expects := b.expects
	return func(_ context.Context, in *bench.GradeInput) (judgement, error) {
		return yes(slices.Contains(expects, in.Result.Outcome), "ended in %q", in.Result.Outcome), nil
	}
}

func outcomes() string {
	var names []string
	for _, o := range agent.Outcomes() {
		if !o.Missing() {
			names = append(names, string(o))
		}
	}
	return strings.Join(names, ", ")
}

// maxCost passes when the agent's usage cost no more than the amount in the field usd, in
// US dollars.
func maxCost(b *builder) scorer {
	if !b.has("usd") {
		b.problem("", "needs %q", "usd")
	}
	limit := b.number("usd", 0, 0, math.MaxFloat64)
	return func(_ context.Context, in *bench.GradeInput) (judgement, error) {
		cost := in.Result.Usage.CostUSD
		return yes(cost >= 0 && cost <= limit, "cost %.6g USD, limit %.6g", cost, limit), nil
	}
}

// maxLatency passes when the answer took at most the time in the field seconds. If the
// measured time includes the start of a process, the time of the answer alone is unknown,
// but it is at most the measured time. A measured time above the limit then proves nothing,
// so the grader passes.
func maxLatency(b *builder) scorer {
	if !b.has("seconds") {
		b.problem("", "needs %q", "seconds")
	}
	limit := b.number("seconds", 0, 0, 1e9)
	return func(_ context.Context, in *bench.GradeInput) (judgement, error) {
		took := in.Latency.Seconds()
		if in.Result.Started && took > limit {
			return yes(true, "took %.3f s including the start of the agent's process, which does not count towards the limit of %.6g s", took, limit), nil
		}
		return yes(took <= limit, "took %.3f s, limit %.6g", took, limit), nil
	}
}

// reported grades with the score that the agent itself reported.
func reported(*builder) scorer {
	return func(_ context.Context, in *bench.GradeInput) (judgement, error) {
		s := in.Result.Score
		switch {
		case s == nil:
			return judgement{reason: "the agent reported no score", void: true}, nil
		case !(*s >= 0 && *s <= 1):
			return judgement{reason: "the agent reported a score that is not between 0 and 1", void: true}, nil
		}
		v := yes(false, "the agent reported %.6g", *s)
		v.score = *s
		return v, nil
	}
}
