package gotest

import (
	"strings"
	"testing"
)

// TestDoor holds what is read of every patch of the corpus, before any of it runs, against
// what it is: no honest patch but those that change a guard is for a person because of
// its types.
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
