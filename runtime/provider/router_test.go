package provider_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/model"
	"evolve/runtime/policy"
	"evolve/runtime/provider"
)

func engine(t *testing.T, b policy.Book) *policy.Engine {
	t.Helper()
	e, err := policy.New(policy.Options{Book: b})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// bubble runs a server and a router, connected by pipes, on synctest's clock.
func bubble(t *testing.T, kind provider.Kind, s policy.Settings, script []http.HandlerFunc, test func(*provider.Router)) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipes()
		strict := &server{kind: kind, script: script}
		srv := &http.Server{Handler: strict.handler(t)}
		var served sync.WaitGroup
		served.Go(func() { _ = srv.Serve(p) })
		transport := &http.Transport{DialContext: p.dial, DisableKeepAlives: true}
		e := provider.Endpoint{Name: "remote", Kind: kind, BaseURL: "http://remote", Key: secret, HTTP: &http.Client{Transport: transport}}
		if kind == provider.OpenAI {
			e.BaseURL += "/v1"
		}
		guard := engine(t, policy.Book{Providers: map[string]policy.Settings{"remote": s}})
		r := router(t, e, func(o *provider.Options) { o.Guard = guard })
		test(r)
		if err := guard.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		r.Close()
		_ = srv.Close()
		served.Wait()
		if n := len(strict.script); n > 0 {
			t.Errorf("%d requests too few", n)
		}
	})
}

// TestRetryAfter tests that the pause before a retry is at least as long as the provider's
// retry-after.
func TestRetryAfter(t *testing.T) {
	for _, kind := range kinds {
		script := []http.HandlerFunc{
			with("Retry-After", "7", answering(429, "{}")), with("Retry-After-Ms", "1500", answering(503, "{}")), cut, answering(200, saying(kind, "6379")),
		}
		s := policy.Settings{Deadline: time.Minute, Attempts: 4, Backoff: time.Millisecond, MaxBackoff: 2 * time.Millisecond, RateWait: time.Minute}
		bubble(t, kind, s, script, func(r *provider.Router) {
			began := time.Now()
			reply, err := ask(t, r, nil)
			if err != nil || reply.Answer != "6379" || len(reply.Applied) != 1 || reply.Applied[0].Attempts != 4 {
				t.Errorf("%s: %+v, %v", kind, reply, err)
			}
			if took := time.Since(began); took < 8500*time.Millisecond || took > 9*time.Second {
				t.Errorf("%s: took %s", kind, took)
			}
		})
	}
}

// TestGivesUp tests that the error contains the retry-after if the provider keeps
// refusing.
func TestGivesUp(t *testing.T) {
	for _, kind := range kinds {
		s := policy.Settings{Deadline: time.Minute, Attempts: 2, Backoff: time.Millisecond, RateWait: time.Minute}
		script := []http.HandlerFunc{with("Retry-After", "2", answering(429, "{}")), with("Retry-After", "300", answering(429, "{}"))}
		bubble(t, kind, s, script, func(r *provider.Router) {
			_, err := ask(t, r, nil)
			var e *model.Error
			if !errors.As(err, &e) || e.Outcome != agent.RateLimited {
				t.Errorf("%s: %+v", kind, err)
			}
		})
	}
}

// TestSlowBody uses a server that begins a reply and never ends it.
func TestSlowBody(t *testing.T) {
	slow := func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(`{"id":"1",`))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	for _, kind := range kinds {
		bubble(t, kind, policy.Settings{Deadline: 20 * time.Second, Attempts: 3}, []http.HandlerFunc{slow}, func(r *provider.Router) {
			began := time.Now()
			reply, err := ask(t, r, nil)
			var e *model.Error
			var timeout *policy.TimeoutError
			if !errors.As(err, &e) || e.Outcome != agent.Infrastructure || !errors.As(err, &timeout) || time.Since(began) != 20*time.Second {
				t.Errorf("%s: %v after %s", kind, err, time.Since(began))
			}
			if len(reply.Applied) != 1 || reply.Applied[0].Attempts != 1 {
				t.Errorf("%s: %+v", kind, reply.Applied)
			}
		})
	}
}

