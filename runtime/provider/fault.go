package provider

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/model"
	"evolve/runtime/policy"
	"evolve/runtime/thishost"
)

// Trouble is the kind of a [Fault].
type Trouble string

// The kinds of trouble.
const (
	Unreachable Trouble = "unreachable" // no connection: wrong address, network failure, or server down
	Cut         Trouble = "cut"         // the connection broke before the reply was complete
	TimedOut    Trouble = "timed_out"   // no complete reply in time
	BadKey      Trouble = "bad_key"     // the key is missing, wrong, or without the required permission
	NotFound    Trouble = "not_found"   // no such model, or no such API at this address
	Limited     Trouble = "limited"     // too many requests or tokens for the moment
	NoCredit    Trouble = "no_credit"   // the account has no credit left
	Unwell      Trouble = "unwell"      // the provider failed or is overloaded
	Garbled     Trouble = "garbled"     // the response violates the protocol
	Rejected    Trouble = "rejected"    // the provider does not accept this request
	TooLong     Trouble = "too_long"    // the prompt is larger than the model's context
	Moved       Trouble = "moved"       // a redirect, which is not followed
	Unrecorded  Trouble = "unrecorded"  // the replayed recording has no such exchange
	Interrupted Trouble = "interrupted" // the caller cancelled
)

// Fault describes why an exchange with a provider failed. It contains no secret and at most
// one line of the provider's text.
type Fault struct {
	Provider string
	Trouble  Trouble
	// Status is the HTTP status; 0 if there was no response.
	Status int
	// RetryAfter is the delay that the provider suggested; zero if it suggested none.
	RetryAfter time.Duration
	// Refusing is the address on this machine that refused the connection, or "" if none
	// did.
	Refusing string
	// Text describes the failure for people.
	Text string
	// cause is the context's error, for use with errors.Is.
	cause error
}

func (f *Fault) Error() string { return "provider " + f.Provider + ": " + f.Text }

// Unwrap returns the context's error, if that was the cause.
func (f *Fault) Unwrap() error { return f.cause }

// error converts the fault to a *policy.Failure if another attempt may help or if the
// policies must take the failure into account, and to a *model.Error if another attempt
// would fail in the same way.
func (f *Fault) error() error {
	failure := &policy.Failure{Outcome: agent.Execution, Retry: true, RetryAfter: f.RetryAfter, Err: f}
	switch f.Trouble {
	case Unreachable, Cut, Unwell, Garbled:
	case TimedOut:
		failure.Outcome = agent.Timeout
	case Limited:
		failure.Outcome = agent.RateLimited
	case NoCredit:
		failure.Outcome, failure.Retry = agent.RateLimited, false
	case Interrupted:
		failure.Outcome, failure.Retry = agent.Cancelled, false
	case TooLong:
		return &model.Error{Outcome: agent.BudgetExceeded, Err: f}
	default:
		return &model.Error{Outcome: agent.Infrastructure, Err: f}
	}
	return failure
}

// unanswered reports whether the provider may have processed the request without reporting
// what it charges for it.
func (f *Fault) unanswered() bool {
	return slices.Contains([]Trouble{Cut, TimedOut, Garbled, Interrupted}, f.Trouble)
}

// charged reports whether the provider may charge for the request because the provider
// processed the request, even if the request failed afterwards. A provider that is
// overloaded or refuses the request does not charge.
func (f *Fault) charged() bool {
	overloaded := f.Status == http.StatusServiceUnavailable || f.Status == statusOverloaded
	return f.unanswered() || f.Trouble == Unwell && !overloaded
}

// statusOverloaded is Anthropic's status for an overload.
const statusOverloaded = 529

// maxQuoted is the maximum length of a quotation of a provider's text, in bytes.
const maxQuoted = 300

