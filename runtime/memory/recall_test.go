package memory

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"evolve/runtime/agent"
)

var day = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

func ids(hits []Hit) []string {
	out := []string{}
	for _, h := range hits {
		out = append(out, h.Memory.ID)
	}
	return out
}

func TestRecallRanksAndCuts(t *testing.T) {
	x := NewIndex(NewLexicon(), []agent.Memory{
		{ID: "exact", Text: "maintenance window of the billing service"},
		{ID: "half", Text: "the billing address changed"},
		{ID: "none", Text: "lunch is at noon"},
	})
	q := Query{Text: "What is the maintenance window of the billing service?", MaxMemories: 5, Lambda: 1}
	for _, c := range []struct {
		least float64
		want  []string
	}{{.9, []string{"exact"}}, {.2, []string{"exact", "half"}}, {.99, []string{"exact"}}} {
		q.MinScore = c.least
		hits := x.Recall(context.Background(), q)
		if diff := cmp.Diff(c.want, ids(hits)); diff != "" {
			t.Errorf("from %v: %s", c.least, diff)
		}
	}
	// An entry that is identical to the query has the best possible score.
	q.MinScore = 0
	if hits := x.Recall(context.Background(), q); math.Abs(hits[0].Score-1) > 1e-9 {
		t.Errorf("exact copy scores %v", hits[0].Score)
	}
}

