//go:build unix

package e2e

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// nightly contains the parts of a report that the test reads.
type nightly struct {
	Run struct {
		Evaluations int
	}
	Agents []struct {
		Decision  struct{ Verdict string }
		Headline  *confirmed
		Finalists []confirmed
		Honesty   struct{ Evaluations, Confirmations int }
		Usage     []struct {
			Name              string
			Champion, Variant float64
		}
		Domains []struct {
			Domain                      string
			Tasks                       int
			Champion, Score, Difference float64
		}
		Tasks []struct {
			Task            string
			Repeats         int
			ChampionPasses  int `json:"champion_passes"`
			VariantPasses   int `json:"variant_passes"`
			Champion, Score float64
		}
		Changes  []struct{ Param, Old, New string }
		Rejected []struct {
			Variant             struct{ ID string }
			Evaluations, Shared int
			Difference          float64
		}
		Health struct {
			Stages []struct {
				Stage                           string
				Planned, Done, Missing, Skipped int
			}
			Outcomes []struct {
				Outcome string
				Count   int
			}
			Noise *struct{ Champion, Score, Difference float64 }
		}
		Provenance struct {
			SearchTasks  int `json:"search_tasks"`
			HoldoutTasks int `json:"holdout_tasks"`
		}
	}
	Volatile struct {
		CostUSD float64 `json:"cost_usd"`
		Guards  []struct {
			Kind, Name               string
			Calls, Attempts, Retries int
			Outcomes                 map[string]int
		}
		Agents []struct {
			Cached int
			Tools  []toolUse
			Watch  *struct {
				Fall    *moved
				Adopted *struct {
					moved
					Proposal, Command string
					Worse, Below      bool
					Predicted         struct{ Difference, Lo, Hi float64 }
				}
			}
		}
	}
}

// confirmed is a comparison on the holdout.
type confirmed struct {
	Variant                             struct{ ID string }
	Champion, Score, Difference, Lo, Hi float64
	Tasks, Repeats, Wins, Losses, Ties  int
	Evidence                            struct {
		Runs  []string
		Pairs int
	}
}

// moved is a comparison of nights.
type moved struct {
	Before, After, Difference float64
	Tasks                     int
	BeforeNights              int `json:"before_nights"`
	AfterNights               int `json:"after_nights"`
	BeforeRuns                int `json:"before_runs"`
	AfterRuns                 int `json:"after_runs"`
}

// toolUse is what live turns showed about a tool.
type toolUse struct {
	Tool                     string
	Calls, Judged, Succeeded int
	Signatures               []struct{ Count int }
	ChampionSignatures       []struct{ Count int } `json:"champion_signatures"`
}

// fell reports whether the watch shows that the champion's score fell.
func (n nightly) fell() bool {
	w := n.Volatile.Agents[0].Watch
	return w != nil && w.Fall != nil
}

// advised returns the command that the watch recommends after an adoption.
func (n nightly) advised() string {
	if w := n.Volatile.Agents[0].Watch; w != nil && w.Adopted != nil {
		return w.Adopted.Command
	}
	return ""
}

// same compares a figure in a report with the figure that the world noted.
func (s *tale) same(what string, got, want float64) {
	s.t.Helper()
	if math.Abs(got-want) > 1e-9 {
		s.t.Errorf("night %d: %s is %.6g in the report, %.6g in the world", len(s.nights), what, got, want)
	}
}

// count compares a count in a report with the count that the world noted.
func (s *tale) count(what string, got, want int) {
	s.t.Helper()
	s.same(what, float64(got), float64(want))
}

// reruns is the number of champion reruns in a night: two for each of n search tasks,
// where n is a fortieth of the budget.
const reruns = 20

// compare compares the figures of a night's report with what the world noted.
func (s *tale) compare(r nightly, n noted) {
	s.t.Helper()
	s.stages(r, n)
	s.guarded(r, n)
	s.confirmed(r)
	s.rejected(r, n)
	s.watched(r)
	s.reported(r, n)
}

