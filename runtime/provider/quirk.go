package provider

import (
	"regexp"
	"sync"
)

// quirk is a set of request parameters that a model refuses. The sets are learnt from
// refusals, so they do not have to be configured.
type quirk uint8

const (
	noTemperature quirk = 1 << iota
	noSeed
	newMaxTokens // max_completion_tokens instead of max_tokens
	noEffort     // send reasoning_effort none; otherwise the model accepts no tools
	noSchema     // no response_format
)

// notes returns notes on the parameters of a question that were not sent.
func (k quirk) notes(q question) []string {
	var out []string
	if k.untempers(q) {
		out = append(out, q.model+" does not accept a temperature")
	}
	if k&noSeed != 0 && q.seed != nil {
		out = append(out, q.model+" does not accept a seed")
	}
	if k&noSchema != 0 && q.schema != nil {
		out = append(out, q.model+" does not accept a reply schema")
	}
	return out
}

// untempers reports whether the temperature of a question was left out.
func (k quirk) untempers(q question) bool { return k&noTemperature != 0 && q.temperature != nil }

// quirks holds, for each model of a provider, the parameters that it refuses.
type quirks struct {
	mu sync.Mutex
	of map[string]quirk
}

func (q *quirks) get(model string) quirk {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.of[model]
}

func (q *quirks) learn(model string, k quirk) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.of == nil {
		q.of = map[string]quirk{}
	}
	q.of[model] |= k
}

// parameters matches the names of parameters that can be left out or replaced. Its first
// match in a provider's message is the refused parameter, because parameters that the
// message recommends come after it.
var parameters = regexp.MustCompile(`\b(temperature|seed|max_tokens|response_format|json_schema)\b`)

// refused returns the quirk for the parameter that a provider's error is about, or 0 if
// there is none.
func refused(c complaint) quirk {
	name := parameters.FindString(c.param)
	if name == "" {
		name = parameters.FindString(c.message)
	}
	switch name {
	case "temperature":
		return noTemperature
	case "seed":
		return noSeed
	case "max_tokens":
		return newMaxTokens
	case "response_format", "json_schema":
		return noSchema
	}
	return 0
}
