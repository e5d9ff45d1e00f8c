package provider

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/model"
	"evolve/runtime/safety"
)

// Render turns a request into a conversation. The same request always yields the same
// bytes.
//
// The system prompt consists of the runtime's rules that apply, the bootstrap's sections
// and the strategy, and so only of the runtime's own words and text that people wrote or
// approved. The messages are the solved examples, the earlier turns, the data, the goal,
// each round of calls with its results, each rejected answer, and the runtime's advice on
// this step. The data are the summary, notes and working state of the conversation, what is
// known about the tools, memories and the like. Text that comes from neither the operator
// nor the user is written as lines of JSON.
//
// In the last step no tool may be called, and an agent without tools is not offered refer.
// A synthesis contains only the findings.
func Render(req *model.Request) Chat {
	c := Chat{form: req.Form}
	c.system(req)
	if req.Synthesis {
		c.synthesis(req)
	} else {
		c.conversation(req)
	}
	c.rules()
	return c
}

// rules puts the applicable rules in front of the rest of the system prompt.
func (c *Chat) rules() {
	s := situation{Tools: len(c.Tools) > 0, Refers: c.refers, Examples: c.shown}
	has := func(text string) bool {
		return strings.HasPrefix(text, dataMark) || strings.Contains(text, "\n"+dataMark)
	}
	for _, m := range c.Messages {
		s.Data = s.Data || has(m.Text)
	}
	text := strings.TrimSpace(ruled(c.form, s) + "\n" + safety.Marker)
	c.System = slices.Insert(c.System, 0, Block{Name: "rules", Text: text})
}

// conversation adds the tools and the messages of a step.
func (c *Chat) conversation(req *model.Request) {
	c.Final = req.Remaining == 1
	if len(req.Tools) > 0 && (!c.Final || len(req.Steps) > 0) {
		c.offer(req)
	}
	c.examples(req)
	c.turns(req)
	c.goal(req)
	c.rounds(req)
	for _, answer := range req.Rejected {
		if strings.TrimSpace(answer) == "" {
			answer = "(no answer)"
		}
		c.add(Assistant, plain(answer))
		again := "Answer again in that form, with nothing else."
		if form := requested(req.Form); form != "" {
			again = "Do it again: " + form
		}
		c.add(User, "Runtime: that answer was sent back, because it has not the form that the goal asks for. "+again)
	}
	for _, draft := range req.Drafts {
		c.add(Assistant, plain(draft))
	}
	c.advise(req)
}

func (c *Chat) system(req *model.Request) {
	add := func(name, text string) {
		c.System = append(c.System, Block{Name: name, Text: strings.TrimSpace(text)})
	}
	for _, s := range req.System {
		if strings.TrimSpace(s.Text) != "" {
			add(s.Name, "# "+s.Name+"\n\n"+s.Text)
		}
	}
	if strings.TrimSpace(req.Strategy) != "" {
		add("strategy", "# Strategy\n\n"+req.Strategy)
	}
}

// carried returns the data that the conversation and earlier turns left for this turn.
// Models, tools and users wrote it, so it is not part of the system prompt.
func carried(req *model.Request) []datum {
	var all []datum
	if req.Summary != "" {
		all = append(all, datum{Kind: "summary", Text: req.Summary})
	}
	for _, n := range req.Notes {
		all = append(all, datum{Kind: "note", Text: n})
	}
	if req.Working != "" {
		all = append(all, datum{Kind: "working_state", Text: req.Working})
	}
	if req.Known != "" {
		all = append(all, datum{Kind: "known_tools", Text: req.Known})
	}
	return all
}

func (c *Chat) offer(req *model.Request) {
	taken := false
	for _, s := range req.Tools {
		taken = taken || s.Name == referName
	}
	if !taken {
		c.refers = true
		t := referTool()
		t.Name = c.names.wire(t.Name)
		c.Tools = append(c.Tools, t)
	}
	for _, s := range req.Tools {
		c.Tools = append(c.Tools, Tool{Name: c.names.wire(s.Name), Description: s.Description, Schema: schema(s.Schema)})
	}
}

// examples adds solved examples as messages: each task is surrounded by the same lines as
// every goal of this domain, and the answer is in the requested form. The rules give the
// number of examples. A small model continues the pattern of the examples, and a line that
// occurs only in the last message would break that pattern.
func (c *Chat) examples(req *model.Request) {
	for _, d := range req.Demonstrations {
		c.task(req, domain(req), d.Task)
		c.add(Assistant, plain(req.Form.Write(d.Answer)))
	}
	c.shown = len(req.Demonstrations)
}

