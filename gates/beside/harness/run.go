package harness

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Record is one line of a report.
type Record struct {
	// Function is the index in [Set.Functions]. Input is the number of the input.
	Function int `json:"f"`
	Input    int `json:"i"`
	// Kind is one of the constants below.
	Kind string `json:"k"`
	// Text is the input as Go source, or the reason why no input can be made.
	Text string `json:"t,omitempty"`
	// Names are the names of the parts of a call's outcome, and Parts are their values, in
	// the same order.
	Names []string `json:"n,omitempty"`
	Parts []string `json:"p,omitempty"`
	// Reached holds the numbers of the changed statements that the call reached.
	Reached []int `json:"r,omitempty"`
}

// The kinds of records.
const (
	Begun   = "begun"   // an input is drawn
	Called  = "called"  // the function is about to be called with the input
	Result  = "result"  // the function returned or panicked
	Late    = "late"    // the function did not end in time
	Skipped = "skipped" // the input could not be made
	Unmade  = "unmade"  // no input can be made for the function
	Budget  = "budget"  // the time for the function is used up
	Done    = "done"    // every input was tried
)

// mostLate is the number of late calls after which a function is abandoned.
const mostLate = 2

// Seal returns the checksum of the nth line of a report.
func Seal(key string, n int, line []byte) string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%s %d %s %s", key, n, line, key)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// runner makes the calls in one process.
type runner struct {
	set  *Set
	file string
	// mu guards the report, because a late call may still return. ended reports whether a
	// late call was recorded; after that, nothing else is recorded. lines counts the lines
	// in the report.
	mu    sync.Mutex
	ended bool
	lines int
	// function is the index of the function that this process calls. The numbers of the
	// inputs run from the value of next up to count-1.
	function, next, count int
	// small is the number of the first input in which numbers are small.
	small int
	// skip holds the numbers of the inputs to skip.
	skip []int
	// call and total are the wall-time limits for one call and for all calls.
	call, total time.Duration
}

// Run calls one function with its inputs and ends the process. It does nothing if the
// environment variable with the settings is not set. The settings are the path of the
// report, the index of the function, the number of inputs, the number of the first input
// with small numbers (-1 if it must be determined), the numbers of the inputs to skip, and
// the time limits for one call and for all calls, in milliseconds.
func Run(set *Set) {
	r := &runner{set: set}
	fields := strings.Split(os.Getenv(set.Variable), "|")
	_ = os.Unsetenv(set.Variable)
	if len(fields) != 7 {
		return // an ordinary test run
	}
	number := func(text string) int { n, _ := strconv.Atoi(text); return n }
	r.file, r.function, r.count, r.small = fields[0], number(fields[1]), number(fields[2]), number(fields[3])
	for _, s := range strings.Split(fields[4], ",") {
		if s != "" {
			r.skip = append(r.skip, number(s))
		}
	}
	r.call, r.total = time.Duration(number(fields[5]))*time.Millisecond, time.Duration(number(fields[6]))*time.Millisecond
	debug.SetMaxStack(64 << 20) // ends an infinite recursion early
	r.resume()
	os.Exit(r.all())
}

// resume continues after the input during which an earlier process ended. It finds that
// input in the report.
func (r *runner) resume() {
	f, err := os.Open(r.file)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	found, late := r.small < 0, 0
	for in.Scan() {
		r.lines++
		text, _, _ := bytes.Cut(in.Bytes(), []byte("\t"))
		var rec Record
		if json.Unmarshal(text, &rec) != nil || rec.Function != r.function {
			continue
		}
		switch rec.Kind {
		case Begun, Called:
			r.next = rec.Input + 1
		case Late:
			late++
		case Done, Unmade, Budget:
			r.next = r.count
		}
	}
	if late >= mostLate {
		r.next = r.count
	}
	if found && r.next > 0 {
		r.small = r.next
	}
	if r.small < 0 {
		r.small = r.count
	}
}

// record appends a record to the report. It opens the file each time, because the called
// code may close any open descriptor.
func (r *runner) record(rec Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return
	}
	r.ended = rec.Kind == Late
	rec.Function = r.function
	line, err := json.Marshal(rec)
	if err != nil {
		return
	}
	if f, err := os.OpenFile(r.file, os.O_WRONLY|os.O_APPEND, 0); err == nil {
		_, _ = f.WriteString(string(line) + "\t" + Seal(r.set.Key, r.lines, line) + "\n")
		_ = f.Close()
		r.lines++
	}
}

