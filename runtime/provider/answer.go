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
	// temperature and seed are nil where the provider's defaults apply.
	temperature *float64
	seed        *int64
	maxTokens   int
	// schema is the JSON schema of the reply; nil: none.
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
	// notes are for the transcript.
	notes []string
}

// reported is a call as the provider wrote it.
type reported struct {
	name string
	// arguments need not be JSON.
	arguments json.RawMessage
}

// usage is in tokens, as the provider counted them.
type usage struct {
	// input is the whole input; cached is the part of it that was read from the cache at
	// a lower price, and written the part that was written to the cache at a higher
	// price.
	input, cached, written int64
	output                 int64
}

// bounded limits a provider's count of tokens to plausible values.
func bounded(n int64) int64 { return min(max(n, 0), 1<<30) }

// sane returns the usage with its parts no larger than the whole.
func (u usage) sane() usage {
	u.input, u.output = bounded(u.input), bounded(u.output)
	u.cached = min(bounded(u.cached), u.input)
	u.written = min(bounded(u.written), u.input-u.cached)
	return u
}

// client implements one protocol with one provider.
type client interface {
	// ask makes one exchange. An error is a *Fault.
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
