package sessions

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"evolve/bench"
	"evolve/bench/grade"
	"evolve/runtime/agent"
)

// The bounds of a task, and of the tasks that are compared.
const (
	maxGoal     = 16 << 10
	maxAnswer   = 8 << 10
	maxEarlier  = 64 << 10 // bytes of the earlier messages
	maxTasks    = 20_000
	maxAll      = 256 << 20 // bytes of all tasks
	shortAnswer = 5         // maximum words of an answer that is compared as a whole
)

// Options configures a [Builder].
type Options struct {
	// Scrub removes credentials.
	Scrub func(string) string
	// Domain finds the domain of a message for conversations that name no domain. If
	// Fixed is set, all tasks have the domain Fixed instead.
	Domain func(message string) string
	Fixed  string
	// DomainProblem returns the reason why a domain name is not valid in a suite, or ""
	// if the name is valid; a nil function accepts every name. An invalid name in a log
	// is left out and counted.
	DomainProblem func(name string) string
	// PerDomain is the maximum number of tasks to select for a domain; 0 selects all.
	PerDomain int
	// Grader is the type of the graders to use instead of exact, f1 and contains; it must
	// use the task's answer.
	Grader string
	// Conversations turns each conversation that has several user messages and was approved
	// at its end into one scripted conversation, instead of one task for each approved
	// exchange.
	Conversations bool
	// Existing describes the tasks of the old suite, which the new suite replaces.
	Existing Existing
}

// Summary counts the results of reading conversations.
type Summary struct {
	Conversations int `json:"conversations"`
	// Repeated counts the records of logged requests that are the beginning of a longer
	// record, or equal to another record, and therefore do not count as conversations of
	// their own.
	Repeated  int `json:"repeated,omitempty"`
	Exchanges int `json:"exchanges"`
	// Approved, Corrected and Refused count exchanges; Stated counts the corrected ones
	// whose answer the user states.
	Approved  int `json:"approved"`
	Corrected int `json:"corrected"`
	Stated    int `json:"stated"`
	Refused   int `json:"refused"`
	// Targets counts the exchanges for which the answer is the log's own target.
	Targets int `json:"targets,omitempty"`
	// Scripted counts the conversations that became one task each.
	Scripted int `json:"scripted,omitempty"`
	// LeftOut counts approved exchanges that cannot become tasks, by reason.
	LeftOut map[string]int `json:"left_out"`
	// Scrubbed counts the tasks in which a credential was replaced, Personal counts those
	// in which personal data was replaced, and Duplicates counts those left out because
	// another task is nearly the same.
	Scrubbed int `json:"scrubbed"`
	Personal int `json:"personal"`
	// BadDomains counts the tasks whose log names a domain that no suite can have.
	BadDomains int `json:"bad_domains,omitempty"`
	Duplicates int `json:"duplicates"`
	// Clusters is the number of clusters of the tasks that remain; Kept counts the
	// selected tasks.
	Clusters int             `json:"clusters"`
	Kept     int             `json:"kept"`
	Search   int             `json:"search"`
	Holdout  int             `json:"holdout"`
	Domains  []DomainSummary `json:"domains"`
	// Existing counts the tasks in comparison with the suite that this one replaces; it is
	// nil if there is none.
	Existing *ExistingSummary `json:"existing,omitempty"`
}

// ExistingSummary counts the tasks that stay in a suite, each in its split, the tasks that
// are new, and the tasks that are gone.
type ExistingSummary struct {
	Stay int `json:"stay"`
	New  int `json:"new"`
	Gone int `json:"gone"`
}

// DomainSummary counts the tasks of a domain.
type DomainSummary struct {
	Domain   string `json:"domain"`
	Tasks    int    `json:"tasks"` // that remain
	Clusters int    `json:"clusters"`
	Kept     int    `json:"kept"`
	Search   int    `json:"search"`
	Holdout  int    `json:"holdout"`
}

// Builder makes tasks from conversations.
type Builder struct {
	o          Options
	gathering  gathering
	added      int // conversations
	candidates []candidate
	ids        map[string]bool
	// approved maps the digest of each request together with its approved answer to the
	// digest of the request alone; corrected contains the digests of requests together
	// with their corrected answers.
	approved  map[string]string
	corrected map[string]bool
	size      int // bytes of the candidates
	summary   Summary
}

// candidate is a task that may be selected.
type candidate struct {
	task         bench.Task
	conversation int
	family       string
	weight       float64 // number of tasks that it represents
	cluster      string
	// asked is a digest of the request; given reports whether the answer is the log's own
	// target.
	asked string
	given bool
}

