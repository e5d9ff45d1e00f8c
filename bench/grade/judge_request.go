package grade

import (
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"evolve/runtime/model"
	"evolve/runtime/text"
)

//go:embed judge.md
var instructions string

// maxJudged bounds each text that a judge is shown, in bytes.
const maxJudged = 48 << 10

// draw identifies one call of a judge model: the sample, whether the reference comes first
// in a comparison, and the number of the attempt.
type draw struct {
	key             [32]byte
	sample, attempt int
	reversed        bool
}

// sum returns a hash of the draw. It depends on the question and on nothing in the run.
func (d draw) sum() [32]byte {
	return sha256.Sum256(fmt.Appendf(d.key[:], "%d\x00%d\x00%t", d.sample, d.attempt, d.reversed))
}

// seed is below 2^53.
func (d draw) seed() int64 {
	sum := d.sum()
	return int64(binary.BigEndian.Uint64(sum[:8]) >> 11)
}

// id returns the id that a verdict must repeat. An answer cannot contain the id of its own
// draw, which is derived from the answer and the rubric. So a model that merely repeats the
// answer gives no verdict.
func (d draw) id() string {
	sum := d.sum()
	return hex.EncodeToString(sum[8:12])
}

// request returns the request to the judge model. The rubric comes from the suite and is in
// the system prompt; the task, the answer and the reference are data, which the renderer of
// [model.Request] encodes in lines of JSON. Nothing in it depends on the variant, the stage
// or the run.
func (j *Judge) request(d draw, answer string) *model.Request {
	req := &model.Request{
		System:    []model.Section{{Name: "TASK", Text: instructions}, {Name: "RUBRIC", Text: j.rubricText()}},
		Goal:      j.order(d.id()),
		Remaining: 1,
		Sampling:  j.sampling(d),
		Schema:    j.schema(),
	}
	add := func(key, s string) {
		req.Shared = append(req.Shared, model.Shared{From: "evolve", Key: key, Text: shown(s)})
	}
	add("task", j.question())
	if j.def.Pairwise != "" {
		first, second := answer, j.reference
		if d.reversed {
			first, second = second, first
		}
		add("first answer", first)
		add("second answer", second)
		return req
	}
	if j.reference != "" {
		add("reference", j.reference)
	}
	add("answer to grade", answer)
	return req
}

// shown returns the part of a text that a judge is shown, followed by a description of the
// omitted part, if any.
func shown(s string) string {
	part := text.Clip(s, maxJudged)
	if left := len(s) - len(part); left > 0 {
		return fmt.Sprintf("%s\n[evolve left out the last %d bytes of this text]", part, left)
	}
	return part
}

// rubricText returns the rubric or the criteria.
func (j *Judge) rubricText() string {
	if len(j.def.Criteria) == 0 {
		return j.def.Rubric + j.def.Pairwise
	}
	var b strings.Builder
	for _, c := range j.def.Criteria {
		fmt.Fprintf(&b, "- %s: %s\n", compact(c.Name), strings.Join(strings.Fields(c.Text), " "))
	}
	return b.String()
}

// order returns the goal of the request, which describes the form of the verdict.
func (j *Judge) order(id string) string {
	grade := "true if the answer meets the rubric and false if not"
	if j.def.Hi > 0 {
		grade = fmt.Sprintf("a whole number from %d, the worst, to %d, the best", j.def.Lo, j.def.Hi)
	}
	switch {
	case j.def.Pairwise != "":
		return fmt.Sprintf(`Compare the two answers by the rubric. Reply with {"id": "%s", "reason": TEXT, "grade": GRADE}, where GRADE is "first" or "second" for the better answer, or "same".`, id)
	case len(j.def.Criteria) > 0:
		var names []string
		for _, c := range j.def.Criteria {
			names = append(names, compact(c.Name)+": GRADE")
		}
		return fmt.Sprintf(`Grade the answer by each criterion of the rubric on its own. Reply with {"id": "%s", "reason": TEXT, "grade": {%s}}, where GRADE is %s.`,
			id, strings.Join(names, ", "), strings.Replace(grade, "the rubric", "the criterion", 1))
	}
	return fmt.Sprintf(`Grade the answer by the rubric. Reply with {"id": "%s", "reason": TEXT, "grade": GRADE}, where GRADE is %s.`, id, grade)
}
