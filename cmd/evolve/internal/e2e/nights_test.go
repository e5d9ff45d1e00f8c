//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// clerkAgent answers questions about a stock with the tools of a server.
const clerkAgent = `id: clerk
adapter: {kind: builtin, model: default}
tools: [calculate]
mcp: [desk]
domains: {stock: [item, stock]}
suites: [%s]
space:
  temperature.stock: {}
`

// stockWorkspace returns a workspace, in a git repository, whose agent works in a
// stockroom. Its policies tolerate a busy machine: no call counts as late, and neither
// slow calls nor a series of failed calls open a breaker.
func stockWorkspace(t *testing.T, s *stockroom) place {
	t.Helper()
	p := newPlace(t, t.TempDir())
	p.write("evolve.yaml", fmt.Sprintf(`providers:
  local: {kind: openai, base_url: %q}
routes:
  default: {provider: local, model: clerk-1, max_tokens: 200}
prices:
  clerk-1: {input: 1, output: 2}
mcp:
  desk: {url: %q, tools: {count: read, ledger: read}}
policies: {origins: {mcp: {deadline: 5m, rate: {calls: 60000, per: 1m, wait: 5m}, breaker: {failures: 0.9, slow: 5m}}}}
search: {concurrency: 4}
guards: {cost: off, latency: off}
`, s.URL+"/v1", s.URL+"/mcp"))
	p.write("agents/clerk/agent.yaml", fmt.Sprintf(clerkAgent, "stock"))
	p.write("agents/clerk/config.yaml", "temperature.stock: 0.5\n")
	var suite strings.Builder
	for i := range 60 {
		split := "search"
		if i >= 20 {
			split = "holdout"
		}
		item := fmt.Sprintf("bolt%d", i)
		fmt.Fprintf(&suite, `{"id":"s%d","cluster":"s%[1]d","domain":"stock","goal":"How many of item %s are left?","answer":%q,"split":%q}`+"\n", i, item, left(item), split)
	}
	p.write("suites/stock.jsonl", suite.String())
	p.git("init", "-q", "-b", "main")
	p.commit("the stock's clerk")
	p.flags = []string{"--seed", "1", "--budget-evals", "400"}
	return p
}

