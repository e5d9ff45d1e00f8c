package coding

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"evolve/bench"
	"evolve/bench/metrics"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/versions"
	"evolve/mutate/blocks"
	"evolve/mutate/night"
	"evolve/patch/diff"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// Opener opens the agent whose own code is searched.
type Opener struct {
	// Agent opens the agent in its present state, with the models and judges that it needs.
	Agent func(ctx context.Context, a *workspace.Agent, scratch string) (night.Opened, error)
	// Version opens only the agent's program, from the folder of a version.
	Version func(a *workspace.Agent, folder, scratch string) (night.Opened, error)
}

// owned is an agent whose own code is a target.
type owned struct {
	*workspace.Agent
	// folder is the agent's slash-separated folder in the repository.
	folder string
	// config holds the committed files of the agent's champion, keyed by path in the
	// repository.
	config map[string][]byte
	open   Opener
}

// Own returns the id of the agent whose own code the target is; it returns "" for other
// targets.
func (p *Prospect) Own() string {
	if p.own == nil {
		return ""
	}
	return p.own.ID
}

// findOwn finds the agent to which the target's code belongs. Versions start from the
// commit, so the files that define the agent must be the same as in the commit.
func (p *Prospect) findOwn(w *workspace.Workspace) error {
	a, ok := w.Agent(p.Target.Agent)
	if !ok {
		return &Problem{"there is no agent " + text.Quote(p.Target.Agent)}
	}
	if a.Adapter.Network == "host" || len(a.Adapter.Env) > 0 {
		return &Problem{"agent " + a.ID + " uses the network or environment variables, and code that no person has read gets neither: name a scoring command (score) instead"}
	}
	folder, err := a.FolderIn(p.ground.Top())
	if err != nil {
		return &Problem{err.Error()}
	}
	p.own = &owned{Agent: a, folder: folder, config: map[string][]byte{}}
	for _, name := range workspace.DefiningFiles() {
		in := path.Join(folder, name)
		committed, err := p.ground.File(in)
		if err != nil {
			return err
		}
		same, err := p.ground.AsCommitted(in)
		if err != nil {
			return fmt.Errorf("reading %s of agent %s: %w", name, a.ID, err)
		}
		if !same {
			return &Problem{text.Visible(in) + notCommitted}
		}
		if committed != nil {
			p.own.config[in] = committed
		}
	}
	for _, b := range p.Blocks {
		if _, twice := a.Known.Lookup(b.Name); twice {
			return &Problem{"block " + b.Name + " has the same name as a parameter of agent " + a.ID + ": rename the block"}
		}
	}
	if len(a.Searched()) == 0 {
		return nil
	}
	in := path.Join(folder, workspace.ConfigFile)
	allowed, err := p.ground.Allows(in)
	if err == nil && !allowed {
		err = &Problem{"no patch may change " + text.Visible(in) + ", which contains the config that is searched with the code: add the file to the target's allow list"}
	}
	return err
}

// lookOwn describes the target to a night: its suites are the agent's, and its space has
// the agent's parameters in addition to the blocks. lookOwn also builds and tests the
// unchanged code.
func (p *Prospect) lookOwn(ctx context.Context, kept Kept) error {
	if err := p.wasSlow(kept); err != nil {
		return err
	}
	program, done, err := p.program(ctx, "base")
	if err != nil {
		return err
	}
	if kept.Bound.Time > 0 {
		program.Within(kept.Bound.Time)
	}
	start := p.reviewer.Now()
	base, err := program.Make(ctx, "base", nil)
	p.scored.Make = p.reviewer.Now().Sub(start)
	if err == nil {
		err = base.Remove()
	} else {
		err = p.judged(fmt.Errorf("the current code: %w", err), kept)
	}
	if err := errors.Join(err, done()); err != nil {
		return err
	}
	a := p.own
	p.Agent = &workspace.Agent{
		ID: p.Target.Name, Adapter: workspace.Adapter{Kind: workspace.KindCode}, Deterministic: a.Deterministic, UsesSeed: a.UsesSeed, Suites: a.Suites,
		Alike: a.Alike, Space: p.together(a.Space), Known: p.together(a.Known), Unsearched: a.Unsearched, Champion: p.Current(), Hash: p.ID(),
		Guards: a.Guards, Prefer: a.Prefer,
	}
	return nil
}

// together returns the space of the blocks, extended by the parameters of the agent.
func (p *Prospect) together(space agent.Space) agent.Space {
	code, _ := blocks.Space(p.Blocks)
	return agent.Space{Params: slices.Concat(code.Params, space.Params)}
}

