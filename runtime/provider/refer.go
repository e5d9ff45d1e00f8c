package provider

import (
	"encoding/json"

	"evolve/runtime/tool"
)

// referName is the name of the tool with which a language model refers a task elsewhere.
// The runtime offers the tool, and a call to it ends the turn.
const referName = "refer"

func referTool() Tool {
	return Tool{
		Name: referName,
		Description: "Say that the task lies outside of what your tools can do, instead of an answer. " +
			"Call it alone. It needs evidence, and it is no way out of work that can be done.",
		Schema: json.RawMessage(`{"type":"object","properties":{` +
			`"boundary_axes":{"type":"array","items":{"type":"string"},"description":"what the task needs and the tools have not, a word or two each"},` +
			`"observed_task_shape":{"type":"string","description":"what kind of task this is"},` +
			`"evidence":{"type":"string","description":"a short quotation or fact that shows it"},` +
			`"suggested_split":{"type":"array","items":{"type":"string"},"description":"how the task or a tool might be divided"}},` +
			`"required":["boundary_axes","observed_task_shape","evidence"]}`),
	}
}

// referral decodes the arguments of a call to refer. Invalid arguments become a referral
// without evidence, which the turn does not accept.
func referral(args json.RawMessage) *tool.Boundary {
	var b tool.Boundary
	if json.Unmarshal(args, &b) != nil {
		return &tool.Boundary{}
	}
	return &b
}
