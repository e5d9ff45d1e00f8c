package real

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// household has three intents with two examples each, and three tasks.
func household() intents {
	say := func(intent string, texts ...string) (list []utterance) {
		for _, text := range texts {
			list = append(list, utterance{text, intent, "home"})
		}
		return list
	}
	var i intents
	i.examples = append(i.examples, say("play", "play a song", "play some loud music")...)
	i.examples = append(i.examples, say("weather", "will it rain", "is it going to rain a lot")...)
	i.examples = append(i.examples, say("timer", "set a timer", "stop the timer")...)
	i.tasks = append(say("play", "Play music!"), say("weather", "rain?", "is rain coming")...)
	return i
}

// TestBayes compares the probabilities with the results of separately written formulas.
func TestBayes(t *testing.T) {
	r := newRouter(household())
	a := analysis{stem: "none", words: 1}
	e := r.view(a)
	for _, c := range []struct {
		text       string
		complement bool
		want       []float64 // play, timer, weather
	}{
		{"play the rain song", false, []float64{0.585705, 0.231468, 0.182826}},
		{"play the rain song", true, []float64{0.582371, 0.218745, 0.198884}},
		{"a timer", false, []float64{0.197759, 0.645987, 0.156254}},
		{"a timer", true, []float64{0.19956, 0.635514, 0.164926}},
	} {
		text := e.single.count(a.features(c.text), false)
		got := likely(e.joined, text, scale{counts: "raw"}, 3, 1, c.complement)
		if d := cmp.Diff(c.want, got, cmpopts.EquateApprox(0, 1e-6)); d != "" {
			t.Errorf("%s, complement %v: %s", c.text, c.complement, d)
		}
	}
}

func TestRoute(t *testing.T) {
	data := household()
	data.examples = append(data.examples, utterance{"tell me a joke about timer", outOfScope, outOfScope})
	r := newRouter(data)
	bayes := map[string]any{"method": "bayes", "stop_words": "none", "threshold": 0.4}
	for _, c := range []struct {
		values map[string]any
		text   string
		want   string
	}{
		{nil, "play", "play"},
		{nil, "banana", outOfScope},
		{map[string]any{"threshold": 0.9}, "play rain", outOfScope},
		{map[string]any{"unit": "characters", "method": "centroid", "threshold": 0.1}, "raining", "weather"},
		{map[string]any{"stem": true}, "raining", "weather"},
		{map[string]any{"stop_words": "none", "neighbours": int64(3), "vote": "squared", "rarity": int64(1)}, "set the timer", "timer"},
		{map[string]any{"min_count": int64(3), "stop_words": "none"}, "set rain", outOfScope},
		{bayes, "stop the timer", "timer"},
		{map[string]any{"out_of_scope_examples": true, "threshold": 0.1}, "joke about a timer", outOfScope},
		{map[string]any{"threshold": 0.1}, "joke about a timer", "timer"},
	} {
		if got := r.route(with(routerSpace(), c.values), c.text); got != c.want {
			t.Errorf("%v: %q goes to %s, not %s", c.values, c.text, got, c.want)
		}
	}
}

func TestFeatures(t *testing.T) {
	for _, c := range []struct {
		a    analysis
		text string
		want []string
	}{
		{analysis{stem: "none", words: 2}, "Don't go, go!", []string{"don", "t", "go", "go", "don t", "t go", "go go"}},
		{analysis{characters: 3}, "Ab c", []string{" ab", "ab ", "b c", " c "}},
		{analysis{stem: "english", words: 1, stopWords: "long"}, "the running dogs", []string{"run", "dog"}},
		{analysis{stem: "prefix", prefix: 4, words: 1}, "Über-großzügig to", []string{"über", "groß", "to"}},
	} {
		if d := cmp.Diff(c.want, c.a.features(c.text)); d != "" {
			t.Error(d)
		}
	}
}
