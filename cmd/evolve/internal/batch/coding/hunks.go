package coding

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// Hunk is a hunk of the change that the search found, with what it adds by itself.
type Hunk struct {
	// Text has its lines, clipped.
	Text string `json:"text"`
	// Reverted reports that it was taken back, as no value changed without it.
	Reverted bool `json:"reverted,omitempty"`
	// Alone is the change by this hunk alone, of the code as it is, and Without that by
	// taking it back from the version; nil where it was not tried.
	Alone   *HunkEffect `json:"alone,omitempty"`
	Without *HunkEffect `json:"without,omitempty"`
}

// HunkEffect is the mean change of the metric on search cases.
type HunkEffect struct {
	Change float64 `json:"change"`
	// Cases is the number of cases; 0 reports that the code without the other hunks, or
	// without this one, does not run.
	Cases int `json:"cases"`
}

// HunkVersions returns the versions that an ablation evaluated.
func HunkVersions(a *archive.Ablation) []agent.ConfigID {
	var out []agent.ConfigID
	for _, p := range a.Parts {
		for _, id := range []agent.ConfigID{p.Alone, p.Without} {
			if id != "" {
				out = append(out, id)
			}
		}
	}
	return out
}

// Hunks returns the hunks of an ablation. base is the code as it is, and values are those
// of the metric by version and search case.
func Hunks(a *archive.Ablation, base agent.ConfigID, values map[agent.ConfigID]map[string]float64) []Hunk {
	var out []Hunk
	for _, p := range a.Parts {
		out = append(out, Hunk{p.Name, p.Reverted, hunkEffect(base, p.Alone, values), hunkEffect(a.Small, p.Without, values)})
	}
	return out
}

func hunkEffect(from, to agent.ConfigID, values map[agent.ConfigID]map[string]float64) *HunkEffect {
	if to == "" {
		return nil
	}
	var pairs []stats.Pair
	for _, of := range slices.Sorted(maps.Keys(values[to])) {
		if was, both := values[from][of]; both {
			pairs = append(pairs, stats.Pair{Task: of, Cluster: of, Weight: 1, A: []float64{was}, B: []float64{values[to][of]}})
		}
	}
	if len(pairs) == 0 {
		return &HunkEffect{}
	}
	c := stats.Compare(pairs, .95)
	return &HunkEffect{c.Difference, c.Tasks}
}

// Describe returns what a hunk adds by itself, in words.
func (h Hunk) Describe(unit string) string {
	if h.Reverted {
		return "taken back, as no value changed without it"
	}
	var parts []string
	switch e := h.Alone; {
	case e == nil:
	case e.Cases == 0:
		parts = append(parts, "alone it does not run")
	default:
		parts = append(parts, "alone "+e.String(unit))
	}
	switch e := h.Without; {
	case e == nil:
	case e.Cases == 0:
		parts = append(parts, "nothing runs without it")
	default:
		parts = append(parts, "taking it back "+e.String(unit))
	}
	if len(parts) == 0 {
		return "not tried: the evaluations ended"
	}
	return strings.Join(parts, ", ")
}

// String formats the change with its number of cases.
func (e HunkEffect) String(unit string) string {
	if unit != "" {
		unit = " " + text.Visible(unit)
	}
	return fmt.Sprintf("%s%s on %s", strings.ReplaceAll(fmt.Sprintf("%+.4g", e.Change), "-", "−"), unit, text.Count(e.Cases, "case"))
}

// DescribeHunks returns what each hunk adds by itself, on one line.
func (p *Prospect) DescribeHunks(list []Hunk) string {
	metric, unit, _ := p.Metric()
	parts := make([]string, len(list))
	for i, h := range list {
		parts[i] = "⟨" + text.OneLine(h.Text) + "⟩ " + h.Describe(unit)
	}
	return "hunks by themselves, as the mean change of " + text.Visible(metric) + " on search " + p.Cases() + "s, an estimate: " + strings.Join(parts, "; ")
}
