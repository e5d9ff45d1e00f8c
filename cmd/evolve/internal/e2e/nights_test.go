//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"slices"
	"strings"
	"testing"
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

// stockWorkspace is a workspace in a git repository whose agent works in a stockroom.
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
policies: {origins: {mcp: {rate: {calls: 60000, per: 1m}}}}
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
	// live are the tool calls of live turns. One whose turn a user corrected has failed.
	live []toolCall
	item int
	// reviewed are the turns, thanks and corrections before the last night.
	reviewed [3]int
}

// day has users ask n questions, each in a conversation of its own. They thank for a right
// answer, and correct a wrong one.
func (s *tale) day(n int) {
	s.t.Helper()
	for range n {
		s.item++
		item := fmt.Sprintf("nut%d", s.item)
		name, first := fmt.Sprintf("talk%d", s.item), len(s.live)
		got := s.say(name, "How many of item "+item+" are left?")
		if got == left(item) {
			s.say(name, "Thanks, that is right.")
			s.thanks++
		} else {
			for i := range s.live[first:] {
				s.live[first+i].ok = false
			}
			s.say(name, "No, that is wrong. The answer is "+left(item)+".")
			s.corrections++
		}
	}
}

// say takes one live turn and returns its answer.
func (s *tale) say(session, message string) string {
	s.t.Helper()
	_, before := s.noted()
	got := ask[struct{ Answer string }](s.place, "agent", "run", "--session", session, message)
	_, after := s.noted()
	s.live = append(s.live, after[len(before):]...)
	s.turns++
	return got.Answer
}

// nightly is what the test reads of a report.
type nightly struct {
	Run struct {
		ID          string
		Evaluations int
	}
	Agents []struct {
		Decision struct{ Verdict string }
		Headline *struct{ Champion, Score, Difference, Lo, Hi float64 }
		Health   struct {
			Stages []struct {
				Stage string
				Done  int
			}
		}
	}
	Volatile struct {
		CostUSD float64 `json:"cost_usd"`
		Guards  []struct {
			Kind, Name string
			Calls      int
			Outcomes   map[string]int
		}
		Agents []struct {
			Watch *struct {
				Fall *struct {
					Before, After, Difference float64
					AfterNights               int `json:"after_nights"`
					AfterRuns                 int `json:"after_runs"`
				}
				Adopted *struct {
					Proposal, Command string
					Worse, Below      bool
				}
			}
		}
	}
}

// fell reports whether the watch shows a fall of the champion.
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

// quiet are the verdicts of a night that adopts nothing.
var quiet = []string{"keep", "undecided"}

// night runs a night, which must end with one of the verdicts, and compares the figures of its report with what the world noted.
func (s *tale) night(verdicts ...string) (nightly, outcome) {
	s.t.Helper()
	asked, called := s.noted()
	out := decodeOutcome(s.t, s.do(0, s.place.night()...))
	q, c := s.noted()
	q, c = q[len(asked):], c[len(called):]
	r := ask[nightly](s.place, "report", out.Run)
	a := r.Agents[0]
	if !slices.Contains(verdicts, a.Decision.Verdict) {
		s.t.Fatalf("the verdict is %s, want %v\n%s", a.Decision.Verdict, verdicts, s.do(0, "report", out.Run, "--workspace", s.root).stdout)
	}
	answers, usd, calls := 0, 0., map[string]int{"local": len(q)}
	for _, x := range q {
		if x.tool == "" {
			answers++
		}
		usd += (float64(x.tokens) + 2*stockReply) / 1e6
	}
	for _, x := range c {
		calls["desk__"+x.tool]++
		if !x.ok {
			calls["desk__"+x.tool+" failed"]++
		}
	}
	done := 0
	for _, stage := range a.Health.Stages {
		done += stage.Done
	}
	if r.Run.Evaluations != answers || done != answers {
		s.t.Errorf("the report has %d evaluations and %d in its stages, the model gave %d answers", r.Run.Evaluations, done, answers)
	}
	if math.Abs(r.Volatile.CostUSD-usd) > 1e-9 {
		s.t.Errorf("the report has %g USD, the model's bill is %g", r.Volatile.CostUSD, usd)
	}
	for _, g := range r.Volatile.Guards {
		if failed := g.Calls - g.Outcomes["ok"]; calls[g.Name] != g.Calls || calls[g.Name+" failed"] != failed {
			s.t.Errorf("the report has %d calls of %s, %d failed; the world saw %d, %d failed", g.Calls, g.Name, failed, calls[g.Name], calls[g.Name+" failed"])
		}
		delete(calls, g.Name)
		delete(calls, g.Name+" failed")
	}
	if len(calls) > 0 {
		s.t.Errorf("the report lacks calls: %v", calls)
	}
	if h := a.Headline; h != nil {
		s.sameScores(q, h.Champion, h.Score)
	}
	s.watched(r, q)
	s.learned()
	return r, out
}

