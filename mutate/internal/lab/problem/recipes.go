package problem

import "math/rand/v2"

// shapes is a distribution from which the shape of a number's effect is drawn.
type shapes = func(*rand.Rand) shape

// recipes returns the recipes of the families. Their numbers were set once, before any
// search was run on the families, so that the default leaves room for improvement and no
// family has scores near 0 or 1 throughout.
func recipes() []recipe {
	return []recipe{
		{
			name: "smooth", about: "scores are exact, effects gentle",
			choices: span{3, 4}, switches: span{1, 2}, numbers: span{8, 11}, shape: gentle,
			pairs: span{1, 2}, bends: span{2, 4}, weight: 0.8,
			tasks: span{60, 120}, domains: span{2, 4}, conflict: 0.1, demands: span{1, 1},
			spread: stretch{0.7, 1}, difficulty: stretch{1, 2}, level: stretch{1, 1.6}, quirk: 0.2,
			curve: logistic, grading: exact,
		},
		{
			name: "noisy", about: "pass or fail; what skill changes is small beside how tasks differ",
			choices: span{3, 5}, switches: span{2, 3}, numbers: span{6, 8}, tools: span{0, 6}, shape: anyShape,
			pairs: span{1, 2}, bends: span{1, 2}, chains: span{0, 1}, weight: 1,
			tasks: span{80, 200}, domains: span{3, 5}, conflict: 0.1, demands: span{1, 1},
			spread: stretch{0.45, 0.6}, difficulty: stretch{1.8, 2.4}, level: stretch{0.5, 1.5}, quirk: 0.5,
			curve: logistic, grading: passFail,
		},
		{
			name: "rugged", about: "waves, cliffs, and regions where nearly everything fails",
			choices: span{3, 4}, switches: span{2, 3}, numbers: span{7, 9}, shape: jagged,
			pairs: span{2, 3}, bends: span{0, 1}, chains: span{1, 2}, weight: 1, catastrophes: span{2, 4}, remains: stretch{0.02, 0.15},
			tasks: span{60, 150}, domains: span{2, 4}, conflict: 0.15, demands: span{1, 1},
			spread: stretch{0.7, 1}, difficulty: stretch{1, 1.6}, level: stretch{0.8, 1.4}, quirk: 0.3,
			curve: logistic, grading: passFail,
		},
		{
			name: "wide", about: "more than thirty parameters of which few matter",
			choices: span{8, 10}, switches: span{6, 8}, numbers: span{16, 19}, tools: span{8, 8}, shape: anyShape, matter: 10,
			pairs: span{1, 2}, bends: span{1, 2}, chains: span{0, 1}, weight: 0.8,
			tasks: span{80, 150}, domains: span{3, 5}, conflict: 0.1, demands: span{1, 1},
			spread: stretch{0.6, 0.8}, difficulty: stretch{1.2, 1.8}, level: stretch{0.8, 1.5}, quirk: 0.3,
			curve: logistic, grading: passFail,
		},
		{
			name: "pairs", about: "choices that mean something only two by two",
			choices: span{7, 9}, switches: span{2, 4}, numbers: span{2, 4}, shape: gentle,
			pairs: span{5, 7}, weight: 2.5,
			tasks: span{60, 120}, domains: span{2, 4}, conflict: 0.1, demands: span{1, 1},
			spread: stretch{0.7, 0.9}, difficulty: stretch{1, 1.6}, level: stretch{1, 1.6}, quirk: 0.3,
			curve: logistic, grading: passFail,
		},
		{
			name: "domains", about: "what helps one domain hurts another, and domains weigh differently",
			choices: span{3, 5}, switches: span{2, 4}, numbers: span{6, 9}, shape: anyShape,
			pairs: span{1, 3}, bends: span{0, 2}, weight: 1,
			tasks: span{80, 160}, domains: span{4, 6}, weighted: true, conflict: 0.6, demands: span{1, 1},
			spread: stretch{1, 1.4}, difficulty: stretch{1, 1.5}, level: stretch{0.7, 1.2}, quirk: 0.2,
			curve: logistic, grading: rubric,
		},
		{
			name: "threshold", about: "tasks need several skills at once, with guessing, slips and no logistic link",
			choices: span{3, 5}, switches: span{2, 4}, numbers: span{6, 9}, shape: anyShape,
			pairs: span{1, 3}, bends: span{0, 2}, chains: span{0, 1}, weight: 1,
			tasks: span{80, 160}, domains: span{3, 4}, conflict: 0.5, demands: span{1, 3},
			spread: stretch{0.5, 0.7}, difficulty: stretch{0.7, 1}, level: stretch{0.7, 1.3}, quirk: 0.15,
			guess: stretch{0, 0.25}, slip: stretch{0.02, 0.1},
			curve: ramp, grading: passFail,
		},
		{
			name: "drift", about: "cost and latency depend on the config and change in the night",
			choices: span{3, 4}, switches: span{2, 4}, numbers: span{6, 9}, tools: span{0, 6}, shape: anyShape,
			pairs: span{1, 3}, bends: span{1, 2}, chains: span{0, 1}, weight: 1,
			tasks: span{60, 160}, domains: span{3, 5}, conflict: 0.2, demands: span{1, 1},
			spread: stretch{0.7, 1}, difficulty: stretch{1, 1.8}, level: stretch{1, 1.6}, quirk: 0.3,
			curve: logistic, grading: passFail, drifts: true,
		},
		{
			name: "text", about: "instruction lines and tools that work in teams and contradict each other",
			choices: span{1, 2}, switches: span{0, 1}, numbers: span{1, 2}, tools: span{8, 10}, lines: span{10, 14}, shape: gentle,
			teams: span{6, 9}, clashes: span{5, 8}, weight: 1,
			tasks: span{60, 120}, domains: span{3, 5}, conflict: 0.25, demands: span{1, 1},
			spread: stretch{0.8, 1}, difficulty: stretch{1, 1.6}, level: stretch{1, 1.6}, quirk: 0.3,
			curve: logistic, grading: passFail,
		},
	}
}
