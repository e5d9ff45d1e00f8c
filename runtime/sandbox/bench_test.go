//go:build linux

package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// spent returns the processor time of this process and its ended children.
func spent(b *testing.B) time.Duration {
	b.Helper()
	var total time.Duration
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var use unix.Rusage
		if err := unix.Getrusage(who, &use); err != nil {
			b.Fatal(err)
		}
		total += time.Duration(use.Utime.Nano() + use.Stime.Nano())
	}
	return total
}

func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	for _, w := range []Sandbox{wallsOf(isolateNamespaces), wallsOf(isolateBubblewrap), wallsOf(isolateLandlock), None("")} {
		b.Run(strings.TrimSuffix(w.Name(), ": "), func(b *testing.B) {
			if try, ok := trial[w.kind]; ok && try() != nil {
				b.Skip("not to be had here")
			}
			began := spent(b)
			for b.Loop() {
				p, err := w.Start(b.Context(), Spec{Argv: []string{"true"}, Dir: dir})
				if err != nil {
					b.Fatal(err)
				}
				if e := p.Wait(); e != (Exit{}) {
					b.Fatalf("%+v", e)
				}
			}
			b.ReportMetric((spent(b)-began).Seconds()*1e3/float64(b.N), "cpu-ms/op")
		})
	}
}

// moduleOf writes a module with the given number of packages, which import each other and
// have tests.
func moduleOf(b *testing.B, packages int) string {
	files := map[string]string{"go.mod": "module example.org/small\n\ngo 1.25\n"}
	for i := range packages {
		var before string
		if i > 0 {
			before = fmt.Sprintf("_ \"example.org/small/p%d\"", i-1)
		}
		files[fmt.Sprintf("p%d/p.go", i)] = fmt.Sprintf("package p%d\n\nimport (\n\t\"encoding/json\"\n\t%s\n)\n\n"+
			"func F(v any) (int, error) {\n\ttext, err := json.Marshal(v)\n\treturn len(text), err\n}\n", i, before)
		files[fmt.Sprintf("p%d/p_test.go", i)] = fmt.Sprintf("package p%d\n\nimport \"testing\"\n\n"+
			"func TestF(t *testing.T) {\n\tfor i := range 100000 {\n\t\tif n, err := F([]int{i}); n < 3 || err != nil {\n\t\t\tt.Fatal(n, err)\n\t\t}\n\t}\n}\n", i)
	}
	return tree(b, files)
}

// BenchmarkGo builds, vets and tests a module with a warm build cache, alternately inside
// and outside the sandbox, and reports the ratio of their processor times. Inside the
// sandbox, the cache is a layer over another cache. That other cache was filled through
// the same paths, and is not written to.
func BenchmarkGo(b *testing.B) {
	w := namespaces(b)
	text, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Skip("no go command on this machine")
	}
	goroot := strings.TrimSpace(string(text))
	src, base, own, modules := moduleOf(b, 5), b.TempDir(), b.TempDir(), b.TempDir()
	const script = `go build ./... && go vet ./... && go test -count=1 ./...`
	settings := []string{"GOENV=off", "GOPROXY=off", "GOFLAGS=", "GOTOOLCHAIN=local", "CGO_ENABLED=0"}
	inside := Spec{
		Argv: []string{"sh", "-c", script}, Dir: "/src",
		Shown: []Shown{{Source: src, Path: "/src"}, {Source: goroot, Path: "/go"}, {Source: modules, Path: "/modules"}},
		Env:   append([]string{"PATH=/go/bin:/usr/bin:/bin", "GOROOT=/go", "GOCACHE=/cache", "GOMODCACHE=/modules"}, settings...),
	}
	run := func(s Spec) time.Duration {
		began := spent(b)
		exit, out, err := w.Run(b.Context(), s, nil, 10000)
		if err != nil || exit != (Exit{}) {
			b.Fatalf("inside: %+v, %v: %s%s", exit, err, out.Stdout, out.Stderr)
		}
		return spent(b) - began
	}
	outside := func() time.Duration {
		cmd := exec.Command("sh", "-c", script)
		cmd.Dir, cmd.Env = src, append([]string{
			"PATH=" + filepath.Join(goroot, "bin") + ":/usr/bin:/bin", "HOME=" + own, "GOCACHE=" + own, "GOMODCACHE=" + modules,
			"TMPDIR=" + os.TempDir(), "LANG=C.UTF-8",
		}, settings...)
		began := spent(b)
		if text, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("outside: %v: %s", err, text)
		}
		return spent(b) - began
	}
	fill := inside
	fill.Shown = append(fill.Shown[:3:3], Shown{Source: base, Path: "/cache", Writable: true})
	run(fill)
	outside()
	inside.Layers = []Layer{{Lower: base, Path: "/cache"}}
	inside.Limits = Limits{Total: 4 << 30, Processes: 4096}
	var in, out time.Duration
	for b.Loop() {
		in += run(inside)
		out += outside()
	}
	b.ReportMetric(in.Seconds()*1e3/float64(b.N), "inside-cpu-ms/op")
	b.ReportMetric(out.Seconds()*1e3/float64(b.N), "outside-cpu-ms/op")
	b.ReportMetric(in.Seconds()/out.Seconds(), "inside/outside")
}
