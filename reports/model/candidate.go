package model

import (
	"errors"
	"math"
	"slices"

	"evolve/archive"
	"evolve/bench/stats"
)

// Candidate is a variant's entry into the confirmation as this run left it: an entry to
// which the run added, or an entry from an earlier night that is still open.
type Candidate struct {
	Variant Ref         `json:"variant"`
	State   stats.State `json:"state"`
	// Run is the run that opened the entry; Nights is the number of runs, up to this one,
	// that added blocks to it.
	Run    string `json:"run"`
	Nights int    `json:"nights"`
	Blocks int    `json:"blocks"`
	// LogE is the evidence of the entry and Required the evidence needed, as in [Evidence].
	LogE     float64 `json:"log_e"`
	Required float64 `json:"required"`
	// Tonight reports whether this run added blocks to the entry.
	Tonight bool   `json:"tonight"`
	Reason  string `json:"reason,omitempty"`
}

// Open reports whether the confirmation may continue on another night.
func (c Candidate) Open() bool { return !c.State.Ended() }

// Share returns the evidence as a share of the required evidence, in [0, 1].
func (c Candidate) Share() float64 { return Evidence{LogE: c.LogE, Required: c.Required}.Share() }

// candidates lists the entries of this run and the open entries of earlier runs.
func (b *builder) candidates() error {
	for c, err := range b.src.Candidates(b.ctx, b.out.Agent) {
		if err != nil {
			return err
		}
		if !b.earlier[c.Run] || c.Champion != b.plan.Reference() {
			continue
		}
		out, err := b.candidate(c)
		if err != nil {
			return err
		}
		if out.Tonight || out.Open() && c.Void == "" {
			b.out.Candidates = append(b.out.Candidates, out)
		}
	}
	return nil
}

// candidate returns an entry as this run left it, without the changes of later runs.
func (b *builder) candidate(c archive.Candidate) (Candidate, error) {
	out := Candidate{
		Variant: b.ref(c.Variant), State: c.State, Run: c.Run, Blocks: c.Blocks, LogE: c.LogE, Required: -math.Log(c.Alpha),
		Reason: clip(b.inCases(c.Reason), MaxReason), Tonight: c.Run == b.run.ID || slices.Contains(c.Runs, b.run.ID),
	}
	last := ""
	for _, run := range c.Runs {
		if b.earlier[run] {
			out.Nights++
			last = run
		}
	}
	if out.Nights == len(c.Runs) {
		return out, nil
	}
	out.State, out.Blocks, out.LogE, out.Reason = stats.Open, 0, 0, ""
	if last == "" {
		return out, nil
	}
	result, err := b.src.Result(b.ctx, last, b.out.Agent)
	if errors.Is(err, archive.ErrNotFound) {
		return out, nil
	}
	for _, f := range result.Finalist {
		if r := f.Ruling; r != nil && f.Variant == c.Variant {
			out.State, out.Blocks, out.LogE, out.Reason = r.State, r.Blocks, r.LogE, clip(b.inCases(r.Reason), MaxReason)
		}
	}
	return out, err
}
