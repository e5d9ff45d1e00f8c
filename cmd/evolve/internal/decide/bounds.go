package decide

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
)

// Bound refuses a proposal that differs from the ledger's digests of it, or for which the
// ledger has none.
func Bound(ctx context.Context, a *archive.Archive, p archive.ProposalRecord) error {
	err := a.CheckBound(ctx, p)
	var b *archive.BoundError
	if !errors.As(err, &b) || len(b.Differs) > 0 {
		return err
	}
	if p.Variant == "" {
		return Refuse("reject it and propose the same again", "%s was made by an older evolve: %s", p.ID, b)
	}
	return Refuse("reject it; `evolve propose "+p.Variant.Short()+"` draws the variant up again", "%s was made by an older evolve: %s", p.ID, b)
}

// Unaltered refuses a proposal that differs from the ledger's digests of it. A proposal
// without digests in the ledger passes.
func Unaltered(ctx context.Context, a *archive.Archive, p archive.ProposalRecord) error {
	err := a.CheckBound(ctx, p)
	var b *archive.BoundError
	if errors.As(err, &b) && len(b.Differs) == 0 {
		return nil
	}
	return err
}

// withinKind refuses a proposal with files that its kind may not change. A config may
// change the champion's files; a tool or a skill its own. The record can come from an
// archive that was altered.
func withinKind(p archive.ProposalRecord) error {
	own := []string{path.Join("agents", p.Agent, workspace.ConfigFile), path.Join("agents", p.Agent, workspace.StrategyFile)}
	if p.Kind == archive.KindTool {
		_, name := Written(p)
		own = []string{path.Join(toolsDir(p.Agent), name+".star"), path.Join(toolsDir(p.Agent), name+".json"), path.Join(skillsDir(p.Agent), name+".md")}
	}
	for _, f := range p.Files {
		if !slices.Contains(own, f.Path) {
			return Refuse("reject it; `evolve run` proposes anew", "%s changes %s, which a proposal of kind %s may not", p.ID, f.Path, p.Kind)
		}
	}
	return nil
}

// faithful refuses a proposal of a config if its files or its list of changes differ from
// its variant: a person reads the list, and the variant is what was measured.
func (d *Desk) faithful(ctx context.Context, a *workspace.Agent, p archive.ProposalRecord) error {
	if p.Kind != archive.KindConfig {
		return nil
	}
	const hint = "reject it; `evolve run` proposes anew"
	v, err := d.Archive.Variant(ctx, a.ID, p.Variant)
	if err != nil {
		return fmt.Errorf("reading the variant: %w", err)
	}
	want := workspace.ChampionFiles(a, v.Config)
	for _, f := range p.Files {
		if !same(f.New, want[f.Path]) {
			return Refuse(hint, "%s writes something else into %s than its variant", p.ID, f.Path)
		}
	}
	equal := func(x, y archive.Change) bool {
		return x.Param == y.Param && agent.Config{x.Param: x.Old}.Equal(agent.Config{y.Param: y.Old}) &&
			agent.Config{x.Param: x.New}.Equal(agent.Config{y.Param: y.New})
	}
	if !slices.EqualFunc(p.Changes, Changes(a.Space.Names(), a.Champion, v.Config), equal) {
		return Refuse(hint, "%s lists other changes than those of its variant", p.ID)
	}
	return nil
}
