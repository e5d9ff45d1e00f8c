package sessions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/bench"
)

// requests returns the log of a conversation as requests to a model: for each answer a
// record with all messages before it. feedback holds the feedback on the answers, keyed
// by message number.
func requests(format Format, id string, feedback map[int]string, texts ...string) []string {
	var out []string
	var messages []map[string]any
	for i, text := range texts {
		role := "user"
		if i%2 == 1 {
			role = "assistant"
		}
		if role == "assistant" {
			record := map[string]any{"id": fmt.Sprintf("%s-%d", id, i)}
			request := map[string]any{"messages": slices.Clone(messages)}
			switch format {
			case OpenAI:
				record["request"], record["response"] = request, map[string]any{"choices": []any{map[string]any{"message": map[string]any{"role": role, "content": text}}}}
			case Anthropic:
				record["request"], record["response"] = request, map[string]any{"stop_reason": "end_turn", "content": []any{map[string]any{"type": "text", "text": text}}}
			case OTel:
				attribute := func(key string, v any) map[string]any {
					raw, _ := json.Marshal(v)
					return map[string]any{"key": key, "value": map[string]any{"stringValue": string(raw)}}
				}
				record = map[string]any{"resourceSpans": []any{map[string]any{"scopeSpans": []any{map[string]any{"spans": []any{map[string]any{
					"traceId": fmt.Sprintf("%s-%d", id, i), "spanId": "s", "startTimeUnixNano": fmt.Sprint(i),
					"attributes": []any{attribute("gen_ai.input.messages", messages), attribute("gen_ai.output.messages", []any{map[string]any{"role": role, "content": text}})},
				}}}}}}}
			}
			if feedback[i] != "" {
				record["feedback"] = feedback[i]
			}
			raw, _ := json.Marshal(record)
			out = append(out, string(raw))
		}
		messages = append(messages, map[string]any{"role": role, "content": text})
	}
	return out
}

// built returns the tasks and the counts from logs, each of which is a separate file.
func built(t *testing.T, files ...string) (list []string, s Summary) {
	t.Helper()
	b := newBuilder(t, Options{PerDomain: 10})
	for i, text := range files {
		if _, err := Read(strings.NewReader(text), ReadOptions{Name: fmt.Sprintf("log%d", i)}, b.Add); err != nil {
			t.Fatal(err)
		}
	}
	tasks, s := b.Tasks()
	for _, task := range tasks {
		task.Source.File, task.Source.Line = "", 0
		var text bytes.Buffer
		if err := bench.WriteSuite(&text, []bench.Task{task}); err != nil {
			t.Fatal(err)
		}
		list = append(list, text.String())
	}
	slices.Sort(list)
	return list, s
}

// TestRepeatedRequests checks that records that repeat the beginning of a conversation
// count once, whatever their order and files, and that the feedback in each record
// belongs to the last answer of that record.
func TestRepeatedRequests(t *testing.T) {
	const bay, fits, gate, nine = "How many pallets fit into bay 7 of the depot?", "42 pallets fit.", "And what is the gate code of the depot?", "It is 9."
	for _, format := range []Format{OpenAI, Anthropic, OTel} {
		records := requests(format, "a", nil, bay, fits, "Perfect, thanks!", "You're welcome!", gate, nine, "Great.", "Bye.")
		other := requests(format, "b", nil, "Who keeps the key of the tunnel under the harbour?", "Ada does.", "Exactly, thanks.", "Bye.")
		want, sum := built(t, records[3]+"\n"+other[1])
		if sum.Conversations != 2 || sum.Exchanges != 6 || sum.Approved != 3 || len(want) != 3 {
			t.Fatalf("%s: %+v", format, sum)
		}
		all := append(slices.Clone(records), other...)
		for name, files := range map[string][]string{
			"as logged": {strings.Join(all, "\n")},
			"backwards": {strings.Join(reversed(all), "\n")},
			"files":     all, "files backwards": reversed(all),
			"twice": {strings.Join(all, "\n"), strings.Join(all, "\n")},
		} {
			got, s := built(t, files...)
			if s.Conversations != 2 || s.Exchanges != 6 || s.Approved != 3 || s.Duplicates != 0 || s.Repeated == 0 && format != OTel {
				t.Errorf("%s, %s: %+v", format, name, s)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %s:\n%s", format, name, diff)
			}
		}
	}
}

func reversed(list []string) []string {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// TestFeedbackOfRepeatedRequests checks that feedback on a shorter record is feedback on
// the record's last answer.
func TestFeedbackOfRepeatedRequests(t *testing.T) {
	records := requests(OpenAI, "a", map[int]string{1: "up", 3: "down"}, "How many pallets fit into bay 7?", "42 pallets.", "And into bay 8 of the depot?", "7", "What is the gate code of the depot?", "9")
	for _, files := range [][]string{records, reversed(records)} {
		got, s := built(t, files...)
		if s.Conversations != 1 || s.Approved != 1 || s.Refused != 1 || len(got) != 1 || !strings.Contains(got[0], `"goal":"How many pallets fit into bay 7?"`) {
			t.Errorf("%+v\n%s", s, got)
		}
	}
	// If two records have the same messages, the refusal counts.
	up := requests(OpenAI, "x", map[int]string{1: "up"}, "Is it open?", "Yes.")[0]
	down := requests(OpenAI, "x", map[int]string{1: "down"}, "Is it open?", "Yes.")[0]
	for _, files := range [][]string{{up, down}, {down, up}} {
		if _, s := built(t, files...); s.Conversations != 1 || s.Refused != 1 || s.Approved != 0 {
			t.Errorf("%+v", s)
		}
	}
}

// TestBranches checks that two conversations that are alike only at the beginning remain
// separate, and that runs of a benchmark with the same messages do not count as requests
// of the same conversation.
func TestBranches(t *testing.T) {
	a := requests(OpenAI, "a", nil, "Hello.", "How can I help?", "Who keeps the key of the tunnel?", "Ada.")
	b := requests(OpenAI, "b", nil, "Hello.", "How can I help?", "Which crane is the tallest in the harbour?", "Crane 4.")
	if _, s := built(t, strings.Join(append(a, b...), "\n")); s.Conversations != 2 || s.Repeated != 2 {
		t.Errorf("%+v", s)
	}
	run := `{"task_id":1,"reward":1,"traj":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}`
	if _, s := built(t, run+"\n"+run); s.Conversations != 2 || s.Repeated != 0 {
		t.Errorf("%+v", s)
	}
}

// TestFullGathering checks that when the bound is exceeded, the conversations held so far
// are judged, and that each is counted once.
func TestFullGathering(t *testing.T) {
	b := newBuilder(t, Options{PerDomain: 10})
	c := talk("Who keeps the key of the tunnel?", "Ada does.", "Exactly, thanks.", "")
	c.Format = OpenAI
	b.Add(c)
	b.settle()
	b.Add(c)
	if _, s := b.Tasks(); s.Conversations != 2 || s.Duplicates != 1 || s.Kept != 1 {
		t.Errorf("%+v", s)
	}
}
