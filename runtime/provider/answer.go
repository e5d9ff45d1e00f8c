package provider

import (
	"context"
	"encoding/json"

	"evolve/runtime/model"
)

// question is what a provider is asked.
type question struct {
	chat  *Chat
	model string
	// temperature and seed are nil where they are left to the provider.
	temperature *float64
	seed        *int64
	maxTokens   int
}

// answer is what a provider replied, in the words that all share.
type answer struct {
	text  string
	calls []reported
	stop  model.Stop
	usage usage
	// notes are for the transcript.
	notes []string
}

// reported is a call as a provider wrote it.
type reported struct {
	name string
	// arguments need not be JSON.
	arguments json.RawMessage
}

// usage is in tokens, as the provider counted them.
type usage struct {
	// input is everything that was read, cached what of it came out of the cache at
	// a lower price, and written what of it went into the cache at a higher one.
	input, cached, written int64
	output                 int64
}

// bounded is a count of tokens within what is possible, whatever a provider claims.
func bounded(n int64) int64 { return min(max(n, 0), 1<<30) }

// sane is the usage with its parts no larger than the whole.
func (u usage) sane() usage {
	u.input, u.output = bounded(u.input), bounded(u.output)
	u.cached = min(bounded(u.cached), u.input)
	u.written = min(bounded(u.written), u.input-u.cached)
	return u
}

// client speaks one protocol with one provider.
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
