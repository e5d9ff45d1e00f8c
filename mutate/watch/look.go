package watch

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Seen holds the findings of a watch, with the commits of the nights before and after each
// change.
type Seen struct {
	archive.Watch
	// FellBetween holds the commits before and after Fall, and ChangedBetween holds the
	// commits before and after Changed.
	FellBetween, ChangedBetween Between
}

// Between holds the commits of the workspace, and of the target whose code is searched, in
// the night before a change and in the night after it; a commit is empty if the night had
// none.
type Between struct{ Workspace, Code [2]string }

// commitsOf returns the commits of two nights.
func commitsOf(a, b night) Between {
	return Between{Workspace: [2]string{a.commit, b.commit}, Code: [2]string{a.code, b.code}}
}

// known reports whether both nights have a recorded commit of the workspace, or both have
// one of the target.
func (b Between) known() bool {
	return b.Workspace[0] != "" && b.Workspace[1] != "" || b.Code[0] != "" && b.Code[1] != ""
}

// Look compares the active config of a run with its past, on tasks that have not changed
// since. digests holds the digests of the present search tasks; see [night.Sample].
// models identifies everything outside the agent's folder that affects the agent's
// answers, and learned identifies the experience from the agent's live turns, without
// people's feedback. The evaluations of the run must be stored.
func Look(ctx context.Context, store Store, run archive.Run, plan archive.AgentPlan, digests map[string]string, models, learned string) (Seen, error) {
	decided, err := decisions(ctx, store, plan.Agent)
	if err != nil {
		return Seen{}, err
	}
	all, err := deeds(ctx, store, plan.Agent, decided)
	if err != nil {
		return Seen{}, err
	}
	nights, err := history(ctx, store, plan.Agent, run.Number, mostNights, all)
	if err != nil {
		return Seen{}, err
	}
	tonight, err := nightOf(ctx, store, run, plan)
	if err != nil {
		return Seen{}, err
	}
	tonight.models, tonight.learned, tonight.given = models, learned, given(all, run.Started)
	seen := Seen{Watch: archive.Watch{
		Scores: stored(tonight.scores, digests), Replaced: stored(tonight.beside, digests), Models: models, Learned: learned,
	}}
	v := viewer{ctx: ctx, store: store, agent: plan.Agent, decided: decided, deeds: all, nature: stats.Nature{Deterministic: plan.Deterministic, Fixed: plan.Fixed()}}
	if last := len(nights) - 1; last >= 0 && tonight.changed(nights[last]) {
		c, err := v.between(nights[last], tonight)
		if err != nil {
			return Seen{}, err
		}
		if c.Proposal == "" || nights[last].given != tonight.given {
			seen.Changed, seen.ChangedBetween = &c, commitsOf(nights[last], tonight)
		}
	}
	compared := comparable(append(nights, tonight), digests)
	if v.nature.Fixed {
		share(compared)
	}
	if kept := measured(compared); len(kept) > 0 && kept[len(kept)-1].identity == tonight.identity {
		err = v.compare(settled(kept), &seen)
	}
	return seen, err
}

// viewer compares the nights of one agent.
type viewer struct {
	ctx     context.Context
	store   Store
	agent   string
	nature  stats.Nature
	decided []archive.ProposalRecord
	deeds   []deed
}

// decisions returns, in order, the agent's proposals on which a person decided and that
// changed the agent. For a target whose code is searched, these are the patches to that
// target. Proposals of a level of autonomy are not included, because a level does not
// change evaluations.
func decisions(ctx context.Context, store Store, agentID string) ([]archive.ProposalRecord, error) {
	var out []archive.ProposalRecord
	for p, err := range store.Proposals(ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading the proposals: %w", err)
		}
		its := p.Agent == agentID || p.Patch != nil && p.Patch.Target == agentID
		if its && p.Kind != archive.KindAutonomy && p.Decision != nil && p.Imported == "" && (p.State == archive.Adopted || p.State == archive.RolledBack) {
			out = append(out, p)
		}
	}
	return out, nil
}

// compare compares the last of the nights with the others.
func (v viewer) compare(nights []night, seen *Seen) error {
	old := nights
	since, p := v.adoption(nights)
	nights = nights[since:]
	first, err := v.fall(nights, seen)
	if err != nil || p == nil {
		return err
	}
	if nights[first].identity != nights[0].identity { // another change caused the fall
		first = 0
	}
	if err := v.adopted(old[:since], nights[first:], nights[0], *p, seen); err != nil {
		return err
	}
	crossed(nights, seen.Adopted)
	return nil
}

// fall searches for a fall in the scores of the nights, and returns the index of the first
// night after the fall, or 0 if there is none.
func (v viewer) fall(nights []night, seen *Seen) (int, error) {
	seen.Nights = len(nights)
	changed := make([]bool, len(nights))
	for i := 1; i < len(nights); i++ {
		changed[i] = nights[i].changed(nights[i-1])
	}
	f, ok := stats.FindFall(scoresOf(nights), changed, v.nature)
	if !ok {
		return 0, nil
	}
	good, bad := nights[f.First-1], nights[f.First]
	c, err := v.between(good, bad)
	if err != nil {
		return 0, err
	}
	seen.Fall, seen.FellBetween = &archive.Fall{Shift: f.Shift, ActiveChange: c}, commitsOf(good, bad)
	return f.First, nil
}