// onHoldout reports whether the task about an item is a holdout task.
func (s *tale) onHoldout(item string) bool {
	if n, err := strconv.Atoi(strings.TrimPrefix(item, "bolt")); err == nil {
		return n >= 20
	}
	return s.fromUse[item] == "holdout"
}

// stages compares the numbers of evaluations. The first evaluations of a night are the
// champion's reruns.
func (s *tale) stages(r nightly, n noted) {
	s.t.Helper()
	a := r.Agents[0]
	answers, holdout := 0, 0
	for _, q := range n.answers() {
		answers++
		if s.onHoldout(q.item) {
			holdout++
		}
	}
	done, left := map[string]int{}, map[string]int{}
	for _, stage := range a.Health.Stages {
		done[stage.Stage], left[stage.Stage] = stage.Done, stage.Planned-stage.Done
		s.count("missing in "+stage.Stage, stage.Missing, 0)
	}
	if left["search"]+left["baseline"] <= 0 { // one stage did the evaluations that the other had left
		left["search"], left["baseline"] = 0, 0
	}
	for _, stage := range a.Health.Stages {
		s.count("skipped in "+stage.Stage, stage.Skipped, max(0, left[stage.Stage]))
	}
	s.count("the number of evaluations", r.Run.Evaluations, answers)
	s.nights[len(s.nights)-1].first = done["aa"]
	n.first = done["aa"]
	s.count("the number of the champion's reruns", reruns, len(n.reruns()))
	s.count("the number of evaluations on the holdout", done["confirm"], holdout)
	s.count("the number of those on search tasks", done["aa"]+done["search"]+done["baseline"]+done["ablate"], answers-holdout)
	s.count("the number of those of the search", a.Honesty.Evaluations, answers-holdout-done["aa"]-done["ablate"])
	s.count("the number of confirmations", a.Honesty.Confirmations, len(a.Finalists))
	for _, o := range a.Health.Outcomes {
		if o.Outcome == "ok" {
			answers -= o.Count
		}
	}
	s.count("the number of evaluations that are not ok", 0, answers)
	search, kept := 20, 40
	for _, split := range s.fromUse {
		if split == "holdout" {
			kept++
		} else {
			search++
		}
	}
	s.count("the number of search tasks", a.Provenance.SearchTasks, search)
	s.count("the number of holdout tasks", a.Provenance.HoldoutTasks, kept)
	s.count("the number of cached evaluations", r.Volatile.Agents[0].Cached, 0)
	if noise := a.Health.Noise; noise != nil {
		first, second := 0., 0.
		sides := map[string]int{}
		list := n.reruns()
		slices.SortStableFunc(list, func(x, y question) int { return strings.Compare(x.item, y.item) })
		for _, q := range list {
			sides[q.item]++
			first += q.right() / reruns
			second++
		}
		s.same("the mean of both reruns", (noise.Champion+noise.Score)/2, first)
		s.count("the number of tasks of the reruns", len(sides), reruns/2)
	}
}

// guarded compares the bill and the calls to tools and providers.
func (s *tale) guarded(r nightly, n noted) {
	s.t.Helper()
	usd, calls := 0., map[string]int{"local": len(n.all)}
	for _, x := range n.all {
		usd += x.usd()
	}
	for _, x := range n.called {
		calls["desk__"+x.tool]++
		if !x.ok {
			calls["desk__"+x.tool+" failed"]++
		}
	}
	s.same("the bill", r.Volatile.CostUSD, usd)
	for _, g := range r.Volatile.Guards {
		s.count("calls of "+g.Name, g.Calls, calls[g.Name])
		s.count("attempts of "+g.Name, g.Attempts, calls[g.Name])
		s.count("retries of "+g.Name, g.Retries, 0)
		s.count("failed calls of "+g.Name, g.Calls-g.Outcomes["ok"], calls[g.Name+" failed"])
		delete(calls, g.Name)
		delete(calls, g.Name+" failed")
	}
	if len(calls) > 0 {
		s.t.Errorf("night %d: the report lacks calls: %v", len(s.nights), calls)
	}
}

