package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"golang.org/x/net/http/httpguts"

	"evolve/runtime/agent"
	"evolve/runtime/thishost"
)

// HTTPOptions configure an agent that is a server.
type HTTPOptions struct {
	// URL is the http or https address to which the POST requests are sent.
	URL string
	// Header holds the header fields sent with every request, such as Authorization.
	Header map[string]string
	// Parallel is the number of requests that run at once; 0 means 1.
	Parallel int
	// Timeout limits the duration of one task; 0 leaves it to the request. If neither sets
	// a timeout, it is ten minutes.
	Timeout time.Duration
	// Scrub removes credentials from the parts of the server's text that are stored. It is
	// required.
	Scrub func(string) string
	// Client sends the requests; nil means a client that uses no proxy, no cookies and no
	// compression. The client's timeout and redirect policy are not used.
	Client *http.Client
}

// These are the limits, in bytes, on the parts of a response that are read in addition to a
// regular body.
const (
	maxHeader    = 64 << 10
	maxComplaint = 4 << 10 // for the body of a response with a status other than 200
)

// HTTPAgent sends tasks to an operator's server. The body of each POST is the request
// object, and the body of its answer is the response object. It is safe for concurrent use.
type HTTPAgent struct {
	o      HTTPOptions
	client http.Client
	// local reports whether the server runs on this machine.
	local bool
	slots chan struct{}
	// life is done once the agent is closed.
	life  context.Context
	end   context.CancelCauseFunc
	close sync.Once
}

var _ agent.Agent = (*HTTPAgent)(nil)

// NewHTTP checks the options and returns the agent. Nothing is sent before the first
// task.
func NewHTTP(o HTTPOptions) (*HTTPAgent, error) {
	o.Parallel = max(o.Parallel, 1)
	u, err := url.Parse(o.URL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("the agent has no http or https URL")
	case u.User != nil:
		return nil, errors.New("the agent's URL contains credentials, which belong in a header")
	case o.Timeout < 0:
		return nil, errors.New("the agent's timeout is negative")
	case o.Scrub == nil:
		return nil, errors.New("the agent needs a scrubber")
	}
	for name, value := range o.Header {
		if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, fmt.Errorf("the agent's header %.40q has a name or value that cannot be sent", name)
		}
	}
	a := &HTTPAgent{o: o, local: thishost.Is(u.Hostname()), slots: make(chan struct{}, o.Parallel)}
	if o.Client != nil {
		a.client = *o.Client
	} else {
		a.client.Transport = &http.Transport{
			DisableCompression: true, MaxResponseHeaderBytes: maxHeader, MaxIdleConnsPerHost: o.Parallel,
			TLSHandshakeTimeout: 10 * time.Second, IdleConnTimeout: time.Minute,
		}
	}
	a.client.Timeout, a.client.CheckRedirect = 0, sameHost
	a.life, a.end = context.WithCancelCause(context.Background())
	return a, nil
}

var errElsewhere = errors.New("the agent redirects to a different host or scheme, changes the method from POST (307 and 308 keep it), or redirects more than 3 times")

// sameHost allows a few redirects, but only to the server's own host, with the same scheme
// and the method POST.
func sameHost(req *http.Request, via []*http.Request) error {
	first := via[0].URL
	if req.URL.Host != first.Host || req.URL.Scheme != first.Scheme || req.Method != http.MethodPost || len(via) > 3 {
		return errElsewhere
	}
	return nil
}

