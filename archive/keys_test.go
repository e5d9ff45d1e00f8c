package archive

import (
	"bytes"
	"cmp"
	"testing"

	"pgregory.net/rapid"
)

// TestKeyOrder checks that keys decode to their parts and have the same order as the parts.
func TestKeyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune{0, 1, 'a', 'b', 255, '\u20ac'}))
		number := rapid.Int64Min(0)
		type parts struct {
			run, agent string
			seq        int64
		}
		draw := func(name string) parts {
			return parts{text.Draw(t, name+" run"), text.Draw(t, name+" agent"), number.Draw(t, name+" seq")}
		}
		a, b := draw("a"), draw("b")
		ka, kb := evaluationKey(a.run, a.agent, a.seq), evaluationKey(b.run, b.agent, b.seq)
		run, agentID, seq, err := readEvaluationKey(ka)
		if got := (parts{run, agentID, seq}); err != nil || got != a {
			t.Fatalf("%+v came back as %+v (%v)", a, got, err)
		}
		want := cmp.Or(cmp.Compare(a.run, b.run), cmp.Compare(a.agent, b.agent), cmp.Compare(a.seq, b.seq))
		if got := bytes.Compare(ka, kb); got != want {
			t.Fatalf("%+v and %+v compare as %d, their keys as %d", a, b, want, got)
		}
	})
}

// TestKeyPrefix checks that the keys of one text are not found among those of another text
// that begins with it.
func TestKeyPrefix(t *testing.T) {
	if bytes.HasPrefix(evaluationKey("run1", "a", 0), newKey(tableEvaluation).text("run")) {
		t.Error("run1 is found under run")
	}
	if !bytes.HasPrefix(variantIDKey("a", "abc"), newKey(tableVariantID).text("a").open("ab")) {
		t.Error("abc is not found by its beginning")
	}
}

func TestContentKey(t *testing.T) {
	for _, s := range []string{"", "a", "ab", "AB", "0g", "c0ffee", "c0ffee0", "\x00", "\x01c0ffee"} {
		got, err := unpackHex(packHex(s))
		if err != nil || got != s {
			t.Errorf("%q came back as %q (%v)", s, got, err)
		}
	}
	if len(packHex("c0ffee")) != 4 {
		t.Error("hexadecimal is not packed")
	}
}

func FuzzKey(f *testing.F) {
	f.Add([]byte(evaluationKey("3-ab", "solver", 12)))
	f.Add([]byte{tableEvaluation, 0, 255, 0, 1, 0, 2})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		run, agentID, seq, err := readEvaluationKey(data)
		if err == nil && !bytes.Equal(evaluationKey(run, agentID, seq), data) {
			t.Errorf("%q is read, and written as another key", data)
		}
	})
}
