package mcp

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode"

	"evolve/runtime/agent"
	"evolve/runtime/policy"
	foreign "evolve/runtime/text"
	"evolve/runtime/tool"
)

// fault describes why a call, a start or a connection failed.
type fault struct {
	outcome agent.Outcome
	text    string
	// retry reports whether the fault may be transient; after is the delay that the server
	// suggested, or 0.
	retry bool
	after time.Duration
	// last reports whether the fault makes the session unusable.
	last bool
}

func (f *fault) Error() string { return f.text }

func died(text string) *fault {
	return &fault{outcome: agent.Execution, text: text, retry: true, last: true}
}

func violated(text string) *fault {
	return &fault{outcome: agent.ContractViolation, text: text, last: true}
}

var errClosed = errors.New("the tool servers are closed")

func closed() *fault { return &fault{outcome: agent.Cancelled, text: errClosed.Error()} }

// ended returns the fault for a caller's context that has been cancelled or has exceeded
// its deadline.
func ended(ctx context.Context) *fault {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &fault{outcome: agent.Timeout, text: "the server did not answer in time"}
	}
	if errors.Is(context.Cause(ctx), errClosed) {
		return closed()
	}
	return &fault{outcome: agent.Cancelled, text: "cancelled"}
}

// result converts a fault into the tool's result. The result carries a [policy.Failure],
// with two exceptions: a cancellation by the caller, which does not count against the
// server, and a violation of the protocol by the server, which is not retried.
func (f *fault) result() tool.Result {
	res := tool.Failed(f.outcome, "%s", f.text)
	if f.outcome != agent.Cancelled && f.outcome != agent.ContractViolation {
		res.Fault = &policy.Failure{Outcome: f.outcome, Retry: f.retry, RetryAfter: f.after, Err: f}
	}
	return res
}

// maxText is the maximum length of third-party text in an error, in bytes.
const maxText = 300

// line returns third-party text as one scrubbed line of limited length. It removes
// invisible characters before scrubbing, because they could hide a credential.
func line(text string, scrub func(string) string) string {
	return foreign.Clip(strings.Join(strings.Fields(scrub(visible(strings.ToValidUTF8(text, "\uFFFD")))), " "), maxText, foreign.Mark)
}

// printable removes control characters other than newlines and tabs: escape sequences
// must not reach a transcript or a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}

// visible removes control characters and other characters that people cannot see but models
// can read: direction marks, joiners, fillers, tags and private-use characters.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
			return -1
		}
		return r
	}, text)
}