// answers returns the model's replies that end an evaluation.
func (n noted) answers() []question {
	var out []question
	for _, q := range n.asked {
		if q.tool == "" {
			out = append(out, q)
		}
	}
	return out
}

// reruns returns the answers in the champion's reruns.
func (n noted) reruns() []question {
	return slices.DeleteFunc(n.answers()[:n.first], func(q question) bool { return q.temperature != n.champion })
}

// right returns the score of an answer.
func (q question) right() float64 {
	if q.answer == left(q.item) {
		return 1
	}
	return 0
}

// usd returns the cost of a request at the workspace's prices.
func (q question) usd() float64 { return (float64(q.tokens) + 2*stockReply) / 1e6 }

// trials are scores by item and seed.
type trials map[string]map[int64]float64

// trialsOf returns the scores of answers, by temperature.
func trialsOf(list []question) map[float64]trials {
	out := map[float64]trials{}
	for _, q := range list {
		if out[q.temperature] == nil {
			out[q.temperature] = trials{}
		}
		if out[q.temperature][q.item] == nil {
			out[q.temperature][q.item] = map[int64]float64{}
		}
		out[q.temperature][q.item][q.seed] = q.right()
	}
	return out
}

// compared is the comparison of two configs on one task.
type compared struct {
	repeats         int
	champion, score float64 // sums
}

// pair compares two configs task by task, over the seeds that both configs ran with.
func pair(champion, variant trials) map[string]compared {
	out := map[string]compared{}
	for item, seeds := range variant {
		for seed, score := range seeds {
			if was, ok := champion[item][seed]; ok {
				c := out[item]
				out[item] = compared{c.repeats + 1, c.champion + was, c.score + score}
			}
		}
	}
	return out
}

// task returns the id of the task about an item.
func (s *tale) task(item string) string {
	if number, ok := strings.CutPrefix(item, "bolt"); ok {
		return "s" + number
	}
	return s.taskOf[item]
}

