package render

import (
	"cmp"
	"regexp"
	"strings"

	"evolve/bench/stats"
	"evolve/reports/model"
	"evolve/reports/number"
)

// box is the decision box at the start of every rendering.
type box struct {
	Title    spans
	Alarms   []alarm // before everything else
	Verdict  string
	Kind     string // adopt, keep, undecided or none; determines the colours
	Subject  spans
	Claim    string
	Sentence spans
	Rows     []boxRow
	Commands []string
}

// alarm is a sentence above the verdict, and a command that belongs to it.
type alarm struct {
	Text    span
	Command string
}

// Words returns the alarm's sentence for a page.
func (a alarm) Words() spans { return say(a.Text) }

// boxRow is one line of the box. Figures are aligned across rows; Note is free text that
// follows the figures, if there are any.
type boxRow struct {
	Label   string
	Figures []spans
	Note    spans
	// Price is the row written as one line; it is empty unless the row shows that the
	// variant gets worse or dearer. See [Price].
	Price string
}

// gateName matches names of gates and proposals that may appear in a heading unchanged.
var gateName = regexp.MustCompile(`^[A-Za-z0-9_: -]{1,60}$`)

// refusal returns the end of the heading for a night whose proposals were refused. It names
// the gate that refused them if the records show which gate it was.
func refusal(list []model.Proposal) string {
	for _, by := range []struct{ verdict, start, end string }{
		{"failed", " was refused by ", ""},
		{"not_run", " waits for ", ", which did not run"},
	} {
		for _, p := range list {
			for _, g := range p.Gates {
				if g.Verdict != by.verdict || !gateName.MatchString(p.ID) {
					continue
				}
				gate := "a gate"
				if gateName.MatchString(g.Gate) {
					gate = "the gate " + g.Gate
				}
				return by.start + gate + " of " + p.ID + by.end
			}
		}
	}
	if len(list) == 0 {
		return " has no proposal"
	}
	return " has a proposal without a record of its gates"
}

func decisionBox(s subject) box {
	d := s.agent.Decision
	b := box{Title: title(s), Kind: string(d.Verdict), Commands: d.Commands}
	b.Verdict = strings.ToUpper(string(d.Verdict))
	switch d.Verdict {
	case model.Adopt, model.Trade:
		b.Subject = say(styled(variantName(d), strong), " instead of "+d.BaseLabel())
		if d.Verdict == model.Trade {
			b.Subject = append(b.Subject, say(" breaks a guard")...)
		}
		b.Claim = cmp.Or(d.Claim.Finding(), "confirmed on unseen tasks")
	case model.Refused:
		b.Subject = say(styled(d.Champion.Name(), strong), " stays")
		if h := s.agent.Headline; h != nil {
			b.Claim = h.Variant.Name() + refusal(d.Proposals)
		}
		b.Sentence = say(foreign(d.Sentence))
	case model.Keep, model.Undecided, model.Waits:
		b.Subject = say(styled(d.Champion.Name(), strong))
		if words := d.Claim.Finding(); words != "" && s.agent.Headline.Evidence.State != stats.Vetoed {
			b.Claim = s.agent.Headline.Variant.Name() + " is " + words
		}
		b.Sentence = say(foreign(d.Sentence))
	default:
		b.Verdict, b.Kind = "NO VERDICT", "none"
		b.Sentence = say(foreign(d.Sentence))
	}
	b.Rows = boxRows(s)
	if row := s.volatile.Watch.Row(); row != "" {
		b.Rows = append(b.Rows, boxRow{Label: "watch", Note: say(foreign(row))})
	}
	for _, a := range s.volatile.Watch.Alarms() {
		b.Alarms = append(b.Alarms, alarm{theirs(a.Text, bad), a.Command})
	}
	if s.measured() {
		return b.cases()
	}
	return b
}

// variantName returns the name of the variant that would be adopted.
func variantName(d model.Decision) string {
	if d.Variant == nil {
		return number.Unknown
	}
	return d.Variant.Name()
}

