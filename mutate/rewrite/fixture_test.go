package rewrite

import (
	"go/build"
	"go/importer"
	"go/token"
	"go/types"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

// fixture is a package with a block between two marker lines.
type fixture struct {
	name     string
	files    map[string]string
	importer types.Importer
}

const (
	begin = "// evolve:begin b\n"
	end   = "// evolve:end b\n"
)

// fixtures are the packages that most tests use.
var fixtures = []fixture{
	{name: "packing", files: map[string]string{"a.go": `package packing

import "math"

const capacity = 150

// Pack returns the number of bins.
func Pack(items []int) int {
	bins := []int{}
	for _, item := range items {
		p := priority(item, bins)
		_ = p
		bins = append(bins, int(math.Sqrt(float64(item))))
	}
	return len(bins)
}

` + begin + `// priority returns how well each bin suits an item.
func priority(item int, bins []int) []float64 {
	scores := make([]float64, len(bins))
	for i, left := range bins {
		gap := left - item
		scores[i] = -float64(gap)
		if gap == 0 && item > 20 || left == capacity {
			scores[i] = 10 // as good as full
		}
	}
	return scores
}
` + end}},
	{name: "cache", files: map[string]string{"a.go": `package cache

import "math"

` + begin + `// score is the value of an entry.
func score(age, freq, size float64) float64 {
	s := freq / (1 + age)
	if size > 4096 && freq < 2 {
		return s - 0.5*math.Log(size)
	}
	return s + decay(age)
}
` + end + `
func decay(age float64) float64 {
	return 1 / (1 + age*age)
}
`, "b.go": `package cache

import "fmt"

func Evict(ages []float64) int {
	best := 0
	for i := range ages {
		if score(ages[i], 1, 1) < score(ages[best], 1, 1) {
			best = i
		}
	}
	fmt.Println(best)
	return best
}
`}},
	{name: "statements", files: map[string]string{"a.go": `package statements

import "os"

type order struct {
	price, volume float64
	urgent        bool
	kind          string
}

func log(o order) { os.Stdout.WriteString(o.kind) }

func pick(orders []order, budget float64, most int) int {
	best, at := 0.0, -1
	taken := 0
	for i, o := range orders {
		if o.kind == "" {
			log(o)
			continue
		}
		` + begin + `		value := o.price / (o.volume + 1)
		if o.urgent && taken < most {
			value *= 2
		}
		for j := 0; j < 3; j++ {
			value -= float64(j) * 0.1
		}
		if value > best && o.price <= budget {
			best, at = value, i
			taken++
		}
		` + end + `	}
	return at
}
`}},
	{name: "table", files: map[string]string{"a.go": `package table

` + begin + `type step struct {
	limit  int
	factor float64
}

var steps = []step{{10, 1.5}, {100, 2.25}, {1000, 4}}

const (
	floor   = 3
	penalty = 0.25
)

func rate(n int) float64 {
	for i := len(steps) - 1; i >= 0; i-- {
		if n >= steps[i].limit {
			return steps[i].factor
		}
	}
	switch {
	case n > floor:
		return 1
	default:
		return penalty
	}
}

func cost(n, rest int, late bool) (total float64) {
	total = rate(n) * float64(rest)
	if late || rest > n {
		total += penalty * clamp(total, 1, 10)
	}
	return total
}
` + end + `
func clamp(x, low, high float64) float64 {
	if x < low {
		return low
	}
	return min(x, high)
}

var table [floor]int

func Sum() int { return table[0] + table[1] + table[2] }
`}},
}

// open returns a rewriter for the block of a fixture, and the text of the block.
func (f fixture) open(t testing.TB) (*Rewriter, string) {
	t.Helper()
	s := Source{Files: map[string][]byte{}, Importer: f.importer}
	var at Site
	for name, text := range f.files {
		s.Files[name] = []byte(text)
		if i := strings.Index(text, begin); i >= 0 {
			at = Site{name, i + len(begin), strings.LastIndex(text[:strings.Index(text, end)], "\n") + 1}
		}
	}
	r, err := New(s, at)
	if err != nil {
		t.Fatalf("%s: %v", f.name, err)
	}
	return r, string(s.Files[at.File][at.Start:at.End])
}

// with returns the files with the text of the block replaced.
func (f fixture) with(text string) map[string]string {
	out := map[string]string{}
	for name, src := range f.files {
		if i := strings.Index(src, begin); i >= 0 {
			stop := strings.LastIndex(src[:strings.Index(src, end)], "\n") + 1
			src = src[:i+len(begin)] + text + src[stop:]
		}
		out[name] = src
	}
	return out
}

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// block returns a fixture with one file that contains a block.
func block(before, text, after string) fixture {
	return fixture{name: "block", files: map[string]string{"a.go": before + begin + text + end + after}}
}

// sourceImporter reads the declarations of the standard library.
func sourceImporter(t testing.TB) types.Importer {
	if build.Default.GOROOT == "" { // as in a binary built with -trimpath
		root, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			t.Fatal(err)
		}
		build.Default.GOROOT = strings.TrimSpace(string(root))
	}
	return importer.ForCompiler(token.NewFileSet(), "source", nil)
}
