package authored

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
)

func TestHealth(t *testing.T) {
	var h Health
	after := func(source string, causes ...string) {
		for _, c := range causes {
			h = h.After(source, c, agent.Execution)
		}
	}
	after("a", "error in line 2", "", causeTime, "", "", "error in line 2", causeTime)
	if h.Failures != 4 || h.Quarantined("a") {
		t.Errorf("after two failures of each of two causes: %+v", h)
	}
	h = h.After("a", causeTime, agent.Timeout)
	if cause, n := h.Cause(); !h.Quarantined("a") || h.Last != agent.Timeout || cause != causeTime || n != 3 {
		t.Errorf("after three failures of one cause: %+v", h)
	}
	if h.Quarantined("b") {
		t.Error("another source is in quarantine")
	}
	text, err := json.Marshal(h)
	var stored Health
	if err != nil || json.Unmarshal(text, &stored) != nil || !cmp.Equal(stored, h) {
		t.Errorf("stored as %s", text)
	}
	if r := h.Released(); r.Quarantined("a") || r.After("a", causeTime, agent.Timeout).Failures != 1 {
		t.Errorf("released: %+v", r)
	}
	if w := (Health{}).Withdrawn("a"); !w.Quarantined("a") || w.Quarantined("b") || w.Released().Quarantined("a") || w.Failures != 0 {
		t.Errorf("withdrawn: %+v", w)
	}
	if w := h.Withdrawn("b"); !w.Quarantined("b") || w.Last != "" {
		t.Errorf("another source withdrawn: %+v", w)
	}
	if cause, _ := h.Withdrawn("a").Cause(); cause != causePerson || h.Causes[causePerson] != 0 {
		t.Errorf("withdrawn for %q; before that %+v", cause, h)
	}
	after("b", causeTime)
	if h.Failures != 1 || h.Source != "b" {
		t.Errorf("another source: %+v", h)
	}
}

// TestHealthWithoutCauses reads records that were stored before causes were recorded.
func TestHealthWithoutCauses(t *testing.T) {
	var two, three Health
	for text, h := range map[string]*Health{`{"source":"a","failures":2,"last":"timeout"}`: &two, `{"source":"a","failures":3}`: &three} {
		if err := json.Unmarshal([]byte(text), h); err != nil {
			t.Fatal(err)
		}
	}
	if !three.Quarantined("a") || two.Quarantined("a") {
		t.Errorf("%+v, %+v", two, three)
	}
	two = two.After("a", causeTime, agent.Timeout)
	if two.Quarantined("a") || two.Failures != 3 || two.Causes[causeUnknown] != 2 {
		t.Errorf("%+v", two)
	}
}

func TestCausesAreBounded(t *testing.T) {
	var h Health
	for i := range 2 * maxCauses {
		h = h.After("a", fmt.Sprint("error in line ", i), agent.Execution)
	}
	if len(h.Causes) > maxCauses+1 || h.Failures != 2*maxCauses {
		t.Errorf("%d causes of %d failures", len(h.Causes), h.Failures)
	}
}
