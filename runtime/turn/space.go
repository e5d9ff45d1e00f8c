package turn

import (
	"slices"
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/model"
	"evolve/runtime/tool"
)

// Limits on the texts of a config, in characters: about 1,000 and 2,000 tokens.
const (
	maxStrategy       = 4000
	maxDemonstrations = 8000
)

const (
	hardIterations = 24
	// The range of the parameter that limits the number of subgoals.
	leastSubgoals, maxSubgoals = 2, 4
	defaultWindow              = 128_000 // tokens
)

// generalTemperature is the parameter for tasks whose domain has no temperature of its own.
const generalTemperature = "temperature"

// HeuristicSpace declares the parameters that affect the heuristic model's results. It
// leaves out those that affect only a language model (temperatures, routes, the budgets of
// bootstrap and notes, distillation, delegation, the expiry of tools). Domains and tools
// determine the directive lines offered for the strategy. Tools lists the registered tools;
// nil means all built-in ones. If there are no tools, there are no parameters for tools.
func HeuristicSpace(domains, tools []string) agent.Space {
	if tools == nil {
		tools = toolNames()
	}
	params := []agent.Param{
		number("recall.min_score", .50, .95, .75,
			"minimum score, in [0,1], of a memory that is recalled; a lower value recalls more memories, and worse ones"),
		whole("recall.max_memories", 1, 20, 8, "maximum number of recalled memories"),
		number("recall.mmr_lambda", 0, 1, .7,
			"weight of relevance against novelty in the choice of memories: 1 counts relevance alone"),
		whole("recall.token_budget", 200, 4000, 1500, "maximum tokens of all recalled memories together"),
		selection(tools),
		number("tools.pattern_weight", 0, 1, .8, "weight of how well the goal fits a tool's pattern"),
		number("tools.performance_weight", 0, 1, .2, "weight of how useful a tool is in the domain"),
		number("tools.cutoff", 0, 1, .15, "minimum choice score of a tool that is called; a lower value tries more tools"),
		whole("loop.max_iterations", 1, hardIterations, 8, "model calls on a goal, or on each of its subgoals"),
		toggle("loop.self_check", "send an answer back once if it does not have the form that the question asks for"),
		toggle("decompose.enabled", "break composite goals into subgoals"),
		whole("decompose.max_subgoals", leastSubgoals, maxSubgoals, maxSubgoals, "subgoals at most"),
		{
			Name: "strategy", Kind: agent.Text, MaxChars: maxStrategy, Default: "",
			Lines:       model.Catalogue(domains, tools),
			Description: "how to work: one directive a line for the heuristic, free text for a language model",
		},
	}
	return agent.Space{Params: withoutTools(withCondition(params), tools)}
}

// selection returns the parameter for the tools that are active from the start. Essential
// tools are always active and not part of the parameter, so no config can leave out tools
// that tasks need.
func selection(tools []string) agent.Param {
	always := essential(tools)
	return agent.Param{
		Name: "tools.selection", Kind: agent.Subset, Default: []string{}, Retired: always,
		Of:          slices.DeleteFunc(slices.Clone(tools), func(t string) bool { return slices.Contains(always, t) }),
		Description: "tools that are active from the start, beside the essential ones",
	}
}

// withoutTools removes the parameters for tools if there are no tools.
func withoutTools(params []agent.Param, tools []string) []agent.Param {
	if len(tools) > 0 {
		return params
	}
	return slices.DeleteFunc(params, func(p agent.Param) bool { return strings.HasPrefix(p.Name, "tools.") })
}

// DefaultSpace declares the possible contents of a champion file used with the heuristic
// model; the file may have been written for a language model. [Idle] names the parameters
// that a search leaves alone. Each domain gets a temperature and, if more than one route is
// configured, a route, whose default is the first one. Tools lists the registered tools;
// nil means all that evolve provides.
func DefaultSpace(domains, tools, routes []string) agent.Space {
	if tools == nil {
		tools = append(toolNames(), namesOf(tool.Further())...)
	}
	s := HeuristicSpace(domains, tools)
	strategy := s.Params[len(s.Params)-1]
	params := s.Params[:len(s.Params)-1]
	return agent.Space{Params: append(append(params, withoutTools(further(domains, routes), tools)...), strategy)}
}

