package beside

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"evolve/gates/beside/harness"
)

// Side is one version of the code.
type Side int

// The two versions.
const (
	Base Side = iota
	Candidate
)

// ErrTime is returned when the time for a comparison is used up.
var ErrTime = errors.New("the time ran out")

// Runner runs a shell script on one side. In the script, the variable HARNESS holds the
// path of the side's compiled tests, and the variable REPORT holds the path of an empty
// file to which the tests write. Runner returns the content of that file and the output
// of the script once the script has ended or its time is up. It returns [ErrTime] if no
// time was left to run the script.
type Runner func(ctx context.Context, side Side, script string) (report, printed []byte, err error)

// Difference describes an input for which the versions behave differently.
type Difference struct {
	Subject Subject
	// Input is the input as Go source. Part names the part of the outcome that differs.
	// Before and After are the values of that part on the base and on the candidate.
	Input, Part, Before, After string
	// Inputs is the number of inputs for which there is a difference.
	Inputs int
	degree difference
}

// Outcome is the result of comparing the two versions of a package.
type Outcome struct {
	// Functions and Inputs count the functions and inputs that were compared. Names lists
	// the functions.
	Functions, Inputs int
	Names             []string
	// Reached holds the numbers of the changed statements in the candidate that a compared
	// call reached. Returned holds those reached by a call that ended without an error or a
	// panic.
	Reached, Returned map[int]bool
	// Different lists the functions that behave differently, each with the shortest input
	// for which it does. Slight lists the functions that differ only in the text of an
	// error, in whether an empty list or map is nil, or in a runtime panic that no longer
	// occurs.
	Different, Slight []Difference
	// Left lists the functions that were not compared. Unsteady lists the parts of results
	// that differ between two runs of the base.
	Left, Unsteady []Reason
}

// The time limits for a run of the base, in milliseconds, for one call and for all calls of
// a function. For the candidate they are multiplied by patience.
const (
	callMillis     = 250
	functionMillis = 400
	patience       = 6
)

// query describes the calls that both sides make to one function.
type query struct {
	function, count, small int
	skip                   []int
}

// Compare runs both versions and compares their outcomes. The base runs twice, so parts
// that vary between its own runs can be ignored. If the candidate differs, both sides run
// up to two more times.
func (p *Plan) Compare(ctx context.Context, run Runner) (Outcome, error) {
	out := Outcome{Reached: map[int]bool{}, Returned: map[int]bool{}}
	out.Left = slices.Clone(p.Left)
	var asks []query
	for i := range p.Functions {
		asks = append(asks, query{i, harness.Calls, -1, nil})
	}
	if len(asks) == 0 {
		return out, nil
	}
	first, err := p.run(ctx, run, Base, asks)
	if err != nil {
		return p.untimely(out, asks, err)
	}
	asks = p.callable(first.report, &out)
	if len(asks) == 0 {
		return out, nil
	}
	again, err := p.run(ctx, run, Base, asks)
	if err != nil {
		return p.untimely(out, asks, err)
	}
	now, err := p.run(ctx, run, Candidate, asks)
	if err != nil {
		return p.untimely(out, asks, err)
	}
	bases, candidates := []side{first, again}, []side{now}
	suspects := p.differing(asks, bases, candidates)
	for range 2 { // run the functions that differ again, on both sides
		if len(suspects) == 0 {
			break
		}
		b, err := p.run(ctx, run, Base, suspects)
		if errors.Is(err, ErrTime) {
			break
		}
		if err != nil {
			return out, err
		}
		bases = append(bases, b)
		c, err := p.run(ctx, run, Candidate, suspects)
		if errors.Is(err, ErrTime) {
			break
		}
		if err != nil {
			return out, err
		}
		candidates = append(candidates, c)
		suspects = p.differing(suspects, bases, candidates)
	}
	p.conclude(asks, suspects, bases, candidates, &out)
	return out, nil
}

