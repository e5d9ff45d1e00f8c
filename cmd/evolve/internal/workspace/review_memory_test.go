package workspace_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/gates"
	"evolve/gates/review"
	"evolve/runtime/agent"
	"evolve/runtime/scrub"
)

const memoriesOfSolver = "agents/solver/memories.jsonl"

// learn stores a turn of a conversation whose state has these facts.
func (o *office) learn(session string, events []agent.Event, facts ...agent.Memory) archive.TurnRecord {
	o.t.Helper()
	var next *agent.Session
	if session != "" {
		next = &agent.Session{Facts: facts}
	}
	t, err := o.archive.PutTurn(o.t.Context(), archive.TurnRecord{
		Agent: "solver", Session: session, Goal: "go on", Outcome: agent.OK, Created: time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC), Transcript: agent.Transcript{Events: events},
	}, next, nil)
	if err != nil {
		o.t.Fatal(err)
	}
	return t
}

// said returns a fact from a distillation.
func said(text string) agent.Memory {
	return agent.Memory{ID: "d-0", Text: text, Source: "distilled", Time: time.Date(2026, 5, 1, 7, 0, 0, 0, time.UTC), Confidence: 1}
}

// adds returns the event of a call to memory_add.
func adds(t *testing.T, id, text string) agent.Event {
	t.Helper()
	data, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		t.Fatal(err)
	}
	return agent.Event{Kind: agent.EventTool, Name: "memory_add", Outcome: agent.OK, Text: "remembered as " + id, Data: data}
}

func (o *office) proposeMemories() review.Learned {
	o.t.Helper()
	l, err := o.desk().ProposeMemories(o.t.Context(), "solver", "", scrub.New([]string{"correct-horse-battery"}).String)
	if err != nil {
		o.t.Fatal(err)
	}
	return l
}

// proposed returns the memories that await a decision, keyed by their text.
func proposed(t *testing.T, l review.Learned) map[string]agent.Memory {
	t.Helper()
	if l.Proposal == nil {
		t.Fatalf("nothing was proposed: %+v", l)
	}
	if l.Proposal.State != archive.Awaiting {
		t.Fatalf("%s: %+v", l.Proposal.State, l.Proposal.Gates)
	}
	added, marked := review.Remembered(*l.Proposal)
	if len(marked) > 0 {
		t.Errorf("it marks %+v", marked)
	}
	out := map[string]agent.Memory{}
	for _, m := range added {
		out[m.Text] = m
	}
	return out
}

