package model

import (
	"context"
	"slices"
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/tool"
)

// Minimum scores for evidence to count and for the search to end.
const (
	acceptDefault = .5
	acceptStrict  = .75
	acceptLenient = .3
	enough        = .8
	certain       = .95 // the result of a tool's own computation
)

// Heuristic is the built-in model: a deterministic planner without a language model.
// The package comment describes what it can do.
type Heuristic struct {
	lex *memory.Lexicon
}

// NewHeuristic returns a Heuristic. It should share the lexicon with the memory, so stems
// are cached only once.
func NewHeuristic(lex *memory.Lexicon) *Heuristic { return &Heuristic{lex: lex} }

// planner is the state for planning one step. It is rebuilt from the request for each step.
type planner struct {
	req      *Request
	strategy Strategy
	q        *question
	evidence []evidence
	notes    []string
}

// Next implements [Model]. It never fails and costs no money; its usage estimates the
// tokens that a language model would have read.
func (h *Heuristic) Next(_ context.Context, req *Request) (Reply, error) {
	t := &planner{req: req, strategy: ParseStrategy(req.Strategy)}
	if len(req.Steps) == 0 && len(req.Rejected) == 0 {
		for _, line := range t.strategy.Unknown {
			t.note("no directive: " + line)
		}
	}
	var r Reply
	if req.Synthesis {
		t.q = read(h.lex, req.Goal)
		r = t.synthesize()
	} else {
		t.q = read(h.lex, resolve(req.Goal, req.Findings))
		r = t.step()
	}
	r.Notes = t.notes
	r.Usage = agent.Usage{InputTokens: t.size(), OutputTokens: int64(memory.Tokens(r.Answer))}
	for _, c := range r.Calls {
		r.Usage.OutputTokens += int64(memory.Tokens(c.Tool) + memory.Tokens(string(c.Arguments)))
	}
	return r, nil
}

func (t *planner) note(text string) { t.notes = append(t.notes, memory.Cut(text, 200)) }

func (t *planner) set(sl slot) string { return t.strategy.in(t.req.Domain, sl) }

// step chooses between calling a tool, answering and referring.
func (t *planner) step() Reply {
	filesFirst := t.set(slotSource) == "files" && len(t.req.Files) > 0
	precedent, found := t.vote()
	if found && !filesFirst {
		return t.answer(precedent)
	}
	if mode := t.set(slotRefer); mode != "never" && !found {
		if b := t.q.boundary(mode == "early"); b != nil {
			return t.refer(*b)
		}
	}
	t.gather()
	accept := t.accept()
	rank(t.evidence, accept, t.set(slotSource), t.set(slotConflict) == "newest")
	t.dropRejected()
	last := t.req.Remaining <= 1
	if len(t.evidence) > 0 && !last {
		if call, ok := t.followUp(t.evidence[0]); ok {
			t.note("follows up the best evidence")
			return Reply{Calls: []Call{call}}
		}
	}
	if len(t.evidence) > 0 && t.evidence[0].score >= accept {
		best := t.evidence[0]
		settled := best.score >= enough && (!filesFirst || best.origin == fromFile || best.origin == fromTool)
		if settled || last {
			return t.answer(best)
		}
	}
	if !last {
		if plan := t.choose(); len(plan) > 0 {
			t.noteScores(plan)
			return Reply{Calls: []Call{plan[0].call}}
		}
	}
	if len(t.evidence) > 0 && t.evidence[0].score >= accept {
		return t.answer(t.evidence[0])
	}
	if found {
		return t.answer(precedent)
	}
	return t.unsure()
}

func (t *planner) accept() float64 {
	switch t.set(slotAccept) {
	case "strict":
		return acceptStrict
	case "lenient":
		return acceptLenient
	}
	return acceptDefault
}

// vote returns the answer with the most votes among the answers of similar memories. A
// memory's vote is weighted by the fourth power of its score, which is the square of its
// relative BM25 score, so one very similar memory outweighs several less similar ones.
func (t *planner) vote() (evidence, bool) {
	votes := map[string]float64{}
	var order []string
	top := evidence{origin: fromMemory}
	add := func(answer string, score float64) {
		if answer == "" {
			return
		}
		if _, ok := votes[answer]; !ok {
			order = append(order, answer)
		}
		votes[answer] += score * score * score * score
		if score > top.score {
			top.score, top.value, top.line = score, answer, answer
		}
	}
	for _, h := range t.req.Memories {
		add(h.Memory.Answer, h.Score)
	}
	for _, s := range t.req.Steps {
		for _, r := range remembered(s) {
			add(r.Answer, r.Score)
		}
	}
	if len(order) == 0 {
		return evidence{}, false
	}
	if t.set(slotVote) != "nearest" {
		for _, answer := range order {
			if votes[answer] > votes[top.value] {
				top.value, top.line = answer, answer
			}
		}
	}
	return top, true
}

