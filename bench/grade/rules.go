package grade

import (
	"evolve/bench"
)

// kind is one type of grader.
type kind struct {
	// fields are the type's own fields, besides type, weight, threshold and not.
	fields []string
	// threshold is the default score at which a grader of the type passes.
	threshold float64
	// build reads the fields and returns the scorer.
	build func(*builder) scorer
}

// kinds returns all types of graders, by name; see the package comment.
func kinds() map[string]kind {
	return map[string]kind{
		"exact":           {[]string{"answer", "ignore_case", "strict"}, 1, exact},
		"contains":        {[]string{"answer", "all", "any", "ignore_case"}, 1, contains},
		"regex":           {[]string{"pattern"}, 1, matches},
		"numeric":         {[]string{"answer", "tolerance", "relative", "percent", "pick"}, 1, numeric},
		"json_schema":     {[]string{"schema"}, 1, jsonSchema},
		"json_path":       {[]string{"path", "answer"}, 1, jsonPath},
		"f1":              {[]string{"answer"}, .5, tokenF1},
		"rouge_l":         {[]string{"answer"}, .5, rougeL},
		"set":             {[]string{"answer"}, 1, sameSet},
		"tool_called":     {[]string{"tool"}, 1, toolCalled},
		"tool_not_called": {[]string{"tool"}, 1, toolNotCalled},
		"tool_order":      {[]string{"tools"}, 1, toolOrder},
		"outcome":         {[]string{"outcome"}, 1, outcomeIs},
		"max_cost":        {[]string{"usd"}, 1, maxCost},
		"max_latency":     {[]string{"seconds"}, 1, maxLatency},
		TypeCommand:       {[]string{"argv", "timeout", "protocol"}, 1, command},
		"reported":        {nil, .5, reported},
		TypeJudge:         {[]string{"route", "rubric", "criteria", "pairwise", "reference", "scale", "samples"}, .5, judged},
	}
}

// Rules returns the types of graders with their fields, and a check of the fields' values.
func Rules() bench.GraderRules {
	fields := map[string][]string{}
	for name, k := range kinds() {
		fields[name] = k.fields
	}
	return bench.GraderRules{Fields: fields, Check: Check}
}

// Check returns the problems of a task's grader.
func Check(t *bench.Task, spec bench.GraderSpec) []bench.GraderProblem {
	_, problems := build(t, spec, means{})
	return problems
}

// build compiles one grader, or returns all its problems.
func build(t *bench.Task, spec bench.GraderSpec, with means) (part, []bench.GraderProblem) {
	k, ok := kinds()[spec.Type]
	if !ok {
		return part{}, []bench.GraderProblem{{Field: "type", Text: "has an unknown type"}}
	}
	b := newBuilder(t, spec, k.fields)
	b.means = with
	if spec.Threshold < 0 || spec.Threshold > 1 {
		b.problem("threshold", "is %v, which is not between 0 and 1", spec.Threshold)
	}
	if !(spec.Weight >= 0 && spec.Weight <= 1e6) {
		b.problem("weight", "is %v, which is not between 0 and 1000000", spec.Weight)
	}
	p := part{spec: spec, threshold: k.threshold, score: k.build(b), expects: b.expects}
	if spec.Threshold > 0 {
		p.threshold = spec.Threshold
	}
	return p, b.problems
}