// confirmed checks each comparison on the holdout against the answers from the nights on
// which that comparison rests. It checks the headline's comparison task by task.
func (s *tale) confirmed(r nightly) {
	s.t.Helper()
	a := r.Agents[0]
	temperatures := s.temperatures(r)
	for _, f := range a.Finalists {
		var list, asked []question
		for _, n := range s.nights {
			if slices.Contains(f.Evidence.Runs, n.run) {
				for _, q := range n.asked {
					if s.onHoldout(q.item) {
						asked = append(asked, q)
						if q.tool == "" {
							list = append(list, q)
						}
					}
				}
			}
		}
		by := trialsOf(list)
		variant := temperatures[f.Variant.ID]
		tasks := pair(by[s.champion], by[variant])
		champion, score, pairs, repeats := 0., 0., 0, math.MaxInt
		wins, losses, ties := 0, 0, 0
		for _, c := range tasks {
			n := float64(c.repeats)
			champion, score = champion+c.champion/n/float64(len(tasks)), score+c.score/n/float64(len(tasks))
			pairs, repeats = pairs+c.repeats, min(repeats, c.repeats)
			switch {
			case c.score > c.champion:
				wins++
			case c.score < c.champion:
				losses++
			default:
				ties++
			}
		}
		s.same("the champion's score on the holdout", f.Champion, champion)
		s.same("the variant's score on the holdout", f.Score, score)
		s.same("the difference on the holdout", f.Difference, score-champion)
		s.count("the number of pairs", f.Evidence.Pairs, pairs)
		h := a.Headline
		if h == nil || h.Variant.ID != f.Variant.ID {
			continue
		}
		s.same("the champion's score in the headline", h.Champion, champion)
		s.same("the variant's score in the headline", h.Score, score)
		s.same("the difference in the headline", h.Difference, score-champion)
		for what, figures := range map[string][2]int{
			"tasks": {h.Tasks, len(tasks)}, "repeats": {h.Repeats, repeats}, "wins": {h.Wins, wins}, "losses": {h.Losses, losses}, "ties": {h.Ties, ties},
			"rows of tasks": {len(a.Tasks), len(tasks)}, "domains": {len(a.Domains), 1},
		} {
			s.count("the number of "+what, figures[0], figures[1])
		}
		rows := map[string]compared{}
		for item, c := range tasks {
			rows[s.task(item)] = c
		}
		for _, row := range a.Tasks {
			c := rows[row.Task]
			s.count("the repeats of "+row.Task, row.Repeats, c.repeats)
			s.count("the champion's passes of "+row.Task, row.ChampionPasses, int(c.champion))
			s.count("the variant's passes of "+row.Task, row.VariantPasses, int(c.score))
			s.same("the champion's score of "+row.Task, row.Champion, c.champion/float64(c.repeats))
			s.same("the variant's score of "+row.Task, row.Score, c.score/float64(c.repeats))
		}
		for _, d := range a.Domains {
			s.same("the difference in the domain "+d.Domain, d.Difference, score-champion)
			s.count("the number of tasks in the domain "+d.Domain, d.Tasks, len(tasks))
		}
		for _, u := range a.Usage {
			s.same("the champion's "+u.Name, u.Champion, spent(asked, s.champion)[u.Name])
			s.same("the variant's "+u.Name, u.Variant, spent(asked, variant)[u.Name])
		}
		for _, c := range a.Changes {
			if c.Param == "temperature.stock" {
				s.same("the old temperature", max(leastTemperature, asNumber(s.t, c.Old)), s.champion)
				s.same("the new temperature", max(leastTemperature, asNumber(s.t, c.New)), variant)
			}
		}
	}
}

// spent returns the mean usage of an evaluation at a temperature.
func spent(asked []question, temperature float64) map[string]float64 {
	out, answers := map[string]float64{}, 0.
	for _, q := range asked {
		if q.temperature != temperature {
			continue
		}
		out["cost"] += q.usd()
		out["input tokens"] += float64(q.tokens)
		out["output tokens"] += stockReply
		out["iterations"]++
		if q.tool != "" {
			out["tool calls"]++
		} else {
			answers++
		}
	}
	for name := range out {
		out[name] /= answers
	}
	return out
}

// rejected compares the evaluations of variants on search tasks with the answers at their
// temperatures.
func (s *tale) rejected(r nightly, n noted) {
	s.t.Helper()
	a := r.Agents[0]
	temperatures := s.temperatures(r)
	var list []question
	for _, q := range n.answers()[s.nights[len(s.nights)-1].first:] {
		if !s.onHoldout(q.item) {
			list = append(list, q)
		}
	}
	for _, stage := range a.Health.Stages {
		if stage.Stage == "ablate" {
			list = list[:len(list)-stage.Done] // the ablation's answers are the last on search tasks
		}
	}
	by := trialsOf(list)
	for _, v := range a.Rejected {
		t := temperatures[v.Variant.ID]
		made, shared, difference := 0, 0, 0.
		for _, q := range list {
			if q.temperature == t {
				made++
			}
		}
		for _, c := range pair(by[n.champion], by[t]) {
			shared += c.repeats
			difference += c.score - c.champion
		}
		s.count(fmt.Sprintf("the evaluations at %g", t), v.Evaluations, made)
		s.count(fmt.Sprintf("those at %g beside the champion", t), v.Shared, shared)
		s.same(fmt.Sprintf("the difference at %g to the champion", t), v.Difference, difference/float64(max(1, shared)))
	}
}

