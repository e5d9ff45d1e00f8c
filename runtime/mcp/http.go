package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"evolve/runtime/agent"
	foreign "evolve/runtime/text"
)

// Limits on one exchange with an HTTP server.
const (
	maxBody      = 2 * maxMessage // bytes of a response, including streams
	maxHeaders   = 64 << 10       // bytes of its headers
	maxRedirects = 3
	maxSessionID = 256 // bytes
	maxWait      = 24 * time.Hour
	// farewell is the time limit for the request that ends a session.
	farewell = 2 * time.Second
)

// endpoint is a connection to a streamable HTTP server. It sits below the SDK's transport
// and passes on only responses of limited size.
type endpoint struct {
	mcp.Connection
	base   *http.Transport
	header map[string]string
	// over is a context that is done when the session has ended.
	over context.Context
	end  context.CancelFunc

	mu      sync.Mutex
	version string // the protocol version, once the server has chosen it
	why     *fault // the first fault that ends the session
}

// openEndpoint creates the connection to a server without sending anything.
func openEndpoint(ctx context.Context, s *Server) (*endpoint, error) {
	e := &endpoint{
		base: &http.Transport{
			DisableCompression: true, MaxResponseHeaderBytes: maxHeaders, MaxConnsPerHost: 16, TLSHandshakeTimeout: 10 * time.Second,
		},
		header: s.Header,
	}
	e.over, e.end = context.WithCancel(context.Background())
	transport := &mcp.StreamableClientTransport{
		Endpoint: s.URL, MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: maxMessage,
		HTTPClient: &http.Client{Transport: e, CheckRedirect: sameHost},
	}
	var err error
	e.Connection, err = transport.Connect(ctx)
	return e, err
}

// sameHost allows only redirects to the server's own host with the same scheme, and at most
// maxRedirects of them.
func sameHost(req *http.Request, via []*http.Request) error {
	if first := via[0].URL; req.URL.Host != first.Host || req.URL.Scheme != first.Scheme {
		return &fault{outcome: agent.ContractViolation, text: "the server redirects to another host or scheme"}
	}
	if len(via) > maxRedirects {
		return &fault{outcome: agent.ContractViolation, text: "the server redirects too many times"}
	}
	return nil
}

// onVersion stores a valid protocol version, which is then sent with every request.
func (e *endpoint) onVersion(version string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if protocolVersion.MatchString(version) {
		e.version = version
	}
}

var protocolVersion = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)

// faultOf returns the fault for a read error: an earlier fault of the session if there is
// one, else the end of a stream (which is not resumed) or an invalid message.
func (e *endpoint) faultOf(err error) *fault {
	if strings.Contains(err.Error(), "failed to reconnect") {
		return e.note(died("the server's stream ended before its answer"))
	}
	return e.note(violated("the server sent something that is not a JSON-RPC message"))
}

// note stores f if it is the first fault that ends the session, and returns that first
// fault. A fault that does not end the session is returned unchanged.
func (e *endpoint) note(f *fault) *fault {
	if !f.last {
		return f
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.why == nil {
		e.why = f
	}
	return e.why
}

// RoundTrip implements [http.RoundTripper]. Its errors are faults. After such an error the
// SDK treats the request as never sent, and continues.
func (e *endpoint) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	if req.Method == http.MethodDelete {
		ctx, cancel = context.WithTimeout(req.Context(), farewell)
	}
	stop := context.AfterFunc(e.over, cancel)
	release := func() { stop(); cancel() }
	req = req.Clone(ctx)
	for name, value := range e.header {
		if req.Header.Get(name) == "" { // the protocol's own headers take precedence
			req.Header.Set(name, value)
		}
	}
	e.mu.Lock()
	if e.version != "" {
		req.Header.Set("Mcp-Protocol-Version", e.version)
	}
	e.mu.Unlock()
	resp, err := e.base.RoundTrip(req)
	if err != nil {
		defer release()
		switch {
		case e.over.Err() != nil:
			return nil, died("the session has ended")
		case ctx.Err() != nil:
			return nil, ctx.Err()
		}
		return nil, &fault{outcome: agent.Execution, text: "the server cannot be reached: " + cause(err), retry: true}
	}
	resp.Body = &body{ReadCloser: resp.Body, endpoint: e, ctx: ctx, left: maxBody, release: release}
	if req.Method == http.MethodDelete {
		return resp, nil // whatever the answer
	}
	f := judge(req, resp)
	if f == nil && resp.StatusCode >= 400 {
		f = explain(resp)
	}
	if f != nil {
		_ = resp.Body.Close()
		return nil, e.note(f)
	}
	return resp, nil
}

