package reports

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// decide says what there is to decide, once everything else is known.
func (b *builder) decide() error {
	d := &b.out.Decision
	d.Champion = b.ref(b.plan.Champion)
	if b.plan.Against != "" {
		against := b.ref(b.plan.Against)
		d.Against, d.Reference = &against, b.result.Reference
	}
	d.Verdict = b.result.Verdict
	d.Reason = clip(b.result.Reason, verdictKept)
	for _, c := range b.result.Causes {
		out := Cause{Kind: c.Kind, Figures: c.Figures, Sentence: clip(b.named(c.Sentence), reasonKept)}
		if c.Subject != "" {
			v := b.ref(agent.ConfigID(c.Subject))
			out.Variant = &v
		}
		d.Causes = append(d.Causes, out)
	}
	if h := b.out.Headline; h != nil {
		if d.Verdict.Proposes() {
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

// trade names the gain and the price of what is put to a person.
func (b *builder) trade(h Headline) string {
	var prices []string
	for _, g := range b.result.Finalist[b.headline].Ruling.Guards {
		if g.Broken() {
			prices = append(prices, g.Sentence())
		}
	}
	return fmt.Sprintf("%s is better than %s on new tasks like these, by %s points %s on %s the search never saw, at a price: %s",
		h.Variant.Name(), b.out.Decision.rival(), size(h.Difference), interval(h.Lo, h.Hi), some(h.Tasks, "task"), strings.Join(prices, "; ")) + b.besides() + b.out.Decision.chained()
}

// besides names what stands beside the gain of the headline: the tasks that only the variant fails, and
// what more blocks had to settle and did not.
func (b *builder) besides() string {
	r := b.result.Finalist[b.headline].Ruling
	if r == nil {
		return ""
	}
	out := signs(Visible(r.Undecided()))
	if words := r.Failures.Words(r.Reference); words != "" {
		out = "; " + words + out
	}
	return out
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
	case b.result.Verdict == archive.Trade && h != nil:
		return b.trade(*h)
	case b.result.Verdict.Proposes() && h != nil && h.Evidence != nil:
		where := "new tasks like these"
		if h.Evidence.Claim == stats.TheseTasks {
			where = "these tasks; new ones like them are another question"
		}
		return fmt.Sprintf("%s is better than %s on %s: by %s points on %s the search never saw",
			h.Variant.Name(), b.out.Decision.rival(), where, size(h.Difference), some(h.Tasks, "task")) + b.besides() + b.out.Decision.chained()
	case b.result.Verdict.Proposes() && h != nil:
		return fmt.Sprintf("%s is better than %s by %s points on %s the search never saw",
			h.Variant.Name(), b.out.Decision.rival(), size(h.Difference), some(h.Tasks, "task"))
	case b.result.Reason != "":
		return clip(b.named(b.result.Reason), verdictKept)
	case b.result.Verdict == archive.Keep && h != nil:
		return fmt.Sprintf("nothing tried tonight is better by a margin this run could see (%s points at 80 %% power)", size(h.Detectable))
	case b.result.Verdict == archive.Keep:
		return "nothing tried tonight looked better than the champion"
	}
	return "the evidence does not decide"
}

// verdictKept bounds the sentence of a verdict, which names several causes.
const verdictKept = 3 * reasonKept

// named puts the numbers that people know in the place of the ids of finalists and of
// what the causes are about, and signs as they stand elsewhere.
func (b *builder) named(sentence string) string {
	var list []Ref
	for _, f := range b.out.Finalists {
		list = append(list, f.Variant)
	}
	for _, c := range b.result.Causes {
		if c.Subject != "" {
			list = append(list, b.ref(agent.ConfigID(c.Subject)))
		}
	}
	for _, v := range list {
		for _, noun := range []string{"the candidate ", "variant ", "candidate "} {
			sentence = strings.ReplaceAll(sentence, noun+v.ID.Short(), v.Name())
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
