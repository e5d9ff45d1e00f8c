package agent

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestCanonicalForm(t *testing.T) {
	for _, c := range []struct {
		in   Config
		want string
	}{
		{Config{}, `{}`},
		{Config{"b": int64(1), "a": true}, `{"a":true,"b":1}`},
		{Config{"x": 0.5, "y": 1.0, "z": 1e21, "s": 1e-7}, `{"s":1e-7,"x":0.5,"y":1,"z":1e+21}`},
		{Config{"t": "a<b>&\"\n\u2028é"}, `{"t":"a<b>&\"\n\u2028é"}`},
		{Config{"l": []string{"b", "a"}, "n": []string(nil)}, `{"l":["b","a"],"n":[]}`},
	} {
		if got := string(c.in.Canonical()); got != c.want {
			t.Errorf("%v is %s, want %s", c.in, got, c.want)
		}
	}
}

func TestIdentityIsPinned(t *testing.T) {
	// Archives identify variants by this ID, so it must never change. It was computed with
	// sha256sum.
	c := Config{"recall.min_score": 0.62, "tools": []string{"grep"}, "strategy": "be brief", "steps": int64(7), "on": true}
	if got := c.ID(); got != "21c6ff5b6a4734bdadfa31eec06c62db" {
		t.Errorf("id %s", got)
	}
}

func TestCloneIsDeep(t *testing.T) {
	c := Config{"l": []string{"a"}}
	d := c.Clone()
	d["l"].([]string)[0] = "b"
	d["k"] = true
	if diff := cmp.Diff(Config{"l": []string{"a"}}, c); diff != "" {
		t.Error(diff)
	}
}

func TestNoNumberThatIsNone(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		if _, err := json.Marshal(Config{"x": v}); err == nil {
			t.Errorf("%v has a JSON form", v)
		}
	}
}

// TestCanonicalRoundTrip tests that a config decoded from the canonical form has the
// same canonical form and, parsed with its space, the same values.
func TestCanonicalRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSpace(t)
		c := drawConfig(t, s)
		var back Config
		if err := json.Unmarshal(c.Canonical(), &back); err != nil {
			t.Fatal(err)
		}
		if back.ID() != c.ID() || !back.Equal(c) {
			t.Fatalf("%s came back as %s", c.Canonical(), back.Canonical())
		}
		parsed, problems := s.Parse(back)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		if diff := cmp.Diff(c, parsed); diff != "" {
			t.Fatal(diff)
		}
	})
}

// FuzzConfig tests that any JSON is either a config that survives a round trip or an error.
func FuzzConfig(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":1,"b":1.5,"c":[ "x" ],"d":"\u0000"}`, `{"a":null}`, `{"a":{}}`, `{"a":1e999}`, `[1]`, `{"a":-0}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var c Config
		if json.Unmarshal([]byte(text), &c) != nil {
			return
		}
		var again Config
		if err := json.Unmarshal(c.Canonical(), &again); err != nil {
			t.Fatalf("%s: %v", c.Canonical(), err)
		}
		if again.ID() != c.ID() {
			t.Fatalf("%s came back as %s", c.Canonical(), again.Canonical())
		}
		if strings.ContainsAny(string(c.Canonical()), "\n") {
			t.Fatal("the canonical form has a line break")
		}
	})
}
