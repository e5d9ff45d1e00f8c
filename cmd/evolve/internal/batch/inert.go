package batch

import (
	"context"
	"fmt"
	"strings"
	"time"

	"evolve/cmd/evolve/internal/workspace"
)

// inertFor is how long nights trust the finding that a model does not accept a parameter.
// After that the parameter is searched again, so that a change at the provider is noticed.
const inertFor = 30 * 24 * time.Hour

// leaveOutInert removes parameters from an agent's search if another run recently found
// that the agent's model does not accept them. It returns a text that names these
// parameters with the reason, or "" if there are none. takenUp is the id of the
// interrupted run that this run may resume; the plan of a resumed run must stay the same.
func (r *runner) leaveOutInert(ctx context.Context, a *workspace.Agent, takenUp string) (string, error) {
	routes, now := r.o.Workspace.RoutesHash(a), r.o.Now()
	if routes == "" {
		return "", nil
	}
	list, err := r.o.Archive.Inert(ctx, a.ID, routes)
	if err != nil {
		return "", fmt.Errorf("reading which parameters the model of %s ignores: %w", a.ID, err)
	}
	if takenUp != "" {
		then, err := r.o.Archive.Run(ctx, takenUp)
		if err != nil {
			return "", fmt.Errorf("reading the interrupted run: %w", err)
		}
		now = then.Started
	}
	var left []string
	for _, i := range list {
		again := i.Time.Add(inertFor)
		if i.Run == takenUp || !now.Before(again) {
			continue
		}
		why := fmt.Sprintf("%s did not accept the parameter on %s; the search tries the parameter again from %s", i.Model, i.Time.UTC().Format(time.DateOnly), again.UTC().Format(time.DateOnly))
		for _, name := range i.Params {
			if a.LeaveOut(name, why); a.NotSearched(name) == why {
				left = append(left, name+" ("+why+")")
			}
		}
	}
	return strings.Join(left, ", "), nil
}
