package turn

import (
	"testing"

	"evolve/runtime/memory"
)

// TestDomainOfGoals tests the default table on labelled goals, many of which contain a
// keyword of another domain used in a different sense.
func TestDomainOfGoals(t *testing.T) {
	const none = memory.GlobalDomain
	of := newClassifier(memory.NewLexicon(), DefaultDomains())
	for goal, want := range map[string]string{
		"debug the backend":                                         "engineering",
		"Debug why the back-end returns 500":                        "engineering",
		"Why does this function panic?":                             "engineering",
		"refactor the parser module":                                "engineering",
		"Write a unit test for Add":                                 "engineering",
		"The frontend does not compile":                             "engineering",
		"Which packages import store?":                              "engineering",
		"explain this stack trace":                                  "engineering",
		"review the pull request":                                   "engineering",
		"what does the SQL schema look like":                        "engineering",
		"fix the bug in the python library":                         "engineering",
		"how many exceptions does the code throw":                   "engineering",
		"plan the schedule, budget":                                 "operations",
		"Who is on call tonight?":                                   "operations",
		"the on-call rota of March":                                 "operations",
		"restart the ingest server":                                 "operations",
		"What was the uptime of the cluster?":                       "operations",
		"how many orders are open":                                  "operations",
		"Which supplier sent the invoice?":                          "operations",
		"deployed twice and rolled back: describe the outage":       "operations",
		"is there capacity in the warehouse":                        "operations",
		"When is the maintenance window?":                           "operations",
		"grep the logs for disk errors":                             "operations",
		"Move the night shift to Tuesday":                           "operations",
		"the budget of the Lisbon depot":                            "operations",
		"price of eth":                                              "crypto",
		"What is the hash rate of bitcoin?":                         "crypto",
		"hash rates over the last year":                             "crypto",
		"BTC or ETH?":                                               "crypto",
		"move 3 coins to the cold wallet":                           "crypto",
		"is staking on a validator safe":                            "crypto",
		"audit the smart contract":                                  "crypto",
		"how high are gas fees":                                     "crypto",
		"draft the newsletter for the spring campaign":              "marketing",
		"Which segment clicks most?":                                "marketing",
		"a tagline for our brand":                                   "marketing",
		"improve the landing page":                                  "marketing",
		"what do customers say on social media":                     "marketing",
		"how many leads did the advert bring":                       "marketing",
		"write a press release":                                     "marketing",
		"summarize the paper":                                       "research",
		"Which hypothesis does the experiment test?":                "research",
		"how many participants were in the survey":                  "research",
		"find citations of the study":                               "research",
		"is the p-value below .05":                                  "research",
		"evidence for the theory of plate tectonics":                "research",
		"who are the authors of the dataset":                        "research",
		"[route:code] When does the depot close?":                   none,
		"When does the depot close? [route:code]":                   none,
		"[hint:server] tell me a joke":                              none,
		"hint:code what is the weather":                             none,
		"[ROUTE:Test] hello":                                        none,
		"[priority:order] hello":                                    none,
		"[route:code] draft the newsletter for the spring campaign": "marketing",
		"who is called Anna?":                                       none,
		"What is the dog called?":                                   none,
		"call me at six":                                            none,
		"In order to relax, what should I read?":                    none,
		"list the names in alphabetical order":                      none,
		"what does smoking lead to":                                 none,
		"which road leads to Rome":                                  none,
		"how do I log in":                                           none,
		"what is the zip code of Graz":                              none,
		"The gate code of Oslo":                                     none,
		"book a first class seat":                                   none,
		"where is the next gas station":                             none,
		"What is the exchange rate of the krone?":                   none,
		"is an ad hoc meeting planned":                              none,
		"my blood test results":                                     none,
		"decode the letter":                                         none, // parts of words do not count
		"a testament to builders of catalogs":                       none,
		"the disorder of his borders":                               none,
		"What is the capital of Peru?":                              none,
		"freeze my card":                                            none,
		"":                                                          none,
		"the paper about the code":                                  none, // one keyword each
	} {
		if got := of.classify(goal); got != want {
			t.Errorf("%q: %s, want %s", goal, got, want)
		}
	}
}

// TestDomainsOfAnOperator tests that an operator's keywords match only as whole words, in
// any form of the word.
func TestDomainsOfAnOperator(t *testing.T) {
	of := newClassifier(memory.NewLexicon(), map[string][]string{"birds": {"Kite", "red-backed shrike"}, "fish": {"pike"}})
	for goal, want := range map[string]string{
		"how many kites": "birds", "two red backed shrikes": "birds", "the turnpike": memory.GlobalDomain, "PIKE!": "fish",
		"a kite and a pike": memory.GlobalDomain, "[birds:kite] hello": memory.GlobalDomain,
	} {
		if got := of.classify(goal); got != want {
			t.Errorf("%q: %s, want %s", goal, got, want)
		}
	}
}

func TestDomainOf(t *testing.T) {
	of := DomainOf(nil)
	for message, want := range map[string]string{"debug the backend": "engineering", "price of eth": "crypto", "hello": ""} {
		if got := of(message); got != want {
			t.Errorf("%q: %q, not %q", message, got, want)
		}
	}
	if got := DomainOf(map[string][]string{"birds": {"kite"}})("a red kite"); got != "birds" {
		t.Errorf("by an agent's own table: %q", got)
	}
}
