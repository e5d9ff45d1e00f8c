package versions

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"

	"evolve/gates/measure"
	"evolve/runtime/agent"
)

// Running is an agent whose program is started from the files of a version.
type Running struct {
	agent.Agent
	// Renew resets the agent, and Close ends it. Either may be nil.
	Renew, Close func() error
}

// Start opens the agent from a folder that contains its files. name distinguishes versions.
type Start func(ctx context.Context, folder, name string) (Running, error)

// Own runs the versions of an agent's own code. The block texts in a config determine the
// version, and the config's other parameters are those under which the version runs. It
// implements [agent.Agent].
type Own struct {
	blocks map[string]bool
	// base identifies the unchanged code.
	base     agent.ConfigID
	versions *shelf[*running]
}

// running is a version that was built, together with the agent that runs from it.
type running struct {
	*measure.Version
	Running
	// slow reports whether the version did not end in time on a task.
	slow atomic.Bool
}

func (r *running) end() error {
	var err error
	if r.Close != nil {
		err = r.Close()
	}
	return errors.Join(err, r.Remove())
}

// NewOwn returns the agent whose program is in folder, a slash-separated path in a
// target. files holds the files with marked blocks, keyed by path, and base holds the
// unchanged texts of the blocks.
func NewOwn(p *measure.Program, folder string, files map[string][]byte, base agent.Config, start Start) *Own {
	o := &Own{blocks: map[string]bool{}, base: base.ID()}
	for name := range base {
		o.blocks[name] = true
	}
	o.versions = newShelf(func(ctx context.Context, c agent.Config) (*running, error) {
		built, _, err := made(ctx, p, files, c)
		if err != nil {
			return nil, err
		}
		// The agent outlives the request for which it is opened.
		open, err := start(context.WithoutCancel(ctx), filepath.Join(built.Tree(), filepath.FromSlash(folder)), c.ID().Short())
		if err != nil {
			return nil, errors.Join(err, built.Remove())
		}
		return &running{Version: built, Running: open}, nil
	}, (*running).end)
	return o
}

// Split divides a config into the texts of the blocks and the other parameters.
func (o *Own) Split(c agent.Config) (code, config agent.Config) {
	code, config = agent.Config{}, agent.Config{}
	for name, v := range c {
		if o.blocks[name] {
			code[name] = v
		} else {
			config[name] = v
		}
	}
	return code, config
}

// Run runs a request with the version that its config describes. A version that exceeded
// its time limit on one task is not run on other tasks, because the search also produces
// loops that never end. This does not apply to the unchanged code.
func (o *Own) Run(ctx context.Context, req agent.Request) agent.Result {
	code, config := o.Split(req.Config)
	id := code.ID()
	v := o.versions.take(ctx, id, code)
	defer o.versions.give(id, v)
	open, err := v.get()
	if err != nil {
		return failed(ctx, err)
	}
	if open.slow.Load() {
		return failed(ctx, errSlow)
	}
	req.Config = config
	result := open.Run(ctx, req)
	if result.Outcome == agent.Timeout && id != o.base {
		open.slow.Store(true)
	}
	return result
}

// Renew resets the agents of all versions. No request may be in progress.
func (o *Own) Renew() error {
	var err error
	for _, v := range o.versions.all() {
		if v.Running.Renew != nil {
			err = errors.Join(err, v.Running.Renew())
		}
	}
	return err
}

// Close ends the agents of all versions and removes their files. No request may be in
// progress or follow.
func (o *Own) Close() error {
	var err error
	for _, v := range o.versions.all() {
		err = errors.Join(err, v.end())
	}
	return err
}
