package render

import (
	"fmt"
	"strings"
	"testing"

	"evolve/reports/model"
)

// TestGatesByGroup checks that many gates are shown as one line per group, followed by
// the gates that did not pass, and that only the page shows the other gates one by one.
func TestGatesByGroup(t *testing.T) {
	t.Parallel()
	list := []model.GateVerdict{{Gate: "build", Verdict: "passed", Evidence: "compiled"}, {Gate: "vet", Verdict: "not_run", Evidence: "`build` ended | early"}}
	if blocks := gateBlocks("P1", list); len(blocks) != 1 {
		t.Errorf("few gates are %d blocks, want a table", len(blocks))
	}
	for i := range 10 {
		list = append(list, model.GateVerdict{Gate: fmt.Sprintf("source: %d", i), Verdict: "passed", Evidence: "nothing hidden"})
	}
	blocks := gateBlocks("P1", list)
	out := newTerminal(TerminalOptions{})
	out.blocks(blocks)
	var md markdown
	md.blocks(blocks)
	for name, got := range map[string]string{"terminal": out.b.String(), "Markdown": md.b.String()} {
		for _, want := range []string{"scope and safety", "passed, 10 of 10", "builds and tests", "1 of 2 passed", "vet", "not run", "evolve show P1"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %q:\n%s", name, want, got)
			}
		}
		if strings.Contains(got, "nothing hidden") {
			t.Errorf("%s lists a gate that passed:\n%s", name, got)
		}
	}
	if f, ok := blocks[len(blocks)-1].(fold); !ok || len(f.Blocks[0].(table).Rows) != len(list) {
		t.Error("the page has no fold with all gates")
	}
}