// untimely adds all functions in asks to out.Left if err is [ErrTime]; it returns any other
// error.
func (p *Plan) untimely(out Outcome, asks []query, err error) (Outcome, error) {
	if !errors.Is(err, ErrTime) {
		return out, err
	}
	for _, a := range asks {
		out.Left = append(out.Left, Reason{p.Functions[a.function].Name, ErrTime.Error()})
	}
	return out, nil
}

// side holds the results of one run of one version.
type side struct {
	report
	// codes contains the exit codes of the processes, keyed by function.
	codes map[int][]int
}

// run runs one version and reads its report.
func (p *Plan) run(ctx context.Context, run Runner, which Side, asks []query) (side, error) {
	data, printed, err := run(ctx, which, p.script(which, asks))
	if err != nil {
		return side{}, err
	}
	s := side{readReport(p.Words.Key, data), map[int][]int{}}
	for line := range strings.Lines(string(printed)) {
		var f, code int
		if n, _ := fmt.Sscanf(line, "%d %d", &f, &code); n == 2 {
			s.codes[f] = append(s.codes[f], code)
		}
	}
	return s, nil
}

// script returns the shell script that calls the functions one after another. Each function
// has its own process, which is replaced by a new one if a call ends it.
func (p *Plan) script(which Side, asks []query) string {
	var b strings.Builder
	call, total := callMillis, functionMillis
	if which == Candidate {
		call, total = call*patience, total*patience
	}
	fmt.Fprintf(&b, "try() { n=0; while [ $n -lt 6 ]; do %s=\"$REPORT|$1|$2\" \"$HARNESS\" -test.run='^Test%s$' </dev/null >/dev/null 2>&1; c=$?; echo \"$1 $c\"; if [ $c = %d ]; then return; fi; n=$((n+1)); done; }\n",
		p.Words.Variable, strings.ToUpper(p.Words.Test), harness.Finished)
	for _, a := range asks {
		var skip []string
		for _, n := range a.skip {
			skip = append(skip, strconv.Itoa(n))
		}
		fmt.Fprintf(&b, "try %d '%d|%d|%s|%d|%d'\n", a.function, a.count, a.small, strings.Join(skip, ","), call, total)
	}
	return b.String()
}

// callable returns the queries to run on both sides: one for each function with at least
// one call that returned on the base. The queries leave out the inputs that ended the
// function's process.
func (p *Plan) callable(r report, out *Outcome) []query {
	var asks []query
	for i, s := range p.Functions {
		f := r.functions[i]
		leave := func(why string) {
			if s.Why == "" {
				out.Left = append(out.Left, Reason{s.Name, why})
			}
		}
		switch {
		case f == nil:
			leave(ErrTime.Error())
			continue
		case f.unmade != "":
			leave(f.unmade)
			continue
		}
		a := query{function: i, small: -1}
		results := 0
		for _, n := range slices.Sorted(maps.Keys(f.inputs)) {
			a.count = max(a.count, n+1)
			switch o := f.inputs[n]; o.kind {
			case harness.Result:
				results++
			case harness.Skipped:
			default: // the process ended in this call, so later inputs were drawn with small numbers
				a.skip = append(a.skip, n)
				if a.small < 0 {
					a.small = n + 1
				}
			}
		}
		if a.small < 0 {
			a.small = harness.Calls
		}
		if results == 0 {
			leave("none of its calls returned")
			continue
		}
		asks = append(asks, a)
	}
	return asks
}

// differing returns those queries in asks whose functions have different outcomes in the
// two versions.
func (p *Plan) differing(asks []query, bases, candidates []side) []query {
	return slices.DeleteFunc(slices.Clone(asks), func(a query) bool {
		unsteady := p.unsteady(a.function, bases)
		_, found := p.worst(a, bases, candidates, unsteady)
		return !found
	})
}

