package turn

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/autonomy"
	"evolve/runtime/memory"
	"evolve/runtime/model"
	"evolve/runtime/safety"
	"evolve/runtime/session"
	"evolve/runtime/tool"
)

// Limits on a transcript: the number of events, and the length of one text in bytes.
const (
	maxEvents    = 200
	maxEventText = 500
)

// run is one running turn.
type run struct {
	agent    *Agent
	req      agent.Request
	config   agent.Config
	settings settings
	limits   agent.Limits
	env      *tool.Env
	registry *tool.Registry
	level    autonomy.Level // autonomy of a live turn; 0 in an evaluation
	index    *memory.Index

	goal   string
	given  []agent.Memory // memories of the task, without credentials
	turns  []agent.Message
	files  []string
	domain string
	route  string
	advice []string
	// The parts of the session and of the workspace's files that are in the prompt.
	system            []model.Section
	strategy, working string
	notes             []string
	active            map[string]int // active tool → model call at which it was last used, or -1 if it never expires
	loop              *safety.Loop
	steps             int  // model calls
	untempered        bool // the model was found not to accept a temperature
	subgoal           int  // the number of the running subgoal, from 1; 0 if none is running
	usage             agent.Usage
	results           agent.Transcript

	session  agent.Session // the state with which the next turn starts
	made     []session.Call
	board    []model.Shared
	checked  bool // an answer to the goal was sent back because of a problem
	nudged   bool // the self-evaluation question was sent to the model
	requests []agent.ChangeRequest
	drafts   drafts
	barred   map[string]string  // tool barred by feedback → the feedback
	instead  map[string]string  // barred tool → its replacement
	known    string             // experience with the tools, for a language model
	ranks    map[string]float64 // ranks of the tools that fit the goal, for a language model
	refused  *agent.Refusal     // the shared limit that ended an evaluation
	refusing string             // the address on this machine at which no model is served
	applied  map[string]string  // tool → the policies of its last call, as recorded
}

// Run runs one task. It implements [agent.Agent].
func (a *Agent) Run(ctx context.Context, req agent.Request) (res agent.Result) {
	r := &run{agent: a, req: req, limits: stricter(req.Limits, a.limits), registry: a.registry, applied: map[string]string{}, session: req.Session}
	r.results.Policy = a.policy
	if req.Live {
		r.level = a.level
		r.results.Autonomy = int(r.level)
	}
	defer func() {
		if p := recover(); p != nil {
			res = r.failed(agent.Execution, "the turn crashed")
		}
	}()
	ctx, free := ownTime(ctx, r.limits.Timeout)
	defer free()
	r.env = tool.NewEnv(req.Workdir)
	defer func() { _ = r.env.Close() }()
	r.prepare()
	if r.goal == "" {
		return r.failed(agent.ContractViolation, "the task has no goal")
	}
	return r.turn(ctx)
}

// prepare sets up the turn from the request: its config, goal, domain, memory, files and
// tools.
func (r *run) prepare() {
	a := r.agent
	config, clamped := a.space.Clamp(r.req.Config)
	r.config = config
	for _, p := range clamped {
		r.event(agent.Event{Kind: agent.EventCheck, Name: p.Param, Text: p.Text})
	}
	task := &r.req.Task
	r.given = clean(a.scrub, task.Memories)
	r.goal, r.turns = goalOf(task)
	r.domain = task.Domain
	if r.domain == "" {
		r.domain = a.domains.classify(r.goal)
	}
	r.event(agent.Event{Kind: agent.EventDomain, Name: r.domain})
	r.settings = newSettings(config, a.defaults, r.domain)
	r.remember()
	r.files = task.Files
	if len(r.files) == 0 && r.req.Workdir != "" {
		if found, err := r.env.Files(); err == nil {
			for _, f := range found {
				if !f.Dir {
					r.files = append(r.files, f.Path)
				}
			}
		}
	}
	r.chooseRoute()
	r.distill()
	r.delegate()
	r.board = r.shared()
	r.bootstrap()
	r.connectTools()
	r.active = map[string]int{}
	for _, name := range append(essential(a.registry.Names()), r.settings.selection...) {
		if _, ok := a.registry.Spec(name); ok {
			r.active[name] = -1
		}
	}
	r.barTools()
	r.boundTools()
	r.pickTools()
	r.knowTools()
}

