package memory

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"evolve/runtime/agent"
)

func TestAudit(t *testing.T) {
	ago := func(days int) time.Time { return day.AddDate(0, 0, -days) }
	for name, c := range map[string]struct {
		memories []agent.Memory
		want     map[string]Verdict
		replaces map[string][]string
	}{
		"alone": {
			memories: []agent.Memory{
				{ID: "plain", Text: "billing timeout rules are strict"},
				{ID: "doubtful", Text: "billing timeout was guessed", Confidence: .3},
				{ID: "old", Text: "billing timeout owner Anna", Time: ago(400)},
				{ID: "undated", Text: "billing timeout is configured by hand"},
			},
			want: map[string]Verdict{"plain": Keep, "doubtful": Update, "old": Update, "undated": Keep},
		},
		"newer number replaces": {
			memories: []agent.Memory{
				{ID: "a", Text: "The billing timeout is 30 seconds.", Time: ago(20)},
				{ID: "b", Text: "The timeout of billing is now 45 seconds.", Time: ago(2)},
			},
			want: map[string]Verdict{"a": Retract, "b": Keep}, replaces: map[string][]string{"b": {"a"}},
		},
		"three values of one subject": {
			memories: []agent.Memory{
				{ID: "b", Text: "Billing timeout: 45", Time: ago(10)},
				{ID: "a", Text: "Billing timeout: 30", Time: ago(20)},
				{ID: "c", Text: "Billing timeout: 60", Time: ago(1)},
			},
			want: map[string]Verdict{"a": Retract, "b": Retract, "c": Keep}, replaces: map[string][]string{"b": {"a"}, "c": {"b", "a"}},
		},
		"neither is newer": {
			memories: []agent.Memory{
				{ID: "a", Text: "billing timeout expires 3 March"}, {ID: "b", Text: "billing timeout expires 5 March"},
			},
			want: map[string]Verdict{"a": Update, "b": Update},
		},
		"duplicates": {
			memories: []agent.Memory{
				{ID: "first", Text: "Billing timeout is 30 s", Time: ago(9)},
				{ID: "second", Text: "billing timeouts are 30 s.", Time: ago(2)},
				{ID: "third", Text: "The billing timeout is 30 s", Time: ago(9)},
			},
			want: map[string]Verdict{"first": Retract, "second": Keep, "third": Retract},
		},
		"other subjects": {
			memories: []agent.Memory{
				{ID: "a", Text: "The billing timeout of LK-204 is 12"},
				{ID: "b", Text: "The billing timeout of LK-205 is 13"},
				{ID: "c", Text: "Billing timeout room 12 has 4 seats"},
				{ID: "d", Text: "Billing timeout room 13 has 6 seats"},
				{ID: "e", Text: "The billing timeout is allowed"},
				{ID: "f", Text: "The billing timeout is not allowed"},
			},
			want: map[string]Verdict{"a": Keep, "b": Keep, "c": Keep, "d": Keep, "e": Keep, "f": Keep},
		},
		"answers differ": {
			memories: []agent.Memory{
				{ID: "a", Text: "What is the billing timeout?", Answer: "30", Time: ago(3)},
				{ID: "b", Text: "What is the billing timeout?", Answer: "45", Time: ago(2)},
			},
			want: map[string]Verdict{"a": Retract, "b": Keep}, replaces: map[string][]string{"b": {"a"}},
		},
	} {
		got, replaces := map[string]Verdict{}, map[string][]string{}
		for _, a := range NewIndex(NewLexicon(), c.memories).Audit(context.Background(), "billing timeout", "ops", day) {
			got[a.ID] = a.Advice
			if a.Why == "" {
				t.Errorf("%s: no reason for %s", name, a.ID)
			}
			if a.Replaces != nil {
				replaces[a.ID] = a.Replaces
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if len(replaces)+len(c.replaces) > 0 {
			if diff := cmp.Diff(c.replaces, replaces); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
}

// TestAuditBounds tests that an audit shows only entries that are visible in the domain,
// and keeps exactly one of several copies.
func TestAuditBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := NewIndex(NewLexicon(), memories(t, "m")).Without(map[string]string{"m3": "wrong"})
		for _, a := range x.Audit(context.Background(), "gate code falcon", "ops", day) {
			if a.ID == "m3" || len(a.Text) > MaxEntryBytes || a.Why == "" {
				t.Fatalf("%+v", a)
			}
		}
		n := rapid.IntRange(1, 80).Draw(t, "copies")
		copies := make([]agent.Memory, n)
		for i := range copies {
			copies[i] = agent.Memory{
				ID: string(rune('a' + i)), Text: "gate code is 42", Time: day.AddDate(0, 0, -rapid.IntRange(0, 5).Draw(t, "age")),
				Domain: rapid.SampledFrom([]string{"", "ops"}).Draw(t, "domain"),
			}
		}
		copies = append(copies, agent.Memory{ID: "foreign", Text: "gate code is 42", Domain: "crypto"})
		kept := 0
		all := NewIndex(NewLexicon(), copies).Audit(context.Background(), "gate code", "ops", day)
		for _, a := range all {
			if a.ID == "foreign" {
				t.Fatal("another domain is shown")
			}
			if a.Advice == Keep {
				kept++
			}
		}
		if kept != 1 || len(all) != min(n, MaxAudited) {
			t.Fatalf("%d of %d copies are kept", kept, len(all))
		}
	})
}

// TestWithout tests that hidden memories are never recalled, that the underlying index is
// unchanged, and that later layers hide the memories too.
func TestWithout(t *testing.T) {
	base := NewIndex(NewLexicon(), []agent.Memory{{ID: "a", Text: "gate code"}, {ID: "b", Text: "gate code"}})
	q := Query{Text: "gate code", MaxMemories: 9, Lambda: 1}
	hidden := base.Without(map[string]string{"a": "wrong"})
	for name, c := range map[string]struct {
		index *Index
		want  []string
	}{
		"beneath":       {base, []string{"a", "b"}},
		"hidden":        {hidden, []string{"b"}},
		"more hidden":   {hidden.Without(map[string]string{"b": "too"}), []string{}},
		"laid over":     {hidden.Extend([]agent.Memory{{ID: "c", Text: "gate code"}}), []string{"b", "c"}},
		"twice over":    {hidden.Extend([]agent.Memory{{ID: "c", Text: "gate code"}}).Extend([]agent.Memory{{ID: "a", Text: "gate code"}}), []string{"b", "c"}},
		"hides a layer": {base.Extend([]agent.Memory{{ID: "c", Text: "gate code"}}).Without(map[string]string{"c": ""}), []string{"a", "b"}},
		"nothing":       {base.Without(nil), []string{"a", "b"}},
	} {
		if diff := cmp.Diff(c.want, ids(c.index.Recall(context.Background(), q))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func FuzzClaim(f *testing.F) {
	f.Add("The billing timeout is 30 seconds.", "The timeout of billing is now 45 s")
	f.Add("price: €12,50 = ", "\xff is 4 \x00")
	f.Fuzz(func(t *testing.T, a, b string) {
		lex := NewLexicon()
		x, y := lex.Claim(a), lex.Claim(b)
		if x.Contradicts(x) || x.Contradicts(y) != y.Contradicts(x) || x.Same(y) != y.Same(x) {
			t.Fatalf("%q, %q: a comparison depends on its order", a, b)
		}
		if x.Same(y) && x.Contradicts(y) {
			t.Fatalf("%q says the same as %q and contradicts it", a, b)
		}
	})
}
