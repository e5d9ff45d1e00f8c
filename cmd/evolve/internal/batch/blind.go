package batch

import (
	"fmt"

	"evolve/archive"
	"evolve/mutate/night"
)

// blind returns a warning if a search chooses most of its configs before it has a result,
// and "" otherwise. If money or time limits a night, the search requests no evaluation
// before a slot is free, so there is no warning.
func (o *Options) blind(p *archive.AgentPlan) string {
	ahead := night.Ahead(o.Concurrency, o.Lookahead, p.Deterministic)
	if o.limited() || p.Search == 0 || 2*ahead <= p.Search {
		return ""
	}
	setting, now, most := "concurrency", o.Concurrency, p.Search/8
	if p.Deterministic {
		setting, now, most = "lookahead", o.Lookahead, p.Search/4
	}
	advice := fmt.Sprintf("set %s to %d or less", setting, most)
	switch {
	case now <= 1:
		advice = "allow more evaluations"
	case most <= 1:
		advice = "set " + setting + " to 1"
	}
	return fmt.Sprintf("the search chooses %d of its %d evaluations before it has a result to learn from: %s", min(ahead, p.Search), p.Search, advice)
}
