package review

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/gates"
	"evolve/gates/gotest"
	"evolve/runtime/model"
)

// critic is a model that gives a fixed answer and stores the last request.
type critic struct {
	answer string
	asked  *model.Request
}

func (c *critic) Next(_ context.Context, req *model.Request) (model.Reply, error) {
	c.asked = req
	return model.Reply{Answer: c.answer}, nil
}

func (c *critic) reviewer(name string) CodeReviewer {
	return CodeReviewer{Agent: name, Open: func(context.Context) (model.Model, func() error, error) { return c, func() error { return nil }, nil }}
}

const (
	approves = `{"verdict": "approve", "reasons": "small and plain"}`
	rejects  = "```json\n{\"verdict\": \"reject\", \"reasons\": \"it is tuned to the test\"}\n```"
)

func TestReviewIsBoundToTheDigest(t *testing.T) {
	b := newBureau(t)
	c := &critic{answer: approves}
	b.CodeReviewers = []CodeReviewer{c.reviewer("aide"), c.reviewer("clerk")}
	b.must(b.submit(OriginAgent, "aide", turned("64", "128")))
	p := b.must(b.ReviewCode(t.Context(), "P1", ""))
	r := reviewed(p)
	if r == nil || r.Reviewer != "clerk" || !r.Approve || r.Reasons != "small and plain" || r.Digest != p.Patch.Digest || p.State != archive.Awaiting {
		t.Fatalf("%+v", p.Patch.Review)
	}
	var shown strings.Builder
	for _, s := range c.asked.Shared {
		shown.WriteString(s.Key + s.Text)
	}
	for _, want := range []string{"+const Size = 128", `"gate":"rollback"`, "room for more"} {
		if !strings.Contains(shown.String(), want) {
			t.Errorf("the reviewer was not shown %q:\n%s", want, shown.String())
		}
	}
	_, err := b.ReviewCode(t.Context(), "P1", "")
	refused(t, err, "clerk has already reviewed the current state of P1")

	b.git("commit", "--quiet", "--allow-empty", "--message=moved")
	b.write("cache/other.go", "package cache\n")
	b.git("add", "--all")
	b.git("commit", "--quiet", "--message=moved")
	_, err = b.Approve(t.Context(), "P1", robin)
	refused(t, err, "were out of date")
	if p = b.must(b.Find(t.Context(), "P1")); reviewed(p) != nil {
		t.Error("a review outlived its digest")
	}
}

func TestVeto(t *testing.T) {
	b := newBureau(t)
	c := &critic{answer: rejects}
	b.CodeReviewers = []CodeReviewer{c.reviewer("clerk")}
	b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
	p := b.must(b.ReviewCode(t.Context(), "P1", "clerk"))
	if p.State != archive.GateFailed || vetoed(p) == nil {
		t.Fatalf("%+v", p)
	}
	w := robin
	w.OverrideReason = "I know better"
	_, err := b.Approve(t.Context(), "P1", w)
	refused(t, err, "clerk has vetoed P1")
	c.answer = approves
	_, err = b.ReviewCode(t.Context(), "P1", "clerk")
	refused(t, err, "there is nothing to review")
}

func TestTurns(t *testing.T) {
	b := newBureau(t)
	c := &critic{answer: approves}
	b.CodeReviewers = []CodeReviewer{c.reviewer("a"), c.reviewer("b"), {Agent: "heuristic", Cannot: "has no language model"}, c.reviewer("c")}
	for i, want := range []string{"b", "c", "b", "c"} { // a is the author
		p := b.must(b.submit(OriginPerson, "a", turned("64", []string{"65", "66", "67", "68"}[i])))
		if p = b.must(b.ReviewCode(t.Context(), p.ID, "")); p.Patch.Review.Reviewer != want {
			t.Errorf("patch %d was reviewed by %s, want %s", i+1, p.Patch.Review.Reviewer, want)
		}
	}
	p := b.must(b.submit(OriginPerson, "a", turned("64", "70")))
	for agent, want := range map[string]string{"a": "a wrote the patch", "heuristic": "has no language model", "unknown": "is not a reviewer"} {
		_, err := b.ReviewCode(t.Context(), p.ID, agent)
		refused(t, err, want)
	}
}