func TestRecallDomains(t *testing.T) {
	x := NewIndex(NewLexicon(), []agent.Memory{
		{ID: "own", Domain: "ops", Text: "gate code"},
		{ID: "other", Domain: "crypto", Text: "gate code"},
		{ID: "global", Domain: GlobalDomain, Text: "gate code"},
		{ID: "unstated", Text: "gate code"},
		{ID: "gone", Domain: "ops", Text: "gate code", Retracted: "wrong"},
	})
	got := ids(x.Recall(context.Background(), Query{Text: "gate code", Domain: "ops", MaxMemories: 9, Lambda: 1}))
	if diff := cmp.Diff([]string{"own", "global", "unstated"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestRecallOfRequests tests that a memory about a request is recalled for that request,
// even in other words and in another order, and not for another request of the same form.
func TestRecallOfRequests(t *testing.T) {
	about := "Is this review good or bad? The zip tore on the first morning."
	x := NewIndex(NewLexicon(), []agent.Memory{
		{ID: "review", Text: about + " bad.", About: about},
		{ID: "order", Text: "What is the status of order 12? It was sent.", About: "What is the status of order 12?"},
		{ID: "fact", Text: "A good review names the zip."},
	})
	for query, want := range map[string]bool{
		about: true,
		"Good or bad, this review: the zip tore on the very first morning?": true,
		"Is this review good or bad? The zip is strong.":                    false,
		"Is this review good or bad? Bad.":                                  false,
		"Status of order 12, please":                                        true,
		"What is the status of order 13?":                                   false,
	} {
		q := Query{Text: query, MaxMemories: 9, Lambda: 1}
		has := func() bool {
			return slices.ContainsFunc(x.Recall(t.Context(), q), func(h Hit) bool { return h.Memory.About != "" })
		}
		if got := has(); got != want {
			t.Errorf("%s: recalled %t", query, got)
		}
		if q.Search = true; !has() {
			t.Errorf("%s: a search does not find it", query)
		}
	}
}

func TestRecallDecaysWithAge(t *testing.T) {
	x := NewIndex(NewLexicon(), []agent.Memory{
		{ID: "old", Text: "gate code", Time: day.AddDate(-3, 0, 0)},
		{ID: "new", Text: "gate code", Time: day},
		{ID: "undated", Text: "gate code"},
		{ID: "doubtful", Text: "gate code", Confidence: .5},
	})
	hits := x.Recall(context.Background(), Query{Text: "gate code", MaxMemories: 9, Lambda: 1, Now: day})
	if diff := cmp.Diff([]string{"new", "undated", "old", "doubtful"}, ids(hits)); diff != "" {
		t.Error(diff)
	}
	if s := hits[2].Score; s < decayFloor || s > decayFloor+.01 {
		t.Errorf("a very old entry keeps %v", s)
	}
	for _, h := range x.Recall(context.Background(), Query{Text: "gate code", MaxMemories: 9, Lambda: 1}) {
		if h.Memory.ID == "old" && h.Score < .99 {
			t.Error("without a clock there is no decay")
		}
	}
}

func TestCueWidens(t *testing.T) {
	x := NewIndex(NewLexicon(), []agent.Memory{
		{ID: "a", Text: "we chose the blue sofa for the lobby"}, {ID: "b", Text: "parking is free"}, {ID: "c", Text: "sofa"},
	})
	q := Query{Text: "Which colour of sofa for the reception", MinScore: .75, MaxMemories: 1, Lambda: 1}
	if n := len(x.Recall(context.Background(), q)); n != 0 {
		t.Errorf("recalls %d without a cue", n)
	}
	q.Text = "Remember which colour of sofa for the reception"
	wide := Query{Text: "Which colour of sofa for the reception", MinScore: .75, MaxMemories: 1, Lambda: 1, Wide: true}
	for _, q := range []Query{q, wide} {
		q.MinScore = .6
		if n := len(x.Recall(context.Background(), q)); n == 0 {
			t.Errorf("recalls nothing with %q", q.Text)
		}
	}
	for text, want := range map[string]bool{
		"what did I tell you last time": true, "Earlier you said so": true, "the earliest train": false,
		"remembering things": false, "recall the total": true, "": false,
	} {
		if HasCue(text) != want {
			t.Errorf("cue in %q: %v", text, !want)
		}
	}
}

func TestDiversity(t *testing.T) {
	x := NewIndex(NewLexicon(), []agent.Memory{
		{ID: "a1", Text: "falcon status report meeting"},
		{ID: "a2", Text: "falcon status report meetings"},
		{ID: "b", Text: "falcon budget is forty"},
	})
	q := Query{Text: "falcon status report", MaxMemories: 2, Lambda: 1}
	if got := ids(x.Recall(context.Background(), q)); cmp.Diff([]string{"a1", "a2"}, got) != "" {
		t.Errorf("relevance alone: %v", got)
	}
	q.Lambda = .3
	if got := ids(x.Recall(context.Background(), q)); cmp.Diff([]string{"a1", "b"}, got) != "" {
		t.Errorf("with novelty: %v", got)
	}
}

func memories(t *rapid.T, label string) []agent.Memory {
	word := rapid.SampledFrom([]string{"gate", "code", "falcon", "budget", "running", "runs", "lobby", "été", "42", "the", "x-ray"})
	n := rapid.IntRange(0, 30).Draw(t, label)
	out := make([]agent.Memory, n)
	for i := range out {
		out[i] = agent.Memory{
			ID:     fmt.Sprint(label, i),
			Domain: rapid.SampledFrom([]string{"", GlobalDomain, "ops", "crypto"}).Draw(t, "domain"),
			Text:   strings.Join(rapid.SliceOfN(word, 0, 400).Draw(t, "words"), " "),
		}
		if rapid.IntRange(0, 5).Draw(t, "retracted") == 0 {
			out[i].Retracted = "wrong"
		}
	}
	return out
}

// TestRecallBounds tests that every bound holds for any memory and any query.
func TestRecallBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, own := memories(t, "base"), memories(t, "own")
		x := NewIndex(NewLexicon(), base).Extend(own)
		q := Query{
			Text:        rapid.SampledFrom([]string{"gate code", "falcon budget 42", "remember the gate", "", "running lobby unseen"}).Draw(t, "text"),
			Domain:      rapid.SampledFrom([]string{"ops", "crypto", GlobalDomain}).Draw(t, "turn"),
			MinScore:    rapid.Float64Range(0, 1).Draw(t, "least"),
			MaxMemories: rapid.IntRange(0, 25).Draw(t, "most"),
			Lambda:      rapid.Float64Range(0, 1).Draw(t, "lambda"),
			TokenBudget: rapid.IntRange(1, 2000).Draw(t, "tokens"),
			Now:         day,
		}
		hits := x.Recall(context.Background(), q)
		least, most := q.MinScore, min(q.MaxMemories, MaxRecalled)
		if HasCue(q.Text) {
			least, most = least*cueMinScore, min(q.MaxMemories*cueMemories, MaxRecalled)
		}
		tokens, seen := 0, map[string]bool{}
		for _, h := range hits {
			tokens += Tokens(h.Memory.Text)
			if d := h.Memory.Domain; d != "" && d != GlobalDomain && d != q.Domain {
				t.Fatalf("domain %s was recalled for %s", d, q.Domain)
			}
			if h.Memory.Retracted != "" || seen[h.Memory.ID] || len(h.Memory.Text) > MaxEntryBytes {
				t.Fatalf("recalled %+v", h.Memory)
			}
			if h.Score < least || h.Score > 1 {
				t.Fatalf("score %v outside [%v, 1]", h.Score, least)
			}
			seen[h.Memory.ID] = true
		}
		if len(hits) > most || tokens > q.TokenBudget {
			t.Fatalf("%d memories, %d tokens", len(hits), tokens)
		}
	})
}