// adoption returns the latest adopted proposal with a config that some night after the
// adoption has run, and the index of the first such night.
func (v viewer) adoption(nights []night) (int, *archive.ProposalRecord) {
	for i := len(v.decided) - 1; i >= 0; i-- {
		p := v.decided[i]
		if p.State != archive.Adopted || !p.OfConfig() {
			continue
		}
		at := slices.IndexFunc(nights, func(n night) bool { return n.config == p.Variant && n.started.After(p.Decision.Time) })
		if at >= 0 {
			return at, &p
		}
	}
	return 0, nil
}

// adopted compares an adoption with the config that it replaced. It uses the nights that
// measured both configs, so that other changes are not attributed to the adoption. If there
// are no such nights, it compares the nights since the adoption with those before it. A
// night since the adoption counts only if the agent was the same as in the first of these
// nights. After a fall of either config, only the nights after the fall count, because the
// replaced config is judged by its last nights.
func (v viewer) adopted(before, since []night, first night, p archive.ProposalRecord, seen *Seen) error {
	old := slices.DeleteFunc(slices.Clone(before), func(n night) bool { return n.config != p.Champion })
	now := slices.DeleteFunc(slices.Clone(since), func(n night) bool { return n.identity != first.identity })
	old, now = latest(old), latest(now)
	if f, ok := stats.FindFall(scoresOf(old), nil, v.nature); ok {
		old = old[f.First:]
	}
	was, is := scoresOf(old), scoresOf(now)
	both := slices.DeleteFunc(slices.Clone(now), func(n night) bool { return n.replaced != p.Champion || len(n.beside) == 0 })
	beside := len(both) > 0
	if beside {
		was, is = nil, scoresOf(both)
		for _, n := range both {
			was = append(was, n.beside)
		}
	}
	w := archive.AdoptedWatch{Proposal: p.ID, Since: first.started, Beside: beside}
	res, err := v.store.Result(v.ctx, p.RulingRun(), v.agent)
	if err != nil && !errors.Is(err, archive.ErrNotFound) {
		return fmt.Errorf("reading the predictions: %w", err)
	}
	for _, f := range res.Finalist {
		if f.Variant == p.Variant && f.Ruling != nil && (res.Reference == nil || p.RuledBy != "") {
			i, about := f.Ruling.Shown()
			w.Predicted, w.PredictedLo, w.PredictedHi, w.Claim = f.Ruling.Difference, i.Lo, i.Hi, about
		}
	}
	var ok bool
	if w.Adopted, ok = stats.CompareAdopted(was, is, w.Claimed(), v.nature); ok {
		seen.Adopted = &w
	}
	return nil
}

// crossed finds the first night whose evidence against an adoption still holds. If the
// present comparison uses nights that measured both configs, only evidence from comparisons
// of this kind counts, because other evidence may come from drift.
func crossed(nights []night, w *archive.AdoptedWatch) {
	if w == nil || w.Exact {
		return
	}
	for _, n := range nights[:len(nights)-1] {
		a := n.adopted
		if a == nil || a.Proposal != w.Proposal || n.identity != nights[0].identity || w.Beside && !a.Beside {
			continue
		}
		c := archive.Crossing{Adopted: a.Adopted, Run: n.run, Night: n.started}
		if a.Crossed != nil {
			c = *a.Crossed
		}
		if c.Adopted = w.Sustains(c.Adopted, w.Claimed()); c.Disappoints() {
			w.Crossed = &c
			return
		}
	}
}

func latest(nights []night) []night { return nights[max(0, len(nights)-stats.WatchNights):] }

// between returns the changes between two nights.
func (v viewer) between(a, b night) (archive.ActiveChange, error) {
	c := archive.ActiveChange{
		BeforeRun: a.run, AfterRun: b.run, Last: a.started, Since: b.started, Files: a.hash != b.hash, Models: b.otherModels(a), Evolve: a.binary != b.binary,
		Versioned: commitsOf(a, b).known(), Learned: a.learned != b.learned && a.learned != "" && b.learned != "",
		Acts: actsBetween(v.deeds, a.started, b.started),
	}
	for _, p := range v.decided {
		if at := p.Decision.Time; at.After(a.started) && !at.After(b.started) {
			c.Proposal = p.ID
		}
	}
	if a.config == b.config {
		return c, nil
	}
	was, err := v.config(a.config)
	if err != nil {
		return c, err
	}
	is, err := v.config(b.config)
	if err != nil {
		return c, err
	}
	c.Params = differing(was, is)
	return c, nil
}

func (v viewer) config(id agent.ConfigID) (agent.Config, error) {
	found, err := v.store.Variant(v.ctx, v.agent, id)
	if err != nil && !errors.Is(err, archive.ErrNotFound) {
		return nil, fmt.Errorf("reading a config of an earlier night: %w", err)
	}
	return found.Config, nil
}

// differing returns the sorted names of the parameters whose values differ between two
// configs.
func differing(a, b agent.Config) []string {
	var out []string
	for name := range a {
		if _, there := b[name]; !there {
			out = append(out, name)
		}
	}
	for name, value := range b {
		if old, there := a[name]; !there || !(agent.Config{name: old}).Equal(agent.Config{name: value}) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
