package skill

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
)

func called(name, args, output string) agent.Event {
	return agent.Event{Kind: agent.EventTool, Name: name, Outcome: agent.OK, Text: output, Data: json.RawMessage(args)}
}

// lookup returns a task that is solved by searching for a word and reading the file that
// contains it.
func lookup(i int, word string) Trajectory {
	file := "notes_" + word + ".md"
	return Trajectory{
		TaskID: fmt.Sprintf("t%d", i), Cluster: fmt.Sprintf("c%d", i), Domain: "research", Score: 1,
		Goal:   "In the handbook, who maintains the component " + word + "?",
		Answer: "It is the person called Name" + word + " of the team",
		Transcript: agent.Transcript{Events: []agent.Event{
			{Kind: agent.EventModel},
			called("grep", fmt.Sprintf(`{"pattern":%q,"path":"."}`, word), file+":1: here"),
			called("read_file", fmt.Sprintf(`{"path":%q}`, file), "# Notes\nName"+word),
		}},
	}
}

// other returns a different kind of task.
func other(i int) Trajectory {
	return Trajectory{
		TaskID: fmt.Sprintf("o%d", i), Cluster: "o", Domain: "research", Score: 1, Goal: fmt.Sprintf("What is %d times %d?", i, i),
		Answer: "1", Transcript: agent.Transcript{Events: []agent.Event{called("calculate", fmt.Sprintf(`{"expression":"%d*%d"}`, i, i), "1")}},
	}
}

func three() []Trajectory {
	return []Trajectory{lookup(1, "falcon"), lookup(2, "heron"), lookup(3, "osprey"), other(1), other(2)}
}

func TestDraft(t *testing.T) {
	ts := three()
	// Reading twice results in the same shape, and so does a failed call on the way.
	ts[1].Transcript.Events = append(ts[1].Transcript.Events, ts[1].Transcript.Events[2])
	ts[2].Transcript.Events = slices.Insert(ts[2].Transcript.Events, 1, agent.Event{Kind: agent.EventTool, Name: "grep", Outcome: agent.Timeout})
	got := Draft(ts, nil)
	if len(got) != 2 || len(got[0].Vetoes) > 0 || got[0].Solved != 3 || got[0].Clusters != 3 || got[0].Failed != 0 {
		t.Fatalf("%+v", got)
	}
	d := got[0].Definition
	want := `Use when the goal speaks of: component, handbook, maintains.

Steps:
1. ` + "`grep` with path = `.`" + `, pattern = <pattern> from the goal. Expect ok and one line.
2. ` + "`read_file`" + ` with path = <path> from the goal and earlier results; as often as needed. Expect ok and several lines.

Work out each <placeholder> anew.
The answer is one line.
Calls failed on the way: timeout (1); go on with the next step that works.
Seen on 3 tasks of 3 clusters.`
	if diff := cmp.Diff(want, d.Text); diff != "" {
		t.Error(diff)
	}
	if d.Shape != "grep(path,pattern) read_file(path)" || d.Domain != "research" || !strings.HasPrefix(d.Name, "research-grep-read_file-") ||
		!slices.Equal(d.Evidence, []string{"t1", "t2", "t3"}) {
		t.Errorf("%+v", d)
	}
	slices.Reverse(ts)
	if diff := cmp.Diff(got, Draft(ts, nil)); diff != "" {
		t.Errorf("another order of the trajectories: %s", diff)
	}
}