// dropRejected removes the evidence for answers that the self-check rejected, unless that
// would leave neither sufficient evidence nor a tool to call.
func (t *planner) dropRejected() {
	if len(t.req.Rejected) == 0 {
		return
	}
	kept := slices.DeleteFunc(slices.Clone(t.evidence), func(e evidence) bool { return slices.Contains(t.req.Rejected, t.form(e)) })
	if len(kept) > 0 && kept[0].score >= t.accept() || t.req.Remaining > 1 && len(t.choose()) > 0 {
		t.evidence = kept
	}
}

var pointer = strings.NewReplacer("`", "", "\"", "", "(", "", ")", "")

// followUp returns a call that must precede the use of the best evidence: an exact
// calculation or, if a directive requires it, reading the file in full or following a
// reference. It returns false if there is no such call.
func (t *planner) followUp(best evidence) (Call, bool) {
	if best.reckon != "" {
		for _, in := range t.choose() {
			if in.call.Tool == "calculate" {
				return in.call, true
			}
		}
	}
	if t.set(slotTool+"read_file") == "never" || !slices.ContainsFunc(t.req.Tools, func(s tool.Spec) bool { return s.Name == "read_file" }) {
		return Call{}, false
	}
	if best.grep && t.set(slotRead) != "" {
		if c := newCall("read_file", map[string]any{"path": best.file}); !t.made(c) {
			return c, true
		}
	}
	if t.set(slotFollow) != "" {
		if p := t.reference(best.line); p != "" && p != best.file {
			if c := newCall("read_file", map[string]any{"path": p}); !t.made(c) {
				return c, true
			}
		}
	}
	return Call{}, false
}

// reference returns the file of the task that a line refers to, for example with "see", or
// "" if there is none.
func (t *planner) reference(line string) string {
	plain := pointer.Replace(line)
	m := seeFile.FindStringSubmatch(plain)
	if m == nil {
		return ""
	}
	i := slices.IndexFunc(t.req.Files, func(f string) bool { return f == m[1] || strings.HasSuffix(f, "/"+m[1]) })
	if i < 0 {
		return ""
	}
	return t.req.Files[i]
}

func (t *planner) answer(e evidence) Reply {
	t.note("answered from " + e.place())
	expects := t.q.shape
	if e.origin == fromTool {
		expects = AnyShape
	}
	return Reply{
		Answer: t.form(e), Value: e.short(), Confidence: min(1, e.score), Expects: expects,
	}
}

func (t *planner) refer(b tool.Boundary) Reply {
	return Reply{Referral: &b, Answer: "referral: " + b.Shape}
}

// unsure returns the reply to give when there is no sufficient evidence.
func (t *planner) unsure() Reply {
	for _, s := range t.req.Steps {
		if s.Result.Boundary != nil {
			return t.refer(*s.Result.Boundary)
		}
	}
	mode := t.set(slotUnsure)
	switch {
	case mode == "guess" && len(t.evidence) > 0:
		return t.answer(t.evidence[0])
	case mode == "refer":
		return t.refer(tool.Boundary{
			Axes:     []string{"knowledge"},
			Shape:    "a question that the material at hand does not answer",
			Evidence: "nothing was found on: " + strings.Join(t.q.raw[:min(len(t.q.raw), 8)], " "),
		})
	}
	if text, ok := strings.CutPrefix(mode, "say "); ok {
		return Reply{Answer: text, Value: text, Unsure: true}
	}
	return Reply{Answer: "unknown", Value: "unknown", Unsure: true}
}

// size returns the estimated number of tokens in the request.
func (t *planner) size() int64 {
	n := len(t.req.Goal) + len(t.req.Strategy)
	for _, s := range t.req.System {
		n += len(s.Text)
	}
	for _, m := range t.req.Turns {
		n += len(m.Content)
	}
	for _, h := range t.req.Memories {
		n += len(h.Memory.Text)
	}
	for _, s := range t.req.Tools {
		n += len(s.Name) + len(s.Description) + len(s.Schema)
	}
	for _, s := range t.req.Steps {
		n += len(s.Call.Arguments) + len(s.Result.Output)
	}
	for _, f := range t.req.Findings {
		n += len(f.Goal) + len(f.Answer)
	}
	return int64((n + 3) / 4)
}