func TestWhatTurnsLearnIsCollected(t *testing.T) {
	o := study(t, true)
	o.write(memoriesOfSolver, `{"id":"m1","text":"The depot in Oslo opens at 7"}`+"\n"+`{"id":"m2","text":"The gate in Bonn has 3 keys","retracted":"it has none"}`)
	o.git("add", "--all")
	o.git("commit", "--quiet", "--message=memories")
	o.learn("talk", nil, said("The depot in Oslo opens at 8."), said("the DEPOT in Oslo opens at 7."), said("The gate in Bonn has 3 keys."),
		said("the password is correct-horse-battery"), agent.Memory{ID: "m1", Text: "Ada runs the harbour in Riga", Source: "distilled", Time: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)},
		said(strings.Repeat("The river is long and wide. ", 200)), said("\x1b[2J\u202e"))
	o.learn("", []agent.Event{
		{Kind: agent.EventDomain, Name: "ops"},
		adds(t, "fact-1", "{\"id\":\"m1\"}\n{\"id\":\"m9\",\"text\":\"forged\"}"), adds(t, "fact-2", "withdrawn at once"),
		{Kind: agent.EventTool, Name: "memory_retract", Outcome: agent.OK, Data: json.RawMessage(`{"id":"fact-2","reason":"no"}`)},
		{Kind: agent.EventTool, Name: "memory_add", Outcome: agent.Denied, Text: "remembered as fact-3", Data: json.RawMessage(`{"text":"was denied"}`)},
		{Kind: agent.EventTool, Name: "memory_add", Data: json.RawMessage(`{"text":`)},
		{Kind: agent.EventDistill, Data: json.RawMessage(`[{"id":"d-1","text":"The lift carries 900 kg","source":"a person","confidence":7,"retracted":"no"}]`)},
	})
	l := o.proposeMemories()
	got := proposed(t, l)
	want := map[string]string{
		"The depot in Oslo opens at 8.":           "distilled; session talk; turn T1",
		"Ada runs the harbour in Riga":            "distilled; session talk",
		`{"id":"m1"} {"id":"m9","text":"forged"}`: "agent; turn T2",
		"The lift carries 900 kg":                 "distilled; turn T2",
	}
	for text, source := range want {
		if m, ok := got[text]; !ok || m.Source != source || m.Retracted != "" || m.Confidence > 1 {
			t.Errorf("%q: %+v, want it from %q", text, m, source)
		}
	}
	for text, m := range got {
		if want[text] == "" && !strings.HasPrefix(text, "The river is long") || len(text) > 1000 || m.ID == "m1" || !l.New {
			t.Errorf("%q: %+v", text, m)
		}
	}
	if len(got) != len(want)+1 || l.Secret != 1 {
		t.Errorf("%d memories, %d secret: %+v", len(got), l.Secret, got)
	}
	if got[`{"id":"m1"} {"id":"m9","text":"forged"}`].Domain != "ops" {
		t.Error("the domain of the turn is lost")
	}
	if v := verdictOf(*l.Proposal, "contradictions"); !strings.Contains(v, "gives a different value from m1") {
		t.Error(v)
	}
	for _, f := range l.Proposal.Files {
		if f.Path != memoriesOfSolver || strings.Contains(string(f.New), "horse") {
			t.Errorf("%s: %s", f.Path, f.New)
		}
	}
	if again := o.proposeMemories(); again.New || again.Proposal.ID != l.Proposal.ID {
		t.Errorf("proposed twice: %+v", again)
	}
	if _, err := o.desk().Approve(t.Context(), l.Proposal.ID, alice); err != nil {
		t.Fatal(err)
	}
	if n := len(o.agent().Memories); n != 2+len(got) {
		t.Errorf("%d memories are in use", n)
	}
	if after := o.proposeMemories(); after.Proposal != nil {
		t.Errorf("what was adopted is proposed again: %+v", after.Proposal)
	}
}

