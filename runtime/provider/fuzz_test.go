package provider_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"slices"
	"testing"

	"evolve/runtime/agent"
	"evolve/runtime/model"
	"evolve/runtime/provider"
)

// fuzzDecoding passes any body with any status to a router. The result must be either an
// error with an outcome or a reply with which the loop can continue.
func fuzzDecoding(f *testing.F, kind provider.Kind) {
	var status int
	var header string
	var body []byte
	transport := roundTrip(func(r *http.Request) *http.Response {
		return &http.Response{
			StatusCode: status, Body: io.NopCloser(bytes.NewReader(body)), Request: r,
			Header: http.Header{"Content-Type": {"application/json"}, "Retry-After": {header}, "Date": {header}},
		}
	})
	r := router(f, provider.Endpoint{Name: "remote", Kind: kind, Key: secret, HTTP: &http.Client{Transport: transport}}, nil)
	var shown caught
	again := router(f, provider.Endpoint{Name: "remote", Kind: kind, HTTP: &http.Client{Transport: &shown}}, nil)
	f.Fuzz(func(t *testing.T, s uint16, h string, b []byte) {
		status, header, body = 200, h, b
		if s >= 100 && s < 600 {
			status = int(s)
		}
		reply, err := r.Next(context.Background(), asked())
		if err != nil {
			var e *model.Error
			if !errors.As(err, &e) || !slices.Contains([]agent.Outcome{agent.Infrastructure, agent.RateLimited, agent.BudgetExceeded}, e.Outcome) || len(err.Error()) > 500 {
				t.Fatalf("%T %+v", err, err)
			}
			return
		}
		u := reply.Usage
		if u.InputTokens < 0 || u.OutputTokens < 0 || u.CachedTokens < 0 || u.CachedTokens > u.InputTokens || u.CostUSD < 0 || math.IsNaN(u.CostUSD) || u.CostUSD > 1e6 {
			t.Fatalf("%+v", u)
		}
		if !(reply.Confidence >= 0 && reply.Confidence <= 1) || len(reply.Calls) > 0 && (reply.Answer != "" || reply.Referral != nil) {
			t.Fatalf("%+v", reply)
		}
		// The reply must still fit the protocol when it is included in a further request.
		next := asked()
		for _, c := range reply.Calls {
			next.Steps = append(next.Steps, model.Step{Call: c})
		}
		next.Said = []string{reply.Said}
		if reply.Answer != "" {
			next.Rejected = []string{reply.Answer}
		}
		_, _ = again.Next(context.Background(), next)
		check := checkOpenAI
		if kind == provider.Anthropic {
			check = checkAnthropic
		}
		if err := check(shown.body); err != nil {
			t.Fatalf("%v\n%s", err, shown.body)
		}
	})
}

func FuzzOpenAI(f *testing.F) {
	f.Add(uint16(200), "", []byte(saying(provider.OpenAI, "6379\nconfidence: 0.9")))
	f.Add(uint16(200), "", []byte(completion(`{"role":"assistant","content":[{"type":"text","text":"a"}],"tool_calls":[{"id":"","type":"function","function":{"name":"grep","arguments":"{"}}]}`, "tool_calls", openaiUsage)))
	f.Add(uint16(200), "", []byte(completion(`{"role":"assistant","tool_calls":[{"function":{"name":"refer","arguments":"{\"evidence\":\"x\"}"}}]}`, "tool_calls", `{"prompt_tokens":-5,"completion_tokens":9223372036854775807}`)))
	f.Add(uint16(429), "Wed, 21 Oct 2026 07:28:00 GMT", []byte(`{"error":{"message":["a","b"],"code":429}}`))
	f.Add(uint16(400), "1e9", []byte(`{"error":"max_tokens"}`))
	f.Add(uint16(307), "", []byte(``))
	fuzzDecoding(f, provider.OpenAI)
}

func FuzzAnthropic(f *testing.F) {
	f.Add(uint16(200), "", []byte(saying(provider.Anthropic, "6379\nconfidence: 0.9")))
	f.Add(uint16(200), "", []byte(message(`[{"type":"thinking","thinking":"x","signature":"y"},{"type":"tool_use","id":"a","name":"","input":[1]},{"type":"tool_use"}]`, "tool_use", `{"input_tokens":-1,"cache_read_input_tokens":1e18}`)))
	f.Add(uint16(529), "0.5", []byte(`{"type":"error","error":{"type":"overloaded_error","message":"x"}}`))
	f.Add(uint16(400), "", []byte(`{"error":{"message":"temperature"}}`))
	f.Add(uint16(200), "", []byte(`{"content":null,"stop_reason":null}`))
	fuzzDecoding(f, provider.Anthropic)
}

// BenchmarkNext measures a call without the network: rendering, scrubbing, encoding,
// decoding and reading.
func BenchmarkNext(b *testing.B) {
	for _, kind := range kinds {
		b.Run(string(kind), func(b *testing.B) {
			body := []byte(saying(kind, "6379"))
			transport := roundTrip(func(r *http.Request) *http.Response {
				_, _ = io.Copy(io.Discard, r.Body)
				return &http.Response{StatusCode: 200, Body: io.NopCloser(bytes.NewReader(body)), Request: r, Header: http.Header{"Content-Type": {"application/json"}}}
			})
			r := router(b, provider.Endpoint{Name: "remote", Kind: kind, HTTP: &http.Client{Transport: transport}}, nil)
			req := whole()
			for b.Loop() {
				if _, err := r.Next(b.Context(), req); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
