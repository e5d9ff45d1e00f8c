package render

import (
	"strings"
	"unicode/utf8"

	"evolve/bench/stats"
	"evolve/reports/model"
	"evolve/reports/number"
)

// The maximum number of rows that each table shows directly, and the maximum number of rows
// in the fold after the table.
const (
	maxTasks       = 12
	maxFoldedTasks = 200
	// maxShown is the maximum number of characters shown of a text that is displayed next
	// to other texts; the whole text is in a fold.
	maxShown = 280
)

// taskBlocks shows the tasks that got worse, and then those that got better.
func taskBlocks(s subject) []block {
	if len(s.agent.Tasks) == 0 {
		return nil
	}
	regressions, gains := model.SplitTasks(s.agent.Tasks)
	out := []block{para{Text: say(styled(number.Plural(len(regressions), "task"), strong), " lower, ", styled(number.Count(len(gains)), strong), " higher, ",
		number.Count(len(s.agent.Tasks)-len(regressions)-len(gains))+" the same.")}, slope(s)}
	details := map[string]model.Detail{}
	for _, d := range s.agent.Details {
		details[d.Task] = d
	}
	for _, part := range []struct {
		title, mark string
		tasks       []model.TaskPair
	}{{"Regressions", "worse", regressions}, {"Gains", "better", gains}} {
		if len(part.tasks) == 0 {
			continue
		}
		head := part.title
		if n := len(part.tasks); n > maxTasks {
			head += ", the " + number.Count(maxTasks) + " largest of " + number.Count(n)
		}
		out = append(out, subhead{say(head)}, s.taskTable(part.title+", the largest first", part.mark, model.First(part.tasks, maxTasks)))
		for _, p := range part.tasks {
			if d, ok := details[p.Task]; ok {
				out = append(out, s.detailFold(d, against(s)))
				delete(details, p.Task)
			}
		}
		if len(part.tasks) > maxTasks {
			rest := part.tasks[maxTasks:]
			f := fold{Summary: say(number.Plural(len(rest), "smaller one")), Blocks: []block{s.taskTable("Smaller "+strings.ToLower(part.title), part.mark, model.First(rest, maxFoldedTasks))}}
			if n := len(rest) - maxFoldedTasks; n > 0 {
				f.Blocks = append(f.Blocks, para{Note: true, Text: say(number.Count(n) + " more in the JSON report.")})
			}
			out = append(out, f)
		}
	}
	return out
}

func (s subject) taskTable(title, mark string, tasks []model.TaskPair) table {
	if s.measured() {
		return s.caseTable(title, mark, tasks)
	}
	t := newTable(say(title), wraps("task"), plain("passes"), figures("points"), wraps("domain"), figures("scores"), plain(""))
	for _, p := range tasks {
		t.add(mark,
			clipped(p.Task, 80), passes(p), number.Points(p.Difference()),
			domainName(p.Domain, 40), number.Score(p.Champion)+" → "+number.Score(p.Score), styled(steadyText(p), dim))
	}
	return t
}

// caseTable returns a table of cases with both sides' values of the metric, in the metric's
// unit.
func (s subject) caseTable(title, mark string, cases []model.TaskPair) table {
	t := newTable(say(title), wraps("case"), figures("base → version", "change", "scores"))
	for _, p := range cases {
		change := number.Unknown
		if v := p.Values; v != nil {
			change = s.gain(p).Change()
		}
		t.add(mark, clipped(p.Task, 80), foreign(s.values(p)), foreign(change), number.Score(p.Champion)+" → "+number.Score(p.Score))
	}
	return t
}

// values formats the values of both sides on a case, in the metric's unit, or states that a
// value is missing.
func (s subject) values(p model.TaskPair) string {
	if p.Values == nil {
		return "no value on at least one side"
	}
	return s.gain(p).Values()
}

// gain returns the difference in the metric on one case.
func (s subject) gain(p model.TaskPair) *stats.Gain {
	g := &stats.Gain{A: p.Values.Champion, B: p.Values.Variant, Difference: p.Values.Variant - p.Values.Champion, Cases: 1}
	if h := s.agent.Headline; h != nil && h.Metric != nil {
		g.Kind = h.Metric.Kind
	}
	return g
}

// steadyText returns a phrase that states whether the runs of a task agree.
func steadyText(p model.TaskPair) string {
	if p.Steady == "once" {
		return "run once"
	}
	return p.Steady
}

// runText returns a phrase that states which run of a task a detail shows; the first is run
// 1.
func runText(d model.Detail) string {
	if d.Steady == "once" {
		return "run once"
	}
	return d.Steady + ", run " + number.Count(d.Repeat+1)
}

