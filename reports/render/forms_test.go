package render

import (
	"encoding/csv"
	"encoding/xml"
	"slices"
	"strconv"
	"strings"
	"testing"

	"evolve/reports/model"
)

// readSuites parses a JUnit report as other programs do.
func readSuites(t *testing.T, r model.Report) junitSuites {
	t.Helper()
	var out junitSuites
	if err := xml.Unmarshal([]byte(rendered(t, JUnit, r)), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestJUnitHasACaseForEachTask(t *testing.T) {
	r := adoptWorld(t, 0).report()
	got := readSuites(t, r)
	if len(got.Suites) != len(r.Agents) {
		t.Fatalf("%d suites of %d agents", len(got.Suites), len(r.Agents))
	}
	failures := 0
	for i, s := range got.Suites {
		failures += s.Failures
		regressions, _ := model.SplitTasks(r.Agents[i].Tasks)
		var failed []string
		for _, c := range s.Cases {
			if c.Failure != nil {
				failed = append(failed, c.Name)
			}
		}
		if s.Tests != len(r.Agents[i].Tasks) || len(s.Cases) != s.Tests || s.Failures != len(regressions) || len(failed) != len(regressions) {
			t.Errorf("%d cases, of which %v failed, of %d tasks with %d regressions", len(s.Cases), failed, len(r.Agents[i].Tasks), len(regressions))
		}
		for _, task := range regressions {
			if !slices.Contains(failed, task.Task) {
				t.Errorf("%s did not fail", task.Task)
			}
		}
		for _, want := range []junitProperty{{"evolve.verdict", "adopt"}, {"evolve.run", r.Run.ID}} {
			if !slices.Contains(s.Properties, want) {
				t.Errorf("the properties %v lack %v", s.Properties, want)
			}
		}
	}
	if failures == 0 {
		t.Error("the fixture has no regression")
	}
}

func TestCSVHasARowForEachTask(t *testing.T) {
	r := adoptWorld(t, 0).report()
	got := rendered(t, CSV, r)
	if !strings.HasPrefix(got, "\ufeffrun,night,agent,") {
		t.Fatalf("it begins with %q", got[:20])
	}
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(got, "\ufeff"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	n := 1
	for _, a := range r.Agents {
		n += len(a.Tasks)
	}
	if len(rows) != n {
		t.Fatalf("%d rows, want %d", len(rows), n)
	}
	for i, task := range r.Agents[0].Tasks {
		row := rows[i+1]
		if d, err := strconv.ParseFloat(row[slices.Index(csvColumns, "difference")], 64); err != nil || d != task.Difference() || row[5] != task.Task {
			t.Errorf("row %d is %v: %v", i+1, row, err)
		}
	}
}

func TestNoCellIsAFormula(t *testing.T) {
	for in, want := range map[string]string{
		"=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", " =1": "' =1", `"=1`: `'"=1`, "＝1": "'＝1",
		"\t=1": `\t=1`, "\r=1": `\r=1`, "a=1": "a=1", "": "", "ü": "ü", "routing-1": "routing-1",
	} {
		if got := cell(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestGitHubLineAsksForAPerson(t *testing.T) {
	if got := rendered(t, GitHub, adoptWorld(t, 0).report()); !strings.HasPrefix(got, "::warning title=evolve run ") || !strings.Contains(got, "evolve approve P") {
		t.Errorf("a proposal that waits: %s", got)
	}
	if got := rendered(t, GitHub, keepWorld(t, 0).report()); !strings.HasPrefix(got, "::notice title=evolve run ") {
		t.Errorf("nothing to decide: %s", got)
	}
}

// TestFormsKeepForeignText checks that untrusted text neither changes the structure of a
// form nor runs.
func TestFormsKeepForeignText(t *testing.T) {
	r := small(adoptWorld(t, 0).report())
	plainSuites := readSuites(t, poisoned(t, r, "word"))
	for _, s := range append(slices.Clone(hostile), "::error::x", "%0A::set-output name=x::y", "\n::stop-commands::x", "=cmd|' /C calc'!A0", "]]>") {
		c := poisoned(t, r, s)
		suites := readSuites(t, c)
		if len(suites.Suites) != len(plainSuites.Suites) || suites.Suites[0].Failures != plainSuites.Suites[0].Failures || len(suites.Suites[0].Cases) != len(plainSuites.Suites[0].Cases) {
			t.Errorf("%q changes the test report", s)
		}
		visibleOnly(t, s, "test report", rendered(t, JUnit, c))
		line := rendered(t, GitHub, c)
		visibleOnly(t, s, "annotation", line)
		title, _, _ := strings.Cut(strings.TrimPrefix(line, "::notice title="), "::") // its proposals have no state
		if strings.Count(line, "\n") != 1 || !strings.HasPrefix(line, "::notice title=") || strings.ContainsAny(title, ":,") {
			t.Errorf("%q makes the annotation %q", s, line)
		}
		table := strings.TrimPrefix(rendered(t, CSV, c), "\ufeff")
		rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
		if err != nil || len(rows) != 1+len(c.Agents[0].Tasks) {
			t.Fatalf("%q makes %d rows: %v", s, len(rows), err)
		}
		for _, row := range rows[1:] {
			for i, column := range csvColumns {
				if _, err := strconv.ParseFloat(row[i], 64); err != nil && row[i] != "" && strings.ContainsAny(row[i][:1], "=+-@\t\r") {
					t.Errorf("%q makes %s %q", s, column, row[i])
				}
			}
		}
	}
}
