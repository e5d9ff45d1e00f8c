package grade

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"evolve/bench"
	"evolve/runtime/model"
)

// TypeJudge is the type of graders with a judge model.
const TypeJudge = "judge"

// Limits of a judge: the length of rubric and criteria in bytes, and the number of criteria
// and samples.
const (
	maxRubric   = 64 << 10
	maxCriteria = 50
	maxSamples  = 25
)

// Judge is a compiled grader with a judge model. It grades an answer to one task.
type Judge struct {
	// Route is the route of the judge model; empty means the default route.
	Route string
	// Samples is the number of draws, whose mean is the grade.
	Samples int

	def       definition
	task      *bench.Task
	reference string
	asked     string // for a script, the conversation before the answer; if empty, the task's text is used
}

// after returns the judge for the last answer of a conversation: its question is the
// conversation up to that answer.
func (j *Judge) after(exchanges []bench.Exchange) *Judge {
	if len(exchanges) == 0 {
		return j
	}
	at := *j
	at.asked = compact(map[string]any{"messages": conversation(exchanges), "input": j.task.Input})
	return &at
}

// definition is everything about a judge besides its model, its task and the reference.
type definition struct {
	Route    string      `json:"route,omitempty"`
	Rubric   string      `json:"rubric,omitempty"`
	Pairwise string      `json:"pairwise,omitempty"`
	Criteria []criterion `json:"criteria,omitempty"`
	// Lo and Hi are the ends of the scale; both are 0 for pass or fail.
	Lo      int `json:"lo,omitempty"`
	Hi      int `json:"hi,omitempty"`
	Samples int `json:"samples"`
}

type criterion struct {
	Name   string  `json:"name"`
	Text   string  `json:"text"`
	Weight float64 `json:"weight,omitempty"`
}

// share returns the criterion's weight, 1 by default.
func (c criterion) share() float64 {
	if c.Weight > 0 {
		return c.Weight
	}
	return 1
}

// judged compiles a grader of type judge, which asks the model set by [Graders.Judged].
func judged(b *builder) scorer {
	j := compileJudge(b)
	return b.asker.scorer(j)
}

// Judges returns the judges of a task in the order of its graders, followed by those of
// its turns. An element is nil if its grader is not of type judge or is invalid.
func Judges(t *bench.Task) []*Judge {
	var out []*Judge
	for _, step := range t.Steps() {
		for _, spec := range step.Graders {
			if spec.Type != TypeJudge {
				out = append(out, nil)
				continue
			}
			b := newBuilder(step, spec, kinds()[TypeJudge].fields)
			j := compileJudge(b)
			if len(b.problems) > 0 {
				j = nil
			}
			out = append(out, j)
		}
	}
	return out
}

// JudgeRoute returns the route of a grader, and reports whether the grader is of type
// judge.
func JudgeRoute(spec bench.GraderSpec) (string, bool) {
	var own struct {
		Route string `json:"route"`
	}
	if spec.Type != TypeJudge || json.Unmarshal(spec.Raw, &own) != nil {
		return "", spec.Type == TypeJudge
	}
	return own.Route, true
}

func compileJudge(b *builder) *Judge {
	j := &Judge{task: b.task}
	if b.has("route") {
		j.def.Route = b.text("route")
	}
	forms := 0
	for _, form := range []string{"rubric", "criteria", "pairwise"} {
		if b.has(form) {
			forms++
		}
	}
	if forms != 1 {
		b.problem("", "needs one of rubric, criteria or pairwise")
		return j
	}
	switch {
	case b.has("criteria"):
		j.def.Criteria = b.criteria()
	case b.has("pairwise"):
		j.def.Pairwise = b.rubric("pairwise")
	default:
		j.def.Rubric = b.rubric("rubric")
	}
	j.def.Lo, j.def.Hi = b.scale()
	j.def.Samples = int(b.number("samples", 1, 1, maxSamples))
	j.Route, j.Samples = j.def.Route, j.def.Samples
	switch {
	case b.has("reference"):
		j.reference = b.text("reference")
	case b.task.Answer != nil:
		j.reference = *b.task.Answer
	case j.def.Pairwise != "":
		b.problem("", "compares with a reference, but neither the grader nor the task has one")
	}
	return j
}

// rubric reads a field with a text that the judge grades by.
func (b *builder) rubric(field string) string {
	s := strings.TrimSpace(b.text(field))
	if len(s) > maxRubric {
		b.problem(field, "%q is longer than %d KB", field, maxRubric>>10)
	}
	return s
}

// criteria reads the list of criteria.
func (b *builder) criteria() []criterion {
	var list []criterion
	if json.Unmarshal(b.fields["criteria"], &list) != nil {
		b.problem("criteria", "%q must be a list of objects with name, text and weight", "criteria")
		return nil
	}
	if len(list) == 0 || len(list) > maxCriteria {
		b.problem("criteria", "%q must have 1 to %d criteria", "criteria", maxCriteria)
		return nil
	}
	names := map[string]bool{}
	for _, c := range list {
		switch {
		case strings.TrimSpace(c.Name) == "" || strings.TrimSpace(c.Text) == "":
			b.problem("criteria", "a criterion needs a name and a text")
		case len(c.Name) > 100 || len(c.Text) > maxRubric:
			b.problem("criteria", "the criterion %s is too long: its name can have at most 100 bytes and its text at most 64 KB", show(c.Name))
		case names[c.Name]:
			b.problem("criteria", "two criteria have the name %s", show(c.Name))
		case !(c.Weight >= 0 && c.Weight <= 1e6):
			b.problem("criteria", "the weight of the criterion %s is %v, which is not between 0 and 1000000", show(c.Name), c.Weight)
		}
		names[c.Name] = true
	}
	return list
}

