package turn

import (
	"testing"

	"evolve/runtime/memory"
)

// TestAmbiguousWordsNeedASecondSign tests that everyday words indicate a domain only if
// certain other words occur beside them.
func TestAmbiguousWordsNeedASecondSign(t *testing.T) {
	of := newClassifier(memory.NewLexicon(), DefaultDomains())
	for goal, want := range map[string]string{
		"gas in the stomach": memory.GlobalDomain, "mine coal": memory.GlobalDomain, "token of love": memory.GlobalDomain,
		"class reunion of my school": memory.GlobalDomain, "this is a test of patience": memory.GlobalDomain, "a bug in my bed": memory.GlobalDomain,
		"order 66": memory.GlobalDomain, "call me in order": memory.GlobalDomain, "in order to win": memory.GlobalDomain, "who is called": memory.GlobalDomain,
		"a sample of his voice": memory.GlobalDomain, "lead me home": memory.GlobalDomain, "a log in the fireplace": memory.GlobalDomain, "toss the coin": memory.GlobalDomain,
		"the ether of the ancients": memory.GlobalDomain,
		"price of ether":            "crypto", "price of eth": "crypto", "how high are gas fees": "crypto", "a mining pool": "crypto", "mint a token": "crypto",
		"fix the bug": "engineering", "run the tests": "engineering", "the test of this function": "engineering", "a bug in the parser": "engineering",
		"debug the backend": "engineering", "plan the schedule, budget": "operations", "who is on-call": "operations",
		"ship the order": "operations", "how many orders are open": "operations", "the order is in the warehouse": "operations",
	} {
		if got := of.classify(goal); got != want {
			t.Errorf("%q: %s, want %s", goal, got, want)
		}
	}
	own := newClassifier(memory.NewLexicon(), map[string][]string{"law": {"order"}})
	if got := own.classify("order 66"); got != "law" {
		t.Errorf("an operator's own keyword: %s", got)
	}
}
