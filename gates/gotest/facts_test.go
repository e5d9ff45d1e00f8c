package gotest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSteadied checks how two tests of the base count. A test that failed once and then
// passed is required of a candidate but is not proof; a test that always fails is not
// required.
func TestSteadied(t *testing.T) {
	first := outcome{Passed: []string{"TestA"}, Failed: []string{"TestB/x", "TestB", "TestC"}}
	again := outcome{OK: false, Passed: []string{"TestA", "TestB/x", "TestB", "TestB"}, Failed: []string{"TestC", "TestC", "TestB/x"}}
	want := outcome{Passed: []string{"TestA", "TestB/x", "TestB"}, Failed: []string{"TestC"}, Unsteady: []string{"TestB/x", "TestB"}}
	got := first.steadied(again)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if weak := got.weak(); weak != "^(TestC|TestB)$" {
		t.Error(weak)
	}
	if weak := got.weak("TestC", "TestB"); weak != "^(TestB)$" {
		t.Errorf("a mended test is left out, or an unsteady one is not: %s", weak)
	}
	if weak := (outcome{OK: true, Passed: []string{"TestA"}}).weak(); weak != "" {
		t.Error(weak)
	}
	if missing := got.missing(outcome{Passed: []string{"TestA"}}); len(missing) > 0 {
		t.Error(missing)
	}
}