func passes(p model.TaskPair) string {
	n := number.Count(p.Repeats)
	return number.Count(p.PassA) + "/" + n + " → " + number.Count(p.PassB) + "/" + n
}

func (s subject) detailFold(d model.Detail, against string) fold {
	came := span{Text: passes(d.TaskPair)}
	if s.measured() {
		came = foreign(s.values(d.TaskPair))
	}
	f := fold{Summary: say(clipped(d.Task, 80), "  ", came, remark(runText(d)))}
	answers := answersOf(d)
	if d.Goal != "" {
		words, input := request(d.Goal)
		question := facts{{"goal", spans{lined(words, maxShown)}}}
		question.add("input", lined(lines(input), maxShown))
		if answers.graded == "" {
			question.add("expected", lined(readable(d.Expected), maxShown))
		} else {
			question.add("graded by", lined(answers.graded, maxShown))
		}
		f.Blocks = append(f.Blocks, question)
	}
	f.Blocks = append(f.Blocks, s.sideBySide(d, answers, against))
	if len(answers.fields) > 0 {
		f.Blocks = append(f.Blocks, answers.table(d, against))
	}
	if len(d.Steps) > 0 {
		f.Blocks = append(f.Blocks, stepTable(d, against))
	}
	if whole := wholeTexts(d, against); len(whole) > 0 {
		f.Blocks = append(f.Blocks, fold{Summary: say("Long texts"), Blocks: whole})
	}
	if len(d.Transcript) > 0 {
		f.Blocks = append(f.Blocks, transcriptFold(d, against))
	}
	return f
}

// sideBySide returns a table of the results, answers and reasons of both sides next to each
// other.
func (s subject) sideBySide(d model.Detail, answers answers, against string) table {
	t := newTable(say("Both sides of ", clipped(d.Task, 80)), plain(""), wraps(against, "variant"))
	row := func(name string, of func(model.Attempt) spans) {
		if before, after := of(d.Before), of(d.After); len(before)+len(after) > 0 {
			t.add("", name, before, after)
		}
	}
	row("result", s.verdictOf)
	if len(answers.fields) == 0 {
		row("answer", func(a model.Attempt) spans { return say(lined(readable(a.Answer), maxShown)) })
	}
	if !s.measured() { // for a case, this row would show the score again
		row("reason", func(a model.Attempt) spans { return say(foreign(a.Reason)) })
	}
	row("error", func(a model.Attempt) spans { return say(foreign(a.Error)) })
	return t
}

func (s subject) verdictOf(a model.Attempt) spans {
	verdict := styled("failed", bad)
	if a.Pass {
		verdict = styled("passed", good)
	}
	v := say(verdict, " with "+number.Score(a.Score))
	if s.measured() {
		v = say("score " + number.Score(a.Score))
	}
	if a.Outcome != "ok" {
		v = append(v, say(", ", stateSpan(string(a.Outcome)))...)
	}
	return v
}

// wholeTexts lists in full the texts that [detailFold] has shortened.
func wholeTexts(d model.Detail, against string) []block {
	var out []block
	for _, long := range []struct{ name, text string }{
		{"goal", d.Goal}, {"expected", readable(d.Expected)}, {against + "'s answer", readable(d.Before.Answer)}, {"variant's answer", readable(d.After.Answer)},
	} {
		if utf8.RuneCountInString(long.text) <= maxShown {
			continue
		}
		l := listing{Label: say(long.name+" of ", clipped(d.Task, 80))}
		for line := range strings.SplitSeq(long.text, "\n") {
			l.Lines = append(l.Lines, mark{" ", say(foreign(line))})
		}
		out = append(out, l)
	}
	return out
}

// stepTable returns a table of the tool calls of both sides next to each other.
func stepTable(d model.Detail, against string) block {
	if d.Diverge < 0 {
		names := make([]string, len(d.Steps))
		for i, s := range d.Steps {
			names[i] = s.Before
		}
		return facts{{"tools", say("the same on both sides: ", foreignList(names))}}
	}
	t := newTable(say("Tool calls of ", clipped(d.Task, 80)), figures("#"), wraps(against, "variant"), plain(""))
	for i, st := range d.Steps {
		mark, note := "", ""
		if i == d.Diverge {
			mark, note = "diverge", "◂ first difference"
		}
		t.add(mark, number.Count(i+1), stepText(st.Before), stepText(st.After), styled(note, strong))
	}
	return t
}

func stepText(s string) spans {
	if s == "" {
		return say(styled(number.Unknown, dim))
	}
	return say(clipped(s, 80))
}
