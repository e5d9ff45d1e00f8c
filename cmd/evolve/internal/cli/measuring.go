package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/hub"
	"evolve/cmd/evolve/internal/metrics"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/reports/model"
	"evolve/runtime/text"
)

// measuring writes the figures of one `evolve run` for monitoring. A failure here does not
// change how the run ends. A nil value records nothing.
type measuring struct{ hub *metrics.Hub }

// metricsTime is the maximum time for reading the figures from the archive.
const metricsTime = time.Minute

// measured does the work of a run and writes the run's figures, even if the work fails.
func measured(sh *shell, root string, work func(*measuring) error) error {
	m := &measuring{}
	err := work(m)
	set, unread := workspace.MetricsSettings(root)
	if unread != nil || set.Textfile == "" { // loading the workspace reports the mistake
		return err
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(sh.Ctx), metricsTime)
	defer stop()
	n := metrics.Night{Workspace: filepath.Clean(root), Version: ownBuild().Version, Go: ownBuild().Go, Ended: sh.Now(), Exit: exitCode(err), Hub: m.hub}
	faults := errors.Join(fillNight(ctx, sh, root, &n), n.WriteFile(set.File(root)))
	if faults != nil {
		sh.eprintf("warning: %s; the run is not affected\n", text.Visible(faults.Error()))
	}
	return err
}

// exitCode returns the exit code with which an error ends the process.
func exitCode(err error) int {
	if silent := exit.Silent(0); errors.As(err, &silent) {
		return int(silent)
	}
	if err == nil {
		return 0
	}
	code, _ := exit.Of(err)
	return code
}

// tasks records the figures of a run's tasks on the workers of a hub.
func (m *measuring) tasks(s hub.Stats) {
	if m == nil {
		return
	}
	m.hub = &metrics.Hub{
		Tasks: map[string]int{
			"published": s.Published, "answered": s.Answered, "repeated": s.Repeated, "redelivered": s.Redelivered,
			"republished": s.Republished, "taken": s.Taken, "ignored": s.Ignored,
		},
		RepeatedUSD: s.RepeatedUSD, Workers: s.Workers,
	}
}

// fillNight reads the figures of a night from the archive. If it returns an error, n
// contains those figures that could be read.
func fillNight(ctx context.Context, sh *shell, root string, n *metrics.Night) error {
	live, err := wire.LiveLimits(root, sh.Now())
	n.Live = live
	return errors.Join(err, wire.LookIfThere(root, func(a *archive.Archive) error {
		src, err := asTheyAre(ctx, a)
		if err != nil {
			return err
		}
		return errors.Join(nightRuns(ctx, src, n), nightWaiting(ctx, sh, src, root, n))
	}))
}

// nightRuns reads the latest run and, for each agent, the latest run that worked on it.
func nightRuns(ctx context.Context, src runsAsTheyAre, n *metrics.Night) error {
	seen, looked := map[string]bool{}, 0
	for r, err := range src.Runs(ctx) {
		if err != nil {
			return fmt.Errorf("reading the runs: %w", err)
		}
		if r.Imported {
			continue
		}
		if n.Run == nil {
			if err := nightRun(ctx, src.Archive, r, n); err != nil {
				return err
			}
		}
		if n.Succeeded.IsZero() && r.State == archive.RunDone && r.Exit == 0 {
			n.Succeeded = r.Ended
		}
		for _, id := range r.Agents {
			if seen[id] || len(seen) >= mostMeasured {
				continue
			}
			agent, found, err := nightAgent(ctx, src.Archive, r, id)
			if err != nil {
				return err
			}
			if found {
				seen[id] = true
				n.Agents = append(n.Agents, agent)
			}
		}
		if looked++; looked == statusLooks {
			break
		}
	}
	return nil
}

// mostMeasured is the maximum number of agents whose figures are exported.
const mostMeasured = 200

func nightRun(ctx context.Context, a *archive.Archive, r archive.Run, n *metrics.Night) error {
	n.Run = &r
	lines, err := limitLines(ctx, a, r, n.Ended)
	if err != nil {
		return err
	}
	for _, l := range lines {
		n.Limits = append(n.Limits, metrics.Limit{Name: l.Limit, Spent: l.Spent, Of: l.Of})
	}
	_, n.PaidUSD, err = spentSoFar(ctx, a, r)
	return err
}

