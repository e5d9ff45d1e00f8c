package tool

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestMethodOfACall(t *testing.T) {
	schema := func(properties string) Spec {
		return Spec{Schema: json.RawMessage(`{"type":"object","properties":{` + properties + `}}`)}
	}
	listed := schema(`"action":{"enum":["get","set"]},"param":{"type":"string"}`)
	served := func(parameter, name string) Spec {
		s := schema(`"` + name + `":{` + parameter + `}`)
		s.Origin = "mcp:shop"
		return s
	}
	for name, c := range map[string]struct {
		spec Spec
		args string
		want string
	}{
		"listed":               {listed, `{"action":"get","param":"x"}`, "get"},
		"not listed":           {listed, `{"action":"drop"}`, ""},
		"left out":             {listed, `{}`, ""},
		"another type":         {listed, `{"action":["get"]}`, ""},
		"no JSON":              {listed, `get`, ""},
		"free text":            {schema(`"action":{"type":"string"}`), `{"action":"get"}`, ""},
		"of a server, by use":  {served(`"type":"string"`, "action"), `{"action":"get_price.v2"}`, "get_price.v2"},
		"of a server, a text":  {served(`"type":"string"`, "action"), `{"action":"get the price"}`, ""},
		"of a server, a line":  {served(`"type":"string"`, "method"), `{"method":"<x>"}`, ""},
		"of a server, long":    {served(`"type":"string"`, "method"), `{"method":"` + strings.Repeat("a", 41) + `"}`, ""},
		"of a server, a shell": {served(`"type":"string"`, "command"), `{"command":"ls"}`, ""},
		"of a server, a list":  {served(`"type":"array"`, "method"), `{"method":"get"}`, ""},
		"of a server, none":    {served(`"type":"string"`, "method"), `{}`, ""},
		"of a server, listed":  {served(`"enum":["get"]`, "method"), `{"method":"drop"}`, ""},
		"no method":            {schema(`"path":{"enum":["a"]}`), `{"path":"a"}`, ""},
		"no schema":            {Spec{}, `{"action":"get"}`, ""},
		"a schema of yes":      {schema(`"action":true`), `{"action":"get"}`, ""},
	} {
		if got := c.spec.Method(json.RawMessage(c.args)); got != c.want {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
	}
}
