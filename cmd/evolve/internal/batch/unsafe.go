package batch

import (
	"context"
	"fmt"

	"evolve/runtime/autonomy"
)

// warnOfRequests adds a warning to the plan of each agent that recently made repeated
// unsafe requests. The warning recommends lowering the agent's level of autonomy.
// warnOfRequests is called after the run's id is computed, because a person may decide on
// the requests before an interrupted run continues.
func (r *runner) warnOfRequests(ctx context.Context) error {
	recent, err := r.o.Archive.RecentUnsafe(ctx, r.o.Now())
	if err != nil {
		return fmt.Errorf("reading the unsafe requests: %w", err)
	}
	for i := range r.plans {
		p := &r.plans[i]
		if n := recent[p.Agent]; n >= autonomy.Tolerated {
			p.Warnings = append(p.Warnings, fmt.Sprintf(
				"%s made %d unsafe requests in the last 7 days: `evolve requests list --all` shows them, `evolve autonomy lower %s` lowers its level", p.Agent, n, p.Agent))
		}
	}
	return nil
}
