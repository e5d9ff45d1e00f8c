package tool

import (
	"context"
	"encoding/json"
	"testing"
)

const mendSchema = `{"type":"object","required":["path"],"additionalProperties":false,"properties":{
	"path":{"type":"string"},"lines":{"type":"integer","minimum":1},"all":{"type":"boolean"},"names":{"type":"array","items":{"type":"string"}}}}`

func mending(t testing.TB) *Registry {
	t.Helper()
	r, err := NewRegistry(Options{}, define("mend", "d", mendSchema, Essential, nil,
		func(context.Context, *Env, struct{}) Result { return OK("") }))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRepair(t *testing.T) {
	r := mending(t)
	for in, want := range map[string]string{
		"```json\n{\"path\":\"a\"}\n```":       `{"path":"a"}`,
		`Sure: {"path":"a"}`:                   `{"path":"a"}`,
		`"{\"path\":\"a\"}"`:                   `{"path":"a"}`,
		`"a.txt"`:                              `{"path":"a.txt"}`,
		`{"path":"a","lines":"3"}`:             `{"lines":3,"path":"a"}`,
		`{"path":"a","all":"true"}`:            `{"all":true,"path":"a"}`,
		`{"path":"a","names":"b"}`:             `{"names":["b"],"path":"a"}`,
		`{"path":"a","names":"[\"b\"]"}`:       `{"names":["b"],"path":"a"}`,
		`{"path":7}`:                           `{"path":"7"}`,
		`{"path":"a","lines":null,"all":null}`: `{"path":"a"}`,
		// Repair does not guess what the model meant
		`{"path":"a","lines":"three"}`: "",
		`{"path":"a","lines":"0"}`:     "",
		`{"file":"a"}`:                 "",
		`{"path":"a","more":1}`:        "",
		`{"path":null}`:                "",
		`{"path":"a"`:                  "",
		`null`:                         "",
		`{"path":"a"}`:                 "", // valid already
	} {
		got, what, ok := r.Repair("mend", json.RawMessage(in))
		if ok != (want != "") || string(got) != want || ok != (what != "") {
			t.Errorf("%s became %s (%s), want %q", in, got, what, want)
		}
	}
	if _, _, ok := r.Repair("other", json.RawMessage(`"a"`)); ok {
		t.Error("mends for a tool that is not there")
	}
}

// FuzzRepair tests that repaired arguments conform to the schema.
func FuzzRepair(f *testing.F) {
	for _, seed := range []string{`{"path":"a","lines":"3"}`, "```{}```", `"x"`, `[`, `{"names":"[1]"}`} {
		f.Add(seed)
	}
	r := mending(f)
	f.Fuzz(func(t *testing.T, text string) {
		if got, _, ok := r.Repair("mend", json.RawMessage(text)); ok {
			if fault := r.entries["mend"].check(got); fault != "" {
				t.Fatalf("%s became %s: %s", text, got, fault)
			}
		}
	})
}
