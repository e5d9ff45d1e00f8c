package tool

import (
	"encoding/json"
	"testing"
)

func TestMethodOfACall(t *testing.T) {
	schema := func(properties string) Spec {
		return Spec{Schema: json.RawMessage(`{"type":"object","properties":{` + properties + `}}`)}
	}
	listed := schema(`"action":{"enum":["get","set"]},"param":{"type":"string"}`)
	for name, c := range map[string]struct {
		spec Spec
		args string
		want string
	}{
		"listed":          {listed, `{"action":"get","param":"x"}`, "get"},
		"not listed":      {listed, `{"action":"drop"}`, ""},
		"left out":        {listed, `{}`, ""},
		"another type":    {listed, `{"action":["get"]}`, ""},
		"no JSON":         {listed, `get`, ""},
		"free text":       {schema(`"action":{"type":"string"}`), `{"action":"get"}`, ""},
		"no method":       {schema(`"path":{"enum":["a"]}`), `{"path":"a"}`, ""},
		"no schema":       {Spec{}, `{"action":"get"}`, ""},
		"a schema of yes": {schema(`"action":true`), `{"action":"get"}`, ""},
	} {
		if got := c.spec.Method(json.RawMessage(c.args)); got != c.want {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
	}
}