// LanguageSpace declares the parameters of an agent with a language model. The arguments
// are the same as for [DefaultSpace]; in addition, allowed lists the same tools as
// [Options].Allowed. Tools that the operator has not allowed are not part of the selection.
func LanguageSpace(domains, tools, allowed, routes []string) agent.Space {
	s := DefaultSpace(domains, tools, routes)
	for i := range s.Params {
		switch p := &s.Params[i]; p.Name {
		case "tools.selection":
			p.Retired = append(slices.Clip(p.Retired), unallowed(p.Of, allowed)...)
			p.Of = slices.DeleteFunc(slices.Clone(p.Of), func(t string) bool { return slices.Contains(p.Retired, t) })
		case "strategy":
			p.Lines = nil
			p.Description = "instruction on how to work"
		}
	}
	forms := make([]any, 0, 4)
	for _, f := range model.AnswerForms() {
		forms = append(forms, string(f))
	}
	s.Params = append(s.Params,
		number(generalTemperature, 0, 1, .2, "sampling temperature where the domain has none of its own"),
		agent.Param{
			Name: "demonstrations", Kind: agent.Text, Use: agent.Demonstrations, MaxChars: maxDemonstrations, Default: "",
			Description: "solved tasks that are shown as examples, one JSON object a line with the keys task and answer",
		},
		agent.Param{
			Name: "answer.form", Kind: agent.Choice, Values: forms, Default: forms[0],
			Description: "form of an answer: the whole reply, one line, a JSON object, or reasoning and a last line with the answer",
		},
		agent.Param{
			Name: "answer.retries", Kind: agent.Int, Min: 0, Max: 3, Default: int64(1), When: map[string][]any{"answer.form": forms[1:]},
			Description: "how often an answer is requested again if it does not have the form",
		},
	)
	return s
}

// further declares the parameters that affect only a language model.
func further(domains, routes []string) []agent.Param {
	var params []agent.Param
	for _, d := range domains {
		params = append(params, number("temperature."+d, 0, 1, .2, "sampling temperature in the domain"))
		if len(routes) > 1 {
			values := make([]any, len(routes))
			for i, r := range routes {
				values[i] = r
			}
			params = append(params, agent.Param{
				Name: "routes." + d, Kind: agent.Choice, Values: values, Default: routes[0],
				Description: "route to a model in the domain",
			})
		}
	}
	return append(params,
		whole("distill.threshold_tokens", 20_000, 200_000, 120_000, "number of tokens from which the history is distilled"),
		whole("distill.threshold_messages", 20, 500, 150, "number of messages from which the history is distilled"),
		whole("tools.expire_turns", 1, 20, 5, "number of model calls without use after which an activated tool is dropped"),
		whole("notes.token_budget", 200, 8000, 2000, "maximum tokens of notes in the prompt"),
		whole("bootstrap.token_budget", 4000, 100_000, 40_000, "maximum tokens of workspace files in the prompt"),
		number("delegate.below", 0, 1, .3, "competence of the agent below which delegation is suggested"),
		number("delegate.above", 0, 1, .6, "competence of another agent above which delegation is suggested"),
	)
}

func number(name string, least, most, def float64, description string) agent.Param {
	return agent.Param{Name: name, Kind: agent.Float, Min: least, Max: most, Default: def, Description: description}
}

func whole(name string, least, most, def int64, description string) agent.Param {
	return agent.Param{
		Name: name, Kind: agent.Int, Min: float64(least), Max: float64(most), Default: def, Description: description,
	}
}

func toggle(name, description string) agent.Param {
	return agent.Param{Name: name, Kind: agent.Bool, Default: true, Description: description}
}

// withCondition makes the parameter for the number of subgoals active only if goals are
// decomposed.
func withCondition(params []agent.Param) []agent.Param {
	for i := range params {
		if params[i].Name == "decompose.max_subgoals" {
			params[i].When = map[string][]any{"decompose.enabled": {true}}
		}
	}
	return params
}

func toolNames() []string { return namesOf(tool.Builtin()) }

func namesOf(tools []tool.Tool) []string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Spec().Name
	}
	return names
}

// unallowed returns the tools that need the operator's permission but do not have it.
func unallowed(tools, allowed []string) []string {
	return slices.DeleteFunc(tool.Allowable(), func(name string) bool {
		return !slices.Contains(tools, name) || slices.Contains(allowed, name)
	})
}

// essential returns the tools that are active by default.
func essential(tools []string) []string {
	out := []string{}
	for _, t := range tool.Builtin() {
		if s := t.Spec(); s.Category == tool.Essential && slices.Contains(tools, s.Name) {
			out = append(out, s.Name)
		}
	}
	// A default must list its values in the order of the declaration.
	slices.SortFunc(out, func(a, b string) int { return slices.Index(tools, a) - slices.Index(tools, b) })
	return out
}
