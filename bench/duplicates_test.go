package bench

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// passage is a story of 60 words.
const passage = `The old mill at the river had ground corn for three villages until the flood of
the spring took its wheel away, and since then the miller's daughter has kept bees in the
empty rooms, sold honey at the market every second Friday, and written down in a green book
which of the three villages bought most of it and why they said they did.`

// instructed returns n goals that consist of different words after the same long
// instruction.
func instructed(n int) []string {
	var out []string
	for i := range n {
		var own []string
		for k := range 12 {
			own = append(own, fmt.Sprintf("w%c%c", 'a'+i, 'a'+k))
		}
		out = append(out, passage+" "+strings.Join(own, " "))
	}
	return out
}

func duplicatesOf(goals ...string) []string {
	tasks := make([]Task, len(goals))
	for i, g := range goals {
		tasks[i] = Task{ID: fmt.Sprint(i), Goal: g}
	}
	var out []string
	for _, g := range FindDuplicates(tasks) {
		out = append(out, g.named(tasks))
	}
	return out
}

func TestFindDuplicates(t *testing.T) {
	for name, c := range map[string]struct {
		goals []string
		want  []string
	}{
		"the same":            {[]string{"Freeze my account!", "what now", "freeze  my account"}, []string{"the same words: 0, 2"}},
		"short and different": {[]string{"freeze my account", "freeze her account", "thaw my account", "is 3 even?", "is 4 even?"}, nil},
		"signs alone":         {[]string{"?", "!", "?"}, []string{"the same words: 0, 2"}},
		"numbers":             {[]string{"What is the sum of 3 and 4 in all?", "What is the sum of 10 and 22 in all?"}, []string{"the same except for numbers and names: 0, 1"}},
		"names": {[]string{
			"Who is in charge of the Oslo depot these days?", "Who is in charge of the Lisbon depot these days?",
			"Who is in charge of the small depot these days, and for how long?",
		}, []string{"the same except for numbers and names: 0, 1"}},
		"names that begin": {[]string{
			"Ann has 3 apples and buys 4 more. How many apples?", "Dee has 7 apples and buys 2 more. How many apples?", "what now",
		}, []string{"nearly the same words: 0, 1"}},
		"a word more": {[]string{
			"please send ten dollars from bank of america to capital one", "send ten dollars from bank of america to capital one",
			"send ten dollars from my mother to my aunt in capital letters",
		}, []string{"nearly the same words: 0, 1"}},
		"a story": {[]string{
			passage + " Who keeps the bees?", "a",
			passage + " Of all that is told here about mills, floods, animals, colours and weekdays, which single thing would a tax inspector ask about first, " +
				"how would she put her question in one polite sentence, and what might be answered to it by somebody who has nothing to hide?",
		}, []string{"a long passage in common: 0, 2"}},
		"an instruction": {instructed(12), nil},
	} {
		if diff := cmp.Diff(c.want, duplicatesOf(c.goals...)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// TestDuplicatesOfDeclaredClusters checks that declared clusters are not changed.
func TestDuplicatesOfDeclaredClusters(t *testing.T) {
	tasks := []Task{{ID: "a", Goal: "say yes", Cluster: "a"}, {ID: "b", Goal: "say yes", Cluster: "b"}, {ID: "c", Goal: "say yes"}}
	if found := FindDuplicates(tasks); len(found) > 0 {
		t.Errorf("found %v", found)
	}
}

// TestDuplicatesStayOnOneSide checks that when splits are assigned, duplicates get the same
// split, and all other tasks have the split that they would have without duplicates.
func TestDuplicatesStayOnOneSide(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields(passage)
	var plain, lines strings.Builder
	for i := range 200 {
		random.Shuffle(len(words), func(a, b int) { words[a], words[b] = words[b], words[a] })
		goal := strings.Join(words[:12], " ")
		line := fmt.Sprintf(`{"id":"t%03d","domain":"d%d","goal":%q,"answer":"x"}`+"\n", i, i%3, goal)
		plain.WriteString(line)
		lines.WriteString(line)
		if i%10 == 0 {
			fmt.Fprintf(&plain, `{"id":"u%03d","domain":"d0","goal":"%s %d","answer":"x"}`+"\n", i, strings.Join(words[20:32], " "), i)
			fmt.Fprintf(&lines, `{"id":"u%03d","domain":"d0","goal":%q,"answer":"x"}`+"\n", i, strings.ToUpper(goal)+"!")
		}
	}
	read := func(text string) *Suite {
		s, issues := ReadSuite(strings.NewReader(text), "s", nil, GraderRules{})
		if len(issues) > 0 {
			t.Fatal(issues)
		}
		return s
	}
	without, with := read(plain.String()), read(lines.String())
	if len(without.Duplicates) > 0 || len(with.Duplicates) != 20 {
		t.Fatalf("%d and %d groups", len(without.Duplicates), len(with.Duplicates))
	}
	sides := map[string]Split{}
	for _, task := range with.Tasks {
		if side, ok := sides[task.Unit()]; ok && side != task.Split {
			t.Errorf("%s is parted from its twin", task.ID)
		}
		sides[task.Unit()] = task.Split
	}
	for i, task := range without.Tasks {
		if strings.HasPrefix(task.ID, "t") && with.Tasks[i].Split != task.Split {
			t.Errorf("%s moved from %s to %s", task.ID, task.Split, with.Tasks[i].Split)
		}
	}
	if l := with.Likeness(); l.Tasks != 220 || l.Units != 200 || l.Duplicates != 40 || l.Exact != 40 || l.Aside+l.Across > 0 {
		t.Errorf("%+v", l)
	}
}

// TestDuplicatesOnBothSidesAsDeclared checks that a search task with an exact duplicate in
// the holdout is set aside, and that near-duplicates keep their declared splits.
func TestDuplicatesOnBothSidesAsDeclared(t *testing.T) {
	text := `{"id":"a","goal":"Freeze my account","answer":"x","split":"search"}
{"id":"b","goal":"freeze my account!","answer":"x","split":"holdout"}
{"id":"c","goal":"please send ten dollars from bank of america to capital one","answer":"x","split":"search"}
{"id":"d","goal":"send ten dollars from bank of america to capital one","answer":"x","split":"holdout"}
{"id":"e","goal":"send ten dollars from bank of america to capital one!","answer":"x"}
`
	s, issues := ReadSuite(strings.NewReader(text), "s", nil, GraderRules{})
	if len(issues) > 0 {
		t.Fatal(issues)
	}
	var got []string
	for _, task := range s.Tasks {
		got = append(got, string(task.Split)+" "+task.Unit())
	}
	if diff := cmp.Diff([]string{"aside a", "holdout a", "search c", "holdout c", "aside c"}, got); diff != "" {
		t.Error(diff)
	}
	const want = "5 of 5 tasks are near-duplicates in 2 groups; each group counts as one task (5 of the tasks are exact duplicates); " +
		"2 of the search tasks are left out, because they are the same as held-out tasks; 1 group with tasks declared in both splits"
	if diff := cmp.Diff(want, s.Likeness().String()); diff != "" {
		t.Error(diff)
	}
}

// TestDuplicatesOnBothSidesInClusters checks that no exact duplicates remain in both
// splits, even if they are in declared clusters.
func TestDuplicatesOnBothSidesInClusters(t *testing.T) {
	s, issues := ReadSuite(strings.NewReader(`{"id":"a","goal":"Freeze my account","answer":"x","split":"search","cluster":"a"}
{"id":"b","goal":"freeze my account!","answer":"x","split":"holdout","cluster":"b"}
`), "s", nil, GraderRules{})
	if len(issues) > 0 || s.Tasks[0].Split != Aside || s.Tasks[1].Split != Holdout {
		t.Fatalf("%v, %+v", issues, s)
	}
	if got := s.Likeness().String(); got != "1 of the search tasks are left out, because they are the same as held-out tasks" {
		t.Error(got)
	}
}

// TestDuplicatesOverSuites checks that assigned splits do not separate near-duplicates in
// two suites of an agent, that declared splits do not separate exact duplicates, and that
// duplicates form one unit.
func TestDuplicatesOverSuites(t *testing.T) {
	read := func(text string) *Suite {
		s, issues := ReadSuite(strings.NewReader(text), "s", nil, GraderRules{})
		if len(issues) > 0 {
			t.Fatal(issues)
		}
		return s
	}
	a := read(`{"id":"a1","goal":"Freeze my account","answer":"x","split":"search"}
{"id":"a2","goal":"Ann has 3 apples and gives one of them away. How many are left?","answer":"2","split":"search"}
{"id":"a3","goal":"please send ten dollars from bank of america to capital one","answer":"x","cluster":"send"}
{"id":"a4","goal":"what is in my wallet","answer":"x","cluster":"send"}
`)
	b := read(`{"id":"b1","goal":"freeze my account!","answer":"x","split":"holdout"}
{"id":"b2","goal":"Dee has 7 apples and gives one of them away. How many are left? Please.","answer":"6","split":"holdout"}
{"id":"b3","goal":"send ten dollars from bank of america to capital one","answer":"x"}
{"id":"b4","goal":"which of my cards is the oldest","answer":"x","split":"holdout"}
`)
	l := JoinSuites([]*Suite{a, b})
	var got []string
	for _, task := range append(a.Tasks, b.Tasks...) {
		got = append(got, fmt.Sprintf("%s: %s %s", task.ID, task.Split, task.Unit()))
	}
	side := string(b.Tasks[2].Split)
	want := []string{
		"a1: aside a1", "a2: search a2", "a3: " + side + " a3", "a4: " + side + " a3",
		"b1: holdout a1", "b2: holdout a2", "b3: " + side + " a3", "b4: holdout b4",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"the same words: a1, b1", "nearly the same words: a2, b2", "nearly the same words: a3, a4, b3"}, l.Named); diff != "" {
		t.Error(diff)
	}
}

// TestDeclaredClustersStayApart checks that tasks that an author declares to be in
// different clusters are not joined by a task of another suite that resembles all of them.
func TestDeclaredClustersStayApart(t *testing.T) {
	read := func(text string) *Suite {
		s, issues := ReadSuite(strings.NewReader(text), "s", nil, GraderRules{})
		if len(issues) > 0 {
			t.Fatal(issues)
		}
		return s
	}
	var own strings.Builder
	for i := range 8 {
		fmt.Fprintf(&own, `{"id":"s%d","cluster":"s%[1]d","goal":"How many of item bolt%[1]d are left in the stock?","answer":"%[1]d","split":%q}`+"\n", i, []string{"search", "holdout"}[i%2])
	}
	a, b := read(own.String()), read(`{"id":"u1","goal":"How many of item nut4 are left in the stock?","answer":"7"}
{"id":"u2","goal":"How many of item bolt5 are left in the stock?","answer":"5","split":"search"}
`)
	l := JoinSuites([]*Suite{b, a})
	if l.Units != 8 || l.Groups != 1 || l.Duplicates != 3 {
		t.Errorf("%+v", l)
	}
	units := map[string]bool{}
	for _, task := range a.Tasks {
		units[task.Unit()] = true
	}
	if len(units) != 8 {
		t.Errorf("the declared clusters became %v", units)
	}
	// A duplicate of a held-out task is not used in the search.
	if got := b.Tasks[1]; got.Split != Aside || got.Unit() != a.Tasks[5].Unit() {
		t.Errorf("the duplicate of a holdout task: %s %s", got.Split, got.Unit())
	}
}
