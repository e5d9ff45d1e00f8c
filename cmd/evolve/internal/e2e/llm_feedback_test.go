//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"evolve/bench/stats"
)

const (
	// askedTurns is the number of questions that the user asks before giving feedback. The
	// first probeTurns of them are asked again as probes, followed by unseenProbes other
	// questions, which measure whether a correction carries over.
	askedTurns, probeTurns, unseenProbes = 20, 10, 4
	// person is the person who decides.
	person = "Kim Lee <kim@example.org>"
)

// lesson is a use of an agent in which a user corrects wrong answers, with the probes that
// measure what the corrections change.
type lesson struct {
	place
	*listener
	choice choice
	asked  []labelled
	// probes are questions that were asked, followed by unseen ones.
	probes []labelled
	// corrected records which of the asked questions the user corrected.
	corrected []bool
}

// probed is the outcome of a probe, which is asked in a separate conversation.
type probed struct {
	answer string
	right  bool
	// first is the probe's first request to the model.
	first string
}

// newLesson makes a workspace with a model-based agent that has its usual tools.
func newLesson(t *testing.T, c choice, url string, seed uint64) *lesson {
	t.Helper()
	l := &lesson{place: newPlace(t, t.TempDir()), listener: listen(t, url), choice: c}
	// Equal requests get the same reply, so answers differ only if requests do.
	l.model, l.again = true, map[string][]byte{}
	for name, text := range map[string]string{
		"evolve.yaml":              strings.Replace(served(l.URL+"/asked/v1"), fmt.Sprint("max_tokens: ", replyTokens), "max_tokens: 16", 1),
		"agents/clerk/agent.yaml":  "id: clerk\nadapter: {kind: builtin, model: default}\ntools: [calculate, get_time, grep, repo_index]\nsuites: [inside]\n",
		"agents/clerk/config.yaml": "loop.max_iterations: 2\n",
		"agents/clerk/STRATEGY.md": "Answer in one short sentence.\n",
		"suites/inside.jsonl":      c.suite("search", c.outside[:2]) + c.suite("holdout", c.outside[2:4]),
		".gitignore":               ".evolve/\n",
	} {
		l.write(name, text)
	}
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "--all"}, {"-c", "user.name=Kim Lee", "-c", "user.email=kim@example.org", "commit", "--quiet", "--message=begin"}} {
		git := exec.Command("git", args...)
		git.Dir, git.Env = l.root, l.env
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	all := slices.Concat(c.search, c.holdout)
	rand.New(rand.NewPCG(seed, 13)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	l.asked = all[:askedTurns]
	l.probes = slices.Concat(all[:probeTurns], all[askedTurns:askedTurns+unseenProbes])
	return l
}

// answers reports whether an answer names the label and neither another label nor a negation.
func (c choice) answers(answer, label string) bool {
	words := regexp.MustCompile(`[a-z]+`).FindAllString(strings.ToLower(answer), -1)
	for _, l := range c.search {
		if l.Label != label && slices.Contains(words, l.Label) {
			return false
		}
	}
	return slices.Contains(words, label) && !slices.Contains(words, "not")
}

// teach runs the turns. The user asks each question and corrects a wrong answer in the
// same conversation.
func (l *lesson) teach() {
	l.t.Helper()
	l.corrected = make([]bool, len(l.asked))
	for i, q := range l.asked {
		name := fmt.Sprintf("talk%d", i)
		got := ask[struct{ Answer string }](l.place, "agent", "run", "--session", name, l.choice.question+q.Text)
		if l.corrected[i] = !l.choice.answers(got.Answer, q.Label); l.corrected[i] {
			ask[struct{ Answer string }](l.place, "agent", "run", "--session", name, "No, that is wrong. "+l.choice.correction(q.Label))
		}
	}
}

// correction returns the sentence with which the user states the right label.
func (c choice) correction(label string) string {
	if c.name == "reviews" {
		return "The review is " + label + "."
	}
	return "The label is " + label + "."
}

// measure asks each of the first n probes in a separate copy of the workspace, so that no
// probe teaches the agent anything.
func (l *lesson) measure(stage string, n int) []probed {
	l.t.Helper()
	return l.measureIn(l.root, stage, n)
}

// measureIn is like measure, but uses copies of the workspace at root.
func (l *lesson) measureIn(root, stage string, n int) []probed {
	l.t.Helper()
	out := make([]probed, n)
	for i, q := range l.probes[:n] {
		at := fmt.Sprintf("%s-%d", stage, i)
		p := l.copyOf(root)
		p.replace("evolve.yaml", "/asked/v1", "/"+at+"/v1")
		got := ask[struct{ Answer string }](p, "agent", "run", l.choice.question+q.Text)
		requests := l.exchanges(at)
		if len(requests) == 0 {
			l.t.Fatalf("%s: the model was not asked", at)
		}
		out[i] = probed{got.Answer, l.choice.answers(got.Answer, q.Label), requests[0].body}
	}
	return out
}

// copyOf returns a copy of a workspace.
func (l *lesson) copyOf(root string) place {
	l.t.Helper()
	p := newPlace(l.t, l.t.TempDir())
	p.model = true
	if err := os.CopyFS(p.root, os.DirFS(root)); err != nil {
		l.t.Fatal(err)
	}
	return p
}

// give gives explicit feedback on tools, and returns the ids of the feedback.
func (l *lesson) give() (ids []string) {
	l.t.Helper()
	for _, args := range [][]string{
		{"--verdict", "negative", "--action", "constraint", "--tool", "get_time", "--evidence", "the time does not matter"},
		{"--verdict", "correction", "--tool", "grep", "--with", "repo_index", "--evidence", "grep finds nothing here"},
		{"--verdict", "negative", "--tool", "calculate", "--evidence", "there is nothing to calculate"},
	} {
		args = append([]string{"feedback", "add", "clerk", "--by", person}, args...)
		ids = append(ids, ask[struct{ Feedback struct{ ID string } }](l.place, args...).Feedback.ID)
	}
	return ids
}

// approve makes evolve propose what the corrections taught, and approves the proposal. It
// returns the ids of the memories, keyed by their texts.
func (l *lesson) approve() map[string]string {
	l.t.Helper()
	got := ask[struct {
		Agents []struct {
			Proposal string
			Memories []struct{ ID, Text string }
		}
	}](l.place, "memory", "propose", "clerk")
	out := map[string]string{}
	for _, m := range got.Agents[0].Memories {
		out[m.Text] = m.ID
	}
	l.do(0, "approve", got.Agents[0].Proposal, "--yes", "--by", person, "--workspace", l.root)
	return out
}

// remove withdraws the feedback and retracts the approved memories.
func (l *lesson) remove(feedback []string, memories map[string]string) {
	l.t.Helper()
	for _, id := range feedback {
		l.do(0, "feedback", "remove", "clerk", id, "--by", person, "--reason", "a trial", "--workspace", l.root)
	}
	for _, id := range memories {
		l.do(0, "memory", "retract", id, "--agent", "clerk", "--yes", "--by", person, "--reason", "a trial", "--workspace", l.root)
	}
}

// offered returns the names of the tools that a request offers.
func offered(t *testing.T, body string) []string {
	t.Helper()
	var in struct {
		Tools []struct{ Function struct{ Name string } }
	}
	if err := json.Unmarshal([]byte(body), &in); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, tool := range in.Tools {
		out = append(out, tool.Function.Name)
	}
	return out
}

// inData returns a text as it appears in a line of data in a request: as JSON within JSON.
func inData(t *testing.T, text string) string {
	t.Helper()
	for range 2 {
		raw, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		text = string(raw[1 : len(raw)-1])
	}
	return text
}

// paired counts the probes that are right before a change and after it, and those that the
// change made right or wrong.
type paired struct{ n, before, after, won, lost int }

func (c *paired) add(before, after bool) {
	c.n++
	for _, x := range []struct {
		is bool
		n  *int
	}{{before, &c.before}, {after, &c.after}, {after && !before, &c.won}, {before && !after, &c.lost}} {
		if x.is {
			*x.n++
		}
	}
}

func (c paired) String() string {
	share := func(k int) string {
		lo, hi := stats.Wilson(float64(k)/float64(c.n), float64(c.n), .95)
		return fmt.Sprintf("%d of %d [%.2f, %.2f]", k, c.n, lo, hi)
	}
	if c.n == 0 {
		return "none"
	}
	return fmt.Sprintf("%s → %s: %d won, %d lost, p = %.2g", share(c.before), share(c.after), c.won, c.lost, stats.McNemar(c.won, c.lost))
}

// counts are the probes of all seeds, before and after a change, in three groups: questions
// that the user corrected, questions that were answered right, and questions that were
// never asked.
type counts struct{ corrected, right, unseen paired }

// add compares the probes of a lesson and adds them to the counts.
func (n *counts) add(l *lesson, before, after []probed) {
	for i := range before {
		c := &n.unseen
		switch {
		case i < probeTurns && l.corrected[i]:
			c = &n.corrected
		case i < probeTurns:
			c = &n.right
		}
		c.add(before[i].right, after[i].right)
	}
}

// sum returns the sums of the two counts.
func (n counts) sum(o counts) counts {
	return counts{n.corrected.sum(o.corrected), n.right.sum(o.right), n.unseen.sum(o.unseen)}
}

func (c paired) sum(o paired) paired {
	return paired{c.n + o.n, c.before + o.before, c.after + o.after, c.won + o.won, c.lost + o.lost}
}

func (n counts) String() string {
	return fmt.Sprintf("corrected questions: %s\nnot corrected:       %s\nunseen:              %s", n.corrected, n.right, n.unseen)
}

// effects holds the counts for each change whose effect is measured for a lesson.
type effects struct {
	// feedback is the effect of the feedback on tools together with memories of the
	// corrections, and undone is the effect of removing both.
	feedback, undone counts
	// everywhere is like feedback, but is measured with memories that are recalled for
	// every request. lessons is the effect of a night's lessons alone. Both are measured
	// with EVOLVE_LLM_PARTS=all.
	everywhere, lessons counts
}

func (m *effects) String() string {
	out := fmt.Sprintf("feedback and memories\n%s\nits removal\n%s", m.feedback, m.undone)
	if allParts() {
		out += fmt.Sprintf("\nmemories without a request of their own\n%s\nlessons\n%s", m.everywhere, m.lessons)
	}
	return out
}

func allParts() bool { return os.Getenv("EVOLVE_LLM_PARTS") == "all" }

// TestModelFeedback lets a user take twenty turns with a real language model and correct
// its wrong answers. The person's feedback on the tools and the approved corrections change
// the next requests: the tools that they offer and the memories in them. Once all of this
// is withdrawn, the requests are byte for byte those from before.
//
// Over all seeds and sets, more of the corrected questions must change from wrong to right
// than from right to wrong, and of the other questions no more may change from right to
// wrong than from wrong to right. The test fails if memories do not reach the requests that
// they are for, if the model does not follow them, or if they are recalled for other
// requests and do harm there. EVOLVE_LLM_SEEDS sets the number of seeds, and
// EVOLVE_LLM_PARTS=all also measures lessons, and memories recalled everywhere.
func TestModelFeedback(t *testing.T) {
	url := modelURL(t)
	seeds := number(t, "EVOLVE_LLM_SEEDS", 2)
	if testing.Short() {
		seeds = 1
	}
	var sum counts
	for i, one := range choices {
		t.Run(one.name, func(t *testing.T) {
			if testing.Short() && i > 0 {
				t.Skip("long: run without -short")
			}
			c := one.set(t)
			var m effects
			for seed := range seeds {
				newLesson(t, c, url, uint64(seed+1)).run(&m)
				t.Logf("after seed %d:\n%s", seed+1, &m)
			}
			sum = sum.sum(m.feedback)
		})
	}
	t.Logf("feedback and memories, all sets:\n%s", sum)
	if c := sum.corrected; c.won <= c.lost || !testing.Short() && stats.McNemar(c.won, c.lost) > .05 {
		t.Errorf("corrected questions: %s", c)
	}
	if c := sum.right.sum(sum.unseen); c.lost > c.won && stats.McNemar(c.lost, c.won) < .05 {
		t.Errorf("questions without a correction: %s", c)
	}
}

// run takes the turns and measures four times: before them, after them, with the feedback,
// and after its removal.
func (l *lesson) run(m *effects) {
	t := l.t
	t.Helper()
	all := len(l.probes)
	fresh := l.measure("fresh", 2)
	l.teach()
	before := l.measure("before", all)
	if allParts() {
		m.lessons.add(l, before, l.afterNight())
	}
	feedback, memories := l.give(), l.approve()
	after := l.measure("after", all)
	if allParts() {
		m.everywhere.add(l, before, l.everywhere())
	}
	l.remove(feedback, memories)
	removed := l.measure("removed", all)

	for i := range fresh {
		if fresh[i].first != before[i].first {
			t.Errorf("the turns alone changed the request from\n%s\nto\n%s", fresh[i].first, before[i].first)
		}
	}
	for i, q := range l.probes {
		goal := l.choice.question + q.Text
		corrected := i < probeTurns && l.corrected[i]
		if removed[i].first != before[i].first {
			t.Errorf("%s: the request after the removal is\n%s\nand was\n%s", goal, removed[i].first, before[i].first)
		}
		fact := goal + " " + l.choice.correction(q.Label)
		if has, wants := strings.Contains(after[i].first, inData(t, fact)), memories[fact] != ""; has != wants {
			t.Errorf("%s: the request has the correction: %t, want %t\n%s", goal, has, wants, after[i].first)
		}
		was, is := offered(t, before[i].first), offered(t, after[i].first)
		for _, barred := range []string{"get_time", "grep"} {
			if !slices.Contains(was, barred) || slices.Contains(is, barred) {
				t.Errorf("%s: %s is offered among %v, then %v", goal, barred, was, is)
			}
		}
		if slices.Contains(was, "repo_index") || !slices.Contains(is, "repo_index") {
			t.Errorf("%s: repo_index is offered among %v, then %v", goal, was, is)
		}
		t.Logf("%s, %s, corrected %t: %q, %q, %q", q.Text, q.Label, corrected, before[i].answer, after[i].answer, removed[i].answer)
	}
	m.feedback.add(l, before, after)
	m.undone.add(l, before, removed)
	turns := 0
	for _, corrected := range l.corrected {
		if corrected {
			turns++
		}
	}
	t.Logf("%d of %d answers were corrected, %d memories approved", turns, len(l.asked), len(memories))
	// Of several corrections in nearly the same words, only one is proposed.
	if len(memories) > turns || 4*len(memories) < 3*turns {
		t.Errorf("%d corrections made %d memories", turns, len(memories))
	}
}
