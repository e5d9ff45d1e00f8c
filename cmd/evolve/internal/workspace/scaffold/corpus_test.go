package scaffold

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"evolve/bench"
	"evolve/runtime/agent"
)

// corpus answers questions about the fixtures by means that the agent does not have:
// encoding/csv, go/parser and plain string search.
type corpus struct{ t *testing.T }

func (c corpus) read(name string) string {
	c.t.Helper()
	data, err := fs.ReadFile(asFS(), "suites/fixtures/"+name)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(data)
}

// files lists a fixture folder's files by their paths inside it.
func (c corpus) files(dir string) []string {
	c.t.Helper()
	var names []string
	err := fs.WalkDir(asFS(), "suites/fixtures/"+dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, strings.TrimPrefix(name, "suites/fixtures/"+dir+"/"))
		}
		return err
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return names
}

// mentioning lists the files of a folder that contain a text.
func (c corpus) mentioning(dir, text string) []string {
	return slices.DeleteFunc(c.files(dir), func(name string) bool {
		return !strings.Contains(strings.Join(strings.Fields(c.read(dir+"/"+name)), " "), text)
	})
}

// table is a CSV file with its header.
type table struct {
	t    *testing.T
	head []string
	rows [][]string
}

func (c corpus) table(name string) table {
	c.t.Helper()
	return parseTable(c.t, c.read(name))
}

func parseTable(t *testing.T, text string) table {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return table{t, all[0], all[1:]}
}

func (x table) column(name string) int {
	x.t.Helper()
	i := slices.Index(x.head, name)
	if i < 0 {
		x.t.Fatalf("no column %q in %v", name, x.head)
	}
	return i
}

// where returns the rows that have the given value in the given column.
func (x table) where(column, value string) table {
	i := x.column(column)
	x.rows = slices.DeleteFunc(slices.Clone(x.rows), func(r []string) bool { return r[i] != value })
	if len(x.rows) == 0 {
		x.t.Fatalf("no row has %q in %q", value, column)
	}
	return x
}

// oneOf returns the rows that have one of the values in a column.
func (x table) oneOf(column string, values ...string) table {
	i := x.column(column)
	x.rows = slices.DeleteFunc(slices.Clone(x.rows), func(r []string) bool { return !slices.Contains(values, r[i]) })
	if len(x.rows) != len(values) {
		x.t.Fatalf("%d rows for %v", len(x.rows), values)
	}
	return x
}

func (x table) numbers(column string) []float64 {
	i := x.column(column)
	var out []float64
	for _, r := range x.rows {
		f, err := strconv.ParseFloat(r[i], 64)
		if err != nil {
			x.t.Fatal(err)
		}
		out = append(out, f)
	}
	return out
}

func (x table) sum(column string) string {
	var s float64
	for _, f := range x.numbers(column) {
		s += f
	}
	return number(s)
}

func (x table) mean(column string) string {
	var s float64
	for _, f := range x.numbers(column) {
		s += f
	}
	return number(s / float64(len(x.rows)))
}

// cell returns the value in a column of the only row.
func (x table) cell(column string) string {
	x.t.Helper()
	if len(x.rows) != 1 {
		x.t.Fatalf("%d rows where one is wanted", len(x.rows))
	}
	return x.rows[0][x.column(column)]
}

// top returns the row with the largest value of a column if sign is 1, or the smallest if
// it is -1; that row must be unique.
func (x table) top(column string, sign float64) table {
	values := x.numbers(column)
	best := 0
	for i, v := range values {
		if sign*v > sign*values[best] {
			best = i
		}
	}
	for i, v := range values {
		if i != best && v == values[best] {
			x.t.Fatalf("two rows have the extreme %v of %q", v, column)
		}
	}
	x.rows = [][]string{x.rows[best]}
	return x
}

// number formats f with at most four decimals, as in the suite.
func number(f float64) string {
	return strconv.FormatFloat(math.Round(f*1e4)/1e4, 'f', -1, 64)
}

// goFile parses a file from the gauge repository.
func (c corpus) goFile(name string) *ast.File {
	c.t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), name, c.read("gauge/"+name), 0)
	if err != nil {
		c.t.Fatal(err)
	}
	return f
}

func (c corpus) goFiles() []string {
	return slices.DeleteFunc(c.files("gauge"), func(name string) bool { return path.Ext(name) != ".go" })
}

// declared returns the functions (including methods) or types that a file declares.
func (c corpus) declared(name string, functions bool) []string {
	var out []string
	for _, d := range c.goFile(name).Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if functions {
				out = append(out, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if spec, ok := s.(*ast.TypeSpec); ok && !functions {
					out = append(out, spec.Name.Name)
				}
			}
		}
	}
	return out
}

const gaugeModule = "larkspur.example/gauge/"

// imports maps every package in the repository to the packages that it imports from the
// repository.
func (c corpus) imports() map[string][]string {
	out := map[string][]string{}
	for _, name := range c.goFiles() {
		pkg := path.Dir(name)
		if _, ok := out[pkg]; !ok {
			out[pkg] = nil
		}
		for _, imp := range c.goFile(name).Imports {
			full, _ := strconv.Unquote(imp.Path.Value)
			if own, ok := strings.CutPrefix(full, gaugeModule); ok && !slices.Contains(out[pkg], own) {
				out[pkg] = append(out[pkg], own)
			}
		}
	}
	return out
}

// importers lists the packages that import a package, sorted.
func (c corpus) importers(pkg string) []string {
	var out []string
	for p, list := range c.imports() {
		if slices.Contains(list, pkg) {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out
}

// suiteTasks reads the suite without checking it.
func suiteTasks(t *testing.T) []bench.Task {
	t.Helper()
	return readLines[bench.Task](t, "suites/starter.jsonl")
}

func agentMemories(t *testing.T) []agent.Memory {
	t.Helper()
	return readLines[agent.Memory](t, "agents/clerk/memories.jsonl")
}

func readLines[T any](t testing.TB, name string) []T {
	t.Helper()
	data, err := fs.ReadFile(asFS(), name)
	if err != nil {
		t.Fatal(err)
	}
	var out []T
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var v T
		dec := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&v); err != nil {
			t.Fatalf("%s line %d: %v", name, len(out)+1, err)
		}
		out = append(out, v)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
