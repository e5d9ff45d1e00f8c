package reports

import (
	"fmt"
	"strconv"

	"evolve/archive"
	"evolve/bench/stats"
)

// decide says what there is to decide, once everything else is known.
func (b *builder) decide() error {
	d := &b.out.Decision
	d.Champion = b.ref(b.plan.Champion)
	d.Verdict = b.result.Verdict
	d.Reason = clip(b.result.Reason, reasonKept)
	if h := b.out.Headline; h != nil {
		if d.Verdict == archive.Adopt {
			v := h.Variant
			d.Variant = &v
		}
		d.Thresholds = thresholds(b.result.Finalist[b.headline])
	}
	d.Sentence = b.sentence()
	d.Commands = b.commands()
	return nil
}

// thresholds are the conditions by which bench/stats accepts a finalist.
func thresholds(f archive.Finalist) []Threshold {
	alpha := (1 - f.Comparison.Level) / 2
	units := float64(f.Comparison.Clusters)
	return []Threshold{
		{
			Name: "p adjusted over the finalists", Unit: "p", Observed: f.Adjusted, Sign: "≤", Required: alpha,
			Margin: alpha - f.Adjusted, Met: f.Adjusted <= alpha,
		},
		{
			Name: "lower end of the interval", Unit: "points", Observed: f.Comparison.Lo, Sign: ">", Required: 0,
			Margin: f.Comparison.Lo, Met: f.Comparison.Lo > 0,
		},
		{
			Name: "independent tasks", Unit: "tasks", Observed: units, Sign: "≥", Required: stats.MinClusters,
			Margin: units - stats.MinClusters, Met: units >= stats.MinClusters,
		},
	}
}

func (b *builder) sentence() string {
	h := b.out.Headline
	switch {
	case !b.finished:
		switch b.run.State {
		case archive.RunRunning:
			return "the run is still on; there is no verdict yet"
		case archive.RunDone:
			return "the run recorded no verdict for this agent"
		}
		return "the run ended before there was a verdict"
	case b.result.Verdict == archive.Adopt && h != nil:
		return fmt.Sprintf("%s is better than %s by %s points on %s the search never saw",
			h.Variant.Name(), b.out.Decision.Champion.Name(), size(h.Difference), some(h.Tasks, "task"))
	case b.result.Reason != "":
		return clip(b.result.Reason, reasonKept)
	case b.result.Verdict == archive.Keep && h != nil:
		return fmt.Sprintf("nothing tried tonight is better by a margin this run could see (%s points at 80 %% power)", size(h.Detectable))
	case b.result.Verdict == archive.Keep:
		return "nothing tried tonight looked better than the champion"
	}
	return "the evidence does not decide"
}

// commands are what to type next.
func (b *builder) commands() []string {
	run := strconv.Itoa(b.run.Number)
	if len(b.out.Decision.Proposals) == 0 {
		return []string{"evolve report " + run}
	}
	p := b.out.Decision.Proposals[0]
	switch p.State {
	case archive.Awaiting, archive.Approved, archive.Drafted, archive.Gated:
		return []string{"evolve approve " + p.ID, "evolve diff " + p.ID, "evolve reject " + p.ID + ` --reason "…"`}
	case archive.HumanLane:
		return []string{"evolve approve " + p.ID + ` --override-reason "…"`, "evolve diff " + p.ID, "evolve reject " + p.ID + ` --reason "…"`}
	case archive.Adopted:
		return []string{"evolve rollback " + p.ID, "evolve show " + p.ID}
	}
	return []string{"evolve show " + p.ID, "evolve report " + run}
}

// Name is what people call the variant.
func (r Ref) Name() string {
	if r.Number > 0 {
		return "v" + strconv.Itoa(r.Number)
	}
	if r.ID == "" {
		return unknown
	}
	return Visible(r.ID.Short())
}