// unsteady returns the parts of a function's outcomes that differ between two runs of the
// base.
func (p *Plan) unsteady(function int, bases []side) map[string]bool {
	out := map[string]bool{}
	first := bases[0].functions[function]
	for _, other := range bases[1:] {
		f := other.functions[function]
		if f == nil || first == nil {
			continue
		}
		for n, o := range first.inputs {
			again, ok := f.inputs[n]
			if !ok || o.kind != harness.Result || again.kind != harness.Result {
				continue
			}
			for _, name := range both(o.names, again.names) {
				x, had := o.part(name)
				y, has := again.part(name)
				if had != has || compareParts(x, y) != none {
					out[name] = true
				}
			}
		}
	}
	return out
}

func both(a, b []string) []string {
	out := slices.Clone(a)
	for _, n := range b {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// worst returns the difference to report for a function: the one with the shortest input
// among those of the highest degree.
func (p *Plan) worst(a query, bases, candidates []side, unsteady map[string]bool) (Difference, bool) {
	var best Difference
	subject := p.Functions[a.function]
	base := bases[0].functions[a.function]
	if bases[1].functions[a.function] == nil {
		return Difference{}, false
	}
	for _, c := range candidates {
		now := c.functions[a.function]
		if c.broken {
			return Difference{Subject: subject, Input: subject.Call + " with any input", Part: "report", Before: "intact", After: "overwritten by the called code", degree: real}, true
		}
		if now == nil {
			continue
		}
		for _, n := range slices.Sorted(maps.Keys(base.inputs)) {
			was := base.inputs[n]
			_, steady := bases[1].functions[a.function].inputs[n]
			for _, b := range bases[1:] {
				if f := b.functions[a.function]; f != nil {
					if o, ok := f.inputs[n]; ok && o.kind != was.kind {
						steady = false
					}
				}
			}
			if was.kind != harness.Result || !steady {
				continue
			}
			is, ok := now.inputs[n]
			if !ok || is.kind == harness.Late && !alwaysLate(a.function, n, candidates) {
				continue
			}
			d := compareOutcomes(was, is, unsteady, lastCode(c.codes[a.function]))
			if d.degree == none {
				continue
			}
			d.Subject, d.Input, d.Inputs = subject, was.text, best.Inputs+1
			if d.degree > best.degree || d.degree == best.degree && len(d.Input) < len(best.Input) {
				best = d
			}
			best.Inputs = d.Inputs
		}
	}
	return best, best.degree != none
}

// alwaysLate reports whether a call exceeded its time limit in every run in which it was
// made. A single late call does not count, because a busy machine can cause it.
func alwaysLate(function, n int, candidates []side) bool {
	for _, c := range candidates {
		if f := c.functions[function]; f != nil {
			if o, ok := f.inputs[n]; ok && o.kind != harness.Late {
				return false
			}
		}
	}
	return true
}

func lastCode(codes []int) string {
	for _, c := range codes {
		if c != harness.Finished && c != harness.Again {
			return strconv.Itoa(c)
		}
	}
	return "0"
}

// compareOutcomes compares the two outcomes for one input.
func compareOutcomes(was, is outcome, unsteady map[string]bool, exitCode string) Difference {
	switch is.kind {
	case harness.Result:
	case harness.Late:
		return Difference{Part: "end", Before: described(was), After: fmt.Sprintf("none within %d ms", callMillis*patience), degree: real}
	case harness.Called:
		return Difference{Part: "end", Before: described(was), After: "a process exit with code " + exitCode, degree: real}
	default: // the input was not made
		return Difference{}
	}
	if was.text != is.text {
		return Difference{}
	}
	before, panicked := was.part("panic")
	after, panics := is.part("panic")
	language := func(s string) bool { return strings.HasPrefix(s, "runtime: ") }
	switch {
	case panicked && panics && (before == after || language(before) && language(after)):
		return Difference{}
	case panicked && !panics && language(before):
		return Difference{Part: noPanic, Before: before, After: described(is), degree: slight}
	case panicked || panics:
		if unsteady["panic"] {
			return Difference{}
		}
		return Difference{Part: "outcome", Before: described(was), After: described(is), degree: real}
	}
	var worst Difference
	for _, name := range both(was.names, is.names) {
		x, had := was.part(name)
		y, has := is.part(name)
		if !had {
			x = "nothing"
		}
		if !has {
			y = "nothing"
		}
		if d := compareParts(x, y); d > worst.degree && !unsteady[name] {
			worst = Difference{Part: name, Before: visible(x, y), After: visible(y, x), degree: d}
		}
	}
	return worst
}

// failed reports whether a call ended in a panic or returned an error.
func (o outcome) failed() bool {
	for i, n := range o.names {
		if n == "panic" || strings.HasPrefix(n, "result") && i < len(o.parts) && strings.HasPrefix(o.parts[i], "error{") {
			return true
		}
	}
	return false
}

// described returns a short description of an outcome.
func described(o outcome) string {
	if value, ok := o.part("panic"); ok {
		return "panic: " + visible(value, "")
	}
	if len(o.parts) == 0 {
		return "a return"
	}
	return visible(o.parts[0], "")
}

// conclude adds the results of all runs to out.
func (p *Plan) conclude(asks, suspects []query, bases, candidates []side, out *Outcome) {
	for _, a := range asks {
		subject, base := p.Functions[a.function], bases[0].functions[a.function]
		compared := 0
		now := candidates[0].functions[a.function]
		if now != nil {
			for n, o := range base.inputs {
				if is, ok := now.inputs[n]; ok && o.kind == harness.Result && is.kind != harness.Skipped && (is.text == o.text || is.kind != harness.Result) {
					compared++
					for _, at := range is.reached {
						out.Reached[at] = true
						if !is.failed() {
							out.Returned[at] = true
						}
					}
				}
			}
		}
		unsteady := p.unsteady(a.function, bases)
		for _, name := range slices.Sorted(maps.Keys(unsteady)) {
			out.Unsteady = append(out.Unsteady, Reason{subject.Call, name})
		}
		switch {
		case candidates[0].broken: // reported by worst
		case bases[1].functions[a.function] == nil:
			out.Left = append(out.Left, Reason{subject.Name, ErrTime.Error()})
			continue
		case now == nil:
			after := "a timeout before the first call"
			if codes := candidates[0].codes[a.function]; len(codes) > 0 {
				after = "a process exit before the first call, with code " + lastCode(codes)
			}
			out.Different = append(out.Different, Difference{Subject: subject, Input: subject.Call + " with any input", Part: "end", Before: "a return", After: after, degree: real})
			continue
		case compared == 0:
			out.Left = append(out.Left, Reason{subject.Name, "no input could be given to both versions in time"})
			continue
		}
		out.Functions++
		out.Inputs += compared
		out.Names = append(out.Names, subject.Name)
		if !slices.ContainsFunc(suspects, func(s query) bool { return s.function == a.function }) {
			continue
		}
		if d, ok := p.worst(a, bases, candidates, unsteady); ok {
			if d.degree < real {
				out.Slight = append(out.Slight, d)
			} else {
				out.Different = append(out.Different, d)
			}
		}
	}
}

// EmptyAlone reports whether the difference consists only of a list or map that is nil on
// one side and empty on the other.
func (d Difference) EmptyAlone() bool { return d.degree == slight && d.Part != noPanic }

// noPanic is the Part of a difference in which a runtime panic no longer occurs.
const noPanic = "panic"

// String returns the difference on one line.
func (d Difference) String() string {
	what := d.Part
	if d.degree == wording {
		what += " (only the text of an error, or the additional errors that it wraps)"
	}
	return fmt.Sprintf("%s: %s was %s, is %s", clipped(d.Input), what, d.Before, d.After)
}

// clipped returns the source of an input. If the source is long, its middle is left out;
// the end is kept because it holds the call.
func clipped(s string) string {
	const first, last = 90, 200
	if len(s) > first+last {
		return strings.ToValidUTF8(s[:first], "") + "…" + strings.ToValidUTF8(s[len(s)-last:], "")
	}
	return s
}