// explain returns the fault for a response with an error status, or nil if the response's
// body is a protocol error, which the SDK reads.
func explain(resp *http.Response) *fault {
	// The error is ignored: a body that cannot be read is not a protocol error.
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxHeaders))
	if complains(bytes.TrimSpace(text)) {
		resp.Body = &replayed{bytes.NewReader(text), resp.Body}
		return nil
	}
	return &fault{outcome: agent.Execution, text: fmt.Sprintf("the server answered with status %d", resp.StatusCode)}
}

// complains reports whether a text is a protocol error.
func complains(text []byte) bool {
	msg, err := decode(text)
	if err != nil {
		return false
	}
	answer, ok := msg.(*jsonrpc.Response)
	return ok && answer.Error != nil
}

// replayed is a response body that has already been read and can be read again.
type replayed struct {
	io.Reader
	io.Closer
}

// cause returns the innermost error of a failed request. The outer errors repeat the
// address.
func cause(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return foreign.Clip(visible(err.Error()), maxText, foreign.Mark)
		}
		err = inner
	}
}

// judge returns the fault in a response's status and headers, before the body is read, or
// nil if there is none.
func judge(req *http.Request, resp *http.Response) *fault {
	status := fmt.Sprintf("the server answered with status %d", resp.StatusCode)
	switch code := resp.StatusCode; {
	case code == http.StatusTooManyRequests:
		return &fault{outcome: agent.RateLimited, text: status, retry: true, after: retryAfter(resp.Header)}
	case code >= 500 || code == http.StatusRequestTimeout:
		return &fault{outcome: agent.Execution, text: status, retry: true, after: retryAfter(resp.Header)}
	case code == http.StatusNotFound && req.Header.Get("Mcp-Session-Id") != "":
		return died("the server no longer knows the session")
	case code == http.StatusUnauthorized, code == http.StatusForbidden, code == http.StatusNotFound:
		return &fault{outcome: agent.Execution, text: status}
	case code >= 300:
		return nil // a redirect, or a protocol error that the SDK reads
	}
	if ids := resp.Header.Values("Mcp-Session-Id"); len(ids) > 1 || len(ids) == 1 && !sessionID(ids[0]) {
		return violated("the server sent an invalid session id")
	}
	if resp.StatusCode == http.StatusAccepted || resp.StatusCode == http.StatusNoContent {
		return nil
	}
	switch kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); {
	case kind == "application/json", kind == "text/event-stream", resp.ContentLength == 0:
		return nil
	case kind == "":
		return violated("the server answered without a content type")
	default:
		return violated(fmt.Sprintf("the server answered with the content type %q", foreign.Clip(kind, 80, foreign.Mark)))
	}
}

func sessionID(id string) bool {
	return id != "" && len(id) <= maxSessionID && strings.IndexFunc(id, func(r rune) bool { return r < 0x21 || r > 0x7e }) < 0
}

// retryAfter returns the delay in seconds that the Retry-After header suggests, at most a
// day, or 0 if there is none. A date is ignored, because this package has no clock.
func retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil {
		if seconds > int(maxWait/time.Second) {
			return maxWait
		}
		return max(0, time.Duration(seconds)*time.Second)
	}
	return 0
}

// body is the size-limited body of a response. The body ends when its session ends.
type body struct {
	io.ReadCloser
	endpoint *endpoint
	ctx      context.Context
	left     int64
	release  func()
}

func (b *body) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, b.endpoint.note(violated(fmt.Sprintf("the server sent a response of more than %d bytes", maxBody)))
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if err != nil && !errors.Is(err, io.EOF) && b.ctx.Err() == nil {
		err = b.endpoint.note(died("the server's answer was cut off"))
	}
	return n, err
}

func (b *body) Close() error {
	b.release()
	return b.ReadCloser.Close()
}

// resetStderr does nothing, because an endpoint has no standard error.
func (e *endpoint) resetStderr() {}

// Close implements [mcp.Connection]. It ends running requests.
func (e *endpoint) Close() error {
	e.end()
	return e.Connection.Close()
}

// shutDown ends the session with a request to the server, unless ctx is done or the session
// has already ended, and closes the connections.
func (e *endpoint) shutDown(ctx context.Context) {
	if ctx.Err() == nil && e.over.Err() == nil {
		_ = e.Connection.Close()
	}
	_ = e.Close()
	e.base.CloseIdleConnections()
}