// all tries the remaining inputs and returns the exit code.
func (r *runner) all() int {
	if r.next >= r.count {
		return Finished
	}
	f := r.set.Functions[r.function]
	m := newMaker(r.set)
	if why := m.unmakeable(reflect.TypeOf(f.Func)); why != "" {
		r.record(Record{Kind: Unmade, Text: why})
		return Finished
	}
	printed, err := os.CreateTemp("", "")
	if err == nil {
		os.Stdout = printed
	}
	begun := time.Now()
	for i := r.next; i < r.count; i++ {
		if time.Since(begun) > r.total {
			r.record(Record{Input: i, Kind: Budget})
			return Finished
		}
		if slices.Contains(r.skip, i) {
			continue
		}
		r.record(Record{Input: i, Kind: Begun})
		ended := make(chan bool, 1)
		go func() {
			whole := false
			defer func() { ended <- whole }()
			r.one(f, i, printed)
			whole = true
		}()
		timer := time.NewTimer(r.call)
		select {
		case whole := <-ended:
			if !whole {
				r.record(Record{Input: i, Kind: Result, Names: []string{"end"}, Parts: []string{"the goroutine ended"}})
			}
		case <-timer.C:
			r.record(Record{Input: i, Kind: Late})
			return Again
		}
		timer.Stop()
	}
	r.record(Record{Kind: Done})
	return Finished
}

// one makes one input and calls the function with it.
func (r *runner) one(f Function, i int, printed *os.File) {
	m := newMaker(r.set)
	m.begin(f.Name, i, i >= r.small)
	var args []reflect.Value
	var text string
	if p := caught(func() { args, text = m.input(f, i) }); p != "" || args == nil {
		r.record(Record{Input: i, Kind: Skipped})
		return
	}
	r.record(Record{Input: i, Kind: Called, Text: text})
	if printed != nil {
		_ = printed.Truncate(0)
		_, _ = printed.Seek(0, 0)
	}
	var results []reflect.Value
	if r.set.Reached != nil {
		r.set.Reached()
	}
	panicked := caught(func() {
		fn := reflect.ValueOf(f.Func)
		if fn.Type().IsVariadic() {
			results = fn.CallSlice(args)
		} else {
			results = fn.Call(args)
		}
	})
	rec := Record{Input: i, Kind: Result}
	if r.set.Reached != nil {
		rec.Reached = r.set.Reached()
	}
	add := func(name, part string) { rec.Names, rec.Parts = append(rec.Names, name), append(rec.Parts, part) }
	if panicked != "" {
		add("panic", panicked)
		r.record(rec)
		return
	}
	w := &writer{set: r.set}
	for n, v := range results {
		name := "result"
		if len(results) > 1 {
			name += " " + strconv.Itoa(n+1)
		}
		add(name, w.whole(v))
	}
	for n, v := range args {
		if part := w.state(v); part != "" {
			add("argument "+strconv.Itoa(n+1)+" afterwards", part)
		}
	}
	for n, call := range m.callbacks {
		add("call "+strconv.Itoa(n+1)+" of a function passed as an argument", call)
	}
	r.shared(w, args, results, &rec)
	if printed != nil {
		buf := make([]byte, 4<<10)
		if n, _ := printed.ReadAt(buf, 0); n > 0 {
			add("output", strconv.Quote(string(buf[:n])))
		}
	}
	r.record(rec)
}

// shared overwrites lists and maps, first those among the arguments, then those among the
// results. It records changes that this causes in the results and in a receiver, because
// they show that memory is shared.
func (r *runner) shared(w *writer, args, results []reflect.Value, rec *Record) {
	for n, v := range results {
		before := w.whole(v)
		for _, a := range args {
			scribble(a)
		}
		if after := w.whole(v); after != before {
			rec.Names, rec.Parts = append(rec.Names, "result "+strconv.Itoa(n+1)+" (after the arguments were overwritten)"), append(rec.Parts, after)
		}
	}
	if len(args) == 0 || args[0].Kind() != reflect.Pointer || args[0].IsNil() {
		return
	}
	before := w.whole(args[0])
	for _, v := range results {
		scribble(v)
	}
	if after := w.whole(args[0]); after != before {
		rec.Names, rec.Parts = append(rec.Names, "argument 1 (after the results were overwritten)"), append(rec.Parts, after)
	}
}

// scribble changes the elements of a list if they are numbers, texts or structs, and
// empties a map.
func scribble(v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		for i := range min(v.Len(), 100) {
			switch e := v.Index(i); {
			case e.CanInt():
				e.SetInt(^e.Int())
			case e.CanUint():
				e.SetUint(e.Uint() ^ 1)
			case e.Kind() == reflect.String:
				e.SetString(e.String() + "~")
			case e.Kind() == reflect.Struct:
				e.SetZero()
			}
		}
	case reflect.Map:
		if !v.IsNil() {
			v.Clear()
		}
	}
}

// caught runs do and returns a description of its panic, or "" if do did not panic.
func caught(do func()) (panicked string) {
	defer func() {
		switch p := recover().(type) {
		case nil: // the function returned, or ended its goroutine
		case runtime.Error:
			panicked = "runtime: " + class(p.Error())
		case error:
			panicked = "error " + strconv.Quote(p.Error())
		default:
			panicked = fmt.Sprintf("%T %.500q", p, fmt.Sprint(p))
		}
	}()
	do()
	return ""
}

// class returns the text of a panic without digits, so that panics that differ only in
// numbers are equal.
func class(text string) string {
	return strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' {
			return -1
		}
		return c
	}, text)
}