// fault returns why an exchange failed. clientErr is set only if the response could not be
// decoded, or if the client refused to send the request.
func (e Endpoint) fault(ctx context.Context, x *exchange, clientErr error, scrub func(string) string) *Fault {
	f := &Fault{Provider: e.Name, Status: x.status}
	describe := func(t Trouble, format string, args ...any) *Fault {
		f.Trouble, f.Text = t, memory.Cut(oneLine(scrub(fmt.Sprintf(format, args...))), maxQuoted)
		return f
	}
	if x.status == 0 {
		return e.unsent(ctx, x, clientErr, describe)
	}
	f.RetryAfter = retryAfter(x.header)
	c := complaintOf(x.body)
	switch s := c.status(x.status); {
	case s >= 200 && s < 300 && c.stated:
		return describe(Unwell, "failed (%d): %s", s, c)
	case s >= 200 && s < 300:
		return describe(Garbled, "the response does not follow the API protocol: %v", clientErr)
	case s < 400:
		return describe(Moved, "answered with a redirect (%d), which is not followed; set the base URL to the target of the redirect", s)
	case c.tooLong() || s == http.StatusRequestEntityTooLarge:
		return describe(TooLong, "the prompt is larger than the model's context: %s", c)
	case s == http.StatusUnauthorized || s == http.StatusForbidden:
		return describe(BadKey, "%s (%d): %s", e.refusal(), s, c)
	case s == http.StatusNotFound:
		return describe(NotFound, "has no such model, or the base URL is wrong (404): %s", c)
	case s == http.StatusPaymentRequired || c.spent():
		return describe(NoCredit, "the account's balance is used up (%d): %s", s, c)
	case s == http.StatusTooManyRequests:
		return describe(Limited, "too many requests (429): %s", c)
	case s == http.StatusRequestTimeout || s == http.StatusConflict || s == http.StatusTooEarly || s >= 500:
		return describe(Unwell, "failed (%d): %s", s, c)
	default:
		return describe(Rejected, "refuses the request (%d): %s", s, c)
	}
}

// unsent returns the fault for an exchange without a response.
func (e Endpoint) unsent(ctx context.Context, x *exchange, clientErr error,
	describe func(Trouble, string, ...any) *Fault,
) *Fault {
	var unknown *UnknownRequest
	var timeout net.Error
	var dial *net.OpError
	var certificate *tls.CertificateVerificationError
	err := x.err
	if err == nil {
		err = clientErr
	}
	var where *url.Error
	if errors.As(err, &where) { // the text of a url.Error contains the URL
		err = where.Err
	}
	switch {
	case errors.As(err, &unknown):
		return describe(Unrecorded, "%v", unknown)
	case errors.Is(ctx.Err(), context.Canceled):
		f := describe(Interrupted, "the call was cancelled")
		f.cause = context.Canceled
		return f
	case ctx.Err() != nil:
		f := describe(TimedOut, "no complete reply before the deadline")
		f.cause = context.DeadlineExceeded
		return f
	case x.err == nil:
		return describe(Rejected, "the request cannot be sent: %v", err)
	case errors.Is(err, errTooLarge):
		return describe(Garbled, "%v", err)
	case errors.As(err, &timeout) && timeout.Timeout():
		return describe(TimedOut, "no complete reply in time: %v", err)
	case errors.As(err, &dial) && dial.Op == "dial", errors.As(err, &certificate):
		f := describe(Unreachable, "no connection: %v", err)
		f.Refusing = thishost.Refusing(err)
		return f
	}
	return describe(Cut, "no complete reply: %v", err)
}

// refusal describes the fault of the API key and names its environment variable.
func (e Endpoint) refusal() string {
	switch {
	case e.KeyEnv == "":
		return "needs an API key, but none is configured"
	case e.Key == "":
		return "needs an API key, but the environment variable " + e.KeyEnv + " is empty"
	}
	return "refuses the key in the environment variable " + e.KeyEnv
}

// oneLine returns text with each run of spaces, line breaks and control characters replaced
// by a single space.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0x85 || r == ' ' }), " ")
}
