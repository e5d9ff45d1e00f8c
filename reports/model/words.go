package model

import (
	"evolve/bench"
	"evolve/runtime/memory"
)

// ModelOperator is the operator that makes the config that the search's own model of the
// scores expects to be the best.
const ModelOperator = "model"

// OperatorName returns the display name of an operator; the name is untrusted text. The
// name for [ModelOperator] makes clear that the operator is not a language model.
func OperatorName(operator string) string {
	if operator == ModelOperator {
		return "score model"
	}
	return operator
}

// DomainName returns the display name of a domain; it is untrusted text. For the tasks
// without a domain, the name states that they have none.
func DomainName(domain string) string {
	if domain == memory.GlobalDomain {
		return "no domain"
	}
	return domain
}

// StageName returns the display name of a stage of a run; an unknown stage is returned
// unchanged.
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