func TestVetoes(t *testing.T) {
	events := func(t *Trajectory, at int, args, output string) {
		t.Transcript.Events[at].Data, t.Transcript.Events[at].Text = json.RawMessage(args), output
	}
	for name, c := range map[string]struct {
		change   func(ts []Trajectory) []Trajectory
		existing []Definition
		want     string // "" for none
	}{
		"none":           {func(ts []Trajectory) []Trajectory { return ts }, nil, ""},
		"two clusters":   {func(ts []Trajectory) []Trajectory { ts[2].Cluster = "c1"; return ts }, nil, "2 clusters"},
		"no cluster":     {func(ts []Trajectory) []Trajectory { ts[2].Cluster = ""; return ts }, nil, "2 clusters"},
		"almost solved":  {func(ts []Trajectory) []Trajectory { ts[2].Score = .99; return ts }, nil, "2 clusters"},
		"another domain": {func(ts []Trajectory) []Trajectory { ts[2].Domain = "crypto"; return ts }, nil, "2 clusters"},
		"same task thrice": {func(ts []Trajectory) []Trajectory {
			return append([]Trajectory{ts[0], ts[0], ts[0]}, ts[3:]...)
		}, nil, "1 clusters"},
		"fails as often": {func(ts []Trajectory) []Trajectory {
			for i := range 3 {
				f := lookup(10+i, "wren")
				f.Score = 0
				ts = append(ts, f)
			}
			return ts
		}, nil, "failed on 3 other tasks"},
		"fails half as often": {func(ts []Trajectory) []Trajectory {
			for i := range 2 {
				f := lookup(10+i, "wren")
				f.Score = 0
				ts = append(ts, f)
			}
			return ts
		}, nil, "failed on 2 other tasks"},
		"one step": {func(ts []Trajectory) []Trajectory {
			for i := range 3 {
				ts[i].Transcript.Events = ts[i].Transcript.Events[:2]
			}
			return ts
		}, nil, "it has only one step"},
		"fails less often": {func(ts []Trajectory) []Trajectory {
			f := lookup(10, "wren")
			f.Score = 0
			return append(ts, f, f, f)
		}, nil, ""},
		"fails on the same tasks": {func(ts []Trajectory) []Trajectory {
			for i := range 3 {
				f := ts[i]
				f.Score = 0
				ts = append(ts, f)
			}
			return ts
		}, nil, ""},
		"same shape":           {func(ts []Trajectory) []Trajectory { return ts }, []Definition{{Name: "old", Domain: "research", Shape: "grep(path,pattern) read_file(path)"}}, "skill old"},
		"same shape elsewhere": {func(ts []Trajectory) []Trajectory { return ts }, []Definition{{Name: "old", Domain: "crypto", Shape: "grep(path,pattern) read_file(path)"}}, ""},
		"argument from nowhere": {func(ts []Trajectory) []Trajectory {
			for i := range 3 {
				events(&ts[i], 1, fmt.Sprintf(`{"pattern":"guess%d","path":"."}`, i), ts[i].Transcript.Events[1].Text)
			}
			return ts
		}, nil, "argument pattern of step 1"},
		"argument from later": {func(ts []Trajectory) []Trajectory {
			for i := range 3 {
				ts[i].Transcript.Events[1].Text = ""
			}
			return ts
		}, nil, "argument path of step 2"},
		"the answer as an argument": {func(ts []Trajectory) []Trajectory {
			for i := range 3 {
				ts[i].Answer = "Kestrel"
				events(&ts[i], 1, `{"pattern":"kestrel","path":"."}`, "notes_falcon.md notes_heron.md notes_osprey.md")
			}
			return ts
		}, nil, "argument pattern of step 1"},
		"a copied answer": {func(ts []Trajectory) []Trajectory {
			ts[0].Answer = "the team: ok and one line, from the goal and earlier results"
			return ts
		}, nil, "copies 5 words"},
		"nothing in common": {func(ts []Trajectory) []Trajectory {
			ts[0].Goal, ts[1].Goal = "falcon", "heron: by whom"
			return ts
		}, nil, "share no words"},
		"common everywhere": {func(ts []Trajectory) []Trajectory {
			ts[3].Goal, ts[4].Goal = ts[0].Goal, ts[1].Goal
			return ts
		}, nil, "share no words"},
		"marks in an argument": {func(ts []Trajectory) []Trajectory {
			for i := range 3 {
				events(&ts[i], 1, `{"pattern":"`+"`x`"+`","path":"."}`, ts[i].Transcript.Events[1].Text)
			}
			return ts
		}, nil, "argument pattern of step 1"},
	} {
		got := Draft(c.change(three()), c.existing)
		i := slices.IndexFunc(got, func(c Candidate) bool {
			return strings.HasPrefix(c.Definition.Shape, "grep") && c.Definition.Domain == "research"
		})
		if i < 0 {
			t.Errorf("%s: no candidate", name)
			continue
		}
		vetoes := strings.Join(got[i].Vetoes, "; ")
		if c.want == "" && vetoes != "" || !strings.Contains(vetoes, c.want) {
			t.Errorf("%s: %q", name, vetoes)
		}
	}
}

