package reports

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

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
		d.Thresholds = b.thresholds(b.result.Finalist[b.headline])
		if h.Evidence != nil {
			d.Claim = h.Evidence.Claim
		}
	}
	d.Sentence = b.sentence()
	d.Commands = b.commands()
	return nil
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
	case b.result.Verdict == archive.Adopt && h != nil && h.Evidence != nil:
		where := "new tasks like these"
		if h.Evidence.Claim == stats.TheseTasks {
			where = "these tasks; new ones like them are another question"
		}
		return fmt.Sprintf("%s is better than %s on %s: by %s points on %s the search never saw",
			h.Variant.Name(), b.out.Decision.Champion.Name(), where, size(h.Difference), some(h.Tasks, "task"))
	case b.result.Verdict == archive.Adopt && h != nil:
		return fmt.Sprintf("%s is better than %s by %s points on %s the search never saw",
			h.Variant.Name(), b.out.Decision.Champion.Name(), size(h.Difference), some(h.Tasks, "task"))
	case b.result.Reason != "":
		return clip(b.named(b.result.Reason), reasonKept)
	case b.result.Verdict == archive.Keep && h != nil:
		return fmt.Sprintf("nothing tried tonight is better by a margin this run could see (%s points at 80 %% power)", size(h.Detectable))
	case b.result.Verdict == archive.Keep:
		return "nothing tried tonight looked better than the champion"
	}
	return "the evidence does not decide"
}

// named puts the numbers that people know in the place of the finalists' ids, and
// signs as they stand elsewhere.
func (b *builder) named(sentence string) string {
	for _, f := range b.out.Finalists {
		for _, noun := range []string{"variant ", "candidate "} {
			sentence = strings.ReplaceAll(sentence, noun+f.Variant.ID.Short(), f.Variant.Name())
		}
	}
	return signs(sentence)
}

// signs writes the minus signs of a sentence as the report's figures have them.
func signs(sentence string) string { return below.ReplaceAllString(sentence, "${1}"+minus+"${2}") }

// below is a number below 0 with a hyphen for its sign.
var below = regexp.MustCompile(`(^|[ (\[])-([.0-9])`)

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
