package grade

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/sourcegraph/conc/pool"

	"evolve/bench/stats"
	"evolve/runtime/agent"
	"evolve/runtime/model"
)

// The limits on a file of labels: the number of labels, and the length of a line in bytes.
const (
	maxLabels    = 10_000
	maxLabelLine = 2 << 20
)

// Label is a person's grade of an answer; it is one line in a file of labels.
type Label struct {
	// Line counts from 1.
	Line   int    `json:"-"`
	Task   string `json:"task"`
	Answer string `json:"answer"`
	// Label is a score in [0,1], and Grade is a grade on the judge's scale; exactly one of
	// them is set.
	Label *float64 `json:"label"`
	Grade *float64 `json:"grade"`
}

// ReadLabels reads labels, one JSON object per line. An error names the line.
func ReadLabels(r io.Reader) ([]Label, error) {
	var list []Label
	seen := map[[2]string]int{} // line numbers, keyed by task and answer
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 64<<10), maxLabelLine)
	for line := 1; in.Scan(); line++ {
		raw := bytes.TrimSpace(in.Bytes())
		if len(raw) == 0 {
			continue
		}
		l := Label{Line: line}
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.DisallowUnknownFields()
		switch {
		case !json.Valid(raw) || dec.Decode(&l) != nil:
			return nil, fmt.Errorf(`line %d is not an object with "task", "answer" and either "label" or "grade"`, line)
		case l.Task == "":
			return nil, fmt.Errorf("line %d names no task", line)
		case (l.Label == nil) == (l.Grade == nil):
			return nil, fmt.Errorf(`line %d needs "label", from 0 to 1, or "grade", on the scale of the judge`, line)
		case l.Label != nil && !(*l.Label >= 0 && *l.Label <= 1):
			return nil, fmt.Errorf("line %d: the label %v is not between 0 and 1", line, *l.Label)
		case len(list) == maxLabels:
			return nil, fmt.Errorf("there are more than %d labels", maxLabels)
		}
		pair := [2]string{l.Task, l.Answer}
		if at, ok := seen[pair]; ok {
			return nil, fmt.Errorf("line %d labels the answer on line %d again: if several people labelled it, give the mean of their labels", line, at)
		}
		seen[pair] = line
		list = append(list, l)
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return nil, fmt.Errorf("a line is longer than %d MB", maxLabelLine>>20)
	}
	return list, in.Err()
}

// Human returns the score that a person gave, in [0,1]. A grade is converted from the scale
// of j.
func (l Label) Human(j *Judge) (float64, error) {
	if l.Label != nil {
		return *l.Label, nil
	}
	score, err := j.Score(*l.Grade)
	if err != nil {
		return 0, fmt.Errorf("line %d: the grade %w", l.Line, err)
	}
	return score, nil
}

// Labelled is an answer with the judge to calibrate and the score that a person gave.
type Labelled struct {
	Judge  *Judge
	Answer string
	Human  float64
}

// Calibration is a judge's agreement with people. Missing counts the answers without a
// verdict, and Fault is the reason for the first of these answers.
type Calibration struct {
	Agreement stats.Agreement
	Missing   int
	Fault     error
	Usage     agent.Usage
}

// Calibrate lets the judges grade the answers, and compares their grades with the labels.
// The judges' scales must all have the same number of points. It returns an error only if
// the context ends.
func Calibrate(ctx context.Context, m model.Model, list []Labelled, parallel int) (Calibration, error) {
	var (
		mu            sync.Mutex
		out           Calibration
		first, second int
	)
	labels := make([]*stats.Label, len(list))
	workers := pool.New().WithMaxGoroutines(max(1, parallel))
	for i, l := range list {
		workers.Go(func() {
			if ctx.Err() != nil {
				return
			}
			v, err := l.Judge.Ask(ctx, m, l.Answer)
			mu.Lock()
			defer mu.Unlock()
			out.Usage = out.Usage.Plus(v.Usage)
			first, second = first+v.First, second+v.Second
			if err != nil {
				if out.Missing++; out.Fault == nil {
					out.Fault = err
				}
				return
			}
			labels[i] = &stats.Label{Human: l.Human, Judge: v.Score, Length: utf8.RuneCountInString(l.Answer)}
		})
	}
	workers.Wait()
	if ctx.Err() != nil {
		return out, context.Cause(ctx)
	}
	var got []stats.Label
	for _, l := range labels {
		if l != nil {
			got = append(got, *l)
		}
	}
	out.Agreement = stats.Agree(got, list[0].Judge.Points(), first, second)
	return out, nil
}
