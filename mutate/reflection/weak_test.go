package reflection

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"evolve/mutate"
	"evolve/runtime/agent"
)

// TestWeakProviders covers each way in which a provider or a weak model fails.
func TestWeakProviders(t *testing.T) {
	say := func(text, finish string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(completion(text, finish)) }
	}
	good := answered("prompt", "Be helpful. Count twice.", "counting was off")
	refuses := func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if json.NewDecoder(r.Body).Decode(&body) == nil && body["response_format"] != nil {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprint(w, `{"error":{"message":"'response_format' of type 'json_schema' is not supported"}}`)
			return
		}
		say(good, "stop")(w, r)
	}
	// A server notices that its client is gone only after it has read the request.
	hang := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}
	for name, c := range map[string]struct {
		serve                http.HandlerFunc
		reason               string // part of the reason; empty means a draft is expected
		outcome              agent.Outcome
		unreadable, unbound  bool
		infrastructureFailed bool
	}{
		"good":                       {serve: say(good, "stop")},
		"no JSON":                    {serve: say("Sure! Count twice.", "stop"), reason: "not the JSON object", unreadable: true},
		"empty":                      {serve: say("", "stop"), reason: "not the JSON object", unreadable: true},
		"cut off":                    {serve: say(good[:20], "length"), reason: "cut off", unreadable: true},
		"huge":                       {serve: say(strings.Repeat("x", maxAnswer+1), "stop"), reason: "too long", unreadable: true},
		"nothing, by the schema":     {serve: say(answered("prompt", "Unknown", "r"), "stop"), reason: "proposes no change"},
		"refuses the schema":         {serve: refuses, unbound: true},
		"larger than any response":   {serve: func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, strings.Repeat("x", 9<<20)) }, infrastructureFailed: true},
		"a response of another kind": {serve: func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "<html>") }, infrastructureFailed: true},
		"hangs":                      {serve: hang, reason: "no answer within", outcome: agent.Timeout},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				c.serve(w, r)
			}))
			defer server.Close()
			r := reflector(t, server.URL, nil)
			if r.Timeout = time.Minute; name == "hangs" {
				r.Timeout = 50 * time.Millisecond
			}
			got, err := r.Draft(t.Context(), testMaterial("prompt"), 7)
			if (err != nil) != c.infrastructureFailed {
				t.Fatalf("%v", err)
			}
			if err != nil {
				return
			}
			if (got.Draft == nil) != (c.reason != "") || !strings.Contains(got.Reason, c.reason) || len(got.Reason) > maxRationale {
				t.Errorf("%+v, want %q", got, c.reason)
			}
			if got.Unreadable != c.unreadable || got.Unbound != c.unbound || got.Outcome != c.outcome {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestPlainAnswers tests how the lines of a plain-text answer become a value.
func TestPlainAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		component, answer string
		form              mutate.Form
		want              any
		reason            string
	}{
		"the first line is added":           {component: "prompt", answer: "Here they are:\n1. Count twice.\n2. Be brief.", want: "Be helpful.\nCount twice."},
		"the first line replaces":           {component: "prompt", form: mutate.Rewrite, answer: "- \"Count twice.\"", want: "Count twice."},
		"a line that copies is left out":    {component: "prompt", form: mutate.Rewrite, answer: "Say " + holdoutAnswer + "\nCount twice.", want: "Count twice."},
		"a repeated line changes nothing":   {component: "prompt", answer: "Be helpful.", reason: "changes nothing"},
		"nothing":                           {component: "prompt", answer: "```\n\n```", reason: "is empty"},
		"JSON of the other form":            {component: "steps", answer: `{"component": "steps", "value": 3}`, reason: "is not the plain text"},
		"a number":                          {component: "steps", answer: "more\n6", want: int64(6)},
		"a number that is not in the space": {component: "steps", answer: "600", reason: "but must be between 1 and 9"},
	} {
		t.Run(name, func(t *testing.T) {
			m := testMaterial(c.component)
			m.Plain, m.Form = true, c.form
			d, err := m.judgePlain(c.answer)
			if c.reason != "" {
				if err == nil || !strings.Contains(err.Error(), c.reason) {
					t.Errorf("%v, %v", d, err)
				}
				return
			}
			if err != nil || d.Config[c.component] != c.want || d.Rationale == "" {
				t.Errorf("%v, %v", d, err)
			}
		})
	}
}

// TestPlainRequest checks that a request for plain text has no schema and does not
// mention JSON, and that the lines of an answer are used up to the line that was cut off.
func TestPlainRequest(t *testing.T) {
	m := testMaterial("prompt")
	if req := m.request("r", 1); !json.Valid(req.Schema) || req.Sampling.MaxTokens == 0 {
		t.Errorf("schema %s, %d tokens", req.Schema, req.Sampling.MaxTokens)
	}
	m.Plain = true
	if got := prompt(m); strings.Contains(got, "JSON object alone") || m.request("r", 1).Schema != nil {
		t.Errorf("the request is %s", got)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(completion("Count twice.\nBe as care", "length"))
	}))
	defer server.Close()
	got, err := reflector(t, server.URL, nil).Draft(t.Context(), m, 7)
	if err != nil || got.Draft == nil || got.Draft.Config.String("prompt") != "Be helpful.\nCount twice." {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestPlainDemonstrations checks that lines of the form task => answer become
// demonstrations.
func TestPlainDemonstrations(t *testing.T) {
	m := testMaterial("examples")
	m.Plain = true
	d, err := m.judgePlain("1. How many pears? => 7\nno arrow\n")
	if want := agent.FormatDemonstrations([]agent.Demonstration{{Task: "How many pears?", Answer: "7"}}); err != nil || d.Config.String("examples") != want {
		t.Errorf("%v, %v", d.Config, err)
	}
}

// whole converts an answer that was not cut off into a draft.
func (m Material) whole(answer string) (mutate.Draft, error) { return m.draft(answer, false) }

// TestCutAnswers checks that an answer that was cut off counts if its value is complete.
func TestCutAnswers(t *testing.T) {
	const whole = `{"component":"prompt","value":"Be helpful. Count twice.","rationale":"counting was off"}`
	m, values := testMaterial("prompt"), 0
	for n := range len(whole) {
		d, err := m.draft(whole[:n], true)
		if err == nil {
			values++
			if d.Config.String("prompt") != "Be helpful. Count twice." || d.Rationale == "" {
				t.Errorf("%q: %v", whole[:n], d)
			}
		}
	}
	if rest := len(`,"rationale":"counting was off"}`); values < rest-1 || values > rest+1 {
		t.Errorf("%d beginnings of the answer have a value", values)
	}
}
