package batch

import (
	"context"
	"fmt"
	"testing"
	"time"

	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/night"
	"evolve/runtime/agent"
)

// BenchmarkAgentsSideBySide measures nights of four agents, each of which allows two
// simultaneous evaluations of 5 ms. It uses as many slots as all agents allow together,
// and as many as one agent allows. of_ideal is the rate as a share of the rate that all
// slots together could reach. of_sequential is the rate as a multiple of 400/s, the most
// that agents run one after another could make.
func BenchmarkAgentsSideBySide(b *testing.B) {
	const agents, evaluations, each, parallel = 4, 2000, 5 * time.Millisecond, 2
	for _, slots := range []int{agents * parallel, parallel} {
		b.Run(fmt.Sprintf("slots=%d", slots), func(b *testing.B) {
			made := 0
			for b.Loop() {
				o := toyOptions(toyAgents(toyWorkspace(b, 40), agents), diskArchive(b), nil, evaluations)
				o.Concurrency, o.Stages = slots, []string{SearchStage}
				o.Open = func(context.Context, *workspace.Agent, string) (night.Opened, error) {
					slow := inProcess(func(ctx context.Context, req agent.Request) agent.Result {
						time.Sleep(each)
						return toyAgent(40)(ctx, req)
					})
					return night.Opened{Agent: slow, Parallel: parallel, Identity: "toy", Sandbox: "in process", Close: func() error { return nil }}, nil
				}
				s, err := Run(b.Context(), o)
				if err != nil {
					b.Fatal(err)
				}
				for _, r := range s.Results {
					made += r.Search.Evaluations
				}
			}
			rate := float64(made) / b.Elapsed().Seconds()
			b.ReportMetric(rate, "evaluations/s")
			b.ReportMetric(rate/(float64(slots)/each.Seconds()), "of_ideal")
			b.ReportMetric(rate/(float64(parallel)/each.Seconds()), "of_sequential")
		})
	}
}
