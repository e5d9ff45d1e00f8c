package mcp

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"evolve/runtime/agent"
	"evolve/runtime/policy"
	"evolve/runtime/tool"
)

// fault is why a call, a start or a link to a server failed.
type fault struct {
	outcome agent.Outcome
	text    string
	// retry says that it may pass, and after how long where the server said so.
	retry bool
	after time.Duration
	// last says that the session is of no use any more.
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

// ended is the fault of a caller's context that is done.
func ended(ctx context.Context) *fault {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &fault{outcome: agent.Timeout, text: "the server did not answer in time"}
	}
	if errors.Is(context.Cause(ctx), errClosed) {
		return closed()
	}
	return &fault{outcome: agent.Cancelled, text: "cancelled"}
}

// result is what the agent and the policies see of a fault. The end of the caller is
// nothing to count against the server, and a breach is not mended by asking again.
func (f *fault) result() tool.Result {
	res := tool.Failed(f.outcome, "%s", f.text)
	if f.outcome != agent.Cancelled && f.outcome != agent.ContractViolation {
		res.Fault = &policy.Failure{Outcome: f.outcome, Retry: f.retry, RetryAfter: f.after, Err: f}
	}
	return res
}

// maxText bounds the foreign text of an error, in bytes.
const maxText = 300

// line makes foreign text one scrubbed line of bounded length. What is invisible goes
// first, because a credential may be hidden behind it.
func line(text string, scrub func(string) string) string {
	return clip(strings.Join(strings.Fields(scrub(visible(strings.ToValidUTF8(text, "\uFFFD")))), " "), maxText)
}

// clip cuts text to n bytes at the start of a character.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

// printable drops control characters other than the ends of lines and tabs: escape
// sequences have no business in a transcript or on a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}

// visible drops control characters and those that nobody sees but a model reads:
// directions, joiners, fillers, tags, private ones.
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