// Run runs one task.
func (a *HTTPAgent) Run(ctx context.Context, req agent.Request) agent.Result {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(a.life, func() { cancel(errClosed) })
	defer stop()
	if ctx.Err() != nil || a.life.Err() != nil {
		return a.cancelled(ctx)
	}
	timeout := shorter(a.o.Timeout, req.Limits.Timeout)
	if !a.local {
		req.Workdir = "" // the folder is on this machine
	}
	body, err := encode(req, timeout)
	if err != nil {
		return agent.Result{Outcome: agent.Execution, Error: clip(err.Error(), a.o.Scrub)}
	}
	select {
	case a.slots <- struct{}{}:
	case <-ctx.Done():
		return a.cancelled(ctx)
	}
	defer func() { <-a.slots }()
	limited, release := context.WithTimeout(ctx, timeout)
	defer release()
	res, whole := a.post(limited, req, body)
	switch {
	case whole:
		return res
	case ctx.Err() != nil || a.life.Err() != nil:
		return a.cancelled(ctx)
	case limited.Err() != nil:
		return agent.Result{Outcome: agent.Timeout, Error: fmt.Sprintf("no response within %s", timeout)}
	}
	return res
}

func (a *HTTPAgent) cancelled(ctx context.Context) agent.Result {
	if a.life.Err() != nil {
		ctx = a.life
	}
	return cancelled(ctx)
}

// Close ends running tasks as cancelled and returns when none remain.
func (a *HTTPAgent) Close() error {
	a.close.Do(func() {
		a.end(errClosed)
		for range a.o.Parallel {
			a.slots <- struct{}{}
		}
		if a.o.Client == nil {
			a.client.CloseIdleConnections()
		}
	})
	return nil
}

// post sends one request and converts the response into a result. whole reports whether the
// result is final even if ctx is done.
func (a *HTTPAgent) post(ctx context.Context, req agent.Request, body []byte) (res agent.Result, whole bool) {
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, a.o.URL, bytes.NewReader(body))
	if err != nil {
		return agent.Result{Outcome: agent.Execution, Error: clip(err.Error(), a.o.Scrub)}, false
	}
	for name, value := range a.o.Header {
		post.Header.Set(name, value)
	}
	post.Header.Set("Content-Type", "application/json")
	post.Header.Set("Accept", "application/json")
	resp, err := a.client.Do(post)
	switch {
	case errors.Is(err, errElsewhere):
		return agent.Result{Outcome: agent.ContractViolation, Error: errElsewhere.Error()}, true
	case err != nil:
		// Without any answer, there is no evidence that the variant is the cause of the
		// failure.
		return agent.Result{
			Outcome: agent.Infrastructure, Error: clip(fmt.Sprintf("calling the agent: %v", err), a.o.Scrub), Refusing: thishost.Refusing(err),
		}, false
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return a.refused(resp), true
	}
	line, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse+1))
	switch {
	case len(line) > maxResponse:
		return agent.Result{Outcome: agent.ContractViolation, Error: fmt.Sprintf("the agent sent a response of more than %d bytes", maxResponse)}, true
	case err != nil:
		return agent.Result{Outcome: agent.Execution, Error: clip(fmt.Sprintf("the agent's response was cut off: %v", err), a.o.Scrub)}, false
	}
	res, _ = judge(line, req, a.o.Scrub) // the error is in the result
	return res, true
}

// refused returns the result for a status other than 200. A status that means that the
// server is down, overloaded or broken must not affect a score, but a refusal of the
// request does affect it.
func (a *HTTPAgent) refused(resp *http.Response) agent.Result {
	res := agent.Result{Outcome: agent.ContractViolation}
	switch code := resp.StatusCode; {
	case code == http.StatusTooManyRequests:
		res.Outcome = agent.RateLimited
	case code >= 500 || code == http.StatusRequestTimeout:
		res.Outcome = agent.Infrastructure
	case code >= 400:
		res.Outcome = agent.Execution
	}
	text := fmt.Sprintf("the agent answered with status %d", resp.StatusCode)
	if after := resp.Header.Get("Retry-After"); after != "" {
		text += fmt.Sprintf(" (Retry-After: %.40q)", after)
	}
	// A read error only shortens the text.
	if words, _ := io.ReadAll(io.LimitReader(resp.Body, maxComplaint)); len(words) > 0 {
		text += ": " + string(bytes.ToValidUTF8(words, []byte("\uFFFD")))
	}
	res.Error = clip(text, a.o.Scrub)
	return res
}
