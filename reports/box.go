package reports

import (
	"strings"

	"evolve/archive"
	"evolve/bench/stats"
)

// box is the decision box at the start of every rendering.
type box struct {
	Title    text
	Verdict  string
	Kind     string // adopt, keep, undecided or none; selects the colours
	Subject  text
	Claim    string
	Sentence text
	Rows     []boxRow
	Commands []string
}

// boxRow is one line of the box. Figures are aligned between rows; Note is free text
// after them or alone.
type boxRow struct {
	Label   string
	Figures []text
	Note    text
}

func decisionBox(s subject) box {
	d := s.agent.Decision
	b := box{Title: title(s), Kind: string(d.Verdict), Commands: d.Commands}
	b.Verdict = strings.ToUpper(string(d.Verdict))
	switch d.Verdict {
	case archive.Adopt:
		b.Subject = say(styled(d.name(), strong), " instead of "+d.instead())
		b.Claim = claim(s)
	case archive.Trade:
		b.Subject = say(styled(d.name(), strong), " instead of "+d.instead(), " breaks a guard")
		b.Claim = claim(s)
	case archive.Keep, archive.Undecided, archive.Waits:
		b.Subject = say(styled(d.Champion.Name(), strong))
		if words := claims[d.Claim]; words != "" && s.agent.Headline.Evidence.State != stats.Vetoed {
			b.Claim = s.agent.Headline.Variant.Name() + " is " + words
		}
		b.Sentence = say(foreign(d.Sentence))
	default:
		b.Verdict, b.Kind = "NO VERDICT", "none"
		b.Sentence = say(foreign(d.Sentence))
	}
	b.Rows = boxRows(s)
	return b
}

// claim returns what an adoption would rest on.
func claim(s subject) string {
	if words := claims[s.agent.Decision.Claim]; words != "" {
		return words
	}
	return "confirmed on unseen tasks"
}

func (d Decision) name() string {
	if d.Variant == nil {
		return unknown
	}
	return d.Variant.Name()
}

func title(s subject) text {
	t := say(theirs(s.agent.Agent, strong))
	if at := s.report.Volatile.Started; !at.IsZero() {
		t = append(t, say(" · night of "+day(at))...)
	}
	return append(t, say(" · run ", foreign(s.report.Run.ID))...)
}

func boxRows(s subject) []boxRow {
	h := s.agent.Headline
	if h == nil {
		return nil
	}
	note := say(sample(*h))
	if h.Of != stats.NoClaim {
		note = say(h.Of.Words()+", ", note)
	}
	if !s.agent.Decision.Verdict.Proposes() {
		note = say(h.Variant.Name()+", ", note)
	}
	if d := s.agent.Decision; d.Against != nil {
		note = append(note, say(", against "+d.instead())...)
	}
	rows := []boxRow{{
		Label:   "holdout",
		Figures: []text{say(score(h.Champion) + " → " + score(h.Score)), say(judged(h.Effect, points(h.Difference)+" points")), say(h.bounds())},
		Note:    note,
	}}
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
	if row := failuresRow(*h, against(s)); len(row.Note) > 0 {
		rows = append(rows, row)
	}
	if row := tailRow(*h, s.agent.Decision.Reference); len(row.Note) > 0 {
		rows = append(rows, row)
	}
	if row := assumesRow(*h); len(row.Note) > 0 {
		rows = append(rows, row)
	}
	if row := openRow(s); len(row.Note) > 0 {
		rows = append(rows, row)
	}
	for _, p := range s.agent.Decision.Proposals {
		if p.State != archive.Awaiting {
			rows = append(rows, boxRow{Label: "proposal", Note: say(foreign(p.ID), " is ", foreign(strings.ReplaceAll(string(p.State), "_", " ")))})
		}
	}
	return rows
}

// sample describes the size of a comparison.
func sample(h Headline) string {
	if h.Repeats > 1 || h.Evidence != nil {
		return some(h.Tasks, "task") + " × " + count(h.Repeats)
	}
	return some(h.Tasks, "task")
}

// judged colours a difference by its interval, and appends "~" if the difference is not
// significant.
func judged(e Effect, s string) text {
	switch {
	case e.Lo > 0:
		return say(styled(s, good))
	case e.Hi < 0:
		return say(styled(s, bad))
	}
	return say(s + " ~")
}

// since names the champion as the base of the changes if the figures above compare with
// another config.
func since(d Decision) text {
	if d.Against == nil {
		return nil
	}
	return say("from " + d.Champion.Name() + ": ")
}

// changeLine summarizes up to four changes.
func changeLine(changes []Change) text {
	var items []text
	for _, c := range first(changes, 4) {
		name := foreign(clip(c.Param, 40))
		added, removed := len(c.Added), len(c.Removed)
		for _, l := range c.Lines {
			switch l.Op {
			case "+":
				added++
			case "-":
				removed++
			}
		}
		switch {
		case c.Lines != nil && added+removed > 0:
			items = append(items, say(name, " "+lineCount(added, removed)))
		case added+removed > 0:
			it := say(name)
			for _, a := range c.Added {
				it = append(it, say(" + ", foreign(clip(a, 24)))...)
			}
			for _, r := range c.Removed {
				it = append(it, say(" "+minus+" ", foreign(clip(r, 24)))...)
			}
			items = append(items, it)
		default:
			items = append(items, say(name, " ", valueText(clip(c.Old, 24)), " → ", valueText(clip(c.New, 24))))
		}
	}
	if n := len(changes) - 4; n > 0 {
		items = append(items, say(count(n)+" more"))
	}
	return list(items, " · ")
}

func lineCount(added, removed int) string {
	var parts []string
	if added > 0 {
		parts = append(parts, "+ "+some(added, "line"))
	}
	if removed > 0 {
		parts = append(parts, minus+" "+some(removed, "line"))
	}
	return strings.Join(parts, " ")
}

// valueText formats a parameter's value; an empty value means inactive.
func valueText(s string) text {
	if s == "" {
		return say(styled("off", dim))
	}
	return say(foreign(s))
}
