package coding

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/bench/metrics"
	"evolve/gates/review"
	"evolve/gates/versions"
	"evolve/mutate"
	"evolve/mutate/night"
	"evolve/mutate/population"
	"evolve/patch/diff"
	"evolve/runtime/agent"
)

// Open prepares the target's versions to run. building is the context of the initial
// builds, which can take minutes. scratch is a folder for working directories.
func (p *Prospect) Open(ctx, building context.Context, scratch string) (night.Opened, error) {
	if p.own != nil {
		return p.openOwn(ctx, building, scratch)
	}
	program, done, err := p.program(building, "night")
	if err != nil {
		return night.Opened{}, err
	}
	p.scored.Bound(program)
	code := versions.New(program, p.files, p.scale, p.atOnce, p.reviewer.Now)
	out := night.Opened{Agent: code, Identity: fmt.Sprintf("%s\x00scores of form %d", p.ID(), metrics.Form), Sandbox: program.Sandbox.Name(), Close: done}
	if p.noise.Any() {
		out.Identity += "\x00its values differ from start to start"
		out.Parallel = 1 // times are longer while another evaluation runs
		return out, nil
	}
	out.Varies = func() string { return p.varies(code) }
	out.Close = func() error { return errors.Join(p.keepDiffering(code), done()) }
	return out, nil
}

// Search creates the search over versions. It leaves out versions that earlier nights made
// from another base, because scores are relative to the base's values.
func (p *Prospect) Search(o mutate.Options) (mutate.Searcher, error) {
	options := population.Options{Options: o, Operators: p.operators, Normal: p.normal, Size: p.size}
	if p.own == nil {
		return population.New(options)
	}
	options.Operators = slices.Concat(p.operators, knobs(p.own.Space))
	options.Authored = p.blockNames()
	options.Apart = func(c agent.Config) string { return string(p.parameters(c).ID()) }
	return population.Together(options, p.own.Space)
}

// Submission returns a confirmed version as a patch. writers are the language models that
// wrote the version or one of its ancestors.
func (p *Prospect) Submission(run string, c agent.Config, writers []string, gain string) (review.Submission, error) {
	files, err := p.Files(c)
	if err != nil {
		return review.Submission{}, err
	}
	by := "by operators, without a language model"
	if len(writers) > 0 {
		by = "by operators and by " + strings.Join(writers, ", ")
	}
	title, what := p.describe(c)
	return review.Submission{
		Target: p.Target.Name, Author: Author(p.Target.Name), Origin: review.OriginBlocks, Diff: string(diff.Unified(files)), Run: run,
		Rationale: fmt.Sprintf("%s\n\n%s that the nightly search found and confirmed on %ss that it had never used. They were written %s.", title, what, p.Cases(), by),
		Gain:      gain, Variant: c.ID(),
	}, nil
}

// describe returns the title of a patch and a description of its content.
func (p *Prospect) describe(c agent.Config) (title, what string) {
	if p.own != nil {
		return p.describeOwn(c)
	}
	metric, _, better := p.scale.Metric()
	goal := "less " + metric
	if better == metrics.Higher {
		goal = "more " + metric
	}
	var changed []string
	for _, b := range p.Blocks {
		if c.String(b.Name) != b.Text {
			changed = append(changed, b.Name)
		}
	}
	return "rewrite " + blocksNamed(changed) + " for " + goal, "Texts of marked blocks"
}

// blocksNamed describes blocks by their names.
func blocksNamed(blocks []string) string {
	if len(blocks) == 1 {
		return "block " + blocks[0]
	}
	return "blocks " + strings.Join(blocks, ", ")
}

// Files returns the changes of a version.
func (p *Prospect) Files(c agent.Config) ([]diff.File, error) {
	changed, err := p.changed(c)
	if err != nil {
		return nil, err
	}
	var files []diff.File
	for _, path := range slices.Sorted(maps.Keys(changed)) {
		files = append(files, diff.File{Path: path, Old: p.committed(path), New: changed[path]})
	}
	return files, nil
}

// Keep writes versions to the target's repository, for the archive with the given id; see
// [review.Shelf]. It does not remove the refs of the versions in spared. find returns the
// archive's variant with the given number.
func (p *Prospect) Keep(ctx context.Context, archiveID string, list []review.Version, spared []agent.ConfigID, find func(number int) (archive.Variant, bool, error)) error {
	shelf := &review.Shelf{Ground: p.ground, Archive: archiveID, Spared: spared, Find: func(number int) (review.Version, bool, error) {
		v, ok, err := find(number)
		if !ok || err != nil {
			return review.Version{}, false, err
		}
		files, err := p.Files(v.Config)
		if err != nil {
			files = nil // the code has other blocks now
		}
		return review.Version{Number: v.Number, Variant: v.ID, Files: files}, true, nil
	}}
	return shelf.Keep(ctx, list, p.reviewer.Now())
}

// Ref returns the ref of a version that is stored for the archive with the given id; it
// returns "" if the version is not stored.
func (p *Prospect) Ref(archiveID string, v archive.Variant) string {
	return p.ground.VersionRef(archiveID, v.Number, v.ID)
}

// Author returns the name of the author of the patches that the search over a target's
// blocks makes. The name differs by target, so each target has its own limit of attempts.
func Author(target string) string { return "search over " + target }