// goalOf returns the goal of a task, and the turns before it. The goal is the task's own,
// or else the user's last message, or else an input that is a text.
func goalOf(task *agent.Task) (string, []agent.Message) {
	goal, turns := strings.TrimSpace(task.Goal), task.Messages
	if goal == "" {
		for i := len(turns) - 1; i >= 0; i-- {
			if turns[i].Role == "user" {
				goal, turns = strings.TrimSpace(turns[i].Content), turns[:i]
				break
			}
		}
	}
	if goal == "" {
		var text string
		if json.Unmarshal(task.Input, &text) == nil {
			goal = strings.TrimSpace(text)
		}
	}
	return goal, turns
}

// recall searches the memory with the config's parameters.
func (r *run) recall(ctx context.Context, text string, wide bool) []memory.Hit {
	ctx, cancel := context.WithTimeout(ctx, recallTimeout)
	defer cancel()
	q := r.settings.recall
	q.Text, q.Domain, q.Wide, q.Search, q.Now = text, r.domain, wide, wide, r.env.Now
	return r.index.Recall(ctx, q)
}

// turn divides the goal into subgoals or works on it as a whole. The plan is recorded
// before the work on its subgoals.
func (r *run) turn(ctx context.Context) agent.Result {
	if !r.settings.decompose {
		return r.finish(ctx, r.work(ctx, r.goal, nil, min(r.settings.iterations, r.limits.MaxIterations)))
	}
	p := decompose(r.agent.lex, r.goal, r.settings.subgoals)
	if n := len(p.Subgoals); n > 0 && r.limits.MaxIterations < leastCalls(n) {
		p = plan{GoalType: atomic, Complexity: .1, Note: fmt.Sprintf("%d subgoals need more than %d iterations", n, r.limits.MaxIterations)}
	}
	r.event(agent.Event{Kind: agent.EventDecompose, Name: p.GoalType, Text: p.Note, Data: encode(p)})
	if len(p.Subgoals) == 0 {
		return r.finish(ctx, r.work(ctx, r.goal, nil, min(r.settings.iterations, r.limits.MaxIterations)))
	}
	e := r.parts(ctx, &p)
	r.event(agent.Event{Kind: agent.EventDecompose, Name: p.GoalType, Text: "results", Data: encode(p)})
	return r.finish(ctx, e)
}

// leastCalls is the minimum number of model calls that n subgoals need: each subgoal may
// call a tool and answer, and one call is for the synthesis.
func leastCalls(n int) int { return 2*n + 1 }

// parts works on the subgoals one after the other, and combines what they found. Each
// subgoal has the config's limit on model calls. The hard limit applies to all of them
// together, and each subgoal leaves at least the calls that the later ones need.
func (r *run) parts(ctx context.Context, p *plan) ending {
	var findings []model.Finding
	for i := range p.Subgoals {
		s := &p.Subgoals[i]
		left := r.limits.MaxIterations - r.steps - leastCalls(len(p.Subgoals)-i-1)
		r.subgoal, r.checked = i+1, false
		e := r.work(ctx, s.Goal, findings, min(r.settings.iterations, left))
		r.subgoal = 0
		if e.looped { // the other subgoals may still succeed
			e.outcome, e.reply = agent.LowUtility, model.Reply{Answer: "unknown", Unsure: true}
		}
		if e.outcome != agent.OK && e.outcome != agent.LowUtility {
			return e
		}
		s.ConfidenceBefore, s.Steps = e.before, e.steps
		if r.stated(e.reply) {
			after, gained := e.reply.Confidence, max(0, e.reply.Confidence-e.before)
			s.ConfidenceAfter, s.Effectiveness = &after, &gained
		}
		s.Findings = found(r.agent.scrub(e.reply.Answer)) // scrubbed before it is cut
		findings = append(findings, model.Finding{
			Goal: s.Goal, Answer: e.reply.Answer, Value: e.reply.Value, Confidence: e.reply.Confidence,
			Subject: s.Subject, Unsure: e.reply.Unsure,
		})
	}
	r.checked = false
	whole := r.synthesize(ctx, findings)
	p.Synthesis = memory.Cut(r.agent.scrub(whole.reply.Answer), maxSynthesis)
	return whole
}

