package night

import (
	"context"
	"hash/fnv"
	"strconv"
	"strings"
	"testing"
	"time"

	"evolve/bench"
	"evolve/runtime/agent"
	"evolve/runtime/model"
)

// TestVariancesAreLearnt uses an agent whose scores are .4 ± .1. The first plan assumes the
// variance of pass and fail and states this assumption. The next plan agrees approximately
// with the report of the first night.
func TestVariancesAreLearnt(t *testing.T) {
	m := newMonths(t, 80, 8)
	for i := range m.suite().Tasks {
		m.suite().Tasks[i].Graders = []bench.GraderSpec{{Type: "f1"}}
	}
	m.Answer = func(_ context.Context, req agent.Request) agent.Result {
		h := fnv.New64a()
		_, _ = h.Write([]byte(strconv.FormatInt(req.Seed, 10) + "t" + string(req.Task.Input) + string(req.Config.ID())))
		x := h.Sum64() * 0x9e3779b97f4a7c15
		x ^= x >> 32
		x *= 0xff51afd7ed558ccd
		score := req.Config.Float("chance", 0) + .1*3.46*(float64(x>>11)/(1<<53)-.5) // a standard deviation of .1
		answer := strconv.FormatFloat(min(1, max(0, score)), 'g', -1, 64)
		return agent.Result{Answer: &answer, Outcome: agent.OK}
	}
	m.Grading = func([]*bench.Suite, model.Model, []bench.Evaluation) (bench.GradeFunc, error) {
		return func(_ context.Context, in bench.GradeInput) (bench.Grading, error) {
			score, err := strconv.ParseFloat(*in.Result.Answer, 64)
			return bench.Grading{Score: score}, err
		}, nil
	}
	was := m.plan(t).Plan
	result, err := m.confirm(t.Context(), m.found(.1, m.variant(agent.Config{"n": int64(1)})))
	if err != nil {
		t.Fatal(err)
	}
	m.now = m.now.Add(24 * time.Hour)
	is := m.plan(t).Plan
	t.Logf("the first plan %.1f points, the report of that night %.1f (%d blocks), the next plan %.1f", 100*was.Detectable, 100*result.Detectable, result.Blocks, 100*is.Detectable)
	const assumed = "random variation is assumed to be as large as for pass-or-fail scores until"
	if !strings.Contains(was.Power, assumed) || strings.Contains(is.Power, assumed) {
		t.Errorf("%s\n%s", was.Power, is.Power)
	}
	if ratio := is.Detectable / result.Detectable; ratio > 1.3 || ratio < 1/1.3 || was.Detectable < 1.7*is.Detectable {
		t.Errorf("%.3f, then %.3f, and in the report %.3f", was.Detectable, is.Detectable, result.Detectable)
	}
}
