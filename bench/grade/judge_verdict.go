package grade

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"evolve/bench"
	"evolve/runtime/agent"
	"evolve/runtime/model"
	"evolve/runtime/policy"
	"evolve/runtime/text"
)

// Verdict is a judge's grade of one answer.
type Verdict struct {
	// Score is the mean of the draws, in [0,1]; SD is their standard deviation, which is 0
	// for a single draw.
	Score, SD float64
	Samples   int
	// First and Second are the numbers of a comparison's calls that preferred the answer
	// in the first and in the second position.
	First, Second int
	// Reason is the reason given in the first draw; it is untrusted text.
	Reason string
	// Usage is the total usage of all calls, and Iterations is the number of calls.
	Usage agent.Usage
}

// attempts is the maximum number of calls for one draw. If all replies are malformed, the
// judge has failed.
const attempts = 3

// ErrNoVerdict is the error of a judge whose replies are not verdicts.
var ErrNoVerdict = errors.New("the judge gave no verdict")

// Ask lets the model grade an answer. A verdict returned with an error still holds the
// usage. An error that wraps ErrNoVerdict means that the replies about this answer were not
// verdicts; any other error comes from the context or the provider.
func (j *Judge) Ask(ctx context.Context, m model.Model, answer string) (Verdict, error) {
	v := Verdict{Samples: j.Samples}
	key := j.key(answer)
	scores := make([]float64, 0, j.Samples)
	for i := range j.Samples {
		d := draw{key: key, sample: i}
		score, reason, err := j.draw(ctx, m, d, answer, &v)
		if err != nil {
			return v, err
		}
		if j.def.Pairwise != "" {
			d.reversed = true
			other, _, err := j.draw(ctx, m, d, answer, &v)
			if err != nil {
				return v, err
			}
			if other != score {
				score, reason = .5, "the verdict depends on the order of the two answers: "+reason
			}
		}
		if i == 0 {
			v.Reason = reason
		}
		scores = append(scores, score)
	}
	v.Score, v.SD = meanAndSD(scores)
	return v, nil
}

func meanAndSD(list []float64) (mean, sd float64) {
	for _, s := range list {
		mean += s / float64(len(list))
	}
	for _, s := range list {
		sd += (s - mean) * (s - mean)
	}
	if len(list) < 2 {
		return mean, 0
	}
	return mean, math.Sqrt(sd / float64(len(list)-1))
}

// draw makes one draw and adds its usage to the verdict.
func (j *Judge) draw(ctx context.Context, m model.Model, d draw, answer string, v *Verdict) (score float64, reason string, err error) {
	var last error
	for ; d.attempt < attempts; d.attempt++ {
		watched := &watchedModel{Model: m}
		reply, none, err := model.Ask(ctx, watched, j.request(d, answer))
		v.Usage.Iterations++
		v.Usage.InputTokens += reply.Usage.InputTokens
		v.Usage.OutputTokens += reply.Usage.OutputTokens
		v.Usage.CachedTokens += reply.Usage.CachedTokens
		v.Usage.CostUSD += reply.Usage.CostUSD
		if by := policy.Refused(policy.Provider, reply.Provider, watched.err); by != nil {
			return 0, "", &bench.RefusedError{Refusal: *by, Err: watched.err}
		}
		if err != nil {
			return 0, "", err
		}
		wrong := errors.New(none)
		if none == "" {
			if score, reason, wrong = j.read(reply.Answer, d); wrong == nil {
				v.place(j, score, d)
				return score, reason, nil
			}
		}
		last = wrong
	}
	return 0, "", fmt.Errorf("%w in %d attempts: %w", ErrNoVerdict, attempts, last)
}

// place adds the preference of a comparison to First or Second, by the position of the
// preferred answer.
func (v *Verdict) place(j *Judge, score float64, d draw) {
	switch {
	case j.def.Pairwise == "" || score == .5:
	case (score == 1) != d.reversed:
		v.First++
	default:
		v.Second++
	}
}

// watchedModel stores the error of its call, because [model.Ask] returns no error when a
// budget is spent, although that limit affects all answers.
type watchedModel struct {
	model.Model
	err error
}