// finish turns an ending into the result and applies the checks that no config can change.
func (r *run) finish(ctx context.Context, e ending) agent.Result {
	if err := context.Cause(ctx); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return r.failed(agent.Timeout, "time limit reached")
		}
		return r.failed(agent.Cancelled, "cancelled")
	}
	if !e.outcome.Gradable() {
		return r.failed(e.outcome, e.why)
	}
	answer := r.agent.scrub(e.reply.Answer)
	if int64(len(answer)) > r.limits.MaxOutputBytes {
		return r.failed(agent.BudgetExceeded, fmt.Sprintf("the answer has %d bytes, but at most %d are allowed", len(answer), r.limits.MaxOutputBytes))
	}
	if _, matches := r.agent.never.Match(answer); matches {
		return r.failed(agent.Denied, "the answer matches a pattern that is never allowed")
	}
	res := agent.Result{Answer: &answer, Outcome: e.outcome, Error: r.agent.scrub(e.why)}
	if r.stated(e.reply) {
		res.Confidence = e.reply.Confidence
	}
	return r.result(res, e.reply)
}

func (r *run) failed(outcome agent.Outcome, why string) agent.Result {
	why = r.agent.scrub(why)
	r.event(agent.Event{Kind: agent.EventCheck, Outcome: outcome, Text: why})
	return r.result(agent.Result{Outcome: outcome, Error: why}, model.Reply{})
}

// result adds the fields that every result has.
func (r *run) result(res agent.Result, reply model.Reply) agent.Result {
	r.offerDrafts(res.Outcome)
	res.Usage, res.Transcript, res.Requests = r.usage, r.results, r.requests
	if r.refused != nil && res.Outcome == r.refused.Outcome() {
		res.Refused = r.refused
	}
	if res.Outcome == agent.Infrastructure {
		res.Refusing = r.refusing
	}
	res.Session = r.nextSession(res, reply)
	return res
}

// event adds an event to the transcript, scrubbed. It is the only function that does so, so
// no credential gets into the transcript.
func (r *run) event(e agent.Event) {
	e.Name, e.Text = r.agent.scrub(e.Name), memory.Cut(r.agent.scrub(e.Text), maxEventText)
	if len(e.Data) > 0 {
		e.Data = r.scrubbed(e.Data)
	}
	e.Subgoal = r.subgoal
	r.results.Add(maxEvents, e)
	if r.req.Observe != nil {
		r.req.Observe(e)
	}
}

// scrubbed returns JSON without credentials, or nil if the result would be invalid.
func (r *run) scrubbed(raw json.RawMessage) json.RawMessage {
	text := r.agent.scrub(string(raw))
	if !json.Valid([]byte(text)) {
		return nil
	}
	return json.RawMessage(text)
}

// encode returns the JSON of the runtime's own records, which can always be encoded.
func encode(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

// enable activates an available tool for this turn.
func (r *run) enable(name string) tool.Result {
	spec, ok := r.registry.Spec(name)
	switch {
	case !ok:
		return tool.Failed(agent.Denied, "there is no tool %q", memory.Cut(name, 80))
	case spec.Category != tool.Available:
		return tool.Failed(agent.Denied, "the tool %s cannot be activated", name)
	}
	if why := r.withheld(name); why != "" {
		return tool.Failed(agent.Denied, "%s", why)
	}
	r.active[name] = r.steps
	return tool.OK(name + " is active")
}

// boundTools records which tools the agent's level of autonomy withholds in a live turn,
// so that a person can see why the agent does not use them.
func (r *run) boundTools() {
	var names []string
	for _, name := range r.registry.Names() {
		if r.registry.Withheld(name) == "" && r.barred[name] == "" && r.registry.Beyond(name, r.level) != "" {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		r.event(agent.Event{
			Kind: agent.EventAutonomy, Name: fmt.Sprintf("level %d", r.level), Data: encode(names),
			Text: fmt.Sprintf("withholds %s; a person can ask for level %d with `evolve autonomy request %s --level %d`", strings.Join(names, ", "), r.level+1, cmp.Or(r.agent.id, "AGENT"), r.level+1),
		})
	}
}

// expire deactivates activated tools that have not been used for a long time.
func (r *run) expire() {
	for _, name := range slices.Sorted(maps.Keys(r.active)) {
		if at := r.active[name]; at >= 0 && r.steps-at > r.settings.expire {
			delete(r.active, name)
			r.event(agent.Event{Kind: agent.EventCheck, Name: name, Text: "deactivated: unused"})
		}
	}
}
