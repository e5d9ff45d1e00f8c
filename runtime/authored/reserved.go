package authored

import (
	"slices"
	"strings"

	"evolve/runtime/tool"
)

// Reserved reports whether a name is the name of a built-in tool or is reserved for one.
func Reserved(name string) bool {
	switch name {
	case "pipeline_config", "propose_patch", "tool_create", "tool_delete", "self_evaluate", "check_calibration", "what_do_i_know",
		"recent_corrections", "context_check", "status_report", "reflect", "delegate", "note", "enable_tool", "final_answer":
		return true
	}
	return strings.HasPrefix(name, "memory_") || strings.HasPrefix(name, "mcp_") ||
		slices.ContainsFunc(tool.Builtin(), func(t tool.Tool) bool { return t.Spec().Name == name })
}