func title(s subject) spans {
	t := say(theirs(s.agent.Agent, strong))
	if at := s.report.Volatile.Started; !at.IsZero() {
		t = append(t, say(" · night of "+number.Date(at))...)
	}
	return append(t, say(" · run ", foreign(s.report.Run.ID))...)
}

func boxRows(s subject) []boxRow {
	h := s.agent.Headline
	if h == nil {
		return missingRows(s.agent.Health)
	}
	note := say(sample(*h))
	if h.Of != stats.NoClaim {
		note = say("for "+h.Of.Words()+"; ", note)
	}
	if !s.agent.Decision.Verdict.Proposes() {
		note = say(h.Variant.Name()+", ", note)
	}
	if d := s.agent.Decision; d.Against != nil {
		note = append(note, say(", against "+d.BaseLabel())...)
	}
	rows := metricRows(*h)
	label := "holdout"
	if len(rows) > 0 {
		label, note = "score", append(note, say(", decides")...)
	}
	rows = append(rows, boxRow{
		Label:   label,
		Figures: []spans{say(number.Score(h.Champion) + " → " + number.Score(h.Score)), say(judged(h.Effect, number.Points(h.Difference)+" points")), say(h.Bounds())},
		Note:    note,
	})
	rows = append(rows, consumedRows(s)...)
	if h.Discord != "" {
		rows = append(rows, boxRow{Label: "but", Note: say(foreign(h.Discord))})
	}
	if words := s.agent.Decision.Unconfirmed; words != "" {
		rows = append(rows, boxRow{Label: "why", Note: say(foreign(words))})
	}
	rows = append(rows, priceRows(h.Further)...)
	if n := s.agent.Health.ValueNoise; n != nil {
		rows = append(rows, boxRow{Label: "chance", Note: say(foreign(n.Words()))})
	}
	for _, w := range s.agent.Health.Scale {
		rows = append(rows, boxRow{Label: "scale", Note: say(foreign(w))})
	}
	if row := championRow(s); len(row.Note) > 0 {
		rows = append(rows, row)
	}
	rows = append(rows, guardRows(s)...)
	if len(s.agent.Domains) > 0 {
		rows = append(rows, boxRow{Label: "domains", Note: domainLine(s.agent.Domains)})
	}
	if len(s.agent.Changes) > 0 && s.agent.Decision.Verdict.Proposes() {
		rows = append(rows, boxRow{Label: "changes", Note: append(since(s.agent.Decision), changeLine(s.agent.Changes)...)})
	}
	for _, row := range []boxRow{failuresRow(*h, against(s)), tailRow(*h, s.agent.Decision.Reference), assumesRow(*h), openRow(s)} {
		if len(row.Note) > 0 {
			rows = append(rows, row)
		}
	}
	rows = append(rows, missingRows(s.agent.Health)...)
	return append(rows, proposalRows(s.agent.Decision.Proposals)...)
}

// proposalRows returns the rows for proposals: the state of each, and what gates flagged
// for the person who decides.
func proposalRows(list []model.Proposal) []boxRow {
	var rows []boxRow
	for _, p := range list {
		if p.State != model.Awaiting {
			note := say(foreign(p.ID), " is ", foreign(p.State.Name()))
			if p.State == model.HumanLane {
				note = append(note, say(" by gates, for a person to decide")...)
			}
			rows = append(rows, boxRow{Label: "proposal", Note: note})
		}
		if len(p.Stale) > 0 {
			rows = append(rows, boxRow{Label: "proposal", Note: say(foreign(p.ID), " is "+model.StaleWords(p.Stale))})
		}
		for _, flag := range model.Flags(p.Gates) {
			rows = append(rows, boxRow{Label: "flagged", Note: say(foreign(flag))})
		}
	}
	return rows
}