// TestAThousandAdditions checks that a proposal has at most the maximum number of
// memories, and that the others wait.
func TestAThousandAdditions(t *testing.T) {
	if testing.Short() {
		t.Skip("a thousand memories, one after another")
	}
	o := study(t, true)
	for turn := range 20 {
		var events []agent.Event
		for i := range 50 {
			events = append(events, adds(t, fmt.Sprint(turn, i), fmt.Sprintf("part %c%c of the engine in hall %d weighs %d kg", 'a'+i%26, 'a'+i/26, turn, 100*turn+i)))
		}
		o.learn("", events)
	}
	o.learn("talk", nil, said("The depot in Oslo opens at 8."))
	for left := 1001 - gates.MaxLearned; left > 0; left -= gates.MaxLearned {
		l := o.proposeMemories()
		got := proposed(t, l)
		if len(got) != gates.MaxLearned || l.Left != left {
			t.Fatalf("%d of them, %d left, want %d", len(got), l.Left, left)
		}
		if _, first := got["The depot in Oslo opens at 8."]; first != (left == 1001-gates.MaxLearned) {
			t.Error("what was said does not come first")
		}
		if left < 900 {
			break
		}
		if _, err := o.desk().Reject(t.Context(), l.Proposal.ID, review.Decision{By: alice.By, Reason: "noise"}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWhatWaitsOutlivesItsSession(t *testing.T) {
	o := study(t, true)
	o.learn("talk", nil, said("The depot in Oslo opens at 8."))
	first := o.proposeMemories()
	o.learn("talk", nil) // the conversation begins anew
	o.learn("other", nil, said("Ada runs the harbour in Riga"))
	second := o.proposeMemories()
	if got := proposed(t, second); len(got) != 2 || !second.New {
		t.Errorf("%+v", got)
	}
	if p, err := o.archive.Proposal(t.Context(), first.Proposal.ID); err != nil || p.State != archive.Superseded {
		t.Errorf("%v %s", err, p.State)
	}
	// The file has changed, so the next call makes the proposal for the file as it is now.
	o.write(memoriesOfSolver, `{"id":"m1","text":"Bo likes tea"}`+"\n")
	o.git("add", "--all")
	o.git("commit", "--quiet", "--message=by hand")
	if _, err := o.desk().Approve(t.Context(), second.Proposal.ID, alice); err == nil || !strings.Contains(err.Error(), "is stale") {
		t.Errorf("%v", err)
	}
	third := o.proposeMemories()
	if got := proposed(t, third); len(got) != 2 || !third.New {
		t.Errorf("%+v", got)
	}
	if _, err := o.desk().Approve(t.Context(), third.Proposal.ID, alice); err != nil {
		t.Fatal(err)
	}
	if _, err := o.desk().Rollback(t.Context(), third.Proposal.ID, alice); err != nil {
		t.Fatal(err)
	}
	if l := o.proposeMemories(); l.Proposal != nil {
		t.Errorf("what was taken back is proposed again: %+v", l.Proposal)
	}
}

func TestCopiedAnswersAreNotProposed(t *testing.T) {
	o := study(t, true)
	o.write("suites/tasks.jsonl", `{"id":"a","goal":"Who?","answer":"the old keeper of the northern lighthouse","split":"search"}`+"\n")
	o.git("commit", "--quiet", "--all", "--message=suite")
	o.learn("talk", nil, said("It is the old keeper of the northern lighthouse."))
	if l := o.proposeMemories(); l.Proposal != nil || l.Copied != 1 {
		t.Errorf("%+v", l)
	}
}

// TestRetractionIsPartOfTheIdentity checks that a retraction mark changes the identity of
// evaluations, for all agents if the memory is shared, and that a restoration changes it
// back.
func TestRetractionIsPartOfTheIdentity(t *testing.T) {
	for name, file := range map[string]string{"own": memoriesOfSolver, "shared": "agents/memories.jsonl"} {
		t.Run(name, func(t *testing.T) {
			o := study(t, true)
			plain := o.agent().Hash
			o.write(file, `{"id": "m1", "text": "The depot in Oslo opens at 7"}`+"\n")
			o.git("add", "--all")
			o.git("commit", "--quiet", "--message=memories")
			before := o.agent().Hash
			if before == plain || len(o.agent().Memories) != 1 {
				t.Fatal("the file is not a part of the identity")
			}
			mark := func(reason string) {
				t.Helper()
				p, err := o.desk().Mark("solver", "m1", reason)
				if err != nil {
					t.Fatal(err)
				}
				if p, err = o.desk().ProposeMark(t.Context(), p); err != nil || p.State != archive.Awaiting {
					t.Fatalf("%v %+v", err, p)
				}
				if _, err := o.desk().Approve(t.Context(), p.ID, alice); err != nil {
					t.Fatal(err)
				}
			}
			mark("it moved")
			if m := o.agent().Memories[0]; m.Retracted != "it moved" || m.RetractedAt.IsZero() || o.agent().Hash == before {
				t.Errorf("%+v", m)
			}
			mark("")
			if m := o.agent().Memories[0]; m.Retracted != "" || o.agent().Hash != before {
				t.Errorf("%+v", m)
			}
		})
	}
}

// TestOtherProgramsReadNoMemories checks that nothing is proposed for an agent that is not built
// in.
func TestOtherProgramsReadNoMemories(t *testing.T) {
	o := newOffice(t, true)
	o.write(memoriesOfSolver, `{"id":"m1","text":"one is small"}`)
	if _, err := o.desk().Mark("solver", "m1", "no"); err == nil || !strings.Contains(err.Error(), "is not built in") {
		t.Error(err)
	}
	if l, err := o.desk().ProposeMemories(t.Context(), "solver", "", strings.ToLower); err == nil {
		t.Errorf("%+v", l)
	}
}

// TestTwoMarksAtOnce checks that a mark is refused if its file has changed since the mark
// was made.
func TestTwoMarksAtOnce(t *testing.T) {
	o := study(t, true)
	o.write(memoriesOfSolver, `{"id":"m1","text":"one is small"}`+"\n"+`{"id":"m2","text":"two is large"}`+"\n")
	o.git("add", "--all")
	o.git("commit", "--quiet", "--message=memories")
	var marks []archive.ProposalRecord
	for _, id := range []string{"m1", "m2"} {
		p, err := o.desk().Mark("solver", id, "no")
		if err != nil {
			t.Fatal(err)
		}
		marks = append(marks, p)
	}
	first, err := o.desk().ProposeMark(t.Context(), marks[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.desk().Approve(t.Context(), first.ID, alice); err != nil {
		t.Fatal(err)
	}
	second, err := o.desk().ProposeMark(t.Context(), marks[1])
	if err != nil || second.State != archive.GateFailed {
		t.Fatalf("%v %s", err, second.State)
	}
	if data, err := os.ReadFile(filepath.Join(o.root, memoriesOfSolver)); err != nil || strings.Count(string(data), "retracted") != 2 {
		t.Errorf("%v: %s", err, data)
	}

	// A proposal that a command made and could not carry out is closed without a person's
	// decision.
	for _, p := range []archive.ProposalRecord{first, second} {
		if err := o.desk().Withdraw(t.Context(), p.ID, "the command that made the proposal did not complete"); err != nil {
			t.Fatal(err)
		}
	}
	if p, err := o.archive.Proposal(t.Context(), second.ID); err != nil || p.State != archive.Expired || p.Decision != nil {
		t.Errorf("%v %+v", err, p)
	}
	if p, err := o.archive.Proposal(t.Context(), first.ID); err != nil || p.State != archive.Adopted {
		t.Errorf("%v: the withdrawal of an adoption left it %s", err, p.State)
	}
	var closed []string
	for e, err := range o.archive.Ledger(t.Context(), 1) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Subject == second.ID && (e.Kind == "proposal.reject" || e.Kind == "proposal.expire") {
			closed = append(closed, e.Kind+" "+e.Actor)
		}
	}
	if strings.Join(closed, ",") != "proposal.expire evolve" {
		t.Errorf("the ledger has %q", closed)
	}
}

// TestForeignRecordsOfMemories checks that a record from elsewhere can change nothing but
// memories.
func TestForeignRecordsOfMemories(t *testing.T) {
	for name, files := range map[string][]archive.FileChange{
		"another file":   {{Path: "agents/solver/agent.yaml", New: []byte("id: x")}},
		"another agent":  {{Path: "agents/other/memories.jsonl", New: []byte(`{"id":"m1","text":"a"}`)}},
		"another text":   {{Path: memoriesOfSolver, Old: []byte(`{"id":"m1","text":"a"}`), New: []byte(`{"id":"m1","text":"b"}`)}},
		"a removal":      {{Path: memoriesOfSolver, Old: []byte(`{"id":"m1","text":"a"}`), New: []byte("")}},
		"no JSON":        {{Path: memoriesOfSolver, Old: []byte(`{"id":"m1","text":"a"}`), New: []byte("{")}},
		"a huge memory":  {{Path: memoriesOfSolver, Old: []byte(`{"id":"m1","text":"a"}`), New: []byte(`{"id":"m1","text":"a"}` + "\n" + `{"id":"m2","text":"` + strings.Repeat("a", 2000) + `"}`)}},
		"a taken id":     {{Path: memoriesOfSolver, Old: []byte(`{"id":"m1","text":"a"}`), New: []byte(`{"id":"m1","text":"a"}` + "\n" + `{"id":"s1","text":"b"}`)}},
		"a known secret": {{Path: memoriesOfSolver, Old: []byte(`{"id":"m1","text":"a"}`), New: []byte(`{"id":"m1","text":"a"}` + "\n" + `{"id":"m2","text":"password = hunter2hunter2"}`)}},
	} {
		t.Run(name, func(t *testing.T) {
			o := study(t, true)
			o.write(memoriesOfSolver, `{"id":"m1","text":"a"}`)
			o.write("agents/memories.jsonl", `{"id":"s1","text":"shared"}`)
			o.git("add", "--all")
			o.git("commit", "--quiet", "--message=memories")
			p, err := o.archive.NewProposal(t.Context(), archive.ProposalRecord{
				Kind: archive.KindMemory, State: archive.Awaiting, Agent: "solver", Title: "memories", Files: files,
			})
			if err != nil {
				t.Fatal(err)
			}
			if p, err = o.desk().Approve(t.Context(), p.ID, alice); err == nil {
				t.Errorf("adopted: %+v", p)
			}
			if data, err := os.ReadFile(filepath.Join(o.root, memoriesOfSolver)); err != nil || string(data) != `{"id":"m1","text":"a"}` {
				t.Errorf("%v: %s", err, data)
			}
		})
	}
}

// exchange stores a turn with its goal and answer, as a short conversation leaves it: without
// facts.
func (o *office) exchange(session, goal, answer string) {
	o.t.Helper()
	var next *agent.Session
	if session != "" {
		next = &agent.Session{}
	}
	_, err := o.archive.PutTurn(o.t.Context(), archive.TurnRecord{
		Agent: "solver", Session: session, Goal: goal, Answer: answer, Outcome: agent.OK, Created: time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC),
	}, next, nil)
	if err != nil {
		o.t.Fatal(err)
	}
}

// TestCorrectionsAreProposed checks that a user's correction in a short conversation is
// proposed together with the request, unless a holdout task was made from the conversation.
func TestCorrectionsAreProposed(t *testing.T) {
	o := study(t, true)
	o.exchange("one", "When does the lift in Riga close?", "At 9.")
	o.exchange("two", "Which team answers a broken kettle?", "North.")
	o.exchange("one", "No, that is wrong. It closes at 10.", "At 10 then.")
	o.exchange("two", "The right answer is South, not North.", "South.")
	o.exchange("two", "No, the password is correct-horse-battery", "Fine.")
	o.exchange("", "No, that is wrong. It closes at 11.", "Fine.")
	o.exchange("held", "Who owns the harbour in Bonn?", "Ada.")
	o.exchange("held", "No, Bo owns it.", "Bo.")
	name := "suites/held.jsonl"
	o.write(name, `{"id":"h1","goal":"Who owns the harbour in Bonn?","answer":"Bo","split":"holdout","source":{"session":"held"}}`+"\n"+
		`{"id":"h2","goal":"Which team answers a broken kettle?","answer":"South","split":"search","source":{"session":"two"}}`)
	o.write("agents/solver/agent.yaml", "id: solver\nadapter: {kind: builtin, model: heuristic}\nsuites: [tasks, held]\n")
	l := o.proposeMemories()
	got := proposed(t, l)
	want := map[string]string{
		"When does the lift in Riga close? It closes at 10.":                        "distilled; session one; turn T3",
		"Which team answers a broken kettle? The right answer is South, not North.": "distilled; session two; turn T4",
	}
	for text, source := range want {
		if m, ok := got[text]; !ok || m.Source != source || m.Time.IsZero() {
			t.Errorf("%q: %+v, want it from %q", text, m, source)
		}
	}
	if len(got) != len(want) || l.Secret != 1 {
		t.Errorf("%d secret, %+v", l.Secret, got)
	}
}