// git runs git in the workspace and returns its output.
func (p place) git(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=Kim Lee", "-c", "user.email=kim@example.org"}, args...)...)
	cmd.Dir, cmd.Env = p.root, p.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// commit commits all files of the workspace.
func (p place) commit(subject string) {
	p.t.Helper()
	p.git("add", "-A")
	p.git("commit", "-q", "-m", subject)
}

// ask runs a command and decodes the JSON that it prints.
func ask[T any](p place, args ...string) (v T) {
	p.t.Helper()
	r := p.do(0, append(args, "--workspace", p.root, "--json")...)
	if err := json.Unmarshal([]byte(r.stdout), &v); err != nil {
		p.t.Fatalf("evolve %v: %v\n%s", args, err, r.stdout)
	}
	return v
}

// tale is the story of an agent over days and nights, with all that the test itself did and
// saw, so that what evolve reports can be compared with it.
type tale struct {
	place
	*stockroom
	// turns, thanks and corrections count the messages of users.
	turns, thanks, corrections int
	// live holds the tool calls in live turns. A call counts as failed if a user corrected
	// its turn.
	live []liveCall
	item int
	// The list answers contains, for each answer to a user, whether the answer was right.
	answers  []bool
	reviewed reviewed
	// champion is the temperature of the active config.
	champion float64
	nights   []noted
	adopted  []adoption
	// fromUse maps the item of each task that was made from live turns to the task's
	// split, and taskOf maps it to the task's id.
	fromUse, taskOf map[string]string
	// suites counts the changes to the agent's suites.
	suites int
}

// liveCall is a tool call in a live turn. It is marked as corrected if it worked and a user
// corrected its turn.
type liveCall struct {
	toolCall
	corrected bool
}

// noted is what the world noted of one night.
type noted struct {
	run      string
	champion float64
	suites   int
	// first is the number of answers, at the start of the night, that belong to reruns of
	// the champion and of the config that it replaced.
	first int
	// asked holds the requests of evaluations that count; all also holds the requests of
	// evaluations that do not count.
	asked, all []question
	called     []toolCall
}

// adoption is an approved proposal with the predictions in its report and the index of the
// first night that ran with it.
type adoption struct {
	proposal           string
	before, after      float64 // temperatures
	difference, lo, hi float64
	first              int
}

// day has users ask n questions, each in its own conversation. They thank the agent for a
// right answer and correct a wrong one. day returns the number of corrections.
func (s *tale) day(n int) int {
	s.t.Helper()
	thanks, corrections := 0, 0
	for range n {
		s.item++
		item := fmt.Sprintf("nut%d", s.item)
		name, first := fmt.Sprintf("talk%d", s.item), len(s.live)
		got := s.say(name, "How many of item "+item+" are left?")
		s.answers = append(s.answers, got == left(item))
		if got == left(item) {
			s.say(name, "Thanks, that is right.")
			thanks++
			continue
		}
		for i := range s.live[first:] {
			s.live[first+i].corrected = s.live[first+i].ok
		}
		s.say(name, "No, that is wrong. The answer is "+left(item)+".")
		corrections++
	}
	s.thanks, s.corrections = s.thanks+thanks, s.corrections+corrections
	return corrections
}

// content runs a day on which users correct at most one answer.
func (s *tale) content(n int) {
	s.t.Helper()
	if corrections := s.day(n); corrections > 1 {
		s.t.Errorf("%d corrections of %d answers", corrections, n)
	}
}

// say takes one live turn and returns its answer.
func (s *tale) say(session, message string) string {
	s.t.Helper()
	_, before := s.noted()
	got := ask[struct{ Answer string }](s.place, "agent", "run", "--session", session, message)
	_, after := s.noted()
	for _, c := range after[len(before):] {
		s.live = append(s.live, liveCall{toolCall: c})
	}
	s.turns++
	return got.Answer
}

// quiet lists the verdicts of a night that adopts nothing.
var quiet = []string{"keep", "undecided"}

// night runs a night, which must end with one of the verdicts, and compares the figures of its
// report with what the world noted.
func (s *tale) night(verdicts ...string) (nightly, outcome) {
	s.t.Helper()
	asked, called := s.noted()
	out := decodeOutcome(s.t, s.do(0, s.place.night()...))
	q, c := s.noted()
	all := q[len(asked):]
	n := noted{out.Run, s.champion, s.suites, 0, counting(all), all, c[len(called):]}
	s.nights = append(s.nights, n)
	r := ask[nightly](s.place, "report", out.Run)
	if verdict := r.Agents[0].Decision.Verdict; !slices.Contains(verdicts, verdict) {
		s.t.Fatalf("the verdict is %s, want %v\n%s", verdict, verdicts, s.do(0, "report", out.Run, "--workspace", s.root).stdout)
	}
	s.compare(r, n)
	s.learned()
	return r, out
}

// counting returns the requests from the latest attempt at each evaluation. evolve
// repeats an evaluation during which evolve's own process stood still, which can happen
// on a busy machine. Item, temperature and seed identify an evaluation.
func counting(all []question) []question {
	type evaluation struct {
		item        string
		temperature float64
		seed        int64
	}
	last := map[evaluation]int{} // where the latest attempt begins
	of := func(q question) evaluation { return evaluation{q.item, q.temperature, q.seed} }
	for i, q := range all {
		if q.begins {
			last[of(q)] = i
		}
	}
	var out []question
	for i, q := range all {
		if i >= last[of(q)] {
			out = append(out, q)
		}
	}
	return out
}

// decide approves or rejects a proposal.
func (s *tale) decide(action, proposal string) {
	s.t.Helper()
	s.do(0, action, proposal, "--yes", "--by", "Kim Lee <kim@example.org>", "--reason", "after the night", "--workspace", s.root)
}

// adopt approves what a night proposed.
func (s *tale) adopt(r nightly, out outcome) {
	s.t.Helper()
	h, id := r.Agents[0].Headline, out.Agents[0].Proposals[0]
	s.decide("approve", id)
	a := adoption{proposal: id, before: s.champion, after: s.temperatures(r)[h.Variant.ID], difference: h.Difference, lo: h.Lo, hi: h.Hi, first: len(s.nights)}
	s.adopted, s.champion = append(s.adopted, a), a.after
}

// rolledBack notes that the last adoption was rolled back.
func (s *tale) rolledBack() {
	last := len(s.adopted) - 1
	s.champion, s.adopted = s.adopted[last].before, s.adopted[:last]
}

// forbid has people forbid a tool, and returns the id of the feedback.
func (s *tale) forbid(tool string) string {
	s.t.Helper()
	given := ask[struct {
		Feedback struct{ ID string }
		Touched  struct{ Calls int }
	}](s.place, "feedback", "add", "clerk", "--verdict", "negative", "--action", "constraint", "--tool", "desk__"+tool, "--by", "Kim Lee", "--evidence", "it is offline")
	touched := 0
	for _, c := range s.live {
		if c.tool == tool {
			touched++
		}
	}
	if given.Touched.Calls != touched {
		s.t.Errorf("the feedback touches %d calls, there were %d", given.Touched.Calls, touched)
	}
	return given.Feedback.ID
}

// build turns conversations into tasks of the agent.
func (s *tale) build() {
	s.t.Helper()
	built := ask[struct {
		Summary struct{ Approved, Corrected, Kept int }
	}](s.place, "bench", "build", "--suite", "used", "--agent", "clerk", "--yes")
	got := built.Summary
	if got.Approved != s.thanks || got.Corrected != s.corrections || got.Kept == 0 {
		s.t.Errorf("%d thanks and %d corrections became %+v", s.thanks, s.corrections, got)
	}
	suite, err := os.ReadFile(filepath.Join(s.root, "suites", "used.jsonl"))
	if err != nil {
		s.t.Fatal(err)
	}
	for line := range strings.Lines(string(suite)) {
		var task struct{ ID, Goal, Answer, Split string }
		if err := json.Unmarshal([]byte(line), &task); err != nil {
			s.t.Fatal(err)
		}
		item := aboutItem.FindStringSubmatch(task.Goal)[1]
		if task.Answer != left(item) {
			s.t.Errorf("%q has the answer %q, the world %q", task.Goal, task.Answer, left(item))
		}
		s.fromUse[item], s.taskOf[item] = task.Split, task.ID
	}
	s.count("tasks from use", got.Kept, len(s.fromUse))
	s.suites++
	s.write("agents/clerk/agent.yaml", fmt.Sprintf(clerkAgent, "stock, used"))
	s.commit("tasks from use")
}

// counted returns the number of calls to a tool. It ignores the earliest calls to any
// tool; their number is the parameter since.
func (s *tale) counted(tool string, since int) int {
	n := 0
	_, called := s.noted()
	for _, c := range called[since:] {
		if c.tool == tool {
			n++
		}
	}
	return n
}

// TestNightsOfUse is the story of ten days and nights: users correct an agent and thank it, a
// night finds a better config, a tool degrades, people give feedback and take it back,
// conversations become tasks, the provider changes the model, a second adoption disappoints
// and is rolled back by the command that the report recommends, and a request for autonomy is
// refused. The figures of each report are compared with what the world of the agent noted.
func TestNightsOfUse(t *testing.T) {
	if testing.Short() {
		t.Skip("it is long")
	}
	t.Parallel()
	world, started := newStockroom(t), time.Now()
	s := &tale{place: stockWorkspace(t, world), stockroom: world, champion: .5, fromUse: map[string]string{}, taskOf: map[string]string{}}

	// Day and night 1: half of the answers are wrong, and a lower temperature fixes this.
	s.day(8)
	if s.thanks == 0 || s.corrections == 0 {
		t.Fatalf("%d thanks and %d corrections: nothing to learn from", s.thanks, s.corrections)
	}
	s.used()
	r, out := s.night("adopt")
	s.adopt(r, out)

	// Day 2: users have less to correct. Night 2 finds nothing better.
	s.content(6)
	s.night(quiet...)

	// Day and night 3: a tool degrades, and many questions take a second call.
	world.set(func(w *stockroom) { w.degraded = true })
	_, called := s.noted()
	s.day(5)
	if failing := s.counted("count", len(called)); failing < 5 || s.counted("ledger", len(called)) < 5 {
		t.Errorf("%d calls of the broken tool, %d of the other", failing, s.counted("ledger", len(called)))
	}
	s.used()
	s.night(quiet...)

	// Day and night 4: people forbid the tool, in turns and in nights.
	feedback := s.forbid("count")
	_, called = s.noted()
	s.day(3)
	s.night(quiet...)
	if n := s.counted("count", len(called)); n > 0 {
		t.Errorf("%d calls of a tool that people forbid", n)
	}

	// Day 5: the tool is repaired, and the feedback is removed. Conversations become tasks.
	world.set(func(w *stockroom) { w.degraded = false })
	s.do(0, "feedback", "remove", "clerk", feedback, "--by", "Kim Lee", "--reason", "it is mended", "--workspace", s.root)
	_, called = s.noted()
	s.day(2)
	if s.counted("count", len(called)) < 2 {
		t.Error("removing the feedback did not bring the tool back")
	}
	s.used()
	s.build()
	s.night(quiet...)

	// Day and night 6: the provider changes the model. The champion's score falls, and the
	// night finds a config that fits.
	world.set(func(w *stockroom) { w.best = .5 })
	s.day(3)
	if r, out = s.night("adopt"); !r.fell() {
		t.Error("the report does not show that the champion fell")
	}
	s.adopt(r, out)
	s.content(3)
	if r, _ = s.night(quiet...); r.fell() || r.advised() != "" {
		t.Errorf("after the second adoption the watch shows %+v", r.Volatile.Agents[0].Watch)
	}

	// Day and night 8: the provider brings a model for which the second adoption is wrong.
	// The report recommends rolling it back and gives the command.
	world.set(func(w *stockroom) { w.best, w.slope = 0, 3 })
	if corrections := s.day(6); corrections < 2 {
		t.Errorf("%d corrections of 6 answers after the change", corrections)
	}
	r, out = s.night("adopt")
	if !r.fell() || r.advised() != "evolve rollback "+s.adopted[1].proposal {
		t.Fatalf("after the change the watch shows %+v", r.Volatile.Agents[0].Watch)
	}
	page := s.do(0, "report", "--workspace", s.root).stdout
	for _, want := range []string{s.adopted[1].proposal + " disappoints: ", "the champion's score has fallen by ", r.advised()} {
		if !strings.Contains(page, want) {
			t.Errorf("the report does not have %q:\n%s", want, page)
		}
	}
	if strings.Contains(page, "as predicted") {
		t.Errorf("the report has an adoption that fell as predicted:\n%s", page)
	}
	s.decide("reject", out.Agents[0].Proposals[0])
	s.do(0, append(strings.Fields(r.advised())[1:], "--yes", "--by", "Kim Lee <kim@example.org>", "--reason", "it disappoints", "--workspace", s.root)...)
	s.rolledBack()

	// Days and nights 9 and 10: users are content again.
	s.content(6)
	for range 2 {
		if r, _ = s.night(quiet...); r.fell() || r.advised() != "" {
			t.Errorf("after the rollback the watch shows %+v", r.Volatile.Agents[0].Watch)
		}
		s.content(2)
	}

	// The agent has not earned more autonomy: it states no confidence.
	refused := s.do(4, "autonomy", "request", "clerk", "--level", "2", "--reason", "it is good", "--by", "Kim Lee", "--workspace", s.root)
	if !strings.Contains(refused.stderr, "confidence") {
		t.Errorf("the refusal names no unmet requirement: %s", refused.stderr)
	}
	s.conduct()
	s.used()
	s.competent(started)
	if len(s.nights) != 10 {
		t.Errorf("there were %d nights", len(s.nights))
	}
	s.do(0, "audit", "verify", "--workspace", s.root)
	s.do(0, "archive", "check", "--workspace", s.root)
}