// NewBuilder returns a builder without conversations, or an error if the grader cannot be
// used.
func NewBuilder(o Options) (*Builder, error) {
	if _, known := grade.Rules().Fields[o.Grader]; o.Grader != "" && !known {
		return nil, fmt.Errorf("unknown grader type %q", o.Grader)
	}
	return &Builder{o: o, ids: map[string]bool{}, approved: map[string]string{}, corrected: map[string]bool{}, summary: Summary{LeftOut: map[string]int{}}}, nil
}

// Add adds the exchanges of a conversation, and sets its digest if it has none. A
// conversation from logged requests is held back, because another record may be a longer
// form of it.
func (b *Builder) Add(c Conversation) {
	b.added++
	if c.Digest == "" {
		c.Digest = digest(c.Messages)
	}
	if !c.Format.logged() || !slices.ContainsFunc(c.Messages, func(m Message) bool { return m.counts() }) {
		b.judge(c, b.added)
		return
	}
	if b.summary.Repeated += b.gathering.add(c, b.added); b.gathering.full() {
		b.settle()
	}
}

// settle judges the conversations that were held back.
func (b *Builder) settle() {
	for _, one := range b.gathering.take() {
		b.judge(one.Conversation, one.order)
	}
}

// judge adds the exchanges of a complete conversation, which is the n-th conversation
// that was added.
func (b *Builder) judge(c Conversation, n int) {
	b.summary.Conversations++
	list := judge(&c)
	clean := newScrubbing(b.o.Scrub, c.Messages)
	end := -1
	if b.o.Conversations && len(c.Target.Texts) == 0 {
		end = ending(list)
	}
	for i, e := range list {
		if e.answer >= 0 {
			b.summary.Exchanges++
		}
		switch e.fate {
		case refused:
			b.summary.Refused++
			if c.Messages[e.answer].Verdict.Given {
				b.note(&c, e)
			}
		case corrected:
			b.summary.Corrected++
			b.note(&c, e)
			if e.stated != "" {
				b.summary.Stated++
			}
		case approved:
			b.summary.Approved++
			b.note(&c, e)
		}
		if len(e.target) > 0 {
			b.summary.Targets++
		} else if e.untargeted || e.fate != approved && e.stated == "" {
			continue
		}
		if i < end { // a part of the script
			continue
		}
		var before []judged
		if i == end {
			before = list[:i+1]
		}
		if reason := b.add(&c, n, e, before, clean.task()); reason != "" {
			b.summary.LeftOut[reason]++
		}
	}
}

// note records a user's verdict on an answer.
func (b *Builder) note(c *Conversation, e judged) {
	before, size := earlier(c.Messages[:e.ask])
	if size > maxEarlier || len(b.corrected)+len(b.approved) >= 2*maxTasks {
		return
	}
	if asked, said := exchanged(before, e.goal, c.Messages[e.answer].Text); e.fate == approved {
		b.approved[said] = asked
	} else {
		b.corrected[said] = true
	}
}

