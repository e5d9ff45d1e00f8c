package batch

import (
	"fmt"

	"evolve/bench/grade"
	"evolve/cmd/evolve/internal/workspace"
	drafts "evolve/mutate/reflection"
)

// ShortJudges returns warnings about the routes of an agent's judges whose reply limit is
// too low for any verdict, one sentence for each route.
func ShortJudges(w *workspace.Workspace, a *workspace.Agent) []string {
	least := map[string]int{}
	var routes []string
	for _, s := range w.SuitesOf(a) {
		for i := range s.Tasks {
			for _, j := range grade.Judges(&s.Tasks[i]) {
				if j == nil {
					continue
				}
				name, _ := w.JudgeRoute(j.Route)
				if least[name] == 0 {
					routes = append(routes, name)
				}
				least[name] = max(least[name], j.LeastTokens())
			}
		}
	}
	var out []string
	for _, name := range routes {
		if text := short(w, name, "verdict of its judge", least[name]); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// ShortReflect returns a warning if the reply limit of a route of search.reflect is too low
// for any proposal; it returns "" otherwise.
func ShortReflect(w *workspace.Workspace, name string) string {
	return short(w, name, "proposal of search.reflect", drafts.LeastTokens)
}

// short returns a warning if max_tokens of a route is set to less than the shortest reply
// takes (least, in tokens); it returns "" otherwise. what names the kind of reply.
func short(w *workspace.Workspace, name, what string, least int) string {
	most := w.Settings.Routes[name].MaxTokens
	if most == 0 || most >= least {
		return ""
	}
	return fmt.Sprintf("route %s: max_tokens: %[3]d is too small for a %[2]s; the shortest takes about %[4]d tokens", name, what, most, least)
}

// shortReplies returns a warning for each reply limit of an agent's judges or of
// search.reflect that is too low.
func shortReplies(w *workspace.Workspace, a *workspace.Agent) []string {
	out := ShortJudges(w, a)
	for _, route := range w.Settings.Search.Reflect.Routes {
		if text := ShortReflect(w, route.Name); text != "" {
			out = append(out, text)
		}
	}
	return out
}
