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
	"evolve/cmd/evolve/internal/decide"
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
}

// ask lets a reviewer look at a patch. A patch that is too long to be shown whole is
// not shown: half a patch cannot be approved.
func ask(ctx context.Context, r Reviewer, p archive.ProposalRecord) (o opinion, err error) {
	shown := Unified(p)
	if len(shown) > maxReviewed {
		return o, decide.Refuse("a person must read it: `evolve diff "+p.ID+"`", "%s is too long for a reviewer: %d bytes of at most %d", p.ID, len(shown), maxReviewed)
	}
	m, done, err := r.Open(ctx)
	if err != nil {
		return o, fmt.Errorf("agent %s: %w", r.Agent, err)
	}
	defer func() { err = errors.Join(err, done()) }()
	reply, none, err := model.Ask(ctx, m, question(p, shown))
	if err != nil {
		return o, fmt.Errorf("asking %s for a review: %w", r.Agent, err)
	}
	if none != "" {
		return o, fmt.Errorf("%s: %w: %s", r.Agent, ErrNoWord, none)
	}
	if o, err = readOpinion(reply.Answer); err != nil {
		return o, fmt.Errorf("%s: %w: %w", r.Agent, ErrNoWord, err)
	}
	return o, nil
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
	add("gates", p.Gates)
	add("diff", diff)
	return req
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