// turns adds the earlier messages. A conversation has only the roles user and assistant; a
// message with any other role is shown as data.
func (c *Chat) turns(req *model.Request) {
	first := true
	for _, t := range req.Turns {
		if strings.TrimSpace(t.Content) == "" {
			continue
		}
		who, text := Role(t.Role), t.Content
		if who != User && who != Assistant {
			who, text = User, datum{Kind: "message", From: t.Role, Text: text}.line()
		}
		if who == Assistant && first {
			c.add(User, "Runtime: earlier messages are left out.")
		}
		first = false
		c.add(who, plain(text))
	}
}

func (c *Chat) goal(req *model.Request) {
	all := append(domain(req), carried(req)...)
	for _, h := range req.Memories {
		all = append(all, remembered(h))
	}
	all = append(all, found(req.Findings)...)
	if len(req.Files) > 0 {
		all = append(all, listed("files", req.Files))
	}
	for _, s := range req.Shared {
		all = append(all, datum{Kind: "shared", From: s.From, Key: s.Key, Text: s.Text})
	}
	if len(req.Inactive) > 0 && !c.Final {
		all = append(all, enableable(req))
	}
	c.task(req, all, req.Goal)
}

// domain returns the datum that names the request's domain, or nothing if the domain is
// empty or the global one.
func domain(req *model.Request) []datum {
	if req.Domain == "" || req.Domain == memory.GlobalDomain {
		return nil
	}
	return []datum{{Kind: "domain", Text: req.Domain}}
}

// task adds data, a goal, and the request for an answer form.
func (c *Chat) task(req *model.Request, data []datum, goal string) {
	if len(data) > 0 {
		c.add(User, lines(data))
	}
	c.add(User, "Goal:\n"+plain(goal))
	c.request(req)
}

// request states the requested answer form after the goal.
func (c *Chat) request(req *model.Request) {
	if form := requested(req.Form); form != "" {
		c.add(User, "Runtime: "+form)
	}
}

// posing matches the runtime's name and a colon at the beginning of a line, ignoring case.
// The line may follow any character that is displayed as the end of a line, and the name
// may follow invisible characters.
var posing = regexp.MustCompile(`(?i)(^|[\n\r\v\f\x{85}\x{2028}\x{2029}])([\t\x{ad}\x{200b}-\x{200f}\x{2060}\x{feff}]*)(runtime[ \t]*:)`)

// plain changes text so that it cannot pass for a message from the runtime.
func plain(text string) string { return posing.ReplaceAllString(text, "$1 $2$3") }

func found(findings []model.Finding) []datum {
	var all []datum
	for _, f := range findings {
		all = append(all, datum{Kind: "finding", Goal: f.Goal, Answer: f.Answer, Confidence: f.Confidence, Unsure: f.Unsure})
	}
	return all
}

// rounds adds the calls made for this goal with their results, grouped by reply.
func (c *Chat) rounds(req *model.Request) {
	for from := 0; from < len(req.Steps); {
		to := from
		for to < len(req.Steps) && req.Steps[to].Round == req.Steps[from].Round {
			to++
		}
		reply := Message{Role: Assistant}
		if r := req.Steps[from].Round; r >= 0 && r < len(req.Said) {
			reply.Text = plain(strings.TrimSpace(req.Said[r]))
		}
		results := Message{Role: User}
		for _, s := range req.Steps[from:to] {
			id := callID(c.calls)
			c.calls++
			reply.Calls = append(reply.Calls, Call{
				ID: id, Tool: c.names.wire(s.Call.Tool), Arguments: object(memory.Cut(string(s.Call.Arguments), maxText)),
			})
			results.Results = append(results.Results, Result{
				ID: id, Failed: s.Result.Outcome != agent.OK,
				Text: string(encode(result{s.Result.Outcome, memory.Cut(s.Result.Output, maxText)})),
			})
		}
		c.Messages = append(c.Messages, reply, results)
		from = to
	}
}

// advise ends the conversation with the runtime's advice on this step.
func (c *Chat) advise(req *model.Request) {
	for _, a := range req.Advice {
		c.add(User, "Runtime: "+a)
	}
	if c.Final && len(c.Tools) > 0 {
		c.add(User, "Runtime: this is the last step. Answer now, without calling a tool.")
	}
}

func (c *Chat) synthesis(req *model.Request) {
	c.Final = true
	if len(req.Findings) > 0 {
		c.add(User, lines(found(req.Findings)))
	}
	c.add(User, "Goal:\n"+plain(req.Goal))
	c.add(User, fmt.Sprintf("Runtime: the findings above are what the %d parts of the goal came to. "+
		"Answer the goal from them alone.", len(req.Findings)))
	for _, draft := range req.Drafts {
		c.add(Assistant, plain(draft))
	}
	c.request(req)
	c.advise(req)
}
