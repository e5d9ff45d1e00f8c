package bench

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// duplicateWorld describes one way of making variations of a text.
type duplicateWorld struct {
	name string
	// least is the required recall over pairs of duplicates.
	least float64
	vary  func(*rand.Rand, [][]string, []string) func() string
}

var (
	someNames = strings.Fields("Ann Bob Dee Maria Tom Wei Olga Kofi Lena Raj Ines Sam Yuki Zoe Omar Piet Carmen Igor Fatima Hugo")
	affixes   = []string{
		"%s Please.", "Please: %s", "%s Thanks!", "%s Thank you in advance.", "Question: %s", "Hello! %s", "Hi there, %s", "%s (be brief)",
		"Task: %s", "%s Thank you very much.", "“%s”", "%s", "  %s  ", "%s…", "Could you help? %s",
	}
)

// slots draws the positions at which the text varies: at least one, and at most nearly a
// third of the words.
func slots(random *rand.Rand, n int) []int {
	return random.Perm(n)[:1+random.IntN(max(1, 3*n/10))]
}

// duplicateWorlds returns the ways in which tasks of the same family differ.
func duplicateWorlds() []duplicateWorld {
	filled := func(fill func(*rand.Rand, [][]string) string) func(*rand.Rand, [][]string, []string) func() string {
		return func(random *rand.Rand, texts [][]string, base []string) func() string {
			open := slots(random, len(base))
			return func() string {
				words := append([]string(nil), base...)
				for _, at := range open {
					words[at] = fill(random, texts)
				}
				return strings.Join(words, " ")
			}
		}
	}
	word := func(random *rand.Rand, texts [][]string) string {
		text := texts[random.IntN(len(texts))]
		return text[random.IntN(len(text))]
	}
	return []duplicateWorld{
		{"numbers", .95, filled(func(random *rand.Rand, _ [][]string) string { return fmt.Sprint(random.IntN(10000)) })},
		{"names", .95, filled(func(random *rand.Rand, _ [][]string) string { return someNames[random.IntN(len(someNames))] })},
		{"words", .95, filled(word)},
		{"one phrase of up to three words", .95, func(random *rand.Rand, texts [][]string, base []string) func() string {
			at := random.IntN(len(base))
			return func() string {
				words := append([]string(nil), base[:at]...)
				for range 1 + random.IntN(min(3, max(1, 3*len(base)/10))) {
					words = append(words, word(random, texts))
				}
				return strings.Join(append(words, base[at+1:]...), " ")
			}
		}},
		{"a word more", .95, func(random *rand.Rand, texts [][]string, base []string) func() string {
			return func() string {
				at := random.IntN(len(base))
				return strings.Join(slices.Concat(base[:at], []string{word(random, texts)}, base[at:]), " ")
			}
		}},
		{"before and after", .9, func(random *rand.Rand, _ [][]string, base []string) func() string {
			return func() string { return fmt.Sprintf(affixes[random.IntN(len(affixes))], strings.Join(base, " ")) }
		}},
		{"case, signs and spaces", 1, func(random *rand.Rand, _ [][]string, base []string) func() string {
			return func() string {
				var b strings.Builder
				for _, w := range base {
					switch random.IntN(5) {
					case 0:
						w = strings.ToUpper(w)
					case 1:
						w += []string{",", " ", "\n", "!", "\t", " —"}[random.IntN(6)]
					}
					b.WriteString(w + " ")
				}
				return b.String()
			}
		}},
	}
}

// duplicateScore counts the duplicates that were found when families of tasks were mixed
// with unrelated tasks.
type duplicateScore struct {
	pairs, found   int // pairs of tasks of the same family
	tasks, strange int // the number of tasks, and the number of tasks whose group consists mostly of other families
}

func (s duplicateScore) recall() float64 { return float64(s.found) / math.Max(1, float64(s.pairs)) }

func (s duplicateScore) mistaken() float64 { return float64(s.strange) / math.Max(1, float64(s.tasks)) }