// passFail is the default scale.
const passFail = "pass/fail"

var scaleForm = regexp.MustCompile(`^(\d{1,3})-(\d{1,3})$`)

// scale reads the ends of the scale. Both are 0 if the judge only passes or fails
// answers.
func (b *builder) scale() (lo, hi int) {
	if !b.has("scale") {
		return 0, 0
	}
	s := b.text("scale")
	ends := scaleForm.FindStringSubmatch(s)
	switch {
	case b.has("pairwise"):
		b.problem("scale", "a comparison of two answers cannot have a scale")
	case s == passFail || s == "":
	case ends == nil:
		b.problem("scale", "%s is not a scale: write %q, or a range such as 1-5", show(s), passFail)
	default:
		lo, _ = strconv.Atoi(ends[1])
		hi, _ = strconv.Atoi(ends[2])
		if lo >= hi {
			b.problem("scale", "the scale %s has its ends in the wrong order", show(s))
		}
	}
	return lo, hi
}

// Calls returns the number of model calls that a grade takes if no call is repeated.
func (j *Judge) Calls() int {
	if j.def.Pairwise != "" {
		return 2 * j.Samples
	}
	return j.Samples
}

// Points returns the number of distinct grades of one draw: the number of grades on the
// scale, three for a comparison (worse, same, better), and two for pass or fail and for
// criteria.
func (j *Judge) Points() int {
	switch {
	case j.def.Pairwise != "":
		return 3
	case j.def.Hi > 0 && len(j.def.Criteria) == 0:
		return j.def.Hi - j.def.Lo + 1
	}
	return 2
}

// Scale returns the scale in the form in which a suite gives it, or "" for a comparison.
func (j *Judge) Scale() string {
	switch {
	case j.def.Pairwise != "":
		return ""
	case j.def.Hi > 0:
		return fmt.Sprintf("%d-%d", j.def.Lo, j.def.Hi)
	}
	return passFail
}

// Rubric returns the text that the judge grades by: a rubric, criteria or a comparison.
func (j *Judge) Rubric() string {
	return compact(definition{Rubric: j.def.Rubric, Pairwise: j.def.Pairwise, Criteria: j.def.Criteria})
}

// Score converts a grade on the judge's scale to a score in [0,1].
func (j *Judge) Score(grade float64) (float64, error) {
	lo, hi := float64(j.def.Lo), float64(j.def.Hi)
	if hi == 0 {
		lo, hi = 0, 1
	}
	if !(grade >= lo && grade <= hi) {
		return 0, fmt.Errorf("%v is not between %v and %v", grade, lo, hi)
	}
	return (grade - lo) / (hi - lo), nil
}

// Definition returns a hash, in hexadecimal, of everything that defines the judge apart
// from its model, its task and the reference: route, rubric or criteria, scale and samples.
func (j *Judge) Definition() string {
	sum := sha256.Sum256(append([]byte("judge 2\x00"+instructions+"\x00"), compact(j.def)...))
	return hex.EncodeToString(sum[:16])
}

// LeastTokens estimates the number of tokens in the shortest useful verdict, which has the
// required form and a reason of a few words.
func (j *Judge) LeastTokens() int {
	form := `{"id": "00000000", "reason": "the answer has all that is asked for", "grade": false}`
	size := len(form)
	for _, c := range j.def.Criteria {
		size += len(compact(c.Name)) + len(": false, ")
	}
	return size / bytesPerToken
}

// bytesPerToken is the assumed number of bytes per token in JSON, in which symbols and ids
// take more tokens than prose does.
const bytesPerToken = 3

// InputTokens estimates the number of input tokens of one call of the model, for an answer
// of the given length in bytes.
func (j *Judge) InputTokens(answer int) int {
	req := j.request(draw{}, "")
	size := overhead + len(req.Goal) + answer
	for _, s := range req.System {
		size += len(s.Text)
	}
	for _, s := range req.Shared {
		size += len(s.Text)
	}
	return size / 4
}

// overhead is the approximate length, in bytes, of the rules that a model gets with every
// request.
const overhead = 2500

// key identifies a question: the judge, the task, the reference and the answer.
func (j *Judge) key(answer string) [32]byte {
	return sha256.Sum256([]byte(compact([]any{j.Definition(), j.question(), j.reference, answer})))
}

// question returns the task's text as the judge gets it.
func (j *Judge) question() string {
	t := j.task
	if j.asked != "" {
		return j.asked
	}
	if len(t.Turns) == 0 && len(t.Messages) == 0 && len(t.Fixtures.Turns) == 0 && len(t.Input) == 0 {
		return t.Goal
	}
	all := t.AgentTasks()
	seen := all[len(all)-1] // for a script, without the answers between its messages
	return compact(map[string]any{"goal": seen.Goal, "messages": seen.Messages, "input": t.Input})
}

// sampling returns the sampling settings of a draw. The seed depends on the question and
// the draw, and on nothing in the run.
func (j *Judge) sampling(d draw) model.Sampling {
	return model.Sampling{Route: j.Route, Seed: d.seed()}
}