func (w *watchedModel) Next(ctx context.Context, req *model.Request) (model.Reply, error) {
	reply, err := w.Model.Next(ctx, req)
	w.err = err
	return reply, err
}

// reply is the form of a verdict.
type reply struct {
	ID     *string         `json:"id"`
	Reason string          `json:"reason"`
	Grade  json.RawMessage `json:"grade"`
}

// read parses a reply, which is untrusted text. The text from the first opening brace to
// the last closing brace must be one verdict with the id of the draw. A reply that copies
// a verdict from the answer lacks that id, and a reply with two objects is not a verdict.
func (j *Judge) read(said string, d draw) (score float64, reason string, err error) {
	from, to := strings.IndexByte(said, '{'), strings.LastIndexByte(said, '}')
	if from < 0 || to < from {
		return 0, "", errors.New("the reply has no JSON object")
	}
	var r reply
	raw := []byte(said[from : to+1])
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if !json.Valid(raw) || dec.Decode(&r) != nil {
		return 0, "", errors.New("the JSON object in the reply is not a valid verdict")
	}
	if key, twice := text.RepeatedKey(raw, strings.EqualFold); twice { // JSON keys match a struct's fields regardless of case
		return 0, "", fmt.Errorf("the reply gives %s twice", show(key))
	}
	if r.ID == nil || *r.ID != d.id() {
		return 0, "", errors.New("the reply does not have the id of the request")
	}
	switch {
	case j.def.Pairwise != "":
		score, err = j.preference(r.Grade, d)
	case len(j.def.Criteria) > 0:
		score, err = j.sheet(r.Grade)
	default:
		score, err = j.grade(r.Grade)
	}
	if err != nil {
		return 0, "", err
	}
	reason = strings.TrimSuffix(strings.TrimSpace(string(r.Grade))+": "+strings.Join(strings.Fields(r.Reason), " "), ": ")
	return score, reason, nil
}

// grade reads a grade on the scale.
func (j *Judge) grade(raw json.RawMessage) (float64, error) {
	if j.def.Hi == 0 {
		switch string(bytes.TrimSpace(raw)) {
		case "true":
			return 1, nil
		case "false":
			return 0, nil
		}
		return 0, errors.New("the grade is neither true nor false")
	}
	n, err := strconv.Atoi(string(bytes.TrimSpace(raw)))
	if err != nil {
		return 0, errors.New("the grade is not a whole number")
	}
	score, err := j.Score(float64(n))
	if err != nil {
		return 0, fmt.Errorf("the grade %w", err)
	}
	return score, nil
}

// sheet reads the grades of all criteria and returns their weighted mean.
func (j *Judge) sheet(raw json.RawMessage) (float64, error) {
	var grades map[string]json.RawMessage
	if json.Unmarshal(raw, &grades) != nil || len(grades) != len(j.def.Criteria) {
		return 0, errors.New("the grade must have exactly the criteria of the rubric")
	}
	var sum, weights float64
	if key, twice := text.RepeatedKey(raw, func(a, b string) bool { return a == b }); twice {
		return 0, fmt.Errorf("the reply grades the criterion %s twice", show(key))
	}
	for _, c := range j.def.Criteria {
		one, ok := grades[c.Name]
		if !ok {
			return 0, errors.New("the grade must have exactly the criteria of the rubric")
		}
		s, err := j.grade(one)
		if err != nil {
			return 0, err
		}
		sum += c.share() * s
		weights += c.share()
	}
	return sum / weights, nil
}

// preference reads which answer the judge prefers, and returns the score of the graded
// answer.
func (j *Judge) preference(raw json.RawMessage, d draw) (float64, error) {
	switch string(bytes.TrimSpace(raw)) {
	case `"same"`:
		return .5, nil
	case `"first"`, `"second"`:
		if first := string(bytes.TrimSpace(raw)) == `"first"`; first != d.reversed {
			return 1, nil
		}
		return 0, nil
	}
	return 0, errors.New(`the grade is not "first", "second" or "same"`)
}