// watched compares a fall that begins with this night with the answers of the champion's
// reruns, which are the first of the night.
func (s *tale) watched(r nightly, q []question) {
	s.t.Helper()
	if !r.fell() || r.Volatile.Agents[0].Watch.Fall.AfterNights != 1 {
		return
	}
	fall := r.Volatile.Agents[0].Watch.Fall
	right, all := 0., 0.
	for _, x := range q {
		if x.tool == "" && all < float64(fall.AfterRuns) {
			all++
			if x.answer == left(x.item) {
				right++
			}
		}
	}
	if math.Abs(fall.After-right/all) > 1e-9 {
		s.t.Errorf("the watch has %.4f after the fall, the reruns of the world %.4f", fall.After, right/all)
	}
}

// learned compares the lessons that a night made of the turns since the last one with what
// users wrote in these.
func (s *tale) learned() {
	s.t.Helper()
	now := [3]int{s.turns, s.thanks, s.corrections}
	if now[0] == s.reviewed[0] {
		return // the lessons stay
	}
	got := ask[struct {
		Night struct {
			Turns               int
			Corrected, Approved struct{ Count int }
		}
	}](s.place, "agent", "lessons", "clerk").Night
	want := [3]int{now[0] - s.reviewed[0], now[1] - s.reviewed[1], now[2] - s.reviewed[2]}
	if have := [3]int{got.Turns, got.Approved.Count, got.Corrected.Count}; have != want {
		s.t.Errorf("the lessons of the night have %v turns, approvals and corrections; there were %v", have, want)
	}
	s.reviewed = now
}

// sameScores compares the mean scores of a confirmation with the answers that the world gave
// on the holdout tasks, by the temperature of the request.
func (s *tale) sameScores(q []question, champion, variant float64) {
	s.t.Helper()
	right, all := map[float64]float64{}, map[float64]float64{}
	for _, x := range q {
		var n int
		if _, err := fmt.Sscanf(x.item, "bolt%d", &n); err != nil || n < 20 || x.tool != "" {
			continue
		}
		all[x.temperature]++
		if x.answer == left(x.item) {
			right[x.temperature]++
		}
	}
	var shares []float64
	for t := range all {
		shares = append(shares, right[t]/all[t])
	}
	for _, want := range []float64{champion, variant} {
		if !slices.ContainsFunc(shares, func(got float64) bool { return math.Abs(got-want) < 1e-9 }) {
			s.t.Errorf("the report has the score %.4f on the holdout, the world's answers give %.4f by temperature", want, shares)
		}
	}
}

// used compares what `tools health` shows with the calls of live turns.
func (s *tale) used() {
	s.t.Helper()
	got := ask[struct {
		Turns int
		Tools []struct {
			Tool      string
			Calls     int
			Succeeded int
		}
	}](s.place, "tools", "health", "clerk")
	if got.Turns != s.turns {
		s.t.Errorf("tools health has %d turns, there were %d", got.Turns, s.turns)
	}
	for _, tool := range got.Tools {
		calls, ok := 0, 0
		for _, c := range s.live {
			if "desk__"+c.tool == tool.Tool {
				calls++
				if c.ok {
					ok++
				}
			}
		}
		if tool.Calls != calls || tool.Succeeded != ok {
			s.t.Errorf("tools health has %d calls of %s, %d with success; there were %d, %d", tool.Calls, tool.Tool, tool.Succeeded, calls, ok)
		}
	}
}

// decide approves a proposal or rolls it back.
func (s *tale) decide(action, proposal string) {
	s.t.Helper()
	s.do(0, action, proposal, "--yes", "--by", "Kim Lee <kim@example.org>", "--reason", "after the night", "--workspace", s.root)
}

// counted returns the calls of a tool since an earlier number of calls.
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

