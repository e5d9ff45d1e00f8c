package provider

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxBody is the maximum size of a provider's response, in bytes.
const maxBody = 8 << 20

// errTooLarge is the error for a response larger than maxBody.
var errTooLarge = fmt.Errorf("the response is larger than %d MiB", maxBody>>20)

// exchange sends one request and stores its response, because go-openai discards parts of
// it. It is for one call, in one goroutine.
type exchange struct {
	client *http.Client
	status int // 0 if there was no response
	header http.Header
	body   []byte
	err    error // why there was no response
}

// Do sends a request, and reads and stores the whole response. It implements go-openai's
// HTTPDoer.
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	req.Header.Set("User-Agent", "evolve")
	resp, err := x.client.Do(req)
	if err != nil {
		x.err = err
		return nil, err
	}
	defer resp.Body.Close()
	body, err := readBounded(resp.Body)
	if err != nil {
		x.err = err
		return nil, err
	}
	x.status, x.header, x.body = resp.StatusCode, resp.Header, body
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

func readBounded(r io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, maxBody+1))
	if err == nil && len(body) > maxBody {
		err = errTooLarge
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("the connection was cut: %w", err)
	}
	return body, err
}

// maxRetryAfter is the maximum delay that is accepted from a provider.
const maxRetryAfter = 24 * time.Hour

// retryAfter returns the delay that the provider's headers suggest, or zero if there is
// none. A date is compared with the response's Date header, so no clock is needed here.
func retryAfter(h http.Header) time.Duration {
	if d, ok := seconds(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d
	}
	value := h.Get("Retry-After")
	if d, ok := seconds(value, time.Second); ok {
		return d
	}
	then, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return 0
	}
	return min(max(0, then.Sub(now)), maxRetryAfter)
}

func seconds(value string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || math.IsNaN(n) || n < 0 {
		return 0, false
	}
	return time.Duration(min(n*float64(unit), float64(maxRetryAfter))), true
}

// exchanger makes exchanges with one endpoint.
type exchanger struct {
	endpoint Endpoint
	client   *http.Client
	scrub    func(string) string
}

func newExchanger(e Endpoint, scrub func(string) string) exchanger {
	return exchanger{endpoint: e, client: e.client(), scrub: scrub}
}

func (e *exchanger) exchange() *exchange { return &exchange{client: e.client} }

func (e *exchanger) fault(ctx context.Context, x *exchange, clientErr error) *Fault {
	return e.endpoint.fault(ctx, x, clientErr, e.scrub)
}

func (e *exchanger) close() { e.client.CloseIdleConnections() }

// ok reports whether there was a successful response.
func (x *exchange) ok() bool { return x.status >= 200 && x.status < 300 }