// scoreDuplicates compares the groups found with the tasks' families.
func scoreDuplicates(tasks []Task, family []string) duplicateScore {
	class := func(i int) string { // what unrelated tasks may share with a family: their label
		if tasks[i].Answer != nil {
			return *tasks[i].Answer
		}
		return family[i]
	}
	of := make([]int, len(tasks))
	for i := range of {
		of[i] = -1 - i
	}
	s := duplicateScore{tasks: len(tasks)}
	for g, group := range FindDuplicates(tasks) {
		count, most := map[string]int{}, 0
		for _, i := range group.Tasks {
			of[i] = g
			count[class(i)]++
			most = max(most, count[class(i)])
		}
		s.strange += len(group.Tasks) - most
	}
	members := map[string][]int{}
	for i, f := range family {
		if strings.HasPrefix(f, "family") {
			members[f] = append(members[f], i)
		}
	}
	for _, list := range members {
		for k, i := range list {
			for _, j := range list[:k] {
				s.pairs++
				if of[i] == of[j] {
					s.found++
				}
			}
		}
	}
	return s
}

// likeWords returns texts of an artificial language with Zipf-distributed words.
func likeWords(random *rand.Rand, n, from, to int) [][]string {
	zipf := rand.NewZipf(random, 1.1, 3, 4000)
	out := make([][]string, n)
	for i := range out {
		out[i] = make([]string, from+random.IntN(to-from+1))
		for k := range out[i] {
			n := zipf.Uint64() // written as letters, because words with digits count as numbers
			for out[i][k] = string(rune('a' + n%26)); n >= 26; {
				n /= 26
				out[i][k] += string(rune('a' + n%26))
			}
		}
	}
	return out
}

// TestDuplicatesInWorlds mixes families of 2 to 20 variations with unrelated tasks.
func TestDuplicatesInWorlds(t *testing.T) {
	if testing.Short() {
		t.Skip("many tasks, one after another")
	}
	for _, source := range duplicateSources() {
		for _, w := range duplicateWorlds() {
			for _, length := range [][2]int{{8, 12}, {13, 30}, {31, 80}, {81, 200}} {
				random := rand.New(rand.NewPCG(7, uint64(length[0])))
				tasks, family := append([]Task(nil), source.honest...), append([]string(nil), source.family...)
				texts := source.texts(random, length[0], length[1])
				for n, base := range texts[:min(20, len(texts))] {
					next := w.vary(random, texts, base)
					for range 2 + random.IntN(19) {
						tasks = append(tasks, Task{ID: fmt.Sprint("f", len(tasks)), Goal: next(), Answer: source.label[strings.Join(base, " ")]})
						family = append(family, fmt.Sprint("family", n))
					}
				}
				s := scoreDuplicates(tasks, family)
				t.Logf("%-9s %-32s %3d–%3d words: recall %.3f of %d pairs, mistaken %.4f of %d", source.name, w.name, length[0], length[1], s.recall(), s.pairs, s.mistaken(), s.tasks)
				if s.recall() < w.least || s.mistaken() > .01 {
					t.Errorf("%s, %s, %d words: not as asked for", source.name, w.name, length[0])
				}
			}
		}
	}
}

type duplicateSource struct {
	name   string
	honest []Task
	family []string           // the family of each unrelated task: its own, or its label
	label  map[string]*string // the label of a text, if it has one
	texts  func(random *rand.Rand, from, to int) [][]string
}

// duplicateSources returns sources of unrelated tasks: artificial tasks, and real ones if
// available.
func duplicateSources() []duplicateSource {
	random := rand.New(rand.NewPCG(9, 9))
	made := duplicateSource{name: "made", texts: func(random *rand.Rand, from, to int) [][]string { return likeWords(random, 20, from, to) }}
	for i, words := range likeWords(random, 1500, 5, 60) {
		made.honest = append(made.honest, Task{ID: fmt.Sprint(i), Goal: strings.Join(words, " ")})
		made.family = append(made.family, fmt.Sprint("made", i))
	}
	out := []duplicateSource{made}
	stories, lines := realProblems(), realUtterances()
	if len(stories) == 0 || len(lines) == 0 {
		return out
	}
	half := len(stories) / 2
	texts := func(random *rand.Rand, from, to int) [][]string {
		var out [][]string
		order := random.Perm(half)
		for len(order) > 0 {
			i := order[0]
			order = order[1:]
			words := strings.Fields(stories[half+i].Goal)
			if to <= 30 {
				words = strings.Fields(strings.SplitAfter(stories[half+i].Goal, ". ")[0])
			}
			for len(words) < from && to > 80 && len(order) > 0 {
				words = append(words, strings.Fields(stories[half+order[0]].Goal)...)
				order = order[1:]
			}
			if len(words) >= from && len(words) <= to {
				out = append(out, words)
			}
		}
		return out
	}
	gsm := duplicateSource{name: "stories", texts: texts}
	for i, task := range stories[:half] {
		gsm.honest = append(gsm.honest, task)
		gsm.family = append(gsm.family, fmt.Sprint("story", i))
	}
	clinc := duplicateSource{name: "sayings", texts: func(random *rand.Rand, from, to int) [][]string {
		if to > 12 {
			return texts(random, from, to)
		}
		var out [][]string
		for _, i := range random.Perm(len(lines)) {
			if words := strings.Fields(lines[i].Goal); len(words) >= from && len(words) <= to {
				out = append(out, words)
			}
		}
		return out
	}}
	clinc.label = map[string]*string{}
	for _, line := range lines {
		clinc.label[strings.Join(strings.Fields(line.Goal), " ")] = line.Answer
	}
	for _, i := range random.Perm(len(lines))[:1500] {
		clinc.honest = append(clinc.honest, lines[i])
		clinc.family = append(clinc.family, *lines[i].Answer)
	}
	return append(out, gsm, clinc)
}

