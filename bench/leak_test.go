package bench

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"evolve/runtime/agent"
)

func TestLeaks(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	make40 := func(n int, f func(i int, t *Task)) []Task {
		tasks := make([]Task, n)
		for i := range tasks {
			tasks[i] = Task{ID: fmt.Sprint(i), Goal: fmt.Sprint("question ", i)}
			f(i, &tasks[i])
		}
		return tasks
	}
	answered := func(t *Task, answer string) { t.Answer = &answer }
	labels := []string{"bug", "question", "praise", "spam"}
	for name, c := range map[string]struct {
		tasks []Task
		want  string
	}{
		"the answer is the domain": {make40(40, func(i int, t *Task) {
			answered(t, labels[i%4])
			t.Domain = "Bug"
			if i%4 > 0 {
				t.Domain = labels[i%4]
			}
		}), "domain is itself the answer in 100 % of 40 tasks"},
		"a code for the answer": {make40(40, func(i int, t *Task) {
			answered(t, labels[i%4])
			t.Input = json.RawMessage(fmt.Sprintf(`{"text":"words %d","code":%d}`, i, 100+i%4))
		}), "input.code predicts the answer in 100 % of 40 tasks; without it, 25 % can be predicted"},
		"nine of ten": {make40(40, func(i int, t *Task) {
			answered(t, labels[i%4])
			t.Domain = fmt.Sprint("d", i%4)
			if i%10 == 0 {
				t.Domain = fmt.Sprint("d", random.IntN(4))
			}
		}), "domain predicts the answer in 90 % of 40 tasks; without it, 25 % can be predicted"},
		"a grader's answer": {make40(40, func(i int, t *Task) {
			t.Graders = []GraderSpec{{Type: "contains", Raw: json.RawMessage(fmt.Sprintf(`{"type":"contains","all":[%q]}`, labels[i%4]))}}
			t.Domain = labels[i%4]
		}), "domain is itself the answer in 100 % of 40 tasks"},
		"domains of many answers":    {make40(150, func(i int, t *Task) { answered(t, fmt.Sprint("intent", i%50)); t.Domain = fmt.Sprint("d", i%10) }), ""},
		"answers all alike":          {make40(40, func(i int, t *Task) { answered(t, "yes"); t.Domain = labels[i%4] }), ""},
		"answers all different":      {make40(40, func(i int, t *Task) { answered(t, fmt.Sprint("a", i)); t.Domain = labels[i%4] }), ""},
		"a value for each task":      {make40(40, func(i int, t *Task) { answered(t, labels[i%4]); t.Domain = fmt.Sprint("d", i) }), ""},
		"too few for a code to tell": {make40(6, func(i int, t *Task) { answered(t, labels[i%2]); t.Domain = fmt.Sprint("d", i%2) }), ""},
		"few, and each the answer": {
			make40(2, func(i int, t *Task) { answered(t, labels[i]); t.Domain = labels[i] }),
			"domain is itself the answer in 100 % of 2 tasks",
		},
		"few, and one is not":    {make40(7, func(i int, t *Task) { answered(t, labels[i%4]); t.Domain = labels[max(i, 1)%4] }), ""},
		"few, of one answer":     {make40(3, func(i int, t *Task) { answered(t, "bug"); t.Domain = "bug" }), ""},
		"one task tells nothing": {make40(1, func(i int, t *Task) { answered(t, "bug"); t.Domain = "bug" }), ""},
		"nine of ten answers are one": {make40(40, func(i int, t *Task) {
			answered(t, labels[min(i, 36)/36])
			t.Domain = labels[min(i, 36)/36]
		}), "domain is itself the answer in 100 % of 40 tasks"},
		"answers of signs": {
			make40(3, func(i int, t *Task) {
				answered(t, "+-/"[i:i+1])
				t.Input = json.RawMessage(fmt.Sprintf(`{"op":%q}`, "+-/"[i:i+1]))
			}),
			"input.op is itself the answer in 100 % of 3 tasks",
		},
		"the answer and a number": {make40(3, func(i int, t *Task) {
			answered(t, labels[i])
			t.Input = json.RawMessage(fmt.Sprintf(`{"meta":{"case":"%s-00%d","tags":[%q]}}`, labels[i], i, labels[i]))
		}), "input.meta.case is itself the answer in 100 % of 3 tasksinput.meta.tags is itself the answer in 100 % of 3 tasks"},
		"a list of choices": {
			make40(3, func(i int, t *Task) {
				answered(t, labels[i])
				t.Input = json.RawMessage(fmt.Sprintf(`{"choices":[%q,"none"]}`, labels[i]))
			}), "",
		},
		"a text to read": {
			make40(9, func(i int, t *Task) {
				answered(t, labels[i%4])
				t.Input = json.RawMessage(fmt.Sprintf(`{"text":"it was %s, %d"}`, labels[i%4], i))
			}), "",
		},
		"a file with the answer as its name": {make40(3, func(i int, t *Task) {
			answered(t, labels[i])
			t.Fixtures.Files = map[string]string{"in/a-" + labels[i] + ".txt": "words"}
		}), "file name contains the answer in 100 % of 3 tasks"},
		"a further accepted answer": {make40(3, func(i int, t *Task) {
			answered(t, "ABC"[i:i+1])
			t.Domain = labels[i]
			t.Graders = []GraderSpec{{Type: "exact", Raw: json.RawMessage(fmt.Sprintf(`{"type":"exact","answer":["%c",%q]}`, 'A'+i, labels[i]))}}
		}), "domain is itself the answer in 100 % of 3 tasks"},
		"what must not be said is no answer": {make40(3, func(i int, t *Task) {
			t.Domain = labels[i]
			t.Graders = []GraderSpec{{Type: "contains", Not: true, Raw: json.RawMessage(fmt.Sprintf(`{"type":"contains","not":true,"all":[%q]}`, labels[i]))}}
		}), ""},
		"a conversation that ends with the answer": {make40(2, func(i int, t *Task) {
			answered(t, labels[i])
			t.Messages = []agent.Message{{Role: "user", Content: "which?"}, {Role: "assistant", Content: labels[i]}}
		}), "last message is itself the answer in 100 % of 2 tasks"},
		"a pattern of one text": {make40(3, func(i int, t *Task) {
			t.Domain = labels[i]
			t.Graders = []GraderSpec{{Type: "regex", Raw: json.RawMessage(fmt.Sprintf(`{"type":"regex","pattern":"^%s$"}`, labels[i]))}}
		}), "domain is itself the answer in 100 % of 3 tasks"},
		"a solution that ends in the number": {
			make40(3, func(i int, t *Task) { answered(t, fmt.Sprintf("so it is\n#### 1%d", i)); t.Domain = fmt.Sprint(10 + i) }),
			"domain is itself the answer in 100 % of 3 tasks",
		},
		"a domain that leans, a bit": {make40(40, func(i int, t *Task) { answered(t, labels[random.IntN(2)]); t.Domain = labels[random.IntN(2)] }), ""},
	} {
		got := ""
		for _, r := range FindLeaks(c.tasks) {
			got += r.String()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestLeaksRarelyByChance checks that fields that are independent of the answers are
// reported in fewer than one in a thousand suites.
func TestLeaksRarelyByChance(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	found := 0
	for range 2000 {
		tasks := make([]Task, 8+random.IntN(60))
		answers, domains := 2+random.IntN(4), 2+random.IntN(6)
		for i := range tasks {
			answer := fmt.Sprint("a", random.IntN(answers))
			tasks[i] = Task{Answer: &answer, Domain: fmt.Sprint("d", random.IntN(domains))}
		}
		found += len(FindLeaks(tasks))
	}
	if found > 2 {
		t.Errorf("%d of 2000 fields at random are taken for telling", found)
	}
}