func TestUnknownShapes(t *testing.T) {
	for name, change := range map[string]func(t *Trajectory){
		"no calls":           func(t *Trajectory) { t.Transcript.Events = t.Transcript.Events[:1] },
		"arguments left out": func(t *Trajectory) { t.Transcript.Events[2].Data = nil },
		"events dropped":     func(t *Trajectory) { t.Transcript.Dropped = 1 },
		"strange tool":       func(t *Trajectory) { t.Transcript.Events[1].Name = "x\n## Do this" },
		"strange key":        func(t *Trajectory) { t.Transcript.Events[1].Data = json.RawMessage(`{"a b":1}`) },
		"strange task":       func(t *Trajectory) { t.TaskID = "t\n---" },
		"strange domain":     func(t *Trajectory) { t.Domain = "A B" },
		"arguments no dict":  func(t *Trajectory) { t.Transcript.Events[1].Data = json.RawMessage(`null`) },
	} {
		tr := lookup(1, "falcon")
		change(&tr)
		if got := Draft([]Trajectory{tr}, nil); len(got) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		"a": "a", "a a a": "a", "a b a b c": "a b c", "a b b a b": "a b", "a b a": "a b a", "a b c d a b c d a": "a b c d a",
		"a a b a b b c": "a b c", "a b c d e a b c d e": "a b c d e a b c d e",
	} {
		var steps []step
		for w := range strings.FieldsSeq(in) {
			steps = append(steps, step{tool: w, uses: make([]use, 1)})
		}
		n := len(steps)
		var got []string
		uses := 0
		for _, s := range fold(steps) {
			got = append(got, s.tool)
			uses += len(s.uses)
		}
		if strings.Join(got, " ") != want || uses != n {
			t.Errorf("%s: %s with %d uses of %d", in, got, uses, n)
		}
	}
}

func TestDue(t *testing.T) {
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		last time.Time
		want bool
	}{{time.Time{}, true}, {at, false}, {at.Add(-59 * time.Minute), false}, {at.Add(-time.Hour), true}, {at.Add(time.Hour), false}} {
		if got := Due(c.last, at); got != c.want {
			t.Errorf("%s: %t", c.last, got)
		}
	}
}

func TestSection(t *testing.T) {
	skills := []Definition{
		{Name: "b", Domain: "research", Text: "Do b."},
		{Name: "a", Domain: globalDomain, Text: "Do a."},
		{Name: "c", Domain: "crypto", Text: "Do c."},
		{Name: "d", Domain: "research", Text: strings.Repeat("Do d. ", 200)},
	}
	want := heading + "\n### b\n\nDo b.\n\n### a\n\nDo a.\n"
	if got := Section(skills, "research", 100); got != want {
		t.Errorf("%q", got)
	}
	for budget := range 500 {
		if got := Section(skills, "research", budget); memory.Tokens(got) > budget {
			t.Fatalf("%d tokens of %d", memory.Tokens(got), budget)
		}
	}
	if got := Section(skills[2:3], "research", 1000); got != "" {
		t.Errorf("%q", got)
	}
}

func TestRoundTrip(t *testing.T) {
	d := Draft(three(), nil)[0].Definition
	got, err := Parse(d.Encode())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d, got); diff != "" {
		t.Error(diff)
	}
	file := string(d.Encode())
	for name, text := range map[string]string{
		"empty":         "",
		"no end":        strings.Replace(file, "\n---\n", "\n", 1),
		"no domain":     strings.Replace(file, "domain: ", "area: ", 1),
		"a path":        strings.Replace(file, "name: ", "name: ../", 1),
		"no text":       file[:strings.LastIndex(file, "---\n")+4],
		"turned text":   file + "\u202e",
		"long text":     file + strings.Repeat("a", MaxText),
		"no UTF-8":      file + "\xff",
		"large":         file + strings.Repeat(" ", MaxFile),
		"strange tasks": strings.Replace(file, "evidence: ", "evidence: ** ", 1),
	} {
		if d, err := Parse([]byte(text)); err == nil {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(Draft(three(), nil)[0].Definition.Encode())
	f.Add([]byte("---\nname: a\ndomain: _global\nshape: a()\nevidence:\n---\n\n---\ntext\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Parse(data)
		if err != nil {
			return
		}
		again, err := Parse(d.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(d, again); diff != "" {
			t.Fatal(diff)
		}
	})
}

func FuzzDraft(f *testing.F) {
	f.Add("falcon", "grep", `{"pattern":"falcon"}`, "a b c d e")
	f.Add("`x`", "read_file", `{"path":["a",{"b":null}]}`, "# Do\n")
	f.Fuzz(func(t *testing.T, word, tool, args, answer string) {
		var ts []Trajectory
		for i := range 3 {
			r := lookup(i, word)
			r.Answer = answer
			r.Transcript.Events = append(r.Transcript.Events, called(tool, args, answer))
			ts = append(ts, r)
		}
		for _, c := range Draft(ts, nil) {
			if len(c.Vetoes) > 0 {
				continue
			}
			d, err := Parse(c.Definition.Encode())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.Definition, d); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}
