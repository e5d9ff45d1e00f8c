package coding

import (
	"fmt"
	"path"

	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
)

// At returns the target at another commit, with the texts of base in its blocks, so that
// versions can be shown on the code on which they were measured. It fails if the repository
// does not have the commit, or if the blocks cannot be found there.
func (p *Prospect) At(commit string, base agent.Config) (*Prospect, error) {
	ground, err := p.ground.At(commit)
	if err != nil {
		return nil, err
	}
	out := &Prospect{Target: p.Target, reviewer: p.reviewer, ground: ground}
	if out.files, err = ground.Marked("evolve:begin"); err != nil {
		return nil, err
	}
	if err := out.find(); err != nil {
		return nil, err
	}
	if p.own == nil {
		return out, nil
	}
	a := *p.own.Agent
	a.Champion = p.parameters(base)
	out.own = &owned{Agent: &a, folder: p.own.folder, config: map[string][]byte{}}
	for _, name := range workspace.DefiningFiles() {
		in := path.Join(p.own.folder, name)
		data, err := ground.File(in)
		if err != nil {
			return nil, fmt.Errorf("reading the config of agent %s: %w", a.ID, err)
		}
		if data != nil {
			out.own.config[in] = data
		}
	}
	return out, nil
}
