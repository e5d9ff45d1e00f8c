package workspace

// badSpaces returns mistakes in the space of a command and of a built-in agent.
func badSpaces() []badCase {
	return []badCase{
		spaceCase("unknown type", "  heat: {type: flaot, min: 0, max: 1, default: 0}\n", `agents/solver/agent.yaml:5:16: "type" must be float, int, choice, bool, subset or text, not "flaot" (did you mean "float"?)`, true),
		spaceCase("no type", "  heat: {min: 0, max: 1, default: 0}\n", `agents/solver/agent.yaml:5:3: "type" is missing from "heat"`, true),
		spaceCase("unknown use", "  heat: {type: text, max_chars: 9, use: prompt, default: ''}\n", `agents/solver/agent.yaml:5:41: "use" must be demonstrations, not "prompt"`, true),
		spaceCase("use of a number", "  heat: {type: float, min: 0, max: 1, use: demonstrations, default: 0}\n", `agents/solver/agent.yaml:5:39: "use" cannot be used with type: float`, true),
		spaceCase("demonstrations that are prose", "  heat: {type: text, max_chars: 99, use: demonstrations, default: a is b}\n", `agents/solver/agent.yaml:5:67: parameter "heat" has an invalid default, which must have one JSON object per line, with the keys "task" and "answer"`, false),
		spaceCase("no default", "  heat: {type: float, min: 0, max: 1}\n", `agents/solver/agent.yaml:5:3: "default" is missing from "heat"`, true),
		spaceCase("no range", "  steps: {type: int, default: 3}\n", `
agents/solver/agent.yaml:5:3: "min" is missing from "steps"
agents/solver/agent.yaml:5:3: "max" is missing from "steps"
`, true),
		spaceCase("min above max", "  heat: {type: float, min: 2, max: 1, default: 1}\n", `agents/solver/agent.yaml:5:28: parameter "heat" needs min below max`, false),
		spaceCase("default out of range", "  heat: {type: float, min: 0, max: 1, default: 1.5}\n", `agents/solver/agent.yaml:5:48: parameter "heat" has an invalid default, which is 1.5, but must be between 0 and 1`, false),
		spaceCase("fraction as default of int", "  steps: {type: int, min: 0, max: 5, default: 1.5}\n", `agents/solver/agent.yaml:5:47: parameter "steps" has an invalid default, which must be a whole number, not 1.5`, true),
		spaceCase("fraction as bound of int", "  steps: {type: int, min: 0.5, max: 5, default: 1}\n", `agents/solver/agent.yaml:5:27: parameter "steps" needs whole numbers as min and max`, false),
		spaceCase("log from zero", "  heat: {type: float, min: 0, max: 1, log: true, default: 1}\n", `agents/solver/agent.yaml:5:44: parameter "heat" is on a log scale and needs min above 0`, false),
		spaceCase("text as bound", "  heat: {type: float, min: low, max: 1, default: 1}\n", `agents/solver/agent.yaml:5:28: "min" must be a number, not text`, true),
		spaceCase("key of another type", "  on: {type: bool, log: true, default: true}\n", `agents/solver/agent.yaml:5:20: "log" cannot be used with type: bool`, true),
		spaceCase("choice without values", "  planner: {type: choice, values: [], default: a}\n", `agents/solver/agent.yaml:5:35: "values" must have at least 1 item`, true),
		spaceCase("choice of lists", "  planner: {type: choice, values: [[a], b], default: b}\n", `agents/solver/agent.yaml:5:36: item 1 of "values" must be text, a number, true or false, not a list`, true),
		spaceCase("choice with a value twice", "  planner: {type: choice, values: [1, 1.0], default: 1}\n", `agents/solver/agent.yaml:5:35: parameter "planner" has the value 1 twice`, false),
		spaceCase("default that is no choice", "  planner: {type: choice, values: [none, tree], default: linear}\n", `agents/solver/agent.yaml:5:58: parameter "planner" has an invalid default, which must be one of none, tree`, false),
		spaceCase("subset with a stranger", "  tools: {type: subset, of: [search, calc], default: [shell]}\n", `agents/solver/agent.yaml:5:54: parameter "tools" has an invalid default, which has "shell", which is not one of search, calc`, false),
		spaceCase("subset with impossible counts", "  tools: {type: subset, of: [search, calc], min: 3, default: [calc]}\n", `agents/solver/agent.yaml:5:50: parameter "tools" has a min and max that no list can satisfy`, false),
		spaceCase("subset of one word", "  tools: {type: subset, of: search, default: []}\n", `agents/solver/agent.yaml:5:29: "of" must be a list, not text (write [search])`, true),
		spaceCase("text without a bound", "  prompt: {type: text, default: \"\"}\n", `agents/solver/agent.yaml:5:3: "max_chars" is missing from "prompt"`, true),
		spaceCase("default longer than allowed", "  prompt: {type: text, max_chars: 3, default: \"four\"}\n", `agents/solver/agent.yaml:5:47: parameter "prompt" has an invalid default, which has 4 characters, but at most 3 are allowed`, false),
		spaceCase("condition on an unknown parameter", "  a: {type: bool, default: true, when: {planer: [x]}}\n  planner: {type: choice, values: [x, y], default: x}\n", `agents/solver/agent.yaml:5:41: parameter "a" depends on "planer", which is not declared (did you mean "planner"?)`, false),
		spaceCase("condition that never holds", "  a: {type: bool, default: true, when: {planner: [z]}}\n  planner: {type: choice, values: [x, y], default: x}\n", `agents/solver/agent.yaml:5:40: parameter "a" depends on "planner" with the value z, which is invalid: it must be one of x, y`, false),
		spaceCase("condition in a circle", "  a: {type: bool, default: true, when: {b: [true]}}\n  b: {type: bool, default: true, when: {a: [true]}}\n", `agents/solver/agent.yaml:6:41: parameter "b" depends on itself`, false),
		spaceCase("condition as a scalar", "  a: {type: bool, default: true, when: {b: true}}\n  b: {type: bool, default: true}\n", `agents/solver/agent.yaml:5:44: "b" must be a list, not true or false (write [true])`, true),
		spaceCase("condition on a broken one", "  a: {type: bool, default: true, when: {b: [true]}}\n  b: {type: boool, default: true}\n", `agents/solver/agent.yaml:6:13: "type" must be float, int, choice, bool, subset or text, not "boool" (did you mean "bool"?)`, true),
		spaceCase("conditions too deep", "  a: {type: bool, default: true}\n  b: {type: bool, default: true, when: {a: [true]}}\n  c: {type: bool, default: true, when: {b: [true]}}\n  d: {type: bool, default: true, when: {c: [true]}}\n  e: {type: bool, default: true, when: {d: [true]}}\n  f: {type: bool, default: true, when: {e: [true]}}\n", `agents/solver/agent.yaml:10:40: parameter "f" depends on a chain of more than 4 parameters`, false),
		spaceCase("parameter twice", "  a: {type: bool, default: true}\n  a: {type: bool, default: false}\n", `agents/solver/agent.yaml:6:3: the key "a" appears twice, first on line 5`, false),
		spaceCase("parameter with a bad name", "  \"a b\": {type: bool, default: true}\n", `agents/solver/agent.yaml:5:3: a parameter's name must be 1 to 100 letters, digits and _ . / : + -, and begin with a letter, a digit or _; it is "a b"`, false),
		spaceCase("everything at once", "  a: {type: bool, deflt: true}\n  b: {type: int, min: x, max: 3, default: 1}\n  c: 3\n  d: {type: choice, values: [1, null], default: 1, log: true}\n", `
agents/solver/agent.yaml:5:19: unknown key "deflt" (did you mean "default"?)
agents/solver/agent.yaml:6:23: "min" must be a number, not text
agents/solver/agent.yaml:7:6: "c" must be a mapping of keys to values, not a number
agents/solver/agent.yaml:8:33: item 2 of "values" must be text, a number, true or false, not nothing
agents/solver/agent.yaml:8:52: "log" cannot be used with type: choice
`, true),

		// the built-in agent
		builtinCase("unknown tool", "tools: [calcluate]\n", `agents/helper/agent.yaml:4:9: there is no tool "calcluate" (did you mean "calculate"?)`, false),
		builtinCase("unknown parameter", "space:\n  recall.minscore: {min: 0.6}\n", `agents/helper/agent.yaml:5:3: the built-in agent has no parameter "recall.minscore" (did you mean "recall.min_score"?)`, false),
		builtinCase("wider range", "space:\n  recall.min_score: {min: 0.1, max: 0.9}\n", `agents/helper/agent.yaml:5:27: "min" of "recall.min_score" is 0.1, but must be from 0.5 to 0.95`, false),
		builtinCase("default outside the narrowed range", "space:\n  recall.min_score: {min: 0.8}\n", `agents/helper/agent.yaml:5:3: parameter "recall.min_score" has an invalid default, which is 0.75, but must be between 0.8 and 0.95 (give it a default in its range)`, false),
		builtinCase("type changed", "space:\n  recall.min_score: {type: int, min: 1}\n", `agents/helper/agent.yaml:5:28: parameter "recall.min_score" is of type float (leave the type out)`, false),
		builtinCase("key that does not apply", "space:\n  decompose.enabled: {min: 0}\n", `agents/helper/agent.yaml:5:28: "min" does not apply to a parameter of type bool`, false),
		builtinCase("condition changed", "space:\n  decompose.max_subgoals: {when: {}}\n", `agents/helper/agent.yaml:5:34: the condition of a built-in parameter cannot be changed`, false),
		builtinCase("stranger in a subset", "space:\n  tools.selection: {of: [calculate, shell]}\n", `agents/helper/agent.yaml:5:37: parameter "tools.selection" has no member "shell"`, false),
		builtinCase("stranger among values", "space:\n  style: {values: [brief, terse]}\n", `agents/helper/agent.yaml:5:27: parameter "style" must be one of brief, full, 3`, false),
		builtinCase("nothing to search", "space: {}\n", `agents/helper/agent.yaml:4:8: "space" names no parameter to search (leave it out to search every parameter)`, false),
		builtinCase("misspelt key of an entry", "space:\n  recall.min_score: {mni: 0.6}\n", `agents/helper/agent.yaml:5:22: unknown key "mni" (did you mean "min"?)`, true),
		builtinCase("champion outside the narrowed range", "space:\n  recall.max_memories: {max: 10}\n", `agents/helper/config.yaml:1:22: parameter "recall.max_memories" is 12, but must be between 1 and 10`, false),
	}
}
