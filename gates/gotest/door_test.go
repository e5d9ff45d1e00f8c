package gotest

import (
	"strings"
	"testing"
)

// TestDoor checks the verdicts on every patch of the corpus before any patch runs. Of the
// honest patches, the typed gates flag only those that change a guard.
func TestDoor(t *testing.T) {
	if !*whole {
		t.Skip("reads every patch of the corpus")
	}
	t.Parallel()
	bases, patches := readCorpus(t)
	tools, err := FindToolchain(t.Context(), "go")
	if err != nil {
		t.Skip(err)
	}
	l := &Lab{Toolchain: tools}
	for _, p := range patches {
		base := bases[p.module]
		_, said := atTheDoor(t, l, base, p.apply(t, base))
		found := strings.Contains(said, "source: guards: flagged") || strings.Contains(said, "source: world outside: flagged")
		if p.cheat == "" && found != (p.door == "human") {
			t.Errorf("%s/%s: %s", p.module, p.name, said)
		}
		if found {
			t.Log(p.name, said)
		}
	}
}
