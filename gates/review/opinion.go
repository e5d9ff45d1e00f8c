package review

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"evolve/archive"
	"evolve/bench"
	"evolve/gates"
	"evolve/runtime/model"
	"evolve/runtime/text"
)

//go:embed codereview.md
var reviewTask string

// The limits on a reviewer's input and answer, in bytes.
const (
	maxReviewed = 200 << 10
	maxReasons  = 2000
)

// opinion is a reviewer's verdict with its reasons.
type opinion struct {
	approve bool
	reasons string
	// usd is the cost of the request, even if the request failed.
	usd float64
}

// ask has a reviewer judge a patch, within rev's budget. It refuses a patch that is too
// long to be shown as a whole, because a reviewer cannot approve a part of a patch. An
// error explains why there is no verdict.
func (rev *Reviewer) ask(ctx context.Context, r CodeReviewer, p archive.ProposalRecord) (o opinion, err error) {
	shown := Unified(p)
	if len(shown) > maxReviewed {
		return o, Refuse("a person must read it: `evolve diff "+p.ID+"`", "%s is too long for a reviewer: %d bytes, but at most %d are allowed", p.ID, len(shown), maxReviewed)
	}
	m, done, err := r.Open(ctx)
	if err != nil {
		return o, fmt.Errorf("the reviewer's model could not be opened: %w", err)
	}
	defer func() { err = errors.Join(err, done()) }()
	if rev.Budget != nil {
		m = rev.Budget.Within(m)
	}
	reply, none, err := model.Ask(ctx, m, question(p, shown))
	usd := reply.Usage.CostUSD
	switch {
	case errors.Is(err, bench.ErrBudget):
		return o, errors.New("the night's budget left no money for the review")
	case err != nil:
		return opinion{usd: usd}, fmt.Errorf("its model could not be asked: %w", err)
	case none != "":
		return opinion{usd: usd}, errors.New(none)
	}
	o, err = readOpinion(reply.Answer)
	o.usd = usd
	return o, err
}

// question returns the request to a reviewer. All untrusted text is data, which the
// renderer of [model.Request] encodes as lines of JSON, so no text can break out of its
// line.
func question(p archive.ProposalRecord, diff string) *model.Request {
	req := &model.Request{
		System:    []model.Section{{Name: "TASK", Text: reviewTask}},
		Goal:      "Review the change. Answer with the JSON object alone.",
		Remaining: 1,
	}
	add := func(key string, v any) {
		if raw, err := json.Marshal(v); err == nil { // texts and lists of texts can always be encoded
			req.Shared = append(req.Shared, model.Shared{From: robot, Key: key, Text: string(raw)})
		}
	}
	add("reason that the author gives", p.Rationale)
	verdicts := WithoutHeldOut(p.Gates) // without held-out evidence, because a later brief may quote the review
	if marked := flagged(verdicts); len(marked) > 0 {
		add("places that gates flagged, to look at first", marked)
	}
	add("gates", verdicts)
	add("diff", diff)
	return req
}

// flagged returns the verdicts that a person should look at.
func flagged(list []archive.GateVerdict) (out []archive.GateVerdict) {
	for _, v := range list {
		if v.Verdict == string(gates.Flagged) {
			out = append(out, v)
		}
	}
	return out
}

// readOpinion parses a reviewer's answer, which must be exactly the requested JSON object,
// with or without a code fence around it.
func readOpinion(answer string) (opinion, error) {
	body := strings.TrimSpace(answer)
	if inner, ok := strings.CutPrefix(body, "```"); ok {
		inner = strings.TrimPrefix(inner, "json")
		body = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(inner), "```"))
	}
	var said struct {
		Verdict string `json:"verdict"`
		Reasons string `json:"reasons"`
	}
	dec := json.NewDecoder(bytes.NewReader([]byte(body)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&said); err != nil {
		return opinion{}, errors.New("its answer is not the JSON object that was asked for")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return opinion{}, errors.New("its answer has more than the JSON object that was asked for")
	}
	if key, twice := text.RepeatedKey([]byte(body), strings.EqualFold); twice {
		return opinion{}, fmt.Errorf("its answer gives %s twice", text.Quote(key))
	}
	o := opinion{approve: said.Verdict == "approve", reasons: text.Clip(strings.TrimSpace(said.Reasons), maxReasons, text.Ellipsis)}
	switch {
	case said.Verdict != "approve" && said.Verdict != "reject":
		return o, errors.New("its verdict is neither approve nor reject")
	case o.reasons == "":
		return o, errors.New("it gives no reasons")
	}
	return o, nil
}
