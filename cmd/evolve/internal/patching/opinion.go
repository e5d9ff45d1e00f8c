package patching

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
	"evolve/cmd/evolve/internal/decide"
	"evolve/gates"
	"evolve/runtime/model"
)

//go:embed review.md
var reviewTask string

// The bounds of what a reviewer is shown and says, in bytes.
const (
	maxReviewed = 200 << 10
	maxReasons  = 2000
)

// opinion is what a reviewer says.
type opinion struct {
	approve bool
	reasons string
	// usd is what asking has cost, also in vain.
	usd float64
}

// ask lets a reviewer look at a patch, within the desk's budget. A patch that is too
// long to be shown whole is not shown: half a patch cannot be approved. The error says
// why there is no word.
func (d *Desk) ask(ctx context.Context, r Reviewer, p archive.ProposalRecord) (o opinion, err error) {
	shown := Unified(p)
	if len(shown) > maxReviewed {
		return o, decide.Refuse("a person must read it: `evolve diff "+p.ID+"`", "%s is too long for a reviewer: %d bytes of at most %d", p.ID, len(shown), maxReviewed)
	}
	m, done, err := r.Open(ctx)
	if err != nil {
		return o, fmt.Errorf("its model could not be opened: %w", err)
	}
	defer func() { err = errors.Join(err, done()) }()
	reply, none, err := d.paid(ctx, m, question(p, shown))
	usd := reply.Usage.CostUSD
	switch {
	case errors.Is(err, bench.ErrBudget):
		return o, errors.New("the budget of the night left nothing for it")
	case err != nil:
		return opinion{usd: usd}, fmt.Errorf("its model could not be asked: %w", err)
	case none != "":
		return opinion{usd: usd}, errors.New(none)
	}
	o, err = readOpinion(reply.Answer)
	o.usd = usd
	return o, err
}

// paid asks when the budget allows one more answer.
func (d *Desk) paid(ctx context.Context, m model.Model, q *model.Request) (reply model.Reply, none string, err error) {
	if d.Budget == nil {
		return model.Ask(ctx, m, q)
	}
	ticket, err := d.Budget.Reserve(ctx)
	if err != nil {
		return reply, "", err
	}
	start := d.Now()
	reply, none, err = model.Ask(ctx, m, q)
	ticket.Settle(reply.Usage.CostUSD, d.Now().Sub(start))
	return reply, none, err
}

// question is what a reviewer is asked. All that is foreign stands in data, which the
// renderer of [model.Request] puts into lines of JSON that no text can end.
func question(p archive.ProposalRecord, diff string) *model.Request {
	req := &model.Request{
		System:    []model.Section{{Name: "TASK", Text: reviewTask}},
		Goal:      "Review the change. Answer with the JSON object alone.",
		Remaining: 1,
	}
	add := func(key string, v any) {
		if raw, err := json.Marshal(v); err == nil { // texts and lists of texts always encode
			req.Shared = append(req.Shared, model.Shared{From: robot, Key: key, Text: string(raw)})
		}
	}
	add("reason that the author gives", p.Rationale)
	if marked := flagged(p.Gates); len(marked) > 0 {
		add("places that gates flagged, to look at first", marked)
	}
	add("gates", p.Gates)
	add("diff", diff)
	return req
}

// flagged are the verdicts of gates that want a person to look.
func flagged(list []archive.GateVerdict) (out []archive.GateVerdict) {
	for _, v := range list {
		if v.Verdict == string(gates.Flagged) {
			out = append(out, v)
		}
	}
	return out
}

// readOpinion reads an answer, in a fence or not, strictly.
func readOpinion(answer string) (opinion, error) {
	text := strings.TrimSpace(answer)
	if inner, ok := strings.CutPrefix(text, "```"); ok {
		inner = strings.TrimPrefix(inner, "json")
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(inner), "```"))
	}
	var said struct {
		Verdict string `json:"verdict"`
		Reasons string `json:"reasons"`
	}
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&said); err != nil {
		return opinion{}, errors.New("its answer is not the JSON object that was asked for")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return opinion{}, errors.New("its answer has more than the JSON object that was asked for")
	}
	o := opinion{approve: said.Verdict == "approve", reasons: clip(strings.TrimSpace(said.Reasons), maxReasons)}
	switch {
	case said.Verdict != "approve" && said.Verdict != "reject":
		return o, errors.New("its verdict is neither approve nor reject")
	case o.reasons == "":
		return o, errors.New("it gives no reasons")
	}
	return o, nil
}
