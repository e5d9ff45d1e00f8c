package model

import (
	"evolve/bench"
	"evolve/runtime/memory"
)

// ModelOperator is the operator that takes what the search's own model of the scores expects to be
// the best.
const ModelOperator = "model"

// OperatorName is the display name of an operator; it is foreign text. That of [ModelOperator] tells
// it from a language model.
func OperatorName(operator string) string {
	if operator == ModelOperator {
		return "score model"
	}
	return operator
}

// DomainName is the display name of a domain; it is foreign text. That of tasks without a domain has
// none of its own.
func DomainName(domain string) string {
	if domain == memory.GlobalDomain {
		return "no domain"
	}
	return domain
}

// StageName is the display name of a stage of a run; an unknown one is returned as it is.
func StageName(stage string) string {
	switch bench.Stage(stage) {
	case bench.StageBaseline:
		return "random baseline"
	case bench.StageAA:
		return "champion against itself"
	case bench.StageAblate:
		return "ablation"
	case bench.StageConfirm:
		return "confirmation"
	}
	return stage
}
