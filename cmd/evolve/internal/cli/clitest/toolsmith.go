package clitest

import "strings"

// toolsmith answers requests to change a strategy and to rewrite tools; see
// tools_forged.txtar. Its first draft converts lengths wrongly, which is revealed only by a
// test of the version in use. Its next draft converts currencies as well as lengths.
func toolsmith(q fakeQuestion) fakeAnswer {
	if !strings.Contains(q.system, "You maintain the small tools") {
		return advice("strategy", "Write in capital letters.")
	}
	length := "n"
	if strings.Contains(strings.Join(q.data, "\n"), "the draft fails its tests") {
		length = "1000 * n"
	}
	return fakeAnswer{text: "It covers the largest group, amounts of money.\n\n```json\n" + encoded(map[string]any{
		"name": "convert", "description": "Converts lengths and amounts of money.",
		"schema": map[string]any{"type": "object", "properties": map[string]any{"kind": map[string]any{"type": "string"}, "n": map[string]any{"type": "number"}, "note": map[string]any{"type": "string"}}, "required": []string{"kind", "n"}},
		"source": "def run(args):\n    n = args[\"n\"]\n    if args[\"kind\"] == \"length\":\n        return " + length + "\n    if args[\"kind\"] == \"currency\":\n        return 100 * n\n    return {\"refer\": {\"boundary_axes\": [args[\"kind\"]], \"observed_task_shape\": \"another conversion\", \"evidence\": args[\"kind\"]}}\n",
		"tests": []any{
			map[string]any{"name": "cents", "args": map[string]any{"kind": "currency", "n": 2}, "want": 200},
			map[string]any{"name": "days", "args": map[string]any{"kind": "calendar", "n": 2}, "want": map[string]any{"refer": map[string]any{"boundary_axes": []string{"calendar"}, "observed_task_shape": "another conversion", "evidence": "calendar"}}},
		},
	}) + "\n```\n"}
}
