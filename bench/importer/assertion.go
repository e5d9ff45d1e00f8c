package importer

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"evolve/bench"
)

// assertion converts one promptfoo assertion into a grader.
func assertion(a *yaml.Node, vars map[string]string) (bench.GraderSpec, error) {
	typ := field(a, "type")
	if !isText(typ) {
		return bench.GraderSpec{}, errors.New("it has no type")
	}
	if field(a, "transform") != nil {
		return bench.GraderSpec{}, errors.New("it transforms the answer with a program")
	}
	name, not := strings.CutPrefix(typ.Value, "not-")
	fields, err := graderFields(name, a, vars)
	if err != nil {
		return bench.GraderSpec{}, err
	}
	if not {
		fields["not"] = true
	}
	if weight := field(a, "weight"); weight != nil {
		w, err := strconv.ParseFloat(weight.Value, 64)
		if err != nil || !(w > 0) || w > 1e6 {
			return bench.GraderSpec{}, errors.New("its weight is not above 0")
		}
		fields["weight"] = w
	}
	return grader(fields)
}

// graderFields returns the fields of the grader that is equivalent to a type of
// assertion.
func graderFields(name string, a *yaml.Node, vars map[string]string) (map[string]any, error) {
	switch name {
	case "equals":
		return equals(a, vars)
	case "contains", "icontains":
		value, err := textValue(a, vars)
		return map[string]any{"type": "contains", "all": []string{value}, "ignore_case": name[0] == 'i'}, err
	case "contains-all", "icontains-all", "contains-any", "icontains-any":
		values, err := listValue(a, vars)
		base, ignoreCase := strings.CutPrefix(name, "i")
		return map[string]any{"type": "contains", strings.TrimPrefix(base, "contains-"): values, "ignore_case": ignoreCase}, err
	case "starts-with":
		value, err := textValue(a, vars)
		return map[string]any{"type": "regex", "pattern": "^" + regexp.QuoteMeta(value)}, err
	case "regex":
		value, err := textValue(a, vars)
		if err != nil {
			return nil, err
		}
		if _, err := regexp.Compile(value); err != nil {
			return nil, errors.New("its pattern is not valid in RE2 (which has no look-around and no back-references)")
		}
		return map[string]any{"type": "regex", "pattern": value}, nil
	case "is-json":
		return isJSON(a)
	case "cost":
		limit, err := threshold(a)
		return map[string]any{"type": "max_cost", "usd": limit}, err
	case "latency":
		limit, err := threshold(a)
		return map[string]any{"type": "max_latency", "seconds": limit / 1000}, err
	case "llm-rubric", "model-graded-closedqa", "g-eval", "factuality", "model-graded-factuality":
		return judgeFields(name, a, vars)
	case "javascript", "python", "ruby", "webhook":
		return nil, fmt.Errorf("%s would run a program named by the file", show(name))
	}
	return nil, fmt.Errorf("no grader corresponds to %s", show(name))
}

func equals(a *yaml.Node, vars map[string]string) (map[string]any, error) {
	value := field(a, "value")
	if value != nil && !isScalar(value) {
		v, err := plain(value)
		return map[string]any{"type": "json_path", "path": "$", "answer": v}, err
	}
	text, err := textValue(a, vars)
	return map[string]any{"type": "exact", "answer": text}, err
}

// isJSON returns the fields of a grader for valid JSON. It copies the schema of the
// assertion if there is one; otherwise any JSON passes.
func isJSON(a *yaml.Node) (map[string]any, error) {
	var schema any = true
	switch value := field(a, "value"); {
	case value == nil:
	case isText(value):
		if foreign(value.Value) {
			return nil, errors.New("its schema is not in this file")
		}
		if err := json.Unmarshal([]byte(value.Value), &schema); err != nil {
			return nil, errors.New("its schema is not JSON")
		}
	default:
		v, err := plain(value)
		if err != nil {
			return nil, err
		}
		schema = v
	}
	return map[string]any{"type": "json_schema", "schema": schema}, nil
}

// textValue returns the value of an assertion as text, with variables substituted.
func textValue(a *yaml.Node, vars map[string]string) (string, error) {
	value := field(a, "value")
	if !isScalar(value) {
		return "", errors.New("its value is not text")
	}
	return inPlace(value.Value, vars)
}

// listValue returns a list of texts; a single text is split at commas, as promptfoo does.
func listValue(a *yaml.Node, vars map[string]string) ([]string, error) {
	value := field(a, "value")
	var list []string
	switch {
	case isScalar(value):
		for part := range strings.SplitSeq(value.Value, ",") {
			list = append(list, strings.TrimSpace(part))
		}
	case value != nil && value.Kind == yaml.SequenceNode:
		for _, item := range value.Content {
			if item = resolve(item); !isScalar(item) {
				return nil, errors.New("its value is not a list of strings")
			}
			list = append(list, item.Value)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("its value is not a list of strings")
	}
	for i, s := range list {
		var err error
		if list[i], err = inPlace(s, vars); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func inPlace(value string, vars map[string]string) (string, error) {
	if foreign(value) {
		return "", errors.New("its value is not in this file")
	}
	value, err := fill(value, vars)
	if err == nil && strings.TrimSpace(value) == "" {
		err = errors.New("its value is empty")
	}
	return value, err
}

func threshold(a *yaml.Node) (float64, error) {
	n := field(a, "threshold")
	if !isScalar(n) {
		return 0, errors.New("it has no threshold")
	}
	f, err := strconv.ParseFloat(n.Value, 64)
	if err != nil || !(f >= 0 && f <= 1e9) {
		return 0, errors.New("its threshold is not a number of at least 0")
	}
	return f, nil
}