// watched compares a fall and the latest adoption with the reruns that the world noted.
func (s *tale) watched(r nightly) {
	s.t.Helper()
	w := r.Volatile.Agents[0].Watch
	if w == nil {
		return
	}
	line := s.line()
	if f := w.Fall; f != nil {
		before, after := line[:len(line)-f.AfterNights], line[len(line)-f.AfterNights:]
		s.moved("the fall", *f, before[len(before)-f.BeforeNights:], after)
	}
	if a := w.Adopted; a != nil {
		p := s.adopted[len(s.adopted)-1]
		if a.Proposal != p.proposal {
			s.t.Errorf("night %d: the watch is about %s, the last adoption is %s", len(s.nights), a.Proposal, p.proposal)
		}
		s.same("the predicted difference", a.Predicted.Difference, p.difference)
		s.same("the predicted lower end", a.Predicted.Lo, p.lo)
		s.same("the predicted upper end", a.Predicted.Hi, p.hi)
	}
}

// line returns the nights with the current champion, beginning at the latest adoption.
func (s *tale) line() []noted {
	first := 0
	if n := len(s.adopted); n > 0 {
		first = s.adopted[n-1].first
	}
	return slices.DeleteFunc(slices.Clone(s.nights[first:]), func(n noted) bool { return n.champion != s.champion })
}

// moved checks a comparison of nights against the reruns in those nights.
func (s *tale) moved(what string, got moved, before, after []noted) {
	s.t.Helper()
	of := func(nights []noted) map[string][]float64 {
		out := map[string][]float64{}
		for _, n := range nights {
			for _, q := range n.reruns() {
				out[q.item] = append(out[q.item], q.right())
			}
		}
		return out
	}
	mean := func(list []float64) (m float64) {
		for _, x := range list {
			m += x / float64(len(list))
		}
		return m
	}
	older, newer := of(before), of(after)
	var was, is []float64
	runsBefore, runsAfter := 0, 0
	for item := range newer {
		if len(older[item]) > 0 {
			was, is = append(was, mean(older[item])), append(is, mean(newer[item]))
			runsBefore, runsAfter = runsBefore+len(older[item]), runsAfter+len(newer[item])
		}
	}
	s.same(what+" before", got.Before, mean(was))
	s.same(what+" after", got.After, mean(is))
	s.same(what+", the difference", got.Difference, mean(is)-mean(was))
	s.count(what+", the tasks", got.Tasks, len(was))
	s.count(what+", the reruns before", got.BeforeRuns, runsBefore)
	s.count(what+", the reruns after", got.AfterRuns, runsAfter)
}

// reported compares the section on tools in use with the calls in live turns. It also
// compares the failures listed for the champion's evaluations with the failures in the
// night.
func (s *tale) reported(r nightly, n noted) {
	s.t.Helper()
	for _, tool := range r.Volatile.Agents[0].Tools {
		s.toolCounts("in use", tool)
		failed, shown := 0, 0
		for _, q := range n.asked {
			if q.fails && q.tool == tool.Tool && !s.onHoldout(q.item) && q.temperature == n.champion {
				failed++
			}
		}
		for _, x := range tool.ChampionSignatures {
			shown += x.Count
		}
		s.count("the champion's failed calls of "+tool.Tool, shown, failed)
	}
}

// toolCounts compares the counts for a tool with its calls in live turns.
func (s *tale) toolCounts(where string, tool toolUse) {
	s.t.Helper()
	calls, ok, failed, shown := 0, 0, 0, 0
	for _, c := range s.live {
		if "desk__"+c.tool != tool.Tool {
			continue
		}
		calls++
		switch {
		case !c.ok:
			failed++
		case !c.corrected:
			ok++
		}
	}
	for _, x := range tool.Signatures {
		shown += x.Count
	}
	s.count("calls of "+tool.Tool+" "+where, tool.Calls, calls)
	s.count("judged calls of "+tool.Tool+" "+where, tool.Judged, calls)
	s.count("successful calls of "+tool.Tool+" "+where, tool.Succeeded, ok)
	s.count("failures of "+tool.Tool+" with a signature "+where, shown, failed)
}
