package problem

import (
	"math/rand/v2"
	"slices"

	"evolve/runtime/agent"
)

// choice and the functions below it return parameters without a default.
func choice(name string, values ...any) agent.Param {
	return agent.Param{Name: name, Kind: agent.Choice, Values: values}
}

func toggle(name string) agent.Param { return agent.Param{Name: name, Kind: agent.Bool} }

func float(name string, lo, hi float64) agent.Param {
	return agent.Param{Name: name, Kind: agent.Float, Min: lo, Max: hi}
}

func whole(name string, lo, hi float64) agent.Param {
	return agent.Param{Name: name, Kind: agent.Int, Min: lo, Max: hi}
}

// Logarithmic returns p with a logarithmic scale.
func Logarithmic(p agent.Param) agent.Param {
	p.Log = true
	return p
}

// When returns p with the condition that it is active only at the given values of another
// parameter.
func When(p agent.Param, other string, values ...any) agent.Param {
	p.When = map[string][]any{other: values}
	return p
}

// catalogue returns typical settings of agents. Each parameter comes after those on which
// it depends. The names have no meaning: the effect of a value is drawn for each problem.
func catalogue() []agent.Param {
	return []agent.Param{
		choice("model", "small", "medium", "large", "coder", "fast"),
		choice("planner", "none", "outline", "tree", "react"),
		choice("retrieval", "none", "keywords", "dense", "hybrid"),
		choice("prompt_style", "terse", "stepwise", "persona", "checklist"),
		choice("memory", "off", "window", "summary", "facts"),
		choice("reasoning", "off", "low", "medium", "high"),
		choice("on_error", "stop", "retry", "replan", "ask"),
		choice("tool_protocol", "native", "text", "code"),
		choice("routing", "fixed", "by_domain", "by_length", "cascade", "vote"),
		choice("output_format", "text", "json", "xml"),
		choice("context_order", "by_score", "by_time", "diverse"),
		choice("examples_from", "fixed", "nearest", "recent", "failed"),
		toggle("critic"),
		toggle("decompose"),
		toggle("compress"),
		toggle("rerank"),
		toggle("rewrite_query"),
		toggle("self_check"),
		toggle("parallel_tools"),
		toggle("strict_schema"),
		toggle("cite_sources"),
		float("temperature", 0, 1.5),
		float("top_p", 0.1, 1),
		float("repetition_penalty", 0, 2),
		float("answer_confidence", 0, 1),
		float("tool_threshold", 0, 1),
		float("similarity_floor", 0, 1),
		Logarithmic(float("timeout_seconds", 5, 300)),
		Logarithmic(float("budget_usd", 0.001, 1)),
		Logarithmic(whole("max_steps", 1, 40)),
		Logarithmic(whole("context_tokens", 512, 65536)),
		Logarithmic(whole("max_output_tokens", 64, 8192)),
		whole("examples", 0, 12),
		whole("samples", 1, 9),
		whole("retries", 0, 6),
		When(whole("critic_rounds", 1, 5), "critic", true),
		When(float("critic_severity", 0, 1), "critic", true),
		When(whole("plan_depth", 1, 6), "planner", "outline", "tree", "react"),
		When(Logarithmic(whole("retrieval_k", 1, 50)), "retrieval", "keywords", "dense", "hybrid"),
		When(Logarithmic(whole("chunk_tokens", 64, 2048)), "retrieval", "dense", "hybrid"),
		When(Logarithmic(whole("memory_turns", 1, 60)), "memory", "window", "summary"),
		When(float("memory_decay", 0, 1), "memory", "facts"),
		When(float("compress_at", 0.3, 0.95), "compress", true),
		When(whole("subtasks", 2, 8), "decompose", true),
	}
}

// tools returns the names of the members of a subset of tools.
func tools() []string {
	return []string{
		"search", "fetch", "python", "shell", "calculator", "files", "tables", "calendar", "mail", "translate", "images", "notes",
	}
}

// directives returns possible lines for an instruction text.
func directives() []string {
	return []string{
		"Plan before you act.", "Check every number twice.", "Name the source of each claim.", "Ask the tool rather than guess.",
		"Stop as soon as the goal is met.", "Repeat the question in your own words.", "Answer in the format that was asked for.",
		"Say what you do not know.", "Prefer the newest source.", "Try another tool when one fails.", "Keep intermediate results in notes.",
		"Work backwards from the goal.", "Split long goals into parts.", "Compare two ways before you choose.",
	}
}

// choose draws settings, with the given numbers of choices, switches and numbers, and
// returns them in the order of the catalogue. A number that depends on a parameter is drawn
// only together with that parameter.
func choose(rng *rand.Rand, choices, switches, numbers int) []agent.Param {
	all := catalogue()
	var chosen []int
	draw := func(n int, qualifies func(agent.Param) bool) {
		for _, i := range rng.Perm(len(all)) {
			if n > 0 && qualifies(all[i]) {
				chosen = append(chosen, i)
				n--
			}
		}
	}
	draw(choices, func(p agent.Param) bool { return p.Kind == agent.Choice })
	draw(switches, func(p agent.Param) bool { return p.Kind == agent.Bool })
	draw(numbers, func(p agent.Param) bool {
		for other := range p.When {
			if !slices.ContainsFunc(chosen, func(i int) bool { return all[i].Name == other }) {
				return false
			}
		}
		return p.Numeric()
	})
	slices.Sort(chosen)
	params := make([]agent.Param, len(chosen))
	for k, i := range chosen {
		params[k] = all[i]
	}
	return params
}
