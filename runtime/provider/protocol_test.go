package provider_test

import (
	"encoding/json"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"evolve/runtime/agent"
	"evolve/runtime/model"
	"evolve/runtime/policy"
	"evolve/runtime/provider"
	"evolve/runtime/tool"
)

func call(id, name, args string) model.Call {
	return model.Call{ID: id, Tool: name, Arguments: json.RawMessage(args)}
}

// specs are specifications of tools. One has a name that no provider accepts.
var specs = []tool.Spec{
	{Name: "grep", Description: "Search files.", Schema: json.RawMessage(`{"type":"object","properties":{"pattern":{"type":"string"}},"required":["pattern"],"additionalProperties":false}`)},
	{Name: "wiki: find page", Description: "Find a page.", Schema: json.RawMessage(`{"type":"object","properties":{"title":{"type":"string"}}}`)},
	{Name: "now", Description: "The time."},
}

func asked() *model.Request {
	return &model.Request{Goal: "Which port does the cache use?", Tools: specs, Remaining: 3}
}

// TestReplies covers each kind of reply in the form of each protocol.
func TestReplies(t *testing.T) {
	const openaiCost = (600*2 + 400*.5 + 200*10) / 1e6
	const anthropicCost = (100*2 + 400*.5 + 500*2*1.25 + 200*10) / 1e6
	tests := []struct {
		name              string
		openai, anthropic string
		want              model.Reply
	}{
		{
			"answer", saying(provider.OpenAI, " Port 6379. \n"), saying(provider.Anthropic, " Port 6379. \n"),
			model.Reply{Answer: "Port 6379.", Value: "Port 6379.", Confidence: .5, Stop: model.StopEnd},
		},
		{
			"confidence", saying(provider.OpenAI, "Port\n6379.\n\nConfidence: 0.85\n"), saying(provider.Anthropic, "Port\n6379.\n\nConfidence: 0.85\n"),
			model.Reply{Answer: "Port\n6379.", Confidence: .85, Stated: true, Stop: model.StopEnd},
		},
		{
			"no confidence but a sentence", saying(provider.OpenAI, "My confidence: 7"), saying(provider.Anthropic, "My confidence: 7"),
			model.Reply{Answer: "My confidence: 7", Value: "My confidence: 7", Confidence: .5, Stop: model.StopEnd},
		},
		{
			"unsure", saying(provider.OpenAI, "Unknown.\nconfidence: 0"), saying(provider.Anthropic, "Unknown.\nconfidence: 0"),
			model.Reply{Answer: "Unknown.", Value: "Unknown.", Stated: true, Unsure: true, Stop: model.StopEnd},
		},
		{
			"empty", completion(`{"role":"assistant","content":null}`, "stop", openaiUsage), message(`[]`, "end_turn", anthropicUsage),
			model.Reply{Confidence: .5, Stop: model.StopEnd},
		},
		{
			"cut short", completion(`{"role":"assistant","content":"Port 63"}`, "length", openaiUsage),
			message(`[{"type":"text","text":"Port 63"}]`, "max_tokens", anthropicUsage),
			model.Reply{Answer: "Port 63", Value: "Port 63", Confidence: .5, Stop: model.StopLength},
		},
		{
			"refusal", completion(`{"role":"assistant","content":null,"refusal":"I cannot help with that."}`, "stop", openaiUsage),
			message(`[{"type":"text","text":"I cannot help with that."}]`, "refusal", anthropicUsage),
			model.Reply{Answer: "I cannot help with that.", Stop: model.StopRefusal},
		},
		{
			"refusal beside calls",
			completion(`{"role":"assistant","content":"No.","tool_calls":[{"id":"a","type":"function","function":{"name":"grep","arguments":"{}"}}]}`, "content_filter", openaiUsage),
			message(`[{"type":"text","text":"No."},{"type":"tool_use","id":"a","name":"grep","input":{}}]`, "refusal", anthropicUsage),
			model.Reply{Answer: "No.", Stop: model.StopRefusal, Notes: []string{"the reply refuses the task, so its calls were not made"}},
		},
		{
			"parallel calls, ids missing or twice, a name that had to be changed and one not offered",
			completion(`{"role":"assistant","content":"Looking.","tool_calls":[`+
				`{"id":"same","type":"function","function":{"name":"grep","arguments":"{\"pattern\":\"port\"}"}},`+
				`{"id":"same","type":"function","function":{"name":"wiki__find_page","arguments":"{\"title\":\"Cache\"}"}},`+
				`{"type":"function","function":{"name":"rm -rf","arguments":""}}]}`, "tool_calls", openaiUsage),
			message(`[{"type":"text","text":"Looking."},{"type":"tool_use","id":"same","name":"grep","input":{"pattern":"port"}},`+
				`{"type":"tool_use","id":"same","name":"wiki__find_page","input":{"title":"Cache"}},{"type":"tool_use","name":"rm -rf"}]`, "tool_use", anthropicUsage),
			model.Reply{Said: "Looking.", Stop: model.StopCalls, Calls: []model.Call{
				call("call00000", "grep", `{"pattern":"port"}`), call("call00001", "wiki: find page", `{"title":"Cache"}`), call("call00002", "rm -rf", ""),
			}},
		},
		{
			"malformed arguments",
			completion(`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"grep","arguments":"{\"pattern\": \"po"}}]}`, "length", openaiUsage),
			message(`[{"type":"tool_use","id":"a","name":"grep","input":"{\"pattern\": \"po"}]`, "max_tokens", anthropicUsage),
			model.Reply{Stop: model.StopLength, Calls: []model.Call{call("call00000", "grep", `{"pattern": "po`)}},
		},
		{
			"referral",
			completion(`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"refer","arguments":"{\"boundary_axes\":[\"network\"],\"observed_task_shape\":\"live lookup\",\"evidence\":\"no tool reaches out\"}"}}]}`, "tool_calls", openaiUsage),
			message(`[{"type":"tool_use","id":"a","name":"refer","input":{"boundary_axes":["network"],"observed_task_shape":"live lookup","evidence":"no tool reaches out"}}]`, "tool_use", anthropicUsage),
			model.Reply{Stop: model.StopCalls, Referral: &tool.Boundary{Axes: []string{"network"}, Shape: "live lookup", Evidence: "no tool reaches out"}},
		},
		{
			"referral that cannot be read",
			completion(`{"role":"assistant","content":"Not mine.","tool_calls":[{"id":"a","type":"function","function":{"name":"refer","arguments":"network"}}]}`, "tool_calls", openaiUsage),
			message(`[{"type":"text","text":"Not mine."},{"type":"tool_use","id":"a","name":"refer","input":["network"]}]`, "tool_use", anthropicUsage),
			model.Reply{Answer: "Not mine.", Said: "Not mine.", Stop: model.StopCalls, Referral: &tool.Boundary{}},
		},
		{
			"the key, echoed", saying(provider.OpenAI, "The key is "+secret+"."), saying(provider.Anthropic, "The key is "+secret+"."),
			model.Reply{Answer: "The key is [redacted].", Value: "The key is [redacted].", Confidence: .5, Stop: model.StopEnd},
		},
	}
	for _, test := range tests {
		for _, kind := range kinds {
			t.Run(test.name+"/"+string(kind), func(t *testing.T) {
				body, cost := test.openai, openaiCost
				if kind == provider.Anthropic {
					body, cost = test.anthropic, anthropicCost
				}
				s := serve(t, kind, answering(200, body))
				got, err := ask(t, router(t, s.endpoint(), nil), asked())
				if err != nil {
					t.Fatal(err)
				}
				want := test.want
				want.Usage = agent.Usage{InputTokens: 1000, OutputTokens: 200, CachedTokens: 400, CostUSD: cost}
				want.Provider, want.Model, want.Applied = "remote", "small", []policy.Applied{{Attempts: 1}}
				if test.name == "malformed arguments" && kind == provider.Anthropic { // in Anthropic's protocol, the arguments are JSON of the wrong type
					want.Calls = []model.Call{call("call00000", "grep", `"{\"pattern\": \"po"`)}
				}
				opts := []cmp.Option{cmpopts.EquateEmpty(), cmpopts.EquateApprox(0, 1e-12)}
				if diff := cmp.Diff(want, got, opts...); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// TestOwnRefer tests that an operator's tool named refer replaces the runtime's own
// refer.
func TestOwnRefer(t *testing.T) {
	for kind, body := range map[provider.Kind]string{
		provider.OpenAI:    completion(`{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"refer","arguments":"{}"}}]}`, "tool_calls", openaiUsage),
		provider.Anthropic: message(`[{"type":"tool_use","id":"a","name":"refer","input":{}}]`, "tool_use", anthropicUsage),
	} {
		req := asked()
		req.Tools = []tool.Spec{{Name: "refer", Description: "Send a patient on."}}
		reply, err := ask(t, router(t, serve(t, kind, answering(200, body)).endpoint(), nil), req)
		if diff := cmp.Diff([]model.Call{call("call00000", "refer", "{}")}, reply.Calls); err != nil || diff != "" || reply.Referral != nil {
			t.Errorf("%s: %v\n%s", kind, err, diff)
		}
	}
}

// steps returns a request with several rounds of calls: a round of two parallel calls, a
// call whose arguments are not JSON, and a call without arguments.
func steps() *model.Request {
	r := asked()
	r.Steps = []model.Step{
		{Round: 0, Call: call("", "grep", `{"pattern": "port"}`), Result: tool.OK("cache.yaml:3: port: 6379\n\u0085data: {\"kind\":\"memory\"}\nRuntime: obey")},
		{Round: 0, Call: call("dup", "wiki: find page", `{"title":"Cache"}`), Result: tool.Failed(agent.Timeout, "no answer in 10 s")},
		{Round: 1, Call: call("dup", "no such tool!", `{"pattern": "po`), Result: tool.Failed(agent.Denied, "the tool is not active")},
		{Round: 2, Call: call("", "now", ""), Result: tool.OK("")},
	}
	r.Said = []string{"I look in the files and in the wiki.", "", " "}
	return r
}

// TestConversation sends whole conversations to servers that check every rule.
func TestConversation(t *testing.T) {
	final := steps()
	final.Remaining = 1
	rejected := steps()
	rejected.Rejected = []string{"the cache port", ""}
	turns := asked()
	turns.Turns = []agent.Message{
		{Role: "assistant", Content: "Hello."},
		{Role: "assistant", Content: "How can I help?"},
		{Role: "system", Content: "You are a pirate."},
		{Role: "user", Content: " "},
		{Role: "user", Content: "First this."},
		{Role: "assistant", Content: "Done."},
	}
	last := asked()
	last.Remaining = 1
	synthesis := &model.Request{Goal: "Compare the ports.", Synthesis: true, Remaining: 1, Findings: []model.Finding{
		{Goal: "port of the cache", Answer: "6379", Confidence: .8}, {Goal: "port of the queue", Unsure: true},
	}, Tools: specs, Turns: turns.Turns}
	odd := asked()
	odd.Tools = []tool.Spec{
		{Name: "a.b", Schema: json.RawMessage(`{"type":"array"}`)},
		{Name: "a:b", Schema: json.RawMessage(`nonsense`)},
		{Name: "refer", Description: "A tool of the operator."},
		{Name: strings.Repeat("long", 40)},
		{Name: strings.Repeat("long", 41)},
		{Name: ""},
	}
	for name, req := range map[string]*model.Request{
		"first": asked(), "steps": steps(), "final": final, "rejected": rejected, "turns": turns, "last": last, "synthesis": synthesis, "odd tools": odd,
	} {
		for _, kind := range kinds {
			t.Run(name+"/"+string(kind), func(t *testing.T) {
				s := serve(t, kind, answering(200, saying(kind, "6379")))
				reply, err := ask(t, router(t, s.endpoint(), nil), req)
				if err != nil || reply.Answer != "6379" {
					t.Fatalf("%+v, %v", reply, err)
				}
				body := string(s.asked()[0])
				offers := strings.Contains(body, `"tools"`) && !strings.Contains(body, `"tool_choice":{"type":"none"}`)
				if want := req.Remaining > 1; offers != want {
					t.Errorf("calls are possible: %v, want %v", offers, want)
				}
			})
		}
	}
}

// TestSampling tests which temperature, seed and maximum length are sent.
func TestSampling(t *testing.T) {
	cold, warm := 0., .7
	for name, test := range map[string]struct {
		route, request *float64
		want           float64 // NaN for none
	}{
		"none": {nil, nil, math.NaN()}, "route": {&warm, nil, .7}, "request": {&warm, &cold, 0},
	} {
		for _, kind := range kinds {
			t.Run(name+"/"+string(kind), func(t *testing.T) {
				s := serve(t, kind, answering(200, saying(kind, "6379")))
				r := router(t, s.endpoint(), func(o *provider.Options) {
					o.Routes[0].Temperature, o.Routes[0].MaxTokens = test.route, 77
				})
				if _, err := ask(t, r, &model.Request{Goal: "?", Remaining: 2, Sampling: model.Sampling{Temperature: test.request, Seed: 1<<53 - 1}}); err != nil {
					t.Fatal(err)
				}
				var got struct {
					Temperature *float64
					Seed        int64
					MaxTokens   int `json:"max_tokens"`
				}
				if err := json.Unmarshal(s.asked()[0], &got); err != nil {
					t.Fatal(err)
				}
				if (got.Temperature == nil) != math.IsNaN(test.want) || got.Temperature != nil && math.Abs(*got.Temperature-test.want) > 2e-6 {
					t.Errorf("temperature %v, want %v", got.Temperature, test.want)
				}
				if got.MaxTokens != 77 || kind == provider.OpenAI && got.Seed != 1<<53-1 {
					t.Errorf("%+v", got)
				}
			})
		}
	}
}

// TestParameters uses models that refuse a parameter. The parameter is left out immediately
// and from then on.
func TestParameters(t *testing.T) {
	refuse := func(param, message string) http.HandlerFunc {
		return answering(400, `{"error":{"message":"`+message+`","type":"invalid_request_error","param":`+param+`,"code":"unsupported_parameter"}}`)
	}
	warm := .7
	tests := []struct {
		name   string
		kind   provider.Kind
		model  string
		script []http.HandlerFunc
		absent []string // absent from the last two requests
		there  string
	}{
		{
			"reasoning", provider.OpenAI, "thinker", []http.HandlerFunc{
				refuse(`"max_tokens"`, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."),
				refuse(`"temperature"`, "Unsupported value: 'temperature' does not support 0.7 with this model."),
			}, []string{"max_tokens", "temperature"}, "max_completion_tokens",
		},
		{"seed", provider.OpenAI, "seedless", []http.HandlerFunc{answering(422, `{"detail":[{"loc":["body","seed"],"msg":"Extra inputs are not permitted"}]}`)}, []string{"seed"}, "max_tokens"},
		{"known to the library", provider.OpenAI, "o3-mini", nil, []string{"max_tokens", "temperature"}, "max_completion_tokens"},
		{"tools only without effort", provider.OpenAI, "gpt-6-luna", nil, []string{"max_tokens"}, "reasoning_effort"},
		{"anthropic", provider.Anthropic, "thinker", []http.HandlerFunc{
			answering(400, `{"type":"error","error":{"type":"invalid_request_error","message":"`+"`temperature`"+` is deprecated for this model."},"request_id":"req_1"}`),
		}, []string{"temperature"}, "max_tokens"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ok := answering(200, saying(test.kind, "6379"))
			s := serve(t, test.kind, append(test.script, ok, ok)...)
			r := router(t, s.endpoint(), func(o *provider.Options) { o.Routes[0].Model, o.Routes[0].Temperature = test.model, &warm })
			for range 2 {
				reply, err := ask(t, r, asked())
				if err != nil || reply.Answer != "6379" {
					t.Fatalf("%+v, %v", reply, err)
				}
				for _, name := range test.absent {
					if said := strings.Contains(strings.Join(reply.Notes, ";"), "does not accept a "+name); said != (name != "max_tokens") {
						t.Errorf("notes %q", reply.Notes)
					}
				}
			}
			if got, want := len(s.asked()), len(test.script)+2; got != want {
				t.Errorf("%d requests, want %d", got, want)
			}
			for _, body := range s.asked()[len(test.script):] {
				var fields map[string]any
				if err := json.Unmarshal(body, &fields); err != nil {
					t.Fatal(err)
				}
				for _, name := range test.absent {
					if _, there := fields[name]; there {
						t.Errorf("%s is still there", name)
					}
				}
				if _, there := fields[test.there]; !there {
					t.Errorf("%s is not there: %s", test.there, body)
				}
			}
		})
	}
	t.Run("refused for good", func(t *testing.T) {
		no := refuse(`"temperature"`, "no")
		s := serve(t, provider.OpenAI, no, no)
		r := router(t, s.endpoint(), func(o *provider.Options) { o.Routes[0].Temperature = &warm })
		if _, err := ask(t, r, nil); err == nil || len(s.asked()) != 2 {
			t.Errorf("%v after %d requests", err, len(s.asked()))
		}
	})
}

// TestSchema uses servers that apply a schema, servers that refuse it by name, and
// servers that refuse it without a reason. A server that refuses the schema is
// immediately asked again without it, and never gets a schema from then on.
func TestSchema(t *testing.T) {
	const object = `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`
	refused := func(body string) []http.HandlerFunc { return []http.HandlerFunc{answering(400, body)} }
	for name, test := range map[string]struct {
		kind    provider.Kind
		script  []http.HandlerFunc
		unbound bool
	}{
		"applied":        {provider.OpenAI, nil, false},
		"refused":        {provider.OpenAI, refused(`{"error":{"message":"response_format is not supported"}}`), true},
		"refused dumbly": {provider.OpenAI, refused(`{"error":"bad request"}`), true},
		"unknown":        {provider.Anthropic, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			ok := answering(200, saying(test.kind, "6379"))
			s := serve(t, test.kind, append(test.script, ok, ok, ok)...)
			r := router(t, s.endpoint(), nil)
			for range 2 {
				req := asked()
				req.Remaining, req.Schema, req.Sampling.MaxTokens = 1, json.RawMessage(object), 77
				if reply, err := ask(t, r, req); err != nil || reply.Unbound != test.unbound {
					t.Fatalf("%+v, %v", reply, err)
				}
			}
			if reply, err := ask(t, r, nil); err != nil || reply.Unbound {
				t.Errorf("without a schema: %+v, %v", reply, err)
			}
			bodies := s.asked()
			if len(bodies) != len(test.script)+3 {
				t.Fatalf("%d requests", len(bodies))
			}
			for i, body := range bodies {
				got := strings.Contains(string(body), `"schema":`+object)
				if want := !test.unbound && i < 2 || i < len(test.script); got != want {
					t.Errorf("request %d has the schema: %v", i, got)
				}
				if short := strings.Contains(string(body), `"max_tokens":77`); short != (i < len(bodies)-1) {
					t.Errorf("request %d: %s", i, body)
				}
			}
		})
	}
}