// add adds an exchange of the n-th conversation as a candidate, or returns the reason why
// it cannot be one. If a script is given, its exchanges end with this one, and the
// candidate is the whole script.
func (b *Builder) add(c *Conversation, n int, e judged, script []judged, clean *scrubbing) (reason string) {
	goal, answer := e.goal, e.stated
	switch {
	case len(e.target) > 0:
		answer = e.target[0]
	case answer == "":
		answer = strings.TrimSpace(c.Messages[e.answer].Text)
	}
	turns, size := earlier(c.Messages[:e.ask])
	switch {
	case e.acted:
		return "the conversation ends with an action, not an answer"
	case e.reply && len(e.target) == 0 && len(script) == 0:
		return "the message only agrees with the agent or answers it, and asks for nothing"
	case e.partial:
		return "parts of the conversation are not text"
	case goal == "":
		return "the message is empty"
	case len(goal) > maxGoal || len(answer)+len(strings.Join(e.target, "")) > maxAnswer || size > maxEarlier:
		return "the conversation is too long"
	case slices.ContainsFunc(turns, func(m agent.Message) bool { return strings.TrimSpace(m.Content) == answer }):
		return "an earlier message is identical to the answer"
	case givesAway(goal, answer):
		return "the message states the answer itself"
	case len(b.candidates) >= maxTasks || b.size+size > maxAll:
		return fmt.Sprintf("there are more than %d candidate tasks, or more than %d MB of them", maxTasks, maxAll>>20)
	}
	if secret := func(s string) bool { return b.o.Scrub(s) != s }; secret(answer) || slices.ContainsFunc(e.target, secret) {
		return "the answer contains a credential"
	}
	asked, _ := exchanged(turns, goal, answer)
	// A longer log of the same conversation gives the same ids.
	t := bench.Task{ID: fmt.Sprintf("%s-%.16s", c.Format, digest(c.Messages[:max(e.ask, e.answer)+1])), Goal: clean.text(goal)}
	for i := range turns {
		turns[i].Content = clean.text(turns[i].Content)
	}
	t.Fixtures.Turns = turns
	named := clean.about(c.Domain)
	bad := b.o.Fixed == "" && named != "" && b.o.DomainProblem != nil && b.o.DomainProblem(named) != ""
	if bad {
		named = ""
	}
	if t.Domain = b.o.Fixed; t.Domain == "" {
		t.Domain = orElse(named, b.o.Domain(t.Goal))
	}
	target := c.Target
	target.Texts = nil
	for _, s := range e.target {
		target.Texts = append(target.Texts, clean.answer(s))
	}
	answer = clean.answer(answer)
	t.Answer = &answer
	if t.Graders = b.graders(answer, e.stated != ""); len(e.target) > 0 {
		t.Graders = b.targetGraders(target)
	}
	for _, tool := range slices.Compact(slices.Sorted(slices.Values(e.tools))) {
		t.Tags = append(t.Tags, clean.about("tool "+tool))
	}
	t.Source = &bench.Source{
		Session: clean.about(c.ID), File: clean.about(c.File), Line: c.Line, Digest: c.Digest,
		Author: clean.about(e.by), Approval: clean.about(e.how),
	}
	if len(script) > 0 {
		if reason := b.script(c, script, &t, clean); reason != "" {
			return reason
		}
		if b.o.Fixed == "" && named == "" { // the first message has the subject
			t.Domain = b.o.Domain(t.Turns[0].User)
		}
	}
	if clean.untold() {
		return "the answer contains personal data that no earlier message contains"
	}
	if b.ids[t.ID] {
		b.summary.Duplicates++
		return ""
	}
	if !valid(t) {
		return "it cannot be written as a task"
	}
	if clean.changed {
		b.summary.Scrubbed++
	}
	if clean.named {
		b.summary.Personal++
	}
	if bad {
		b.summary.BadDomains++
	}
	if len(script) > 0 {
		b.summary.Scripted++
	}
	b.ids[t.ID] = true
	b.size += size + len(goal) + len(answer)
	b.candidates = append(b.candidates, candidate{task: t, conversation: n, family: c.Family, weight: 1, asked: asked, given: len(e.target) > 0})
	return ""
}

// earlier returns the messages before a request, except those of tools. The size that it
// returns includes the texts of tools. It stops when the size exceeds maxEarlier.
func earlier(messages []Message) (turns []agent.Message, size int) {
	for _, m := range messages {
		if size += len(m.Text); size > maxEarlier {
			break
		}
		if m.Role != Tool && strings.TrimSpace(m.Text) != "" {
			turns = append(turns, agent.Message{Role: string(m.Role), Content: m.Text})
		}
	}
	return turns, size
}

// graders returns the graders for an answer. If the options set a type, the graders are
// of that type. Otherwise, if the user stated the answer, they accept any answer that
// contains the statement. If not, a short answer is compared as a whole, with or without
// a full stop, and a longer answer by its words.
func (b *Builder) graders(answer string, stated bool) []bench.GraderSpec {
	fields := map[string]any{"type": "f1"}
	switch {
	case b.o.Grader != "":
		fields["type"] = b.o.Grader
	case stated:
		fields = map[string]any{"type": "contains", "ignore_case": true}
	case len(strings.Fields(answer)) <= shortAnswer && !strings.Contains(answer, "\n"):
		bare := strings.TrimRight(answer, ".")
		fields = map[string]any{"type": "exact", "ignore_case": true, "answer": []string{bare, bare + "."}}
		if bare == "" {
			fields["answer"] = answer
		}
	}
	return graderOf(fields)
}

// valid reports whether a task is valid in a suite.
func valid(t bench.Task) bool {
	var text bytes.Buffer
	if bench.WriteSuite(&text, []bench.Task{t}) != nil {
		return false
	}
	suite, _ := bench.ReadSuite(&text, "", nil, grade.Rules())
	return suite != nil
}

// givesAway reports whether a message is a correction that states the answer.
func givesAway(message, answer string) bool {
	words := func(s string) string {
		list := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		return " " + strings.Join(list, " ") + " "
	}
	given := words(stated(message))
	return strings.TrimSpace(given) != "" && strings.Contains(words(answer), given)
}