// metricRows returns the row for the difference in the metric, which comes before the row
// for the score; it returns nothing if there is no metric.
func metricRows(h model.Headline) []boxRow {
	g := h.Metric
	if g == nil {
		return nil
	}
	note := say(foreign(g.Title()), ", "+string(g.Better)+" is better, ")
	switch {
	case g.Interval != nil:
		note = append(note, say(metricShort(g)+", ")...)
	case g.Same:
		note = append(note, say("the same change on every case, ")...)
	}
	note = append(note, say(g.Size())...)
	return []boxRow{{
		Label:   "holdout",
		Figures: []spans{say(foreign(g.Values())), judgedGain(g, foreign(g.Change())), say(cmp.Or(g.Bounds(), "no interval"))},
		Note:    note,
	}}
}

// metricShort returns a description of the interval of a gain in a few words.
func metricShort(g *stats.Gain) string {
	if g.Interval == nil {
		return "no interval"
	}
	return number.Percent(g.Level) + " interval for new cases"
}

// judgedGain colours a difference in a metric according to its interval, and appends "~" if
// the interval does not show a direction.
func judgedGain(g *stats.Gain, change span) spans {
	switch shown := g.Shown(); {
	case shown > 0:
		change.Style = good
	case shown < 0:
		change.Style = bad
	case g.Interval != nil:
		return say(change, " ~")
	}
	return say(change)
}

// sample returns a description of the size of a comparison, such as its number of tasks.
func sample(h model.Headline) string {
	if h.Repeats > 1 || h.Evidence != nil {
		return number.Plural(h.Tasks, "task") + ", " + number.Times(h.Repeats) + " each"
	}
	return number.Plural(h.Tasks, "task")
}

// judged colours a difference according to its interval, and appends "~" if the difference
// is not significant.
func judged(e model.Effect, s string) spans {
	switch {
	case e.Lo > 0:
		return say(styled(s, good))
	case e.Hi < 0:
		return say(styled(s, bad))
	}
	return say(s + " ~")
}

// since returns a phrase that names the champion as the base of the listed changes. The
// phrase is needed only if the figures above the changes compare with another config;
// otherwise since returns nothing.
func since(d model.Decision) spans {
	if d.Against == nil {
		return nil
	}
	return say("from " + d.Champion.Name() + ": ")
}

// changeLine returns a line with up to four changes.
func changeLine(changes []model.Change) spans {
	var items []spans
	for _, c := range model.First(changes, 4) {
		name := clipped(c.Param, 40)
		added, removed := countLines(c.Lines)
		added, removed = added+len(c.Added), removed+len(c.Removed)
		switch {
		case c.Lines != nil && added+removed > 0:
			items = append(items, say(name, " "+lineCount(added, removed)))
		case added+removed > 0:
			it := say(name)
			for _, a := range c.Added {
				it = append(it, say(" + ", clipped(a, 24))...)
			}
			for _, r := range c.Removed {
				it = append(it, say(" "+number.Minus+" ", clipped(r, 24))...)
			}
			items = append(items, it)
		default:
			items = append(items, say(name, " ", valueText(c.Old, 24), " → ", valueText(c.New, 24)))
		}
	}
	if n := len(changes) - 4; n > 0 {
		items = append(items, say(number.Count(n)+" more"))
	}
	return list(items, " · ")
}

// countLines counts the added and removed lines of a diff.
func countLines(lines []model.Line) (added, removed int) {
	for _, l := range lines {
		switch l.Op {
		case "+":
			added++
		case "-":
			removed++
		}
	}
	return added, removed
}

func lineCount(added, removed int) string {
	var parts []string
	if added > 0 {
		parts = append(parts, "+ "+number.Plural(added, "line"))
	}
	if removed > 0 {
		parts = append(parts, number.Minus+" "+number.Plural(removed, "line"))
	}
	return strings.Join(parts, " ")
}

// valueText formats a parameter's value; an empty value means that the parameter is
// inactive.
func valueText(s string, n int) spans {
	if s == "" {
		return say(styled("off", dim))
	}
	return say(clipped(s, n))
}
