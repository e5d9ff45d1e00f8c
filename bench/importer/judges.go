package importer

import (
	"errors"
	"maps"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v4"

	"evolve/bench"
	"evolve/bench/grade"
)

// The rubrics for imported graders that compare an answer with a reference, and the
// scales and the default threshold for imported graders that give a score between 0 and
// 1.
const (
	meetsReference    = "The reference states what a right answer has to say or do. The answer meets it in full."
	agreesOnFacts     = "The answer has the facts of the reference and contradicts none of them. Wording, order and further detail do not matter."
	gEvalPass         = .7 // promptfoo's default for g-eval
	gEvalScale        = "0-10"
	thresholdsOnScale = "0-10"
)

// inspectScorers returns the rubrics for the scorers of Inspect that use a judge model, by
// their names in [Options.Grader].
func inspectScorers() map[string]string {
	return map[string]string{"model_graded_qa": meetsReference, "model_graded_fact": agreesOnFacts}
}

// inspectIncludes is the scorer of Inspect that looks for the target in the answer, for
// [Options.Grader].
const inspectIncludes = "includes"

// InspectScorers returns the names of the scorers of Inspect that have an equivalent, in order.
func InspectScorers() []string {
	return append([]string{inspectIncludes}, slices.Sorted(maps.Keys(inspectScorers()))...)
}

// judged reports whether a type of promptfoo assertion grades by a rubric, whose text is not
// an expected answer.
func judged(name string) bool {
	return slices.Contains([]string{"llm-rubric", "model-graded-closedqa", "g-eval"}, name)
}

// judgeFields returns the fields of the judge that is equivalent to an assertion of
// promptfoo.
func judgeFields(name string, a *yaml.Node, vars map[string]string) (map[string]any, error) {
	fields := map[string]any{"type": grade.TypeJudge}
	value := field(a, "value")
	if name == "g-eval" && value != nil && value.Kind == yaml.SequenceNode {
		texts, err := listValue(a, vars)
		if err != nil {
			return nil, err
		}
		var criteria []map[string]string
		for i, text := range texts {
			criteria = append(criteria, map[string]string{"name": strconv.Itoa(i + 1), "text": text})
		}
		fields["criteria"] = criteria
	} else {
		text, err := textValue(a, vars)
		if err != nil {
			return nil, err
		}
		fields["rubric"] = text
		if !judged(name) {
			fields["rubric"], fields["reference"] = agreesOnFacts, text
		}
	}
	if name == "g-eval" {
		fields["scale"], fields["threshold"] = gEvalScale, gEvalPass
	}
	if field(a, "threshold") == nil {
		return fields, nil
	}
	limit, err := threshold(a)
	if err == nil && !(limit > 0 && limit <= 1) {
		err = errors.New("its threshold must be above 0 and at most 1")
	}
	fields["scale"], fields["threshold"] = thresholdsOnScale, limit
	return fields, err
}

// noteJudges adds a note if tasks are graded by a model, which costs money.
func (c *collector) noteJudges(tasks []bench.Task) {
	n := 0
	for i := range tasks {
		if slices.ContainsFunc(tasks[i].Graders, func(g bench.GraderSpec) bool { return g.Type == grade.TypeJudge }) {
			n++
		}
	}
	if n > 0 {
		c.note(0, "%s graded by a judge model on the route \"default\", unless a grader names another route in \"route\"", counted(n, "task is", "tasks are"))
	}
}