// TestDegrades tests that a spent budget leads to the fallback provider that the budget
// names.
func TestDegrades(t *testing.T) {
	dear := serve(t, provider.Anthropic, answering(200, saying(provider.Anthropic, "dear")))
	cheap := serve(t, provider.OpenAI, answering(200, saying(provider.OpenAI, "cheap")), answering(200, saying(provider.OpenAI, "cheap")))
	guard := engine(t, policy.Book{Providers: map[string]policy.Settings{
		"dear":  {PerRun: policy.Budget{Calls: 1}, Exhausted: policy.Degrade, DegradedTo: "cheap"},
		"cheap": {PerRun: policy.Budget{Calls: 2}},
	}})
	a, b := dear.endpoint(), cheap.endpoint()
	a.Name, b.Name = "dear", "cheap"
	r := router(t, a, func(o *provider.Options) {
		o.Endpoints = append(o.Endpoints, b)
		o.Routes = []provider.Route{{Name: "main", Provider: "dear", Model: "large"}, {Name: "code", Provider: "cheap", Model: "small"}}
		o.Guard = guard
	})
	for i, want := range []struct {
		answer, provider string
		applied          int
	}{{"dear", "dear", 1}, {"cheap", "cheap", 2}, {"cheap", "cheap", 2}} {
		reply, err := ask(t, r, nil)
		if err != nil || reply.Answer != want.answer || reply.Provider != want.provider || len(reply.Applied) != want.applied {
			t.Errorf("%d: %+v, %v", i, reply, err)
		}
		if notes := strings.Join(reply.Notes, "; "); (want.applied == 2) != strings.Contains(notes, "the budget of dear is spent; cheap was asked instead") {
			t.Errorf("%d: %s", i, notes)
		}
	}
	// Now both are spent.
	reply, err := ask(t, r, nil)
	var e *model.Error
	if !errors.As(err, &e) || e.Outcome != agent.BudgetExceeded || len(reply.Applied) != 2 {
		t.Errorf("%+v, %v", reply, err)
	}
}

func TestRoutes(t *testing.T) {
	s := serve(t, provider.OpenAI, answering(200, saying(provider.OpenAI, "1")), answering(200, saying(provider.OpenAI, "2")), answering(200, saying(provider.OpenAI, "3")))
	r := router(t, s.endpoint(), func(o *provider.Options) {
		o.Routes = append(o.Routes, provider.Route{Name: "code", Provider: "remote", Model: "large"})
		o.Prices["remote/large"] = provider.Price{Input: 4, Output: 20}
		o.Prices["large"] = provider.Price{Input: 1000}
		delete(o.Prices, "small")
	})
	for _, test := range []struct {
		route, model, notes string
		cost                float64
	}{
		{"code", "large", "", (1000*4 + 200*20) / 1e6}, {"", "small", "no price for small", 0}, {"admin", "small", `there is no route "admin"; the default route was used; no price for small`, 0},
	} {
		reply, err := ask(t, r, &model.Request{Goal: "?", Remaining: 2, Sampling: model.Sampling{Route: test.route}})
		if err != nil || reply.Model != test.model || strings.Join(reply.Notes, "; ") != test.notes || fmt.Sprintf("%.9f", reply.Usage.CostUSD) != fmt.Sprintf("%.9f", test.cost) {
			t.Errorf("%q: %+v, %v", test.route, reply, err)
		}
	}
}

// TestNoUsage uses a server that reports no usage.
func TestNoUsage(t *testing.T) {
	for kind, body := range map[provider.Kind]string{
		provider.OpenAI:    `{"choices":[{"message":{"role":"assistant","content":"four tokens long"}}]}`,
		provider.Anthropic: message(`[{"type":"text","text":"four tokens long"}]`, "end_turn", "{}"),
	} {
		reply, err := ask(t, router(t, serve(t, kind, answering(200, body)).endpoint(), nil), nil)
		if err != nil || reply.Usage.InputTokens < 100 || reply.Usage.OutputTokens != 4 || !strings.Contains(strings.Join(reply.Notes, ";"), "reports no usage") {
			t.Errorf("%s: %+v, %v", kind, reply, err)
		}
	}
}

