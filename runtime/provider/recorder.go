package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"sync"

	"gopkg.in/dnaeon/go-vcr.v4/pkg/cassette"

	"evolve/runtime/memory"
)

// Mode is the mode of a Recorder.
type Mode string

// The modes.
const (
	Record Mode = "record" // sends requests and appends the exchanges to the file
	Replay Mode = "replay" // answers requests from the file, without a network
)

// RecorderOptions make a Recorder.
type RecorderOptions struct {
	Mode Mode
	// Path is the path of the recording, a go-vcr cassette in YAML.
	Path string
	// Transport makes the exchanges that are recorded; nil means a transport without
	// proxies.
	Transport http.RoundTripper
	// Secrets are values that are removed from recordings, in addition to text that looks
	// like a credential and to what Scrub removes.
	Secrets []string
	Scrub   func(string) string
}

// Recorder is the transport of endpoints whose exchanges are recorded or replayed. It is
// safe for concurrent use.
//
// A recording contains only the headers on an allow-list, and no host, query, duration or
// credential. While recording, callers get the responses in their recorded form, so a
// replay gives the same bytes. Broken connections are recorded too.
//
// In a replay, an exchange is found by its method, path and body. Equal requests are
// answered in the order in which they were recorded, and each response is used once.
//
// An exception is a request with a temperature of about 0: it has only one successful
// response in a recording, and every equal request gets that response, both while recording
// and in the replay. The reason is that many servers process requests in batches and then
// give different responses to equal requests. It would depend on timing which request gets
// which response, and a replay could not repeat that.
type Recorder struct {
	mode      Mode
	path      string
	transport http.RoundTripper
	redactor  redactor

	mu    sync.Mutex
	tape  *cassette.Cassette
	index map[string][]int // maps a requestKey to the indices of the remaining exchanges
	// flights holds a channel for each greedy request that is being recorded; it is closed
	// when the recording of the request ends.
	flights map[string]chan struct{}
	closed  bool
}

// NewRecorder opens a recording and reads its existing contents.
func NewRecorder(o RecorderOptions) (*Recorder, error) {
	r := &Recorder{
		mode: o.Mode, path: o.Path, transport: o.Transport, tape: blank(), index: map[string][]int{}, flights: map[string]chan struct{}{},
		redactor: redactor{scrubber(o.Secrets, o.Scrub)},
	}
	switch {
	case o.Path == "":
		return nil, errors.New("a recording has no path")
	case o.Mode == Record:
		if r.transport == nil {
			r.transport = transport()
		}
		switch tape, err := load(o.Path); {
		case err == nil:
			r.tape = tape
		case !errors.Is(err, fs.ErrNotExist): // a file that is not a recording must not be replaced
			return nil, fmt.Errorf("reading the existing recording: %w", err)
		}
	case o.Mode == Replay:
		tape, err := load(o.Path)
		if err != nil {
			return nil, fmt.Errorf("reading the recording: %w", err)
		}
		r.tape = tape
	default:
		return nil, fmt.Errorf("mode %q is neither %s nor %s", o.Mode, Record, Replay)
	}
	for i, x := range r.tape.Interactions {
		k := requestKey(x.Request.Method, x.Request.URL, x.Request.Body)
		r.index[k] = append(r.index[k], i)
	}
	return r, nil
}

// Client returns a client for [Endpoint].HTTP.
func (r *Recorder) Client() *http.Client { return &http.Client{Transport: r} }

// Close writes the recording atomically.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mode != Record || r.closed {
		return nil
	}
	r.closed = true
	if c, ok := r.transport.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
	if err := r.tape.SaveWithFS(file(r.path)); err != nil {
		return fmt.Errorf("writing the recording: %w", err)
	}
	return nil
}

// RoundTrip implements [http.RoundTripper].
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		body, err = io.ReadAll(req.Body)
		_ = req.Body.Close()
		if err != nil {
			return nil, err
		}
	}
	asked := cassette.Request{
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Method: req.Method, URL: r.redactor.text(req.URL.Path), Body: r.redactor.body(canonical(body)),
		Headers: r.redactor.headers(req.Header, "Content-Type"),
	}
	asked.ContentLength = int64(len(asked.Body))
	if r.mode == Replay {
		return r.replay(req, asked)
	}
	k := requestKey(asked.Method, asked.URL, asked.Body)
	if greedy(asked.Body) {
		known, done, err := r.single(req.Context(), k)
		if err != nil {
			return nil, err
		}
		if known != nil {
			return response(req, known)
		}
		defer done()
	}
	answered, err := r.exchange(req, body)
	if req.Context().Err() != nil { // not recorded, because a cancelled exchange depends on timing
		return nil, req.Context().Err()
	}
	x := &cassette.Interaction{Request: asked, Response: answered}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, errors.New("the recording is closed")
	}
	r.tape.AddInteraction(x)
	r.index[k] = append(r.index[k], len(r.tape.Interactions)-1)
	if err != nil {
		return nil, err
	}
	return response(req, &x.Response)
}

