package coding

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"evolve/gates/measure"
	"evolve/runtime/text"
)

// Bound limits the time for building, testing and scoring the unchanged code of a target,
// and the time for its profile. The zero value imposes only the limits of
// [measure.Program].
type Bound struct {
	Time time.Duration
	// Of is a phrase that follows the time in a message and names the whole of which Time
	// is a part. Hint describes how to get more time.
	Of, Hint string
}

// longerThan reports whether b gives more time to a command that did not end within limit.
// A limit of 0 stands for the limits of [measure.Program].
func (b Bound) longerThan(limit time.Duration) bool {
	return limit > 0 && (b.Time == 0 || b.Time > limit)
}

// words returns a message about a command that did not end in time, with a hint at the
// remedy.
func (b Bound) words(slow *measure.SlowError, hint string) string {
	of, limit := "", slow.Limit
	if !slow.Usual { // builds, tests and scoring share the time
		of, limit, hint = b.Of, b.Time, hint+b.Hint
	}
	return fmt.Sprintf("on the current code, `%s` did not finish within %s%s: %s", text.Clip(strings.Join(slow.Command, " "), 200, text.Ellipsis), spell(limit), of, hint)
}

// spell formats a duration for people.
func spell(d time.Duration) string {
	precision := 10 * time.Millisecond
	if d >= 10*time.Second {
		precision = time.Second
	}
	out := d.Round(precision).String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(out, zero) {
			out = out[:len(out)-2]
		}
	}
	return out
}

// slowness is a target whose unchanged code took too long.
type slowness struct {
	// Base is the [Prospect.ID] of the code that was run.
	Base string `json:"base"`
	// Limit is the time limit that applied; 0 means only the limits of [measure.Program].
	Limit   time.Duration `json:"limit_ns"`
	Problem string        `json:"problem"`
}

const slowEnding = ".slow.json"

func (p *Prospect) slowFile(kept Kept) string {
	return filepath.Join(kept.Folder, p.Target.Name+slowEnding)
}

// wasSlow returns the problem of code that took too long in an earlier process of the
// night, so that a resumed night keeps its plan and does not wait for that code again. It
// returns nil if the code did not take too long, or if there is more time now.
func (p *Prospect) wasSlow(kept Kept) error {
	data, err := os.ReadFile(p.slowFile(kept))
	var was slowness
	if err != nil || json.Unmarshal(data, &was) != nil || was.Base != p.ID() || was.Problem == "" || kept.Bound.longerThan(was.Limit) {
		return nil //nolint:nilerr // it is run once more
	}
	return &Problem{was.Problem}
}

// judged returns err, which comes from running the unchanged code, as a [Problem] if the
// code is at fault. If the code took too long, judged records that for wasSlow, unless kept
// is read-only.
func (p *Prospect) judged(err error, kept Kept) error {
	var slow *measure.SlowError
	if errors.As(err, &slow) {
		hint := "make the command faster"
		if p.own == nil && strings.Join(slow.Command, "\x00") == strings.Join(p.Target.Scoring.Score, "\x00") {
			hint = "make the command score fewer or smaller cases"
		}
		problem := &Problem{kept.Bound.words(slow, hint)}
		if kept.ReadOnly {
			return problem
		}
		limit := kept.Bound.Time
		if slow.Usual { // a longer total time would change nothing
			limit = 0
		}
		if err := keep(p.slowFile(kept), slowness{p.ID(), limit, problem.Text}); err != nil {
			return fmt.Errorf("recording that %s took too long: %w", p.Target.Name, err)
		}
		return problem
	}
	if errors.As(err, new(*measure.CodeError)) {
		return &Problem{err.Error()}
	}
	return err
}

// Retry makes the next [Look] run again those targets that took too long. A night calls
// Retry at its end.
func Retry(folder string) error {
	list, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range list {
		if strings.HasSuffix(e.Name(), slowEnding) {
			err = errors.Join(err, os.Remove(filepath.Join(folder, e.Name())))
		}
	}
	return err
}

// notify reports the start of slow work, with the maximum duration that bound sets.
func (p *Prospect) notify(what string, bound Bound) {
	if p.reviewer.Notify == nil {
		return
	}
	if bound.Time > 0 {
		what += ", for at most " + spell(bound.Time) + bound.Of
	}
	p.reviewer.Notify(what)
}
