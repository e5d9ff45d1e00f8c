package provider

import (
	"context"
	"encoding/json"

	"evolve/runtime/model"
)

// question is a request to a provider.
type question struct {
	chat  *Chat
	model string
	// temperature and seed are nil if the provider's defaults apply.
	temperature *float64
	seed        *int64
	maxTokens   int
	// schema is the JSON schema of the reply, or nil for none.
	schema json.RawMessage
}

// answer is a provider's reply, independent of the protocol.
type answer struct {
	text  string
	calls []reported
	stop  model.Stop
	usage usage
	// bound reports whether the schema of the question was sent.
	bound bool
	// untempered reports whether the temperature of the question was not sent.
	untempered bool
	// notes holds notes for the transcript.
	notes []string
}

// reported is a tool call as the provider wrote it.
type reported struct {
	name string
	// arguments need not be valid JSON.
	arguments json.RawMessage
}

// usage holds numbers of tokens, as the provider counted them.
type usage struct {
	// input is the total number of input tokens. cached is the part that was read from the
	// cache at a lower price, and written is the part that was written to the cache at a
	// higher price.
	input, cached, written int64
	output                 int64
}

// bounded limits a token count from a provider to the range 0 to 2³⁰.
func bounded(n int64) int64 { return min(max(n, 0), 1<<30) }

// sane returns the usage with plausible counts: the cached and written tokens together do
// not exceed the input.
func (u usage) sane() usage {
	u.input, u.output = bounded(u.input), bounded(u.output)
	u.cached = min(bounded(u.cached), u.input)
	u.written = min(bounded(u.written), u.input-u.cached)
	return u
}

// client implements one protocol for one provider.
type client interface {
	// ask makes one exchange. Its error is a *Fault.
	ask(ctx context.Context, q question) (answer, error)
	// close closes idle connections.
	close()
}

func newClient(e Endpoint, scrub func(string) string) client {
	if e.Kind == Anthropic {
		return newAnthropic(e, scrub)
	}
	return newOpenAI(e, scrub)
}