// openOwn prepares the versions of an agent's own code to run.
func (p *Prospect) openOwn(ctx, building context.Context, scratch string) (night.Opened, error) {
	program, done, err := p.program(building, "night")
	if err != nil {
		return night.Opened{}, err
	}
	p.scored.Bound(program)
	opened, err := p.own.open.Agent(ctx, p.own.Agent, filepath.Join(scratch, "agent"))
	if err != nil {
		return opened, errors.Join(err, done())
	}
	_, base := blocks.Space(p.Blocks)
	code := versions.NewOwn(program, p.own.folder, p.files, base, func(_ context.Context, folder, name string) (versions.Running, error) {
		v, err := p.own.open.Version(p.own.Agent, folder, filepath.Join(scratch, name))
		return versions.Running{Agent: v.Agent, Renew: v.Renew, Close: v.Close}, err
	})
	end := opened.Close
	opened.Agent, opened.Renew = code, code.Renew
	opened.Identity, opened.Sandbox = p.ID()+"\x00"+opened.Identity, program.Sandbox.Name()
	opened.Close = func() error { return errors.Join(code.Close(), end(), done()) }
	return opened, nil
}

// parameters returns the part of a version's config that belongs to the agent.
func (p *Prospect) parameters(c agent.Config) agent.Config {
	out := agent.Config{}
	for name, v := range c {
		if p.isParameter(name) {
			out[name] = v
		}
	}
	return out
}

func (p *Prospect) isParameter(name string) bool {
	if p.own == nil {
		return false
	}
	_, ok := p.own.Known.Lookup(name)
	return ok
}

// ownFiles adds to changed those files of the agent's champion that a version changes.
// The map changed collects all files that the version changes.
func (p *Prospect) ownFiles(c agent.Config, changed map[string][]byte) {
	for in, data := range p.championFiles(p.parameters(c)) {
		if was := p.own.config[in]; string(was) != string(data) || (was != nil) != (data != nil) {
			changed[in] = data
		}
	}
}

// championFiles returns the files that contain an agent's config, keyed by path in the
// repository. The champion's files are returned as committed, with their comments and
// their order.
func (p *Prospect) championFiles(config agent.Config) map[string][]byte {
	out := map[string][]byte{}
	for name, data := range workspace.ChampionFiles(p.own.Agent, config) {
		in := path.Join(p.own.folder, path.Base(name))
		if out[in] = data; config.ID() == p.own.Champion.ID() {
			out[in] = p.own.config[in]
		}
	}
	return out
}

// changeOfConfig returns the files in which the agent's parameters differ between two
// versions, as they appear in a patch from one version to the other.
func (p *Prospect) changeOfConfig(from, to agent.Config) []diff.File {
	before, after := p.championFiles(p.parameters(from)), p.championFiles(p.parameters(to))
	both := maps.Clone(before)
	maps.Copy(both, after)
	var out []diff.File
	for _, in := range slices.Sorted(maps.Keys(both)) {
		if string(before[in]) != string(after[in]) {
			out = append(out, diff.File{Path: in, Old: before[in], New: after[in]})
		}
	}
	return out
}

// describeOwn returns the title and the text of a patch to an agent's own code.
func (p *Prospect) describeOwn(c agent.Config) (title, what string) {
	var code, config []string
	now := p.Current()
	for _, param := range p.together(p.own.Known).Params {
		switch old, now := fmt.Sprint(now[param.Name]), fmt.Sprint(c[param.Name]); {
		case old == now:
		case p.isParameter(param.Name):
			config = append(config, param.Name)
		default:
			code = append(code, param.Name)
		}
	}
	goal := " for a higher score of agent " + p.own.ID
	switch {
	case len(config) == 0:
		return "rewrite " + blocksNamed(code) + goal, "Texts of marked blocks"
	case len(code) == 0:
		return "set " + strings.Join(config, ", ") + goal, "Values of parameters"
	}
	return "rewrite " + blocksNamed(code) + " and set " + strings.Join(config, ", ") + goal, "Texts of marked blocks and values of parameters"
}

// Cases returns the noun for the items on which a version is scored: "task" for an agent's
// own code, and otherwise "case".
func (p *Prospect) Cases() string {
	if p.own != nil {
		return "task"
	}
	return "case"
}

// Metric returns the name, unit and direction of the metric of versions; name is empty if
// the code was never scored.
func (p *Prospect) Metric() (name, unit string, better metrics.Better) {
	switch {
	case p.own != nil:
		return "score", "", metrics.Higher
	case p.scale == nil:
		return "", "", ""
	}
	return p.scale.Metric()
}

// Value returns the value of a version in an evaluation; it returns false if the version
// has no value.
func (p *Prospect) Value(e *bench.Evaluation) (metrics.Value, bool) {
	if p.own == nil {
		return printed(e)
	}
	if !e.Scored || e.Outcome != agent.OK {
		return metrics.Value{}, false
	}
	name, _, better := p.Metric()
	return metrics.Value{Case: e.Task, Metric: name, Value: e.Score, Better: better}, true
}