func TestNoReviewer(t *testing.T) {
	heuristic := CodeReviewer{Agent: "heuristic", Cannot: "uses the heuristic model, which cannot review"}
	c := (&critic{}).reviewer("aide")
	for want, all := range map[string][]CodeReviewer{
		"the workspace has no agent that could review the patch":                                                      {},
		"only one reviewer is configured, and heuristic uses the heuristic model, which cannot review":                {heuristic},
		"no other agent can review the patch: aide is the only reviewer, and it wrote the patch":                      {c},
		"there is no agent to review the patch: heuristic uses the heuristic model, which cannot review":              {c, heuristic},
		"there is no agent to review the patch: none of the 2 other agents is a built-in agent with a language model": {c, heuristic, {Agent: "also", Cannot: "too"}},
		"": {heuristic, (&critic{}).reviewer("clerk"), c},
	} {
		if got := NoReview(all, "aide"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	b := newBureau(t)
	b.CodeReviewers = []CodeReviewer{c}
	b.must(b.submit(OriginAgent, "aide", turned("64", "128")))
	_, err := b.ReviewCode(t.Context(), "P1", "")
	refused(t, err, "no other agent")
}

// TestReviewerIsShownWhatGatesFlagged checks that flagged verdicts are shown as data,
// separately from the verdicts of the other gates.
func TestReviewerIsShownWhatGatesFlagged(t *testing.T) {
	b := newBureau(t)
	c := &critic{answer: approves}
	b.CodeReviewers = []CodeReviewer{c.reviewer("aide"), c.reviewer("clerk")}
	b.says[gotest.Vet] = gates.Flagged
	b.must(b.submit(OriginAgent, "aide", turned("64", "128")))
	b.must(b.ReviewCode(t.Context(), "P1", ""))
	at := slices.IndexFunc(c.asked.Shared, func(s model.Shared) bool { return strings.Contains(s.Key, "flagged") })
	if at < 0 {
		t.Fatalf("%+v", c.asked.Shared)
	}
	if got := c.asked.Shared[at].Text; got != `[{"gate":"vet","verdict":"flagged","evidence":"as told"}]` {
		t.Error(got)
	}
}

// TestClaim checks that the gates receive the claim that the text of a patch makes.
func TestClaim(t *testing.T) {
	b := newBureau(t)
	b.must(b.ProposePatch(t.Context(), Submission{Target: "code", Author: "aide", Origin: OriginAgent, Rationale: "Refactor the cache.\nNo behaviour change.", Diff: turned("64", "128")}))
	if b.declared != gotest.Refactoring {
		t.Errorf("%q", b.declared)
	}
}

// TestWhyThereIsNoReview checks that the record has the reason for the missing review, for
// the report and for the person who decides.
func TestWhyThereIsNoReview(t *testing.T) {
	broken := func(err error) CodeReviewer {
		return CodeReviewer{Agent: "clerk", Open: func(context.Context) (model.Model, func() error, error) { return nil, nil, err }}
	}
	for name, c := range map[string]struct {
		reviewer CodeReviewer
		usd      float64
		says     string // "" when an agent may be asked
		after    string
	}{
		"no reviewer": {CodeReviewer{Agent: "aide"}, 1, "no other agent can review the patch: aide is the only reviewer, and it wrote the patch", ""},
		"heuristic":   {CodeReviewer{Agent: "clerk", Cannot: "uses the heuristic model, which cannot review"}, 1, "only one reviewer is configured, and clerk uses the heuristic model", ""},
		"malformed":   {(&critic{answer: "looks good"}).reviewer("clerk"), 1, "", "clerk was asked for a review but gave no verdict: its answer is not the JSON object that was asked for"},
		"no network":  {broken(errors.New("no route to host")), 1, "", "clerk was asked for a review but gave no verdict: the reviewer's model could not be opened: no route to host"},
		"no budget":   {(&critic{answer: approves}).reviewer("clerk"), 1e-9, "", "clerk was asked for a review but gave no verdict: the night's budget left no money for the review"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBureau(t)
			b.CodeReviewers = []CodeReviewer{c.reviewer}
			b.Budget = bench.NewBudget(c.usd, time.Time{}, time.Now)
			b.Budget.Keep(bench.Account{USD: 1e-8}, nil)
			p := b.must(b.submit(OriginAgent, "aide", turned("64", "128")))
			if u := p.Patch.Unreviewed; (u != nil) != (c.says != "") || u != nil && !strings.Contains(u.String(), c.says) {
				t.Fatalf("%+v", u)
			}
			_, err := b.ReviewCode(t.Context(), "P1", "")
			if c.after == "" {
				refused(t, err, c.says)
				return
			}
			if !errors.Is(err, ErrNoReview) {
				t.Fatal(err)
			}
			p = b.must(b.Find(t.Context(), "P1"))
			if u := p.Patch.Unreviewed; u == nil || u.String() != c.after || p.State != archive.Awaiting {
				t.Errorf("%s: %+v", p.State, u)
			}
			b.Budget, b.CodeReviewers = nil, []CodeReviewer{(&critic{answer: approves}).reviewer("clerk")}
			if p = b.must(b.ReviewCode(t.Context(), "P1", "")); p.Patch.Unreviewed != nil || reviewed(p) == nil {
				t.Errorf("%+v", p.Patch)
			}
		})
	}
}

func TestReadOpinion(t *testing.T) {
	for answer, ok := range map[string]bool{
		approves: true, rejects: true,
		"": false, "approve": false, `{"verdict": "approve"}`: false, `{"verdict": "maybe", "reasons": "x"}`: false, approves + approves: false,
		`{"verdict": "approve", "reasons": "x", "also": 1}`: false, "I approve. " + approves: false, `{"verdict": "reject", "reasons": " "}`: false,
		`{"verdict": "reject", "reasons": "x", "verdict": "approve"}`: false, `{"verdict": "reject", "reasons": "x", "Verdict": "approve"}`: false,
	} {
		o, err := readOpinion(answer)
		if (err == nil) != ok || ok && o.approve != (answer == approves) {
			t.Errorf("%q reads as %+v, %v", answer, o, err)
		}
	}
	b := newBureau(t)
	c := &critic{answer: "looks good to me"}
	b.CodeReviewers = []CodeReviewer{c.reviewer("clerk")}
	b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
	if _, err := b.ReviewCode(t.Context(), "P1", ""); !errors.Is(err, ErrNoReview) {
		t.Error(err)
	}
	if p := b.must(b.Find(t.Context(), "P1")); p.Patch.Review != nil || p.State != archive.Awaiting {
		t.Error("something was recorded")
	}
}
