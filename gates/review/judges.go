package review

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"evolve/runtime/text"
)

// nameJudges adds the judges to the names of suites that changed, because the hash of a
// suite covers the models and settings of its judges. The plan of the run that measured a
// proposal has the models of that time.
func (f *fileSubject) nameJudges(ctx context.Context, moved []string) {
	for _, s := range f.agent.Suites {
		i := slices.Index(moved, path.Join("suites", s.Name))
		now := judgesOf(s.Judges)
		if i < 0 || now == "" {
			continue
		}
		var before []string
		if plan, err := f.store.Plan(ctx, f.p.Run, f.p.Agent); err == nil {
			for _, line := range plan.Judges { // "suite NAME: MODEL of route ROUTE grades …"
				if model, ok := strings.CutPrefix(line, "suite "+s.Name+": "); ok {
					model, _, _ = strings.Cut(model, " grades ")
					before = append(before, model)
				}
			}
		}
		slices.Sort(before)
		if was := strings.Join(before, ", "); was != "" && was != now {
			moved[i] += " (its judge: " + text.OneLine(was+" → "+now) + ")"
		} else {
			moved[i] += " (its file, or the settings of its judge, " + text.OneLine(now) + ")"
		}
	}
}

// judgesOf returns the models in the identity of a suite's judges, with their routes.
func judgesOf(identity string) string {
	var routes map[string]struct{ Route struct{ Model string } }
	if json.Unmarshal([]byte(identity), &routes) != nil {
		return ""
	}
	var out []string
	for name, r := range routes {
		out = append(out, fmt.Sprintf("%s of route %s", r.Route.Model, name))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}
