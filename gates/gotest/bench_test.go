package gotest

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// The limits that the benchmarks print beside the measured values.
const (
	sandboxBound  = 1.15 // processor time inside the sandbox divided by that outside
	wholeBound    = 4.0  // processor time of the whole gate divided by that of build, vet and test outside the sandbox
	affectedBound = 2.0  // seconds of processor time for affected packages, warm
)

// generated returns a module of packages p0 to p(n-1). Each imports the packages whose
// numbers are a third and a fifth of its own, so p45 of 200 has three dependents.
func generated(n int) map[string][]byte {
	files := map[string][]byte{"go.mod": []byte("module example.org/many\n\ngo 1.24\n")}
	for i := range n {
		text := fmt.Sprintf("// Package p%d is one of many.\npackage p%d\n\nimport (\n\t\"fmt\"\n\t\"strings\"\n", i, i)
		use := ""
		for _, j := range []int{i / 3, i / 5} {
			if j > 0 && j != i && (j != i/5 || i/3 != i/5) {
				text += fmt.Sprintf("\n\t\"example.org/many/p%d\"", j)
				use += fmt.Sprintf("\tout += p%d.Value(n)\n", j)
			}
		}
		text += fmt.Sprintf("\n)\n\n// Value is a number.\nfunc Value(n int) int {\n\tout := n + %d\n%s\treturn out\n}\n", i, use)
		for k := range 8 {
			text += fmt.Sprintf(`
// Text%[1]d writes numbers down.
func Text%[1]d(list []int) string {
	var b strings.Builder
	for i, n := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		switch {
		case n < 0:
			fmt.Fprintf(&b, "minus %%d", -n)
		case n == %[1]d:
			b.WriteString("this")
		default:
			fmt.Fprintf(&b, "%%d", n)
		}
	}
	return b.String()
}
`, k)
		}
		dir := fmt.Sprintf("p%d/", i)
		files[dir+"p.go"] = []byte(text)
		test := fmt.Sprintf("package p%d\n\nimport \"testing\"\n\nfunc TestValue(t *testing.T) {\n\tif Value(2)-Value(1) < 1 {\n\t\tt.Error(Value(1), Value(2))\n\t}\n}\n", i)
		for k := range 8 {
			test += fmt.Sprintf("\nfunc TestText%[1]d(t *testing.T) {\n\tif got := Text%[1]d([]int{-1, %[1]d, 70}); got != \"minus 1, this, 70\" {\n\t\tt.Error(got)\n\t}\n}\n", k)
		}
		files[dir+"p_test.go"] = []byte(test)
	}
	return files
}

// patched changes one function of a generated package, differently in each round.
func patched(base map[string][]byte, dir string, round int) map[string][]byte {
	out := maps.Clone(base)
	name := dir + "/p.go"
	out[name] = append([]byte(nil), base[name]...)
	const at = "\tout := n + "
	i := len(at) + bytes.Index(out[name], []byte(at))
	out[name] = append(out[name][:i:i], append(fmt.Appendf(nil, "%d*0 + ", round+1), base[name][i:]...)...)
	return out
}

// cpu returns the processor time of this process and of all children that have ended.
func cpu() time.Duration {
	var own, children syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &own) != nil || syscall.Getrusage(syscall.RUSAGE_CHILDREN, &children) != nil {
		return 0
	}
	return time.Duration(own.Utime.Nano() + own.Stime.Nano() + children.Utime.Nano() + children.Stime.Nano())
}

// warmLab returns a lab with its own build cache.
func warmLab(b *testing.B) *Lab {
	l := newLab(b)
	l.Cache = b.TempDir()
	return l
}

// commands returns the commands that a developer would type.
func commands(r goEnv) []step {
	return []step{
		{name: "build", argv: r.goCommand("build", "-o", os.DevNull, "./...")},
		{name: "vet", argv: r.goCommand("vet", "./...")},
		{name: "test", argv: r.goCommand(append(append([]string{"test"}, r.testFlags()...), "./...")...)},
	}
}