// TestNightsOfUse is the story of eight days and nights: users correct an agent and thank it, a
// night finds a better config, a tool degrades, people give feedback and take it back,
// conversations become tasks, the provider changes the model, a second adoption disappoints
// and is rolled back, and a request for autonomy is refused. The figures of each report are
// compared with what the world of the agent noted.
func TestNightsOfUse(t *testing.T) {
	if testing.Short() {
		t.Skip("it is long")
	}
	t.Parallel()
	world := newStockroom(t)
	s := &tale{place: stockWorkspace(t, world), stockroom: world}

	// Day and night 1: half of the answers are wrong, and a lower temperature mends it.
	s.day(8)
	if s.thanks == 0 || s.corrections == 0 {
		t.Fatalf("%d thanks and %d corrections: nothing to learn from", s.thanks, s.corrections)
	}
	s.used()
	_, out := s.night("adopt")
	s.decide("approve", out.Agents[0].Proposals[0])

	// Day 2: users have less to correct. Night 2 finds nothing better.
	before := s.corrections
	s.day(6)
	if s.corrections-before > 1 {
		t.Errorf("%d corrections of 6 answers after the adoption", s.corrections-before)
	}
	s.night(quiet...)

	// Day 3: a tool degrades; each question takes a second call.
	world.set(func(w *stockroom) { w.broken = "count" })
	_, called := s.noted()
	s.day(5)
	failing := s.counted("count", len(called))
	if failing < 5 || s.counted("ledger", len(called)) < 5 {
		t.Errorf("%d calls of the broken tool, %d of the other", failing, s.counted("ledger", len(called)))
	}
	s.used()

	// People forbid it, in turns and in nights, until it is mended.
	given := ask[struct {
		Feedback struct{ ID string }
		Touched  struct{ Calls int }
	}](s.place, "feedback", "add", "clerk", "--verdict", "negative", "--action", "constraint", "--tool", "desk__count", "--by", "Kim Lee", "--evidence", "it is offline")
	touched := 0
	for _, c := range s.live {
		if c.tool == "count" {
			touched++
		}
	}
	if given.Touched.Calls != touched {
		t.Errorf("the feedback touches %d calls, there were %d", given.Touched.Calls, touched)
	}
	_, called = s.noted()
	s.day(3)
	s.night(quiet...)
	if n := s.counted("count", len(called)); n > 0 {
		t.Errorf("%d calls of a tool that people forbid", n)
	}
	world.set(func(w *stockroom) { w.broken = "" })
	s.do(0, "feedback", "remove", "clerk", given.Feedback.ID, "--by", "Kim Lee", "--reason", "it is mended", "--workspace", s.root)
	_, called = s.noted()
	s.day(2)
	if s.counted("count", len(called)) < 2 {
		t.Error("removing the feedback did not bring the tool back")
	}
	s.used()

	// Conversations become tasks.
	built := ask[struct {
		Summary struct{ Approved, Corrected, Kept int }
	}](s.place, "bench", "build", "--suite", "used", "--agent", "clerk", "--yes")
	if got := built.Summary; got.Approved != s.thanks || got.Corrected != s.corrections || got.Kept == 0 {
		t.Errorf("%d thanks and %d corrections became %+v", s.thanks, s.corrections, got)
	}
	s.write("agents/clerk/agent.yaml", fmt.Sprintf(clerkAgent, "stock, used"))
	s.commit("tasks from use")
	s.night(quiet...)

	// The provider changes the model: the champion falls, and a night adopts a config that
	// fits. Then the provider brings another model, for which the second adoption is wrong, so
	// that it disappoints and is rolled back.
	world.set(func(w *stockroom) { w.best = .5 })
	s.day(3)
	r, out := s.night("adopt")
	if !r.fell() {
		t.Error("the report does not show that the champion fell")
	}
	second := out.Agents[0].Proposals[0]
	s.decide("approve", second)
	s.day(3)
	if r, _ = s.night(quiet...); r.fell() || r.advised() != "" {
		t.Errorf("after the second adoption the watch shows %+v", r.Volatile.Agents[0].Watch)
	}
	world.set(func(w *stockroom) { w.best, w.slope = 0, 3 })
	before = s.corrections
	s.day(6)
	if s.corrections-before < 2 {
		t.Errorf("%d corrections of 6 answers after the change", s.corrections-before)
	}
	if r, out = s.night("adopt"); !r.fell() {
		t.Error("the report does not show that the second adoption fell")
	}
	if shown := s.do(0, "report", "--workspace", s.root).stdout; strings.Contains(shown, "as predicted") {
		t.Errorf("the report has an adoption that fell as predicted:\n%s", shown)
	}
	s.decide("reject", out.Agents[0].Proposals[0])
	s.decide("rollback", second)
	before = s.corrections
	s.day(6)
	if s.corrections-before > 1 {
		t.Errorf("%d corrections of 6 answers after the rollback", s.corrections-before)
	}
	if r, _ = s.night(quiet...); r.fell() || r.advised() != "" {
		t.Errorf("after the rollback the watch shows %+v", r.Volatile.Agents[0].Watch)
	}

	// The agent has not earned more autonomy: too few sessions, and it states no confidence.
	refused := s.do(4, "autonomy", "request", "clerk", "--level", "2", "--reason", "it is good", "--by", "Kim Lee", "--workspace", s.root)
	if !strings.Contains(refused.stderr, "confidence") {
		t.Errorf("the refusal names no unmet requirement: %s", refused.stderr)
	}
	s.used()
	s.do(0, "audit", "verify", "--workspace", s.root)
	s.do(0, "archive", "check", "--workspace", s.root)
}
