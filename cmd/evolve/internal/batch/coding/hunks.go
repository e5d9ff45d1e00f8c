package coding

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"evolve/bench/metrics"
	"evolve/bench/stats"
	"evolve/mutate/ablation"
	"evolve/mutate/blocks"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// Part is a part of a change. Place is the part's file and line in the base; it is empty
// for a parameter.
type Part struct {
	ablation.Part
	Place string
}

// Hunk is one hunk of a version's change to the code, with the separate effect of this
// hunk.
type Hunk struct {
	// Text contains the hunk's lines, truncated.
	Text string `json:"text"`
	// Place is the hunk's file and line in the base; it is empty for a parameter.
	Place string `json:"place,omitempty"`
	// Alone is the effect of applying only this hunk to the unchanged code, and Without is
	// the effect of removing it from the version. Each is nil if it was not tried.
	Alone   *HunkEffect `json:"alone,omitempty"`
	Without *HunkEffect `json:"without,omitempty"`
}

// HunkEffect is the effect of a hunk: the mean change of the metric on search cases.
type HunkEffect struct {
	Change float64 `json:"change"`
	// Cases is the number of cases compared; 0 means that the code without the other hunks,
	// or without this hunk, does not run.
	Cases int `json:"cases"`
}

// Values holds the values of the metric, keyed by version and case. A version that was
// evaluated but has no value has an entry without cases.
type Values map[agent.ConfigID]map[string]float64

// Parts returns the parts of a version's change to a base. It returns no parts for an
// agent whose answers depend on chance, because one evaluation does not show what a part
// adds.
func (p *Prospect) Parts(base, version agent.Config) []Part {
	space, _ := blocks.Space(p.Blocks)
	if p.own != nil {
		if !p.own.Deterministic || p.own.UsesSeed {
			return nil
		}
		space = p.together(p.own.Known)
	}
	var out []Part
	for _, part := range ablation.Parts(space, base, version) {
		out = append(out, Part{part, p.Place(base, part.Param, part.Line)})
	}
	return out
}

// Place returns the file and the number of a block's line in the code with a config's
// blocks, as in "main.go:12". line is counted from 1 within the block. Place returns ""
// if there is no such block.
func (p *Prospect) Place(base agent.Config, block string, line int) string {
	files, err := p.written(base)
	if err != nil {
		return ""
	}
	list, _ := blocks.Find(files)
	for _, b := range list {
		if b.Name == block {
			return fmt.Sprintf("%s:%d", b.File, b.Line+line)
		}
	}
	return ""
}

// HunkVersions returns the versions that show the effects of the parts of a change.
func HunkVersions(parts []Part) []agent.ConfigID {
	var out []agent.ConfigID
	for _, p := range parts {
		for _, id := range []agent.ConfigID{p.Alone, p.Without} {
			if id != "" {
				out = append(out, id)
			}
		}
	}
	return out
}

// Hunks returns the separate effect of each part of a version's change to base; it returns
// none if no part was tried.
func Hunks(parts []Part, base, version agent.ConfigID, values Values) []Hunk {
	var out []Hunk
	tried := false
	for _, p := range parts {
		h := Hunk{p.Name, p.Place, values.hunkEffect(base, p.Alone), values.hunkEffect(version, p.Without)}
		out, tried = append(out, h), tried || h.Alone != nil || h.Without != nil
	}
	if !tried {
		return nil
	}
	return out
}

// hunkEffect returns the mean change of the metric from one version to another. It
// returns nil if the second version was not evaluated, or if it was evaluated only on
// cases that have no value of the first version.
func (values Values) hunkEffect(from, to agent.ConfigID) *HunkEffect {
	var pairs []stats.Pair
	for _, of := range slices.Sorted(maps.Keys(values[to])) {
		if was, both := values[from][of]; both {
			pairs = append(pairs, stats.Pair{Task: of, Cluster: of, Weight: 1, A: []float64{was}, B: []float64{values[to][of]}})
		}
	}
	switch of, evaluated := values[to]; {
	case !evaluated, len(of) > 0 && len(pairs) == 0:
		return nil
	case len(of) == 0:
		return &HunkEffect{}
	}
	c := stats.Compare(pairs, .95)
	return &HunkEffect{c.Difference, c.Tasks}
}

// Title returns the location of a hunk, followed by its lines.
func (h Hunk) Title() string { return strings.TrimSpace(h.Place + " " + h.Text) }

// Describe describes the separate effect of a hunk.
func (h Hunk) Describe(unit string) string {
	var parts []string
	switch e := h.Alone; {
	case e == nil:
	case e.Cases == 0:
		parts = append(parts, "with only this hunk, the code does not run")
	default:
		parts = append(parts, "alone "+e.String(unit))
	}
	switch e := h.Without; {
	case e == nil:
	case e.Cases == 0:
		parts = append(parts, "without this hunk, the code does not run")
	default:
		parts = append(parts, "reverting it "+e.String(unit))
	}
	if len(parts) == 0 {
		return "not tried"
	}
	return strings.Join(parts, ", ")
}

// String formats the change and the number of cases.
func (e HunkEffect) String(unit string) string {
	change := strings.ReplaceAll(fmt.Sprintf("%+.4g", e.Change), "-", "−")
	return metrics.WithChangeUnit(change, unit) + " on " + text.Count(e.Cases, "case")
}

// DescribeHunks describes the separate effect of each hunk, on one line.
func (p *Prospect) DescribeHunks(list []Hunk) string {
	metric, unit, _ := p.Metric()
	parts := make([]string, len(list))
	for i, h := range list {
		parts[i] = "⟨" + text.OneLine(h.Title()) + "⟩ " + h.Describe(unit)
	}
	return "estimated effect of each hunk by itself, as the mean change in " + text.Visible(metric) + " on search " + p.Cases() + "s: " + strings.Join(parts, "; ")
}
