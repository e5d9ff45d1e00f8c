package render

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/runtime/text"
)

// The types of the elements of a JUnit report, in the form that Jenkins, GitLab and GitHub
// Actions read. The report is valid under both Ant's schema and Jenkins's. Ant's schema
// requires all attributes of a suite and both outputs, even if they are empty, and allows
// no attributes on the root.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		ID         int             `xml:"id,attr"`
		Package    string          `xml:"package,attr"`
		Name       string          `xml:"name,attr"`
		Timestamp  string          `xml:"timestamp,attr"`
		Hostname   string          `xml:"hostname,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Time       string          `xml:"time,attr"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
		Out        string          `xml:"system-out"`
		Err        string          `xml:"system-err"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Time    string        `xml:"time,attr"`
		Error   *junitFailure `xml:"error"`
		Failure *junitFailure `xml:"failure"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes the holdout tasks as test cases, with a suite for each agent. A test case
// fails if the variant scored lower on the task than the champion did. For a night that
// ended early, there is an additional test case with an error. The verdict and its figures
// are properties of the suite. A test case has no time of its own; the time of a suite is
// the night's time.
func JUnit(w io.Writer, r model.Report) error {
	var out junitSuites
	for i, s := range subjects(r) {
		suite := junitSuite{
			ID: i, Package: "evolve", Name: text.Visible(s.agent.Agent), Hostname: cmp.Or(text.Visible(r.Volatile.Host), "localhost"),
			Timestamp: r.Volatile.Started.UTC().Format("2006-01-02T15:04:05"), Time: strconv.FormatFloat(r.Volatile.Seconds, 'f', 3, 64),
			Properties: junitProperties(s), Out: text.Visible(s.agent.Decision.Sentence),
		}
		details := map[string]model.Detail{}
		for _, d := range s.agent.Details {
			details[d.Task] = d
		}
		for _, t := range s.agent.Tasks {
			c := junitCase{Name: text.Visible(t.Task), Class: suite.Name, Time: "0"}
			if t.Domain != "" {
				c.Class += "." + text.Visible(t.Domain)
			}
			if t.Difference() < -model.Tolerance {
				c.Failure = &junitFailure{Message: regression(t), Type: "regression", Text: bothSides(details[t.Task])}
				suite.Failures++
			}
			suite.Cases = append(suite.Cases, c)
		}
		if d := s.agent.Decision; d.Early != "" {
			suite.Cases = append(suite.Cases, junitCase{Name: "night", Class: suite.Name, Time: "0", Error: &junitFailure{
				Message: text.Visible(d.Sentence), Type: d.Early, Text: text.Visible(strings.Join(d.Commands, ", then ")),
			}})
			suite.Errors++
		}
		suite.Tests = len(suite.Cases)
		out.Suites = append(out.Suites, suite)
	}
	data, err := xml.MarshalIndent(out, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the test report: %w", err)
	}
	_, err = w.Write(append([]byte(xml.Header), append(data, '\n')...))
	return err
}

func junitProperties(s subject) []junitProperty {
	d := s.agent.Decision
	list := []junitProperty{
		{"evolve.run", s.report.Run.ID},
		{"evolve.state", string(s.report.Run.State)},
		{"evolve.verdict", cmp.Or(string(d.Verdict), "none")},
		{"evolve.champion", d.Champion.Name()},
	}
	if h := s.agent.Headline; h != nil {
		list = append(list,
			junitProperty{"evolve.variant", h.Variant.Name()},
			junitProperty{"evolve.difference", exact(h.Difference)}, junitProperty{"evolve.lo", exact(h.Lo)}, junitProperty{"evolve.hi", exact(h.Hi)},
			junitProperty{"evolve.level", exact(h.Level)}, junitProperty{"evolve.repeats", strconv.Itoa(h.Repeats)})
	}
	if d.Verdict.Proposes() {
		for _, price := range prices(s) {
			list = append(list, junitProperty{"evolve.price", strings.TrimPrefix(price, PricePrefix)})
		}
	}
	for _, p := range d.Proposals {
		list = append(list, junitProperty{"evolve.proposal", p.ID + " " + p.State.Name()})
	}
	for i := range list {
		list[i].Value = text.Visible(list[i].Value)
	}
	return list
}

// regression returns one line that describes how a task got worse.
func regression(t model.TaskPair) string {
	return number.Score(t.Champion) + " → " + number.Score(t.Score) + ", passes " + passes(t) + ", " + t.Steady
}

// bothSides returns the answers of both sides with the reasons for their scores, or "" for
// a task without detail.
func bothSides(d model.Detail) string {
	var lines []string
	for _, side := range []struct {
		name string
		a    model.Attempt
	}{{"champion", d.Before}, {"variant", d.After}} {
		if side.a.Answer+side.a.Reason+side.a.Error != "" {
			words := side.name + ": " + side.a.Answer + " (" + cmp.Or(side.a.Error, side.a.Reason) + ")"
			lines = append(lines, text.Visible(text.Clip(text.OneLine(words), 2*maxShown, text.Runes, text.Ellipsis)))
		}
	}
	return strings.Join(lines, "\n")
}

// exact formats a figure for programs, without rounding.
func exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
