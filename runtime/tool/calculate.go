package tool

import (
	"context"
	"strings"

	"evolve/runtime/agent"
)

type calculateArgs struct {
	Expression string `json:"expression"`
}

func calculate() Tool {
	return define("calculate",
		"Work out an arithmetic expression exactly: + - * / ^ % ( ), percentages, sqrt, round, min, max, sum, avg and the like.",
		`{"type":"object","required":["expression"],"additionalProperties":false,"properties":{"expression":{"type":"string","minLength":1,"maxLength":1000}}}`,
		Essential, []string{"crypto", "marketing"},
		func(_ context.Context, _ *Env, a calculateArgs) Result {
			v, err := Evaluate(a.Expression)
			if err == nil {
				return OK(FormatNumber(v))
			}
			for _, word := range strings.Fields(strings.ToLower(a.Expression)) {
				if currency(word) {
					return Refer(Boundary{
						Axes:     []string{"exchange rates", "live data"},
						Shape:    "conversion between currencies, which needs the current exchange rate",
						Evidence: "the expression names the currency " + word,
					})
				}
			}
			return Failed(agent.ContractViolation, "%s", err)
		})
}

func currency(name string) bool {
	switch name {
	case "usd", "eur", "gbp", "chf", "jpy", "cny", "sek", "nok", "btc", "eth",
		"dollar", "dollars", "euro", "euros", "pound", "pounds", "yen", "francs", "bitcoin":
		return true
	}
	return false
}
