package scan

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/archive"
	"evolve/gates"
)

func TestGates(t *testing.T) {
	honest := Source{Path: "a.go", New: []byte("package p\nfunc f() int { return 1 }\n")}
	for _, c := range []struct {
		name string
		list []Source
		want string // gates that did not pass
		lane archive.ProposalState
	}{
		{"honest", []Source{honest}, "", archive.Awaiting},
		{"nothing to read", nil, "", archive.Awaiting},
		{"flagged", []Source{honest, {Path: "b.go", New: []byte("package p\nimport \"os\"\nfunc g() { os.Exit(0) }")}}, "source: exits flagged", archive.HumanLane},
		{"fatal", []Source{{Path: "b.go", New: []byte("package p\nimport \"os\"\nfunc init() { os.Exit(0) }")}}, "source: exits failed", archive.GateFailed},
		{"broken", []Source{{Path: "b.go", New: []byte("pack")}, honest}, "source: parses failed, the rest not_run", archive.GateFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			verdicts := gates.Run(t.Context(), Gates(c.list))
			var not []string
			rest := 0
			for i, v := range verdicts {
				switch {
				case v.Evidence == "":
					t.Errorf("gate %q says nothing", v.Gate)
				case i > 0 && v.Verdict == string(gates.NotRun):
					rest++
				case v.Verdict != string(gates.Passed):
					not = append(not, v.Gate+" "+v.Verdict)
				}
			}
			if rest == len(families)-1 {
				not = append(not, "the rest not_run")
			} else if rest > 0 {
				t.Errorf("%d gates were not run", rest)
			}
			if diff := cmp.Diff(c.want, strings.Join(not, ", ")); diff != "" {
				t.Error(diff)
			}
			if gates.Lane(verdicts) != c.lane {
				t.Errorf("lane %s, want %s", gates.Lane(verdicts), c.lane)
			}
		})
	}
}

func TestEvidence(t *testing.T) {
	src := "package p\nimport \"os\"\n" + strings.Repeat("func f() { os.Exit(0) }\n", gates.MaxFindings+3)
	r := newReading([]Source{{Path: "odd\x1b\u202e.go", New: []byte(src)}})
	_, text := r.verdict(familyExits, "")
	if n := strings.Count(text, " exit: "); n != gates.MaxFindings || !strings.HasSuffix(text, "; and 3 more") {
		t.Errorf("%d findings are listed, and at its end: %s", n, text[len(text)-40:])
	}
	if want := `"odd\x1b\u202e.go":3 exit: os.Exit outside`; !strings.HasPrefix(text, want) {
		t.Errorf("it begins %q, want %q", text[:60], want)
	}
}

// TestFamilies checks that every detector has its own rule and belongs to a gate.
func TestFamilies(t *testing.T) {
	seen := map[string]bool{parseRule: true}
	for _, d := range detectors() {
		if seen[d.rule] {
			t.Errorf("two detectors are called %q", d.rule)
		}
		seen[d.rule] = true
		found := false
		for _, f := range families {
			found = found || f.name == d.family
		}
		if !found {
			t.Errorf("%q belongs to no gate", d.rule)
		}
	}
}