// realProblems returns story problems from real data, or none if the data is absent.
func realProblems() []Task {
	var out []Task
	for line := range strings.Lines(string(realData("gsm8k-model-solutions.jsonl"))) {
		var q struct{ Question string }
		if json.Unmarshal([]byte(line), &q) == nil {
			out = append(out, Task{ID: fmt.Sprint(len(out)), Goal: q.Question})
		}
	}
	return out
}

func realUtterances() []Task {
	var parts map[string][][2]string
	if json.Unmarshal(realData("clinc150.json"), &parts) != nil {
		return nil
	}
	var out []Task
	for _, part := range []string{"train", "val", "test"} {
		for i, p := range parts[part] {
			out = append(out, Task{ID: fmt.Sprint(part, i), Goal: p[0], Answer: &p[1]})
		}
	}
	return out
}

// TestDuplicatesOfNamesAndNumbers replaces all names and numbers in real stories.
func TestDuplicatesOfNamesAndNumbers(t *testing.T) {
	stories := realProblems()
	if len(stories) == 0 {
		t.Skip("the real data is not on this machine")
	}
	random := rand.New(rand.NewPCG(1, 1))
	var tasks []Task
	var family []string
	for i, story := range stories {
		vary := func() string {
			names := map[string]string{}
			words := strings.Fields(story.Goal)
			for k, w := range words {
				bare := strings.Trim(w, ".,;:!?'s$")
				switch {
				case bare != "" && strings.ContainsAny(bare, "0123456789"):
					words[k] = strings.Replace(w, bare, fmt.Sprint(2+random.IntN(900)), 1)
				case k > 0 && bare != "" && unicode.IsUpper(rune(bare[0])) && strings.Count(story.Goal, bare) > 1:
					if names[bare] == "" {
						names[bare] = someNames[random.IntN(len(someNames))]
					}
					words[k] = strings.Replace(w, bare, names[bare], 1)
				}
			}
			return strings.Join(words, " ")
		}
		for range 1 + i%4 {
			tasks = append(tasks, Task{ID: fmt.Sprint(len(tasks)), Goal: vary()})
			family = append(family, fmt.Sprint("family", i))
		}
	}
	s := scoreDuplicates(tasks, family)
	t.Logf("recall %.3f of %d pairs, mistaken %.4f of %d", s.recall(), s.pairs, s.mistaken(), s.tasks)
	if s.recall() < .95 || s.mistaken() > .01 {
		t.Error("not as asked for")
	}
}

// TestDuplicatesUnderInstructions checks that tasks with different texts do not become
// duplicates because they share one of a few instructions.
func TestDuplicatesUnderInstructions(t *testing.T) {
	if testing.Short() {
		t.Skip("many tasks, one after another")
	}
	const end = "Think it over, then answer with the label alone and with nothing else besides."
	random := rand.New(rand.NewPCG(3, 3))
	for _, source := range duplicateSources() {
		for _, kinds := range []int{1, 3, 10} {
			for _, words := range []int{10, 25, 60} {
				lead := likeWords(random, kinds, words, words)
				tasks := append([]Task(nil), source.honest...)
				for i := range tasks {
					tasks[i].Goal = strings.Join(lead[i%kinds], " ") + ": " + tasks[i].Goal + "\n" + []string{"", end}[words%2]
				}
				s := scoreDuplicates(tasks, source.family)
				t.Logf("%s, %d instructions of %d words: mistaken %.4f of %d", source.name, kinds, words, s.mistaken(), s.tasks)
				if s.mistaken() > .01 {
					t.Errorf("%s, %d instructions of %d words: not as asked for", source.name, kinds, words)
				}
			}
		}
	}
}
