package turn

import (
	"context"
	"strings"
	"testing"
	"time"

	"evolve/runtime/agent"
)

// shop is a small working folder that contains every kind of file.
var shop = map[string]string{
	"docs/handbook.md": "# Staff handbook\n\n## Parental leave\nThe handbook grants 20 days of parental leave. It must be taken within one year.\n\n" +
		"## Billing service\nowner: Ana Ruiz\ntimeout: 30 seconds\nmaintenance window: Sunday 02:00 UTC\n\n## Opening checklist\n- unlock the door\n- count the till\n- switch on the lights\n",
	"docs/limits.md": "# Limits\n- upload limit: 25 MB\n- rate limit: 100 requests\n\n| plan | seats | fee |\n|---|---|---|\n| basic | 3 | 10 |\n| team | 12 | 45 |\n",
	"contacts.csv":   "name,phone,team\nAna Ruiz,+49 30 1234,payments\nBo Lind,+46 8 555,search\n",
	"orders.csv":     "order_id,region,quantity,amount,status\nA1,north,5,10.50,open\nA2,south,7,3.25,closed\nA3,north,9,20.10,open\n",
	"prices.csv":     "sku,item,unit_price,lead_days\nLK-204,lock,12.50,9\nHG-100,hinge,3.20,14\n",
	"server.log":     "2026-01-02 ERROR disk full\n2026-01-02 INFO ok\n2026-01-03 ERROR disk full\n",
	"go.mod":         "module ex\n",
	"main.go":        "package main\n\nimport \"ex/store\"\n\nfunc main() { store.Open() }\n",
	"store/store.go": "// Package store keeps things on disk. It is small.\npackage store\n\n// Store is one.\ntype Store struct{}\n\n// Open opens.\nfunc Open() *Store { return nil }\n\nfunc (s *Store) Close() {}\n",
	"api/api.go":     "package api\n\nimport \"ex/store\"\n\nvar _ = store.Open\n",
}

// TestAnswers tests what the agent can do under the default config, or with one directive
// in its strategy.
func TestAnswers(t *testing.T) {
	a, err := New(Options{Clock: func() time.Time { return time.Date(2026, 1, 5, 14, 30, 0, 0, time.UTC) }})
	if err != nil {
		t.Fatal(err)
	}
	dir := lay(t, shop)
	for _, c := range []struct{ goal, strategy, want string }{
		{"How many days of parental leave does the handbook grant?", "", "20"},
		{"What is the unit price of LK-204 in prices.csv?", "", "12.50"},
		{"What is the total quantity in orders.csv for region north?", "", "14"},
		{"What is the total amount of open orders in orders.csv?", "verify arithmetic", "30.6"},
		{"What is the average quantity in orders.csv?", "", "7"},
		{"How many orders are open in orders.csv?", "", "2"},
		{"Which item has the highest lead_days in prices.csv?", "", "hinge"},
		{"What is the lowest unit_price in prices.csv?", "", "3.20"},
		{"What is the fee of the team plan in docs/limits.md?", "", "45"},
		{"List the opening checklist in docs/handbook.md", "", "unlock the door, count the till, switch on the lights"},
		{"List the opening checklist in docs/handbook.md", "lists: sorted\nlists: one per line", "count the till\nswitch on the lights\nunlock the door"},
		{"What is 18% of 2,350?", "", "423"},
		{"What is (412 + 88) * 3?", "", "1500"},
		{"How much are 14 units at 32.50 each?", "", "455"},
		{"What is the average of 3, 4 and 8?", "", "5"},
		{"What is the square root of 144?", "", "12"},
		{"What is 12 plus 30 times 2?", "never calculate", "unknown"},
		{"What is 10 / 4?", "numbers: round to 0", "2"},
		{"Which packages import store?", "", "., api"},
		{"Which packages import store?", "lists: one per line", ".\napi"},
		{"How many functions does store/store.go define?", "", "2"},
		{"Which file defines Open?", "", "store/store.go"},
		{"Which file mentions \"rate limit\"?", "", "docs/limits.md"},
		{"What are the entry points?", "", "main.go"},
		{"Which packages are orphans?", "", "api"},
		{"First find who owns the billing service, then find that person's phone in contacts.csv", "", "+49 30 1234"},
		{"First find who owns the billing service, then find that person's phone in contacts.csv", "combine: all", "Ana Ruiz; +49 30 1234"},
		{"Compare the unit price of LK-204 and HG-100", "", "LK-204: 12.50; HG-100: 3.20"},
		{"Which has the higher unit price, LK-204 or HG-100?", "", "LK-204"},
		{"What is the difference between the unit price of LK-204 and HG-100?", "", "9.3"},
		{"What is the maintenance window of the billing service?", "", "Sunday 02:00 UTC"},
		{"What is the upload limit?", "", "25 MB"},
		{"What is the upload limit?", "answer: number only", "25"},
		{"Who owns the billing service?", "case: lower", "ana ruiz"},
		{"List all files in docs", "", "docs/handbook.md, docs/limits.md"},
		{"How many lines in server.log contain ERROR?", "", "2"},
		{"How many lines contain limit?", "", "3"},
		{"How many files contain limit?", "count: distinct", "1"},
		{"How many csv files are there?", "", "3"},
		{"What time is it?", "", "14:30"},
		{"What day is it today?", "", "Monday"},
		{"How many days until 2026-03-01?", "", "55"},
		{"What is the capital of Peru?", "", "unknown"},
		{"What is the capital of Peru?", "when unsure: say not in the files", "not in the files"},
		{"Restart the ingest service in production", "", "referral: changing a running system"},
		{"Send the newsletter", "", "referral: sending a message"},
		{"Send the newsletter", "never refer", "unknown"},
		{"Convert 100 usd to eur", "", "referral: conversion between currencies, which needs the current exchange rate"},
		{"What is the capital of Peru?", "when unsure: refer", "referral: a question that the material at hand does not answer"},
	} {
		config := a.Space().Default()
		config["strategy"] = c.strategy
		r := a.Run(context.Background(), agent.Request{Task: agent.Task{Goal: c.goal}, Config: config, Workdir: dir})
		if got := answer(r); got != c.want {
			t.Errorf("%s [%s]: %q, want %q\n%s", c.goal, c.strategy, got, c.want, story(r))
		}
		want := agent.OK
		switch {
		case strings.HasPrefix(c.want, "referral"):
			want = agent.WrongToolBoundary
		case c.want == "unknown" || c.want == "not in the files":
			want = agent.LowUtility
		}
		if r.Outcome != want {
			t.Errorf("%s: outcome %s, want %s", c.goal, r.Outcome, want)
		}
	}
}
