package turn

import (
	"context"
	"fmt"
	"testing"

	"evolve/runtime/agent"
)

// intents returns n precedents, which are utterances of as many intents as the words allow.
func intents(n int) []agent.Memory {
	verbs := []string{"freeze", "replace", "report", "order", "cancel", "find", "extend", "check", "move", "renew"}
	things := []string{"card", "account", "flight", "hotel", "alarm", "recipe", "loan", "car", "bill", "playlist", "visa", "parcel", "meeting", "song", "tyre"}
	tails := []string{"now", "for tomorrow", "at the office", "without delay", "in Spain", "on Friday", "for my brother", "again", "before noon", "online"}
	out := make([]agent.Memory, n)
	for i := range out {
		v, th := verbs[i%10], things[i/10%15]
		out[i] = agent.Memory{ID: fmt.Sprint(i), Text: v + " my " + th + " " + tails[i/150%10], Answer: v + "_" + th}
	}
	return out
}

func BenchmarkRecallTask(b *testing.B) {
	a, err := New(Options{Memories: intents(1500)})
	if err != nil {
		b.Fatal(err)
	}
	c := a.Space().Default()
	c["recall.min_score"] = .5
	req := agent.Request{Task: agent.Task{Goal: "can you please freeze the card on Friday"}, Config: c}
	b.ReportAllocs()
	for b.Loop() {
		a.Run(context.Background(), req)
	}
}

func BenchmarkFileTask(b *testing.B) {
	a, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	req := agent.Request{
		Task:   agent.Task{Goal: "First find who owns the billing service, then find that person's phone in contacts.csv"},
		Config: a.Space().Default(),
		Workdir: lay(b, map[string]string{
			"handbook.md":  handbook["handbook.md"],
			"contacts.csv": "name,phone,team\nAna Ruiz,+49 30 1234,payments\nBo Lind,+46 8 555,search\n",
		}),
	}
	b.ReportAllocs()
	for b.Loop() {
		if r := a.Run(context.Background(), req); answer(r) != "+49 30 1234" {
			b.Fatal(answer(r))
		}
	}
}

func BenchmarkComparison(b *testing.B) {
	a, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	req := agent.Request{
		Task:   agent.Task{Goal: "Compare the unit price of LK-204 and HG-100"},
		Config: a.Space().Default(), Workdir: lay(b, handbook),
	}
	b.ReportAllocs()
	for b.Loop() {
		a.Run(context.Background(), req)
	}
}