// single returns the recorded response to a greedy request. If there is none, it returns a
// function done: the caller must make the exchange and then call done, and equal requests
// wait until then.
func (r *Recorder) single(ctx context.Context, k string) (known *cassette.Response, done func(), err error) {
	for {
		r.mu.Lock()
		for _, i := range r.index[k] {
			if x := &r.tape.Interactions[i].Response; successful(x) {
				r.mu.Unlock()
				return x, nil, nil
			}
		}
		flight, under := r.flights[k]
		if !under {
			flight = make(chan struct{})
			r.flights[k] = flight
		}
		r.mu.Unlock()
		if !under {
			return nil, func() {
				r.mu.Lock()
				defer r.mu.Unlock()
				delete(r.flights, k)
				close(flight)
			}, nil
		}
		select {
		case <-flight:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

// mostGreedy is the highest temperature that counts as 0; see [openaiRequest].
const mostGreedy = 1e-5

// greedy reports whether a request has a temperature of about 0.
func greedy(body string) bool {
	var q struct {
		Temperature *float64 `json:"temperature"`
	}
	return json.Unmarshal([]byte(body), &q) == nil && q.Temperature != nil && *q.Temperature <= mostGreedy
}

func successful(x *cassette.Response) bool { return x.Code >= 200 && x.Code < 300 }

// exchange sends a request and returns the response in its recorded form. If there is no
// complete response, it returns the error together with a response without a status code,
// which is recorded too.
func (r *Recorder) exchange(req *http.Request, body []byte) (cassette.Response, error) {
	broken := func(err error) (cassette.Response, error) {
		lost := &lostResponse{memory.Cut(r.redactor.text(err.Error()), maxQuoted)}
		return cassette.Response{Status: lost.text}, lost
	}
	out := req.Clone(req.Context())
	if out.Body = http.NoBody; len(body) > 0 {
		out.Body = io.NopCloser(bytes.NewReader(body))
	}
	resp, err := r.transport.RoundTrip(out)
	if err != nil {
		return broken(err)
	}
	defer resp.Body.Close()
	got, err := readBounded(resp.Body)
	if err == nil && resp.Header.Get("Content-Encoding") != "" {
		err = errors.New("the response has an encoding that was not requested")
	}
	if err != nil {
		return broken(err)
	}
	text := r.redactor.body(string(got))
	kept := []string{"Content-Type", "Retry-After", "Retry-After-Ms"}
	if resp.Header.Get("Retry-After") != "" {
		kept = append(kept, "Date") // a date in Retry-After is compared with Date
	}
	return cassette.Response{
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Code: resp.StatusCode, Status: fmt.Sprintf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode)),
		Headers:       r.redactor.headers(resp.Header, kept...),
		Body:          text,
		ContentLength: int64(len(text)),
	}, nil
}

func (r *Recorder) replay(req *http.Request, asked cassette.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	k := requestKey(asked.Method, asked.URL, asked.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	left := r.index[k]
	if len(left) == 0 {
		return nil, r.unknown(asked)
	}
	if !greedy(asked.Body) || !successful(&r.tape.Interactions[left[0]].Response) {
		r.index[k] = left[1:]
	}
	return response(req, &r.tape.Interactions[left[0]].Response)
}

// response converts a recorded response into an HTTP response or error.
func response(req *http.Request, x *cassette.Response) (*http.Response, error) {
	if x.Code == 0 {
		return nil, &lostResponse{x.Status}
	}
	headers := x.Headers.Clone()
	if headers == nil {
		headers = http.Header{}
	}
	return &http.Response{
		Status: x.Status, StatusCode: x.Code, Proto: x.Proto, ProtoMajor: x.ProtoMajor, ProtoMinor: x.ProtoMinor,
		Header: headers, Body: io.NopCloser(strings.NewReader(x.Body)), ContentLength: int64(len(x.Body)), Request: req,
	}, nil
}

// lostResponse is the error for a connection that gave no complete response.
type lostResponse struct{ text string }

func (e *lostResponse) Error() string { return e.text }
