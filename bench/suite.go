package bench

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	foreign "evolve/runtime/text"
	"evolve/runtime/wholefile"
)

// The bounds of a suite file. A larger file is refused as a whole.
const (
	maxSuiteLine   = 8 << 20
	maxSuiteBytes  = 512 << 20
	maxSuiteIssues = 1000
)

// GraderRules defines the valid graders. It is a parameter because the graders' package
// imports this one.
type GraderRules struct {
	// Fields lists each type's own fields, besides type, weight, threshold and not.
	Fields map[string][]string
	// Check returns the problems of one grader of a task whose keys are valid.
	Check func(*Task, GraderSpec) []GraderProblem
	// CheckUser returns the problem of a simulated user, empty for none. It may be nil.
	CheckUser func(*SimulatedUser) string
}

// GraderProblem describes an invalid grader.
type GraderProblem struct {
	// Field is the grader's invalid key, empty when the problem is the grader as a whole.
	Field string
	Text  string
}

// LoadSuite reads the suite name from dir/name.jsonl with the fixture folders beside it,
// checks every line and assigns absent splits. It returns either a suite or all problems
// found, in the order of the file.
func LoadSuite(dir, name string, rules GraderRules) (*Suite, []Issue) {
	file := path.Join(filepath.Base(dir), name+".jsonl")
	whole := func(format string, args ...any) (*Suite, []Issue) {
		err := fmt.Errorf(format, args...)
		return nil, []Issue{{File: file, Text: err.Error(), Err: HostFault(err)}}
	}
	if problem := PathProblem(name); problem != "" || strings.Contains(name, "/") {
		return nil, []Issue{{File: filepath.Base(dir), Text: fmt.Sprintf("%s is not the name of a suite", foreign.Quote(name))}}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return whole("cannot be read: %w", plain(err))
	}
	defer root.Close()
	f, err := wholefile.OpenIn(root, name+".jsonl")
	if err != nil {
		return whole("cannot be read: %w", plain(err))
	}
	defer f.Close()
	suite, issues := ReadSuite(f, file, root.FS(), rules)
	if suite != nil {
		suite.Name, suite.Dir = name, dir
	}
	return suite, issues
}

// ReadSuite is like LoadSuite for any reader. file names it in issues; fixtures contains
// the fixture folders, nil for none.
func ReadSuite(r io.Reader, file string, fixtures fs.FS, rules GraderRules) (*Suite, []Issue) {
	return readSuite(r, file, fixtures, rules, FindDuplicates)
}

// ReadCases is like ReadSuite for tasks that a program made, without fixtures: no two of
// them count as variations of one another, however alike they are, unless their clusters
// are declared.
func ReadCases(r io.Reader, file string, rules GraderRules) (*Suite, []Issue) {
	return readSuite(r, file, nil, rules, func([]Task) []Duplicates { return nil })
}

func readSuite(r io.Reader, file string, fixtures fs.FS, rules GraderRules, find func([]Task) []Duplicates) (*Suite, []Issue) {
	l := &suiteReader{file: file, rules: rules, fixtures: fixtures, ids: map[string]int{}, folders: map[string]folder{}}
	l.read(r)
	if len(l.tasks) == 0 && len(l.issues) == 0 {
		l.add(0, 0, "holds no task")
	}
	declared := make([]Split, len(l.tasks))
	for i := range l.tasks {
		declared[i] = l.tasks[i].Split
	}
	// Splits are checked even if lines are invalid, so that all problems are reported at
	// once.
	for _, c := range AssignSplits(l.tasks) {
		at := l.places[c.Holdout]
		l.add(at.line, at.split, fmt.Sprintf("cluster %s is in both splits: search in line %d, holdout in line %d",
			foreign.Quote(c.Cluster), l.places[c.Search].line, at.line))
	}
	if len(l.issues) > 0 {
		return nil, l.sorted()
	}
	duplicates := find(l.tasks)
	for _, g := range duplicates {
		assignGroup(l.tasks, declared, g)
	}
	setAside(l.tasks)
	return &Suite{declared: declared, Tasks: l.tasks, Duplicates: duplicates, Hash: hashSuite(l.tasks, l.folders, fixtures)}, nil
}

// place is the position of a task in the file.
type place struct {
	line, split int // line, and column of its split
}

type suiteReader struct {
	file     string
	rules    GraderRules
	fixtures fs.FS
	tasks    []Task
	places   []place // of tasks
	ids      map[string]int
	folders  map[string]folder
	issues   []Issue
	more     int // issues beyond maxSuiteIssues
}

func (l *suiteReader) add(line, column int, text string) {
	if len(l.issues) >= maxSuiteIssues {
		l.more++
		return
	}
	l.issues = append(l.issues, Issue{File: l.file, Line: line, Column: column, Text: text})
}

// mark sets the cause of the issue that was added last.
func (l *suiteReader) mark(err error) {
	if n := len(l.issues); l.more == 0 && n > 0 {
		l.issues[n-1].Err = HostFault(err)
	}
}

// HostFault returns err if it is a failure of this machine, else nil.
func HostFault(err error) error {
	if HostFailure(err) {
		return err
	}
	return nil
}

// read reads all lines. An overlong line is reported and skipped without being kept in
// memory.
func (l *suiteReader) read(r io.Reader) {
	in := bufio.NewReaderSize(io.LimitReader(r, maxSuiteBytes+1), 16<<10)
	total := 0
	for no := 1; ; no++ {
		line, size, err := readLine(in, maxSuiteLine)
		total += size
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			l.add(no, 0, fmt.Sprintf("cannot be read: %v", plain(err)))
			l.mark(err)
			return
		case total > maxSuiteBytes:
			l.add(no, 0, fmt.Sprintf("the file is longer than %d MB", maxSuiteBytes>>20))
			return
		case size > maxSuiteLine:
			l.add(no, 0, fmt.Sprintf("the line is longer than %d MB", maxSuiteLine>>20))
		default:
			if no == 1 {
				line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
			}
			if len(bytes.TrimSpace(line)) > 0 {
				l.line(no, line)
			}
		}
		if err != nil {
			return
		}
	}
}

// readLine reads a line and returns it without its newline and a preceding carriage
// return, with its size. For a line longer than limit it returns only the size.
func readLine(in *bufio.Reader, limit int) (line []byte, size int, err error) {
	for {
		part, err := in.ReadSlice('\n')
		size += len(part)
		if size <= limit {
			line = append(line, part...)
		} else {
			line = nil
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		line = bytes.TrimSuffix(line, []byte("\n"))
		return bytes.TrimSuffix(line, []byte("\r")), size, err
	}
}

// columnOf returns the column, in characters from 1, of a byte of the line.
func columnOf(line []byte, off int) int {
	return utf8.RuneCount(line[:min(off, len(line))]) + 1
}

// plain removes the path from a file error: the issue names the file already, and the
// machine's paths must not reach an agent.
func plain(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}