// nightAgent reads the figures of an agent in a run that worked on it.
func nightAgent(ctx context.Context, a *archive.Archive, r archive.Run, id string) (metrics.Agent, bool, error) {
	out := metrics.Agent{ID: id, Run: r.Number, Ended: r.Ended, Evaluations: map[string]int{}}
	var err error
	if out.Result, err = a.Result(ctx, r.ID, id); errors.Is(err, archive.ErrNotFound) {
		return out, false, nil
	}
	if err != nil {
		return out, false, fmt.Errorf("reading a result: %w", err)
	}
	if i := slices.IndexFunc(r.Limits, func(l archive.AgentLimit) bool { return l.Agent == id }); i >= 0 {
		out.Limit = r.Limits[i]
	}
	for e, err := range a.Evaluations(ctx, r.ID, id) {
		if err != nil {
			return out, false, fmt.Errorf("reading the evaluations of %s: %w", id, err)
		}
		switch {
		case e.Cached:
			out.Evaluations[metrics.Reused]++
			continue
		case !e.Scored:
			out.Evaluations[metrics.Missing]++
		case !e.Outcome.Gradable():
			out.Evaluations[metrics.Failed]++
		default:
			out.Evaluations[metrics.Scored]++
		}
		used := e.Usage.Plus(e.Judge)
		out.USD += used.CostUSD
		out.Input, out.Output, out.CachedRead = out.Input+used.InputTokens, out.Output+used.OutputTokens, out.CachedRead+used.CachedTokens
		if e.Scored {
			out.Latency.Add(e.Latency.Seconds())
		}
	}
	return out, true, nil
}

// nightWaiting reads what awaits a decision.
func nightWaiting(ctx context.Context, sh *shell, src runsAsTheyAre, root string, n *metrics.Night) error {
	lines, err := linesOf(ctx, src.Archive, undecided)
	if err != nil {
		return err
	}
	if err := markStale(ctx, loadable(root), src.Archive, lines); err != nil {
		return err
	}
	first, err := firstAsked(ctx, src, sh.Now())
	if err != nil {
		return err
	}
	add := func(agentID, kind string, since time.Time) {
		i := slices.IndexFunc(n.Waiting, func(w metrics.Waiting) bool { return w.Agent == agentID && w.Kind == kind })
		if i < 0 {
			i = len(n.Waiting)
			n.Waiting = append(n.Waiting, metrics.Waiting{Agent: agentID, Kind: kind, Oldest: since})
		}
		n.Waiting[i].Count++
		if since.Before(n.Waiting[i].Oldest) {
			n.Waiting[i].Oldest = since
		}
	}
	for _, p := range lines {
		if len(p.Stale) > 0 {
			continue
		}
		since := p.Created
		if earlier, ok := first[p.ID]; ok {
			since = earlier
		}
		add(p.Agent, string(p.Kind), since)
	}
	err = forEach("change requests", src.Requests(ctx), func(r archive.ChangeRequestRecord) {
		if r.State == archive.RequestOpen {
			add(r.Agent, "change_request", r.Created)
		}
	})
	if len(n.Waiting) == 0 { // an alert rule needs a value, even if it is 0
		for _, a := range n.Agents {
			n.Waiting = append(n.Waiting, metrics.Waiting{Agent: a.ID, Kind: string(archive.KindConfig)})
		}
	}
	return err
}

// firstAsked returns the time at which each decision first came up, keyed by proposal.
// This time may be earlier than the proposal, because a night may replace a waiting
// proposal with one of its own.
func firstAsked(ctx context.Context, src runsAsTheyAre, now time.Time) (map[string]time.Time, error) {
	list, err := model.ListWaiting(ctx, src, "", now)
	if err != nil {
		return nil, fmt.Errorf("reading the waiting proposals: %w", err)
	}
	out := map[string]time.Time{}
	for _, w := range list {
		p, err := src.Proposal(ctx, cmp.Or(w.First, w.Proposal))
		if err != nil {
			return nil, fmt.Errorf("reading proposal %s: %w", w.First, err)
		}
		out[w.Proposal] = p.Created
	}
	return out, nil
}
