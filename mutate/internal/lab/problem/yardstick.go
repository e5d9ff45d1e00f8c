package problem

// Yardstick returns families whose structure differs from that of [Families]. No constant
// of the searcher is tuned on them: they are meant for judging a change, on seeds that
// are named before their problems are drawn and are never used again.
func Yardstick() []Family { return families(unseen()) }

// unseen returns the recipes of the yardstick. Their numbers were set once so that the
// default leaves room for improvement and no family has scores near 0 or 1 throughout.
func unseen() []recipe {
	return []recipe{
		{
			name: "sparse", about: "forty to eighty parameters, three to six of them with an effect, the others exactly without",
			params: (*maker).many, compose: (*maker).few,
			tasks: span{60, 120}, domains: span{1, 3}, conflict: 0.1, demands: span{1, 1},
			spread: stretch{0.9, 1.2}, difficulty: stretch{0.8, 1.6}, level: stretch{0.8, 1.4}, quirk: 0.2,
			curve: logistic, grading: passFail,
		},
		{
			name: "levels", about: "fifteen choices of three values that act by twos and threes, hardly alone",
			params: (*maker).stages, compose: (*maker).joints,
			tasks: span{60, 140}, domains: span{2, 4}, conflict: 0.1, demands: span{1, 1},
			spread: stretch{0.5, 0.7}, difficulty: stretch{0.8, 1.6}, level: stretch{0.6, 1.4}, quirk: 0.25,
			curve: late, grading: passFail,
		},
		{
			name: "prompts", about: "one of two hundred prompts whose phrases decide, and a few settings",
			params: (*maker).prompts, compose: (*maker).phrases,
			tasks: span{60, 160}, domains: span{2, 4}, conflict: 0.15, demands: span{1, 1},
			spread: stretch{0.7, 1}, difficulty: stretch{1, 1.8}, level: stretch{0.6, 1.4}, quirk: 0.25,
			curve: logistic, grading: passFail,
		},
		{
			name: "gated", about: "most parameters act only while a gate, or two, have the right values",
			params: (*maker).gates, compose: (*maker).gated, finish: (*maker).open,
			tasks: span{60, 140}, domains: span{2, 4}, conflict: 0.1, demands: span{1, 1},
			spread: stretch{0.4, 0.5}, difficulty: stretch{0.8, 1.6}, level: stretch{2, 3}, quirk: 0.2,
			curve: logistic, grading: passFail,
		},
		{
			name: "skills", about: "each domain has a skill and parameters of its own, tasks need one skill or two",
			choices: span{7, 9}, switches: span{4, 6}, numbers: span{8, 11}, compose: (*maker).owned,
			tasks: span{80, 180}, domains: span{4, 6}, demands: span{1, 2},
			spread: stretch{0.8, 1.1}, difficulty: stretch{0.8, 1.4}, level: stretch{0.4, 1}, quirk: 0.2,
			curve: logistic, grading: passFail,
		},
		{
			name: "needle", about: "one config of 125 passes most tasks, and all others about half as many",
			params: (*maker).dials, compose: (*maker).needle,
			tasks: span{60, 140}, domains: span{1, 3}, demands: span{1, 1},
			spread: stretch{1, 1}, difficulty: stretch{0.6, 1}, level: stretch{-2.3, -1.8},
			curve: logistic, grading: passFail,
		},
		{
			name: "fixed", about: "an agent without chance, with instruction lines, tools and switches; the truth is on other tasks",
			choices: span{1, 2}, switches: span{3, 5}, numbers: span{1, 2}, tools: span{6, 8}, lines: span{8, 12}, shape: gentle,
			pairs: span{1, 2}, teams: span{3, 5}, clashes: span{2, 4}, weight: 1,
			tasks: span{60, 120}, domains: span{3, 5}, conflict: 0.25, demands: span{1, 1},
			spread: stretch{0.8, 1}, difficulty: stretch{1, 1.6}, level: stretch{1, 1.6}, quirk: 0.6,
			curve: step, grading: exact, judged: 300,
		},
		{
			name: "heavy", about: "noise that differs by task and config, with collapses to 0",
			choices: span{3, 5}, switches: span{2, 4}, numbers: span{6, 9}, shape: anyShape,
			pairs: span{1, 3}, bends: span{1, 2}, weight: 1,
			tasks: span{60, 140}, domains: span{2, 4}, conflict: 0.2, demands: span{1, 1},
			spread: stretch{0.6, 0.9}, difficulty: stretch{0.8, 1.5}, level: stretch{0.6, 1.3}, quirk: 0.3,
			slip: stretch{0.01, 0.1}, catastrophes: span{2, 2}, remains: stretch{0.75, 0.9}, curve: logistic, finish: (*maker).unsettled,
		},
		{
			name: "priced", about: "configs cost up to thirty times as much as others, and the budget is money",
			choices: span{3, 5}, switches: span{2, 4}, numbers: span{6, 9}, shape: anyShape,
			pairs: span{1, 3}, bends: span{1, 2}, weight: 1,
			tasks: span{60, 140}, domains: span{2, 4}, conflict: 0.2, demands: span{1, 1},
			spread: stretch{0.7, 1}, difficulty: stretch{0.8, 1.6}, level: stretch{0.8, 1.4}, quirk: 0.3,
			curve: logistic, grading: passFail, finish: (*maker).priced,
		},
		{
			name: "nights", about: "effects that have changed since the night of which the searcher has the results",
			choices: span{3, 5}, switches: span{2, 4}, numbers: span{6, 9}, tools: span{0, 6}, shape: anyShape,
			pairs: span{1, 3}, bends: span{1, 2}, weight: 1,
			tasks: span{60, 140}, domains: span{2, 4}, conflict: 0.2, demands: span{1, 1},
			spread: stretch{0.7, 1}, difficulty: stretch{0.8, 1.6}, level: stretch{0.8, 1.4}, quirk: 0.3,
			curve: logistic, grading: passFail, finish: (*maker).earlier,
		},
	}
}