// TestLayersAreOneIndex tests that layered entries are recalled like entries in a single
// index.
func TestLayersAreOneIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := memories(t, "a"), memories(t, "b"), memories(t, "c")
		lex := NewLexicon()
		layered := NewIndex(lex, a).Extend(b).Extend(c)
		whole := NewIndex(lex, append(append(append([]agent.Memory{}, a...), b...), c...))
		q := Query{Text: "gate code falcon 42 unseen", Domain: "ops", MaxMemories: 20, Lambda: .6}
		if diff := cmp.Diff(whole.Recall(context.Background(), q), layered.Recall(context.Background(), q)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestConcurrentRecallIsTheSame(t *testing.T) {
	x := corpus(500)
	q := Query{Text: "utterance about topic 17 and colour 3", MinScore: .3, MaxMemories: 8, Lambda: .7}
	want := x.Recall(context.Background(), q)
	if len(want) == 0 {
		t.Fatal("nothing is recalled")
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 50 {
				y := x.Extend([]agent.Memory{{ID: "own", Text: fmt.Sprintf("private %d %d", g, i)}})
				y.Recall(context.Background(), q)
				if diff := cmp.Diff(want, x.Recall(context.Background(), q)); diff != "" {
					t.Error(diff)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestRecallStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if hits := corpus(10).Recall(ctx, Query{Text: "topic", MaxMemories: 5, Lambda: 1}); len(hits) != 0 {
		t.Errorf("recalled %d", len(hits))
	}
}

func TestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, n := rapid.String().Draw(t, "text"), rapid.IntRange(0, 60).Draw(t, "n")
		got := Cut(text, n)
		if len(got) > n || (len(text) <= n && got != text) {
			t.Fatalf("cut %q to %d: %q", text, n, got)
		}
	})
	if got := Cut("One sentence here. Another that is long", 30); got != "One sentence here.…" {
		t.Errorf("%q", got)
	}
}

func TestTerms(t *testing.T) {
	lex := NewLexicon()
	for text, want := range map[string][]string{
		"The runners were running": {"runner", "run"}, "don't LK-204": {"dont", "lk", "204"}, "": nil, "what is the": nil,
		"Ärger über Büro": {"ärger", "über", "büro"},
	} {
		if diff := cmp.Diff(want, lex.Terms(nil, text)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func FuzzTerms(f *testing.F) {
	f.Add("don't stop\xff\x00’'’")
	f.Add(strings.Repeat("a", 300))
	f.Fuzz(func(t *testing.T, text string) {
		lex := NewLexicon()
		first := lex.Terms(nil, text)
		if diff := cmp.Diff(first, lex.Terms(nil, text)); diff != "" {
			t.Fatal(diff) // cached stems equal fresh ones
		}
		x := NewIndex(lex, []agent.Memory{{ID: "a", Text: text}})
		for _, h := range x.Recall(context.Background(), Query{Text: text, MaxMemories: 3, Lambda: .5}) {
			if math.IsNaN(h.Score) || h.Score < 0 || h.Score > 1 {
				t.Fatalf("score %v", h.Score)
			}
		}
	})
}

func corpus(n int) *Index {
	entries := make([]agent.Memory, n)
	for i := range entries {
		entries[i] = agent.Memory{
			ID:   fmt.Sprint(i),
			Text: fmt.Sprintf("utterance about topic %d with colour %d and shape %d word%d word%d", i%150, i%11, i%7, i%977, i*31%1999),
		}
	}
	return NewIndex(NewLexicon(), entries)
}

func benchmarkRecall(b *testing.B, n int) {
	x := corpus(n)
	q := Query{Text: "which utterance about topic 17 has colour 3 and word31", MinScore: .5, MaxMemories: 8, Lambda: .7, TokenBudget: 1500}
	b.ReportAllocs()
	for b.Loop() {
		x.Recall(context.Background(), q)
	}
}

func BenchmarkRecall1500(b *testing.B)  { benchmarkRecall(b, 1500) }
func BenchmarkRecall50000(b *testing.B) { benchmarkRecall(b, 50_000) }

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"a\n\tb  c ":           "a b c",
		"\x1b[2Jno\u202ething": "[2Jnothing",
		"\xffbad":              "bad",
		"one two three four":   "one two…",
	} {
		if got := Line(in, 12); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}
