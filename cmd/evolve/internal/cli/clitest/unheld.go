package clitest

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"evolve/bench"
)

// scriptUnheld requires that no file contains anything that `evolve code show TARGET
// VARIANT --json` has printed about the held-out cases of a version: the names of the
// cases, the values of the unchanged code and of the version, and the means of these
// values, including the means over all cases. The files must contain search cases, which
// shows that the check would find values.
func scriptUnheld(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: unheld FILE PATH…")
	}
	var view struct {
		Version *struct {
			Values struct {
				Holdout *struct{ Cases int }
				Cases   []struct {
					Case  string
					Split bench.Split
					A, B  *float64
				}
			}
		}
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &view))
	if view.Version == nil || view.Version.Values.Holdout == nil {
		ts.Fatalf("%s has no version with values on held-out cases", args[0])
	}
	secret := map[string]string{}
	var search []string
	sums := map[bench.Split][2]float64{}
	counts := map[bench.Split]float64{}
	for _, c := range view.Version.Values.Cases {
		if c.A == nil || c.B == nil {
			continue
		}
		counts[c.Split]++
		sums[c.Split] = [2]float64{sums[c.Split][0] + *c.A, sums[c.Split][1] + *c.B}
		if c.Split != bench.Holdout {
			search = append(search, c.Case)
			continue
		}
		secret[c.Case] = "the name of a case"
		for _, v := range []float64{*c.A, *c.B} {
			secret[strconv.FormatFloat(v, 'g', -1, 64)] = "the value of " + c.Case
		}
	}
	all := counts[bench.Search] + counts[bench.Holdout]
	for i := range 2 {
		held := sums[bench.Holdout][i]
		for _, v := range []float64{held / counts[bench.Holdout], (held + sums[bench.Search][i]) / all} {
			secret[fmt.Sprintf("%.4g", v)], secret[fmt.Sprintf("%.5g", v)] = "a mean", "a mean"
		}
	}
	seen := 0
	for _, path := range args[1:] {
		ts.Check(filepath.WalkDir(ts.MkAbs(path), func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(name)
			for text, what := range secret {
				if len(text) > 3 && strings.Contains(string(data), text) {
					ts.Fatalf("%s has %q, %s", name, text, what)
				}
			}
			for _, of := range search {
				seen += strings.Count(string(data), of)
			}
			return err
		}))
	}
	if seen == 0 {
		ts.Fatalf("no file has a search case")
	}
	ts.Logf("%d texts occur in none of the files", len(secret))
}
