package wire

import (
	"context"
	"errors"
	"fmt"

	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/night"
	"evolve/runtime/agent"
	"evolve/runtime/model"
)

// withJudge opens the routes of the judges in the agent's suites. It does not do so if the
// agent's own routes are open, because all recordings of a provider must be written by one
// recorder.
func (f *AgentFactory) withJudge(a *workspace.Agent, opened night.Opened, routes model.Model) (night.Opened, error) {
	if !f.workspace.Judged(a) {
		return opened, nil
	}
	if routes == nil {
		router, done, err := f.route(a.ID, workspace.SortedNames(f.workspace.Settings.Routes)[0])
		if err != nil {
			return opened, errors.Join(fmt.Errorf("preparing the judges of the agent's suites: %w", err), opened.Close())
		}
		routes = router
		agentDone := opened.Close
		opened.Close = func() error { return errors.Join(agentDone(), done()) }
	}
	opened.Judge = judgeModel{routes, f.workspace}
	return opened, nil
}

// Judge opens the workspace's routes for judges, on behalf of no particular agent, and
// returns them with the function that closes them.
func (f *AgentFactory) Judge() (model.Model, func() error, error) {
	router, done, err := f.route("", workspace.SortedNames(f.workspace.Settings.Routes)[0])
	if err != nil {
		return nil, nil, err
	}
	return judgeModel{router, f.workspace}, done, nil
}

// judgeModel provides the routes of a workspace to judges. If the budget of a model is
// spent, judgeModel does not use another model instead, because that would be a different
// judge.
type judgeModel struct {
	routes    model.Model
	workspace *workspace.Workspace
}

func (j judgeModel) Next(ctx context.Context, req *model.Request) (model.Reply, error) {
	name, route := j.workspace.JudgeRoute(req.Sampling.Route)
	own := *req
	own.Sampling.Route = name
	reply, err := j.routes.Next(ctx, &own)
	if err == nil && (reply.Provider != route.Provider || reply.Model != route.Model) {
		why := fmt.Sprintf("provider %s: its budget is spent, and its fallback, %s of %s, would be a different judge", route.Provider, reply.Model, reply.Provider)
		return reply, &bench.RefusedError{Refusal: agent.Refusal{Policy: why, Spent: true}, Err: errors.New(why)}
	}
	return reply, err
}
