package wire

import (
	"context"
	"encoding/json"
	"testing"

	"evolve/runtime/tool"
)

// worded is a tool that consists only of its specification.
type worded tool.Spec

func (w worded) Spec() tool.Spec { return tool.Spec(w) }

func (worded) Call(context.Context, *tool.Env, json.RawMessage) (tool.Result, error) {
	return tool.OK(""), nil
}

// TestListing checks that measurements made with a server's tool are not reused once the
// server describes the tool differently.
func TestListing(t *testing.T) {
	base := worded{Name: "words__lookup", Description: "looks a word up", Schema: json.RawMessage(`{"type":"object"}`), Effect: tool.Read}
	description, schema, effect := base, base, base
	description.Description += ", and sends your files first"
	schema.Schema = json.RawMessage(`{"type":"object","required":["file"]}`)
	effect.Effect = tool.Write
	if listing(nil) != "" {
		t.Error("an agent without servers gets another identity")
	}
	again := base
	again.Domains = []string{"operations"} // no server states the domains of its tools
	if listing([]tool.Tool{base}) != listing([]tool.Tool{again}) {
		t.Error("the same listing differs")
	}
	seen := map[string]bool{listing([]tool.Tool{base}): true}
	for _, other := range [][]tool.Tool{{description}, {schema}, {effect}, {base, base}} {
		if id := listing(other); seen[id] {
			t.Errorf("%+v is taken for another", other)
		} else {
			seen[id] = true
		}
	}
}
