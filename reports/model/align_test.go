package model

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSteps(t *testing.T) {
	for _, c := range []struct {
		before, after string
		want          []Step
		diverge       int
	}{
		{"a b c", "a b c", []Step{{"a", "a"}, {"b", "b"}, {"c", "c"}}, -1},
		{"a b c", "a x y c", []Step{{"a", "a"}, {"b", "x"}, {"", "y"}, {"c", "c"}}, 1},
		{"a b d c", "a c", []Step{{"a", "a"}, {"b", ""}, {"d", ""}, {"c", "c"}}, 1},
		{"", "a", []Step{{"", "a"}}, 0},
		{"a", "b", []Step{{"a", "b"}}, 0},
		{"", "", nil, -1},
	} {
		got, diverge := steps(strings.Fields(c.before), strings.Fields(c.after))
		if diff := cmp.Diff(c.want, got); diff != "" || diverge != c.diverge {
			t.Errorf("%q against %q: diverges at %d, want %d\n%s", c.before, c.after, diverge, c.diverge, diff)
		}
	}
}

func TestTextDiff(t *testing.T) {
	got := textDiff("1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\n5\nsix\n7\n8\n9\n")
	want := []Line{{"…", ""}, {" ", "4"}, {" ", "5"}, {"-", "6"}, {"+", "six"}, {" ", "7"}, {" ", "8"}, {"+", "9"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestAlignKeepsBoth checks with random sequences that an alignment contains both sequences
// in full and that elements reported as the same are equal.
func TestAlignKeepsBoth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "b", "c", ""})
		a, b := rapid.SliceOfN(word, 0, 30).Draw(t, "a"), rapid.SliceOfN(word, 0, 30).Draw(t, "b")
		left, right := []string{}, []string{}
		for _, e := range align(a, b) {
			if e.hasA {
				left = append(left, e.before)
			}
			if e.hasB {
				right = append(right, e.after)
			}
		}
		if !cmp.Equal(a, left) || !cmp.Equal(b, right) {
			t.Fatalf("%v against %v became %v against %v", a, b, left, right)
		}
	})
}

func TestAlignIsBounded(t *testing.T) {
	long := strings.Split(strings.Repeat("a b ", 5000), " ")
	if got := align(append([]string{"x"}, long...), append(long, "y")); len(got) == 0 {
		t.Error("nothing was aligned")
	}
}
