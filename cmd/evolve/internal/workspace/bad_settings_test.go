package workspace

import "strings"

// badSettings returns mistakes in evolve.yaml: in its form, and in the limits of a run.
func badSettings() []badCase {
	return []badCase{
		settings("misspelt top key", "budgte:\n  usd: 5\n", `evolve.yaml:1:1: unknown key "budgte" (did you mean "budget"?)`, true),
		settings("misspelt nested key", "limits:\n  timeuot: 60s\n", `evolve.yaml:2:3: unknown key "timeuot" (did you mean "timeout"?)`, true),
		settings("key far from any", "zebra: 1\n", `evolve.yaml:1:1: unknown key "zebra"`, true),
		settings("key of another version", "gates: [a]\narchive: {keep: 5}\n", `
evolve.yaml:1:1: "gates" is not supported by this version of evolve
evolve.yaml:2:1: "archive" is not supported by this version of evolve
`, true),
		settings("text for a number", "budget: {evaluations: many}\n", `evolve.yaml:1:23: "evaluations" must be a whole number, not text`, true),
		settings("fraction for a whole number", "budget: {evaluations: 1.5}\n", `evolve.yaml:1:23: "evaluations" must be a whole number, not 1.5`, true),
		settings("number for a duration", "budget: {time: 60}\n", `evolve.yaml:1:16: "time" must be a duration (write 60s for seconds)`, true),
		settings("bad duration", "limits: {timeout: 1 minute}\n", `evolve.yaml:1:19: "timeout" must be a duration (write it like 60s, 2m or 1h30m)`, true),
		settings("duration out of range", "limits: {timeout: 48h}\n", `evolve.yaml:1:19: "timeout" is 48h, but must be from 10ms to 24h`, false),
		settings("money of nothing", "budget: {usd: 0}\n", `evolve.yaml:1:15: "usd" must be above 0 (leave it out if there is no such limit)`, true),
		settings("negative money", "budget: {usd: -3}\n", `evolve.yaml:1:15: "usd" is -3, but must be from 0 to 1000000 (leave it out if there is no such limit)`, true),
		settings("more money than there is", "budget: {usd: 1e12}\n", `evolve.yaml:1:15: "usd" is 1e12, but must be from 0 to 1000000 (leave it out if there is no such limit)`, true),
		settings("a word for endless money", "budget: {usd: inf}\n", `evolve.yaml:1:15: "usd" must be a number, not text (leave it out if there is no such limit)`, true),
		settings("no number", "budget: {usd: .nan}\n", `evolve.yaml:1:15: "usd" must be a finite number (leave it out if there is no such limit)`, false),
		settings("not a number", "confirm: {level: .nan}\n", `evolve.yaml:1:18: "level" must be a finite number`, false),
		settings("infinite", "budget: {usd: .inf}\n", `evolve.yaml:1:15: "usd" must be a finite number (leave it out if there is no such limit)`, false),
		settings("zero evaluations", "budget: {evaluations: 0}\n", `evolve.yaml:1:23: "evaluations" is 0, but must be from 1 to 1000000000`, true),
		settings("number beyond 64 bits", "budget: {evaluations: 99999999999999999999}\n", `evolve.yaml:1:23: "evaluations" must be a whole number, not 99999999999999999999`, true),
		settings("unknown selection", "search: {selection: topk}\n", `evolve.yaml:1:21: "selection" must be clade, hgm, dgm, pareto, map_elites, top_k or random, not "topk" (did you mean "top_k"?)`, true),
		settings("list for a section", "search: [a]\n", `evolve.yaml:1:9: "search" must be a mapping of keys to values, not a list`, true),
		settings("share out of range", "confirm: {share: 1}\n", `evolve.yaml:1:18: "share" is 1, but must be from 0.05 to 0.95`, true),
		settings("guard of an unknown metric", "guards:\n  lattency: off\n", `evolve.yaml:2:3: unknown key "lattency" (did you mean "latency"?)`, true),
		settings("guard that is a number", "guards: {cost: 1.1}\n", `evolve.yaml:1:16: "cost" must be off, or a mapping with at_most, floor or both (write cost: {at_most: 1.1})`, true),
		settings("guard below the champion", "guards: {cost: {at_most: 0.9}}\n", `evolve.yaml:1:26: "at_most" is 0.9, but must be from 1 to 1000`, true),
		settings("guard in per cent without a sign", "guards: {cost: {at_most: 10%}}\n", `evolve.yaml:1:26: "at_most" must be a ratio or an increase (write +10% for an increase, or a ratio such as 1.1)`, true),
		settings("guard in words", "guards: {cost: {at_most: twice}}\n", `evolve.yaml:1:26: "at_most" must be a ratio, not text (write a ratio such as 1.1, or +10%)`, true),
		settings("floor of time without a unit", "guards: {latency: {floor: 50}}\n", `evolve.yaml:1:27: "floor" must be a duration (write 50s for seconds)`, true),
		settings("floor below 0", "guards: {cost: {floor: -1}}\n", `evolve.yaml:1:24: "floor" is -1, but must be from 0 to 1000000000`, true),
		settings("guard misspelt", "guards: {cost: {atmost: 2}}\n", `evolve.yaml:1:17: unknown key "atmost" (did you mean "at_most"?)`, true),
		settings("a point for nothing", "prefer: {cost: 0%}\n", `evolve.yaml:1:16: "cost" is 0%, but must be above 0% and at most 1000%`, false),
		settings("a point of no unit", "prefer: {cost: 2}\n", `evolve.yaml:1:16: "cost" is 2, which could be a percentage or a ratio (write 2% or 200%)`, true),
		settings("a point in words", "prefer: {cost: cheap}\n", `evolve.yaml:1:16: "cost" must be a percentage or a ratio, not text (write it like 2%)`, true),
		settings("a point of an unknown metric", "prefer: {tool_cals: 2%}\n", `evolve.yaml:1:10: unknown key "tool_cals" (did you mean "tool_calls"?)`, true),
		settings("size without a unit", "keep: {size: 2000}\n", `evolve.yaml:1:14: "size" must be a size (write it like 500MB or 2GiB)`, true),
		settings("size of nothing", "keep: {size: 1kB}\n", `evolve.yaml:1:14: "size" is 1kB, but must be from 1.0 MiB to 1.0 PiB`, false),
		settings("no night", "keep: {nights: 0}\n", `evolve.yaml:1:16: "nights" is 0, but must be from 1 to 1000000000`, true),
		settings("backups in a home", "backup: {dir: ~/b}\n", `evolve.yaml:1:15: "dir" must be a path without ~ or $ at its start, not "~/b"`, true),
		settings("key of an audit misspelt", "audit: {sing: ~/k}\n", `evolve.yaml:1:9: unknown key "sing" (did you mean "sign"?)`, true),
		settings("key in a variable", "audit: {sign: $HOME/k}\n", `evolve.yaml:1:15: "sign" must be a path without $, which may begin with ~/ for the home folder, not "$HOME/k"`, true),
		settings("key of another's home", "audit: {allowed_signers: ~kim/k}\n", `evolve.yaml:1:26: "allowed_signers" must be a path without $, which may begin with ~/ for the home folder, not "~kim/k"`, true),
		settings("price without output", "prices:\n  small: {input: 1}\n", `evolve.yaml:2:10: "output" is missing`, true),
		settings("price misspelt", "prices:\n  small: {input: 1, ouput: 2}\n", `
evolve.yaml:2:10: "output" is missing
evolve.yaml:2:21: unknown key "ouput" (did you mean "output"?)
`, true),
		settings("version from the future", "version: 2\n", `evolve.yaml:1:10: "version" must be 1, not 2`, true),
		settings("scalar document", "hello\n", `evolve.yaml:1:1: must be a mapping of keys to values, not text`, true),
		settings("list document", "- a\n- b\n", `evolve.yaml:1:1: must be a mapping of keys to values, not a list`, true),
		settings("duplicate key", "budget: {usd: 1}\nlimits: {}\nbudget: {usd: 2}\n", `evolve.yaml:3:1: the key "budget" appears twice, first on line 1`, false),
		settings("two documents", "budget: {usd: 1}\n---\nbudget: {usd: 2}\n", `evolve.yaml:2:1: contains a second YAML document`, false),
		settings("unclosed list", "budget: {usd: 1}\nprices: [1, 2\nlimits: {}\n", `evolve.yaml:3:7: not valid YAML: did not find expected ',' or ']', while parsing a flow sequence that begins at 2:9`, false),
		settings("tab", "budget:\n\tusd: 1\n", `evolve.yaml:2:1: not valid YAML: found character that cannot start any token (indent with spaces, not tabs)`, false),
		settings("invalid UTF-8", "budget: {usd: 1}\n# caf\xe9\n", `evolve.yaml:2:6: is not valid UTF-8`, false),
		settings("UTF-16", "\xff\xfeb\x00", `evolve.yaml:1:1: is not valid UTF-8`, false),
		settings("control character", "budget: {usd: 1} # \x07\n", `evolve.yaml:1:20: contains the control character U+0007`, false),
		settings("alias", "budget: &b {usd: 1}\nlimits: *b\n", `
evolve.yaml:1:9: anchors are not supported
evolve.yaml:2:9: aliases are not supported (write the value out)
`, false),
		settings("unknown alias", "budget: *b\n", `evolve.yaml:1:9: not valid YAML: unknown anchor 'b' referenced`, false),
		settings("merge key", "budget: {<<: {usd: 1}}\n", `evolve.yaml:1:10: merge keys are not supported (write out the keys instead of merging them)`, false),
		settings("tag", "budget: {usd: !!float 1}\n", `evolve.yaml:1:15: tags are not supported`, false),
		settings("key that is a list", "? [a]\n: 1\n", `evolve.yaml:1:3: a key must be text`, false),
		settings("too deep", "prices: "+strings.Repeat("[", 100)+"\n", `evolve.yaml:1:41: not valid YAML: exceeded max depth of 32`, false),
		settings("alias bomb", "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a]\nc: &c [*b]\n", `
evolve.yaml:1:1: unknown key "a"
evolve.yaml:1:4: anchors are not supported
evolve.yaml:2:1: unknown key "b"
evolve.yaml:2:4: anchors are not supported
evolve.yaml:2:8: aliases are not supported (write the value out)
evolve.yaml:2:11: aliases are not supported (write the value out)
evolve.yaml:3:1: unknown key "c"
evolve.yaml:3:4: anchors are not supported
evolve.yaml:3:8: aliases are not supported (write the value out)
`, false),
		settings("too large", "# "+strings.Repeat("x", maxYAML), `evolve.yaml: is larger than 1048576 bytes`, false),
		{"no settings", map[string]string{"evolve.yaml": "-"}, `evolve.yaml: does not exist`, false},
	}
}
