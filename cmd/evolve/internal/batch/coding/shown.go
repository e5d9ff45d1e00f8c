package coding

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/metrics"
	"evolve/mutate/blocks"
	"evolve/patch"
	"evolve/patch/diff"
	"evolve/runtime/agent"
)

// Recall sets the suite and the scale of a target returned by [Find], from the stored
// values of the unchanged code. It reports whether there are any such values, and runs
// nothing. For an agent's own code there are none.
func (p *Prospect) Recall(rules bench.GraderRules, kept Kept) (bool, error) {
	if p.own != nil {
		return false, nil
	}
	base, ok := p.known(kept)
	if !ok {
		return false, nil
	}
	return true, p.use(base, rules)
}

// Scale returns the scale of the metric; it returns nil if the values of the unchanged code
// are not known.
func (p *Prospect) Scale() *metrics.Scale { return p.scale }

// Commit returns the commit that holds the unchanged code.
func (p *Prospect) Commit() string { return p.ground.Commit }

// History returns the repository of the target, with its commits.
func (p *Prospect) History() *patch.Repository { return p.ground.History() }

// Current returns a config with the present texts of the blocks. If the blocks are an
// agent's own code, the values of the agent's champion are added.
func (p *Prospect) Current() agent.Config {
	_, current := blocks.Space(p.Blocks)
	if p.own != nil {
		maps.Copy(current, p.own.Champion)
	}
	return current
}

// Change returns the difference between two versions as files. These are the code's files
// with the texts of the blocks inserted, so line numbers are those in the code. A block
// that the code no longer has is shown as a separate file, named after the block.
func (p *Prospect) Change(from, to agent.Config) ([]diff.File, error) {
	before, err := p.written(from)
	if err != nil {
		return nil, err
	}
	after, err := p.written(to)
	if err != nil {
		return nil, err
	}
	var out []diff.File
	for _, path := range slices.Sorted(maps.Keys(after)) {
		if string(before[path]) != string(after[path]) {
			out = append(out, diff.File{Path: path, Old: before[path], New: after[path]})
		}
	}
	if p.own != nil {
		out = append(out, p.changeOfConfig(from, to)...)
		slices.SortFunc(out, func(a, b diff.File) int { return strings.Compare(a.Path, b.Path) }) // as in a patch
	}
	both := maps.Clone(from)
	maps.Copy(both, to)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		if old, now := from.String(name), to.String(name); !p.has(name) && !p.isParameter(name) && old != now {
			out = append(out, diff.File{Path: "block " + name, Old: []byte(old), New: []byte(now)})
		}
	}
	return out, nil
}

// written returns the files with the texts of a config, without the other parameters and
// without blocks that the code no longer has.
func (p *Prospect) written(c agent.Config) (map[string][]byte, error) {
	known := agent.Config{}
	for name, v := range c {
		if p.has(name) {
			known[name] = v
		}
	}
	return blocks.Set(p.files, known)
}

func (p *Prospect) has(name string) bool {
	return slices.ContainsFunc(p.Blocks, func(b blocks.Block) bool { return b.Name == name })
}

// printed returns the value that a scoring command printed in an evaluation; it returns
// false if there is none.
func printed(e *bench.Evaluation) (v metrics.Value, ok bool) {
	first, _, _ := strings.Cut(e.Answer, "\n") // further metrics follow
	return v, e.Outcome == agent.OK && json.Unmarshal([]byte(first), &v) == nil
}

// Moved is [review.Reviewer.Moved].
func (p *Prospect) Moved(of archive.ProposalRecord) string {
	words, _ := p.reviewer.Moved(of)
	return words
}