// outside runs the commands without a sandbox.
func outside(b *testing.B, r goEnv, dir, cache string) {
	for _, s := range commands(r) {
		cmd := exec.CommandContext(b.Context(), s.argv[0], s.argv[1:]...)
		cmd.Dir = dir
		cmd.Env = append(r.environment(module{dir: "."}), "HOME="+b.TempDir(), "TMPDIR="+os.TempDir(), "GOCACHE="+cache)
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%s: %v\n%s", s.name, err, out)
		}
	}
}

// BenchmarkGate patches one package of 60 and compares three processor times: that of
// build, vet and test outside the sandbox, that of the same commands in the sandbox, and
// that of the whole gate with every control. All caches are warm, and none has seen the
// patch.
func BenchmarkGate(b *testing.B) {
	l := warmLab(b)
	base := generated(60)
	plainCache := b.TempDir()
	plain := write(b, base)
	r := goEnv{lab: l, limits: l.Limits.withDefaults(), cache: l.buildCache()}
	outside(b, r, plain, plainCache)
	judgeChange(b.Context(), b, l, changeOf(b, base, patched(base, "p14", -1)))
	var without, within, whole time.Duration
	for i := 0; b.Loop(); i++ {
		candidate := patched(base, "p14", i)
		if err := os.WriteFile(filepath.Join(plain, "p14", "p.go"), candidate["p14/p.go"], 0o600); err != nil {
			b.Fatal(err)
		}
		start := cpu()
		outside(b, r, plain, plainCache)
		without += cpu() - start

		c := changeOf(b, base, candidate)
		in := &checker{lab: l, limits: l.Limits.withDefaults(), change: c, dir: b.TempDir()}
		laid, err := in.lay()
		if err != nil {
			b.Fatal(err)
		}
		start = cpu()
		results, err := laid.env.script(b.Context(), module{dir: "."}, b.TempDir(), commands(laid.env))
		within += cpu() - start
		if err != nil || !results["build"].ok() || !results["vet"].ok() || !results["test"].ok() {
			b.Fatal(err, results)
		}

		start = cpu()
		lane, _, said := judgeChange(b.Context(), b, l, c)
		whole += cpu() - start
		if lane != "passed" {
			b.Fatal(said)
		}
	}
	n := float64(b.N)
	b.ReportMetric(without.Seconds()/n, "outside-cpu-s/op")
	b.ReportMetric(within.Seconds()/n, "inside-cpu-s/op")
	b.ReportMetric(float64(within)/float64(without), "inside/outside")
	b.ReportMetric(sandboxBound, "inside/outside-bound")
	b.ReportMetric(whole.Seconds()/n, "gate-cpu-s/op")
	b.ReportMetric(float64(whole)/float64(without), "gate/outside")
	b.ReportMetric(wholeBound, "gate/outside-goal")
}

// BenchmarkAffected measures the gates on a patch to one of 200 packages: first those for
// the four packages that it affects, with every control, and then the tests of all other
// packages. Warm means the state after the first patch of a base: the base is compiled,
// and the results of its tests and the statements of the patched package that they reach
// are stored.
func BenchmarkAffected(b *testing.B) {
	l := warmLab(b)
	base := generated(200)
	judgeChange(b.Context(), b, l, changeOf(b, base, patched(base, "p45", -1)))
	var tested, near, rest time.Duration
	for i := 0; b.Loop(); i++ {
		c := changeOf(b, base, patched(base, "p45", i))
		list, done, err := l.Gates(c)
		if err != nil {
			b.Fatal(err)
		}
		begun := cpu()
		for _, g := range list {
			start := cpu()
			if v, said := g.Check(b.Context()); v != "passed" {
				b.Fatal(g.Name, v, said)
			}
			if g.Name == All {
				rest += cpu() - start
			} else {
				near += cpu() - start
			}
			if g.Name == Affected {
				tested += cpu() - begun
			}
		}
		if err := done(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(near.Seconds()/float64(b.N), "affected-cpu-s/op")
	b.ReportMetric(tested.Seconds()/float64(b.N), "affected-without-controls-cpu-s/op")
	b.ReportMetric(affectedBound, "affected-bound-s")
	b.ReportMetric(rest.Seconds()/float64(b.N), "all-others-cpu-s/op")
}