func TestOptions(t *testing.T) {
	ok := provider.Endpoint{Name: "remote", Kind: provider.OpenAI}
	route := provider.Route{Name: "main", Provider: "remote", Model: "small"}
	three := 3.
	for name, o := range map[string]provider.Options{
		"no name":         {Endpoints: []provider.Endpoint{{Kind: provider.OpenAI}}},
		"kind":            {Endpoints: []provider.Endpoint{{Name: "remote", Kind: "heuristic"}}},
		"scheme":          {Endpoints: []provider.Endpoint{{Name: "remote", Kind: provider.OpenAI, BaseURL: "file:///etc/passwd"}}},
		"key in the URL":  {Endpoints: []provider.Endpoint{{Name: "remote", Kind: provider.OpenAI, BaseURL: "https://key@host/v1"}}},
		"query":           {Endpoints: []provider.Endpoint{{Name: "remote", Kind: provider.OpenAI, BaseURL: "https://host/v1?key=x"}}},
		"provider twice":  {Endpoints: []provider.Endpoint{ok, ok}},
		"route nameless":  {Routes: []provider.Route{{Provider: "remote", Model: "small"}}},
		"no provider":     {Routes: []provider.Route{{Name: "main", Provider: "other", Model: "small"}}},
		"no model":        {Routes: []provider.Route{{Name: "main", Provider: "remote"}}},
		"route twice":     {Routes: []provider.Route{route, route}},
		"temperature":     {Routes: []provider.Route{{Name: "main", Provider: "remote", Model: "small", Temperature: &three}}},
		"endless":         {Routes: []provider.Route{{Name: "main", Provider: "remote", Model: "small", MaxTokens: 1 << 20}}},
		"no default":      {Routes: []provider.Route{route}, Default: "other"},
		"default unnamed": {Routes: []provider.Route{route}},
	} {
		if o.Endpoints == nil {
			o.Endpoints = []provider.Endpoint{ok}
		}
		if o.Default == "" && name != "default unnamed" {
			o.Default = "main"
		}
		if _, err := provider.NewRouter(o); err == nil {
			t.Errorf("%s is taken", name)
		} else if strings.Contains(err.Error(), "key@") || strings.Contains(err.Error(), "key=") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestEnvironment tests that no environment variable affects a request.
func TestEnvironment(t *testing.T) {
	for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY"} {
		t.Setenv(name, "other")
	}
	for _, name := range []string{"ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "OPENAI_API_BASE"} {
		t.Setenv(name, "http://127.0.0.1:1")
	}
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Other: other")
	for _, kind := range kinds {
		s := serve(t, kind, answering(200, saying(kind, "6379")))
		if reply, err := ask(t, router(t, s.endpoint(), nil), nil); err != nil || reply.Answer != "6379" {
			t.Errorf("%s: %+v, %v", kind, reply, err)
		}
	}
}

// TestPing tests the call that evolve doctor makes.
func TestPing(t *testing.T) {
	for _, kind := range kinds {
		now := time.Unix(1000, 0)
		tick := func() time.Time { now = now.Add(time.Second); return now }
		s := serve(t, kind, answering(200, saying(kind, "ok")), answering(401, "{}"))
		got, err := provider.Ping(t.Context(), s.endpoint(), "small", tick)
		want := provider.Pong{Provider: "remote", Model: "small", Latency: time.Second, Usage: agent.Usage{InputTokens: 1000, OutputTokens: 200, CachedTokens: 400}}
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", kind, got, err)
		}
		if body := string(s.asked()[0]); len(body) > 120 || !strings.Contains(body, `"max_tokens":5`) {
			t.Errorf("%s: not cheap: %s", kind, body)
		}
		var f *provider.Fault
		if _, err = provider.Ping(t.Context(), s.endpoint(), "small", tick); !errors.As(err, &f) || f.Trouble != provider.BadKey {
			t.Errorf("%s: %v", kind, err)
		}
	}
	full := serve(t, provider.OpenAI, answering(400, `{"error":{"message":"Could not finish the message because max_tokens or model output limit was reached."}}`),
		answering(400, `{"error":{"message":"Could not finish the message because max_tokens or model output limit was reached."}}`))
	if _, err := provider.Ping(t.Context(), full.endpoint(), "thinker", nil); err != nil {
		t.Error(err)
	}
	if _, err := provider.Ping(t.Context(), provider.Endpoint{Name: "x"}, "small", nil); err == nil {
		t.Error("an endpoint without a kind answers")
	}
}

// TestAtMost checks that the maximum for a request covers its bytes, the longest possible
// answer and a cache write.
func TestAtMost(t *testing.T) {
	for _, kind := range kinds {
		r := router(t, provider.Endpoint{Name: "remote", Kind: kind, BaseURL: "http://remote/v1", Key: secret}, func(o *provider.Options) { o.Routes[0].MaxTokens = 2000 })
		req := &model.Request{Goal: strings.Repeat("Z", 4000), Remaining: 1, Schema: []byte(`{"type":"object"}`)}
		most := model.AtMost(r, req)
		if most.Input < 4500 || most.Input > 9000 || most.Output != 2000 || most.OutputUSD != .02 {
			t.Errorf("%s: %+v", kind, most)
		}
		want := float64(most.Input) * 2 / 1e6
		if kind == provider.Anthropic {
			want *= 1.25
		}
		if d := most.InputUSD - want; d < -1e-9 || d > 1e-9 {
			t.Errorf("%s: input costs up to %v, want %v", kind, most.InputUSD, want)
		}
		req.Sampling.MaxTokens = 500
		if most := model.AtMost(r, req); most.Output != 500 {
			t.Errorf("%s: %+v", kind, most)
		}
	}
}
