package versions

import (
	"bytes"
	"encoding/json"
	"fmt"

	"evolve/bench"
	"evolve/bench/metrics"
)

// Suite returns the cases of a scale as tasks. As in every suite, they are divided into
// those that the search may use and those that it never sees. Suite returns an error if the
// name of a case cannot be the id of a task.
func Suite(name string, s *metrics.Scale, rules bench.GraderRules) (*bench.Suite, error) {
	metric, unit, better := s.Metric()
	var lines bytes.Buffer
	for _, of := range s.Cases() {
		input, err := json.Marshal(map[string]any{"case": of, "metric": metric, "unit": unit, "better": better, "base": s.Base(of)})
		if err != nil {
			return nil, fmt.Errorf("case %s: %w", of, err)
		}
		line, err := json.Marshal(map[string]any{
			"id": of, "goal": "Score the program on case " + of + ".", "input": json.RawMessage(input), "graders": []map[string]any{{"type": "reported"}},
		})
		if err != nil {
			return nil, fmt.Errorf("case %s: %w", of, err)
		}
		lines.Write(line)
		lines.WriteByte('\n')
	}
	suite, issues := bench.ReadCases(&lines, name, rules)
	if suite == nil {
		return nil, fmt.Errorf("the cases of %s cannot be used as tasks: %s", name, issues[0])
	}
	suite.Name = name
	return suite, nil
}
