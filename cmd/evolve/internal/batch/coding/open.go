package coding

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"evolve/bench/metrics"
	"evolve/gates/review"
	"evolve/gates/versions"
	"evolve/mutate"
	"evolve/mutate/night"
	"evolve/mutate/population"
	"evolve/patch/diff"
	"evolve/runtime/agent"
)

// Open prepares the versions of the target to run.
func (p *Prospect) Open(ctx context.Context) (night.Opened, error) {
	program, done, err := p.program(ctx, "night")
	if err != nil {
		return night.Opened{}, err
	}
	p.scored.Bound(program)
	return night.Opened{
		Agent: versions.New(program, p.files, p.scale, p.together), Identity: p.ID(), Sandbox: program.Sandbox.Name(), Close: done,
	}, nil
}

// Search makes the search over versions. What earlier nights found on another base is left
// out, since scores are relative to the base's values.
func (p *Prospect) Search(o mutate.Options) (mutate.Searcher, error) {
	return population.New(population.Options{Options: o, Operators: p.operators, Normal: p.normal, Size: p.size})
}

// Submission returns a confirmed version as a patch. writers are the language models that
// wrote it or an ancestor of it.
func (p *Prospect) Submission(run string, c agent.Config, writers []string, gain string) (review.Submission, error) {
	files, err := p.Files(c)
	if err != nil {
		return review.Submission{}, err
	}
	metric, _, better := p.scale.Metric()
	what := "less " + metric
	if better == metrics.Higher {
		what = "more " + metric
	}
	by := "by operators, without a language model"
	if len(writers) > 0 {
		by = "by operators and by " + strings.Join(writers, ", ")
	}
	return review.Submission{
		Target: p.Target.Name, Author: Author(p.Target.Name), Origin: review.OriginBlocks, Diff: string(diff.Unified(files)), Run: run,
		Rationale: fmt.Sprintf("rewrite block %s for %s\n\nTexts of marked blocks that the nightly search found and confirmed on cases that it never had. They were written %s.", p.Names(), what, by),
		Gain:      gain,
	}, nil
}

// Files returns the changes of a version.
func (p *Prospect) Files(c agent.Config) ([]diff.File, error) {
	changed, err := p.changed(c)
	if err != nil {
		return nil, err
	}
	var files []diff.File
	for _, path := range slices.Sorted(maps.Keys(changed)) {
		files = append(files, diff.File{Path: path, Old: p.files[path], New: changed[path]})
	}
	return files, nil
}

// Keep writes versions to the target's repository; see [review.Ground.KeepVersions].
func (p *Prospect) Keep(ctx context.Context, list []review.Version) error {
	return p.ground.KeepVersions(ctx, list, p.reviewer.Now())
}

// Ref returns the ref of a kept version; empty if it is not kept.
func (p *Prospect) Ref(number int) string { return p.ground.VersionRef(number) }

// Author returns the author of a target's searched blocks: each target has its own limit of
// attempts.
func Author(target string) string { return "search over " + target }
