package stats

import (
	"flag"
	"fmt"
	"testing"
)

var claimEntries = flag.Int("entries", 0, "entries of each world in the table of claims; 0: no table")

// claimWorlds returns the rows of the table: worlds without a gain, one for each way in
// which a claim may exceed its data, and worlds with a gain.
func claimWorlds() []claimWorld {
	plain := claimWorld{tasks: 40, blocks: 16, nights: 6}
	var out []claimWorld
	with := func(change func(w *claimWorld)) {
		w := plain
		change(&w)
		out = append(out, w)
	}
	with(func(w *claimWorld) {})
	with(func(w *claimWorld) { w.interaction = .5 })
	for _, n := range []int{2, 3, 5, 7, 8, 10} {
		with(func(w *claimWorld) { w.tasks, w.interaction = n, .5 })
	}
	with(func(w *claimWorld) { w.clusters, w.interaction = 3, .5 })
	with(func(w *claimWorld) { w.clusters, w.interaction = 10, .5 })
	with(func(w *claimWorld) { w.clusters, w.interaction, w.hidden = 10, .5, true })
	for _, b := range []float64{.03, .05, .1} {
		with(func(w *claimWorld) { w.broken = b })
	}
	with(func(w *claimWorld) { w.broken, w.interaction = .05, .5 })
	for _, m := range []float64{.05, .2} {
		with(func(w *claimWorld) { w.lost = m })
		with(func(w *claimWorld) { w.missing = m })
	}
	for _, n := range []float64{.1, .2} {
		for _, b := range []int{8, 16, 30} {
			with(func(w *claimWorld) { w.night, w.blocks = n, b })
		}
	}
	with(func(w *claimWorld) { w.night, w.interaction, w.lost, w.broken = .1, .5, .05, .03 })
	for _, g := range []float64{.03, .08, .15} {
		for _, i := range []float64{0, .5} {
			with(func(w *claimWorld) { w.gain, w.interaction, w.nights = g, i, 30 })
		}
	}
	with(func(w *claimWorld) { w.gain, w.domains, w.tasks, w.nights = .03, 10, 80, 30 })
	with(func(w *claimWorld) { w.gain, w.missing, w.interaction, w.nights = .08, .05, .5, 30 })
	with(func(w *claimWorld) { w.gain, w.interaction, w.tasks, w.nights = .08, .5, 8, 30 })
	with(func(w *claimWorld) { w.gain, w.interaction, w.night, w.nights = .08, .5, .1, 30 })
	with(func(w *claimWorld) { w.gain, w.nights = .08, 1 })
	with(func(w *claimWorld) { w.gain, w.nights = .15, 1 })
	return out
}

// BenchmarkClaims prints for each world how often an entry is claimed to be better on new
// tasks, under the former rule and under the current one.
func BenchmarkClaims(b *testing.B) {
	if *claimEntries == 0 {
		b.Skip("make bench-stats prints the table")
	}
	for b.Loop() {
		fmt.Printf("claims of a gain on new tasks, by entry (nominal %.4f without one)\n%8s %8s %7s\n", entryAlpha, "before", "now", "nights")
		for _, w := range claimWorlds() {
			v := w.simulate(*claimEntries, 1, before, now)
			r := rates(v)
			var nights, n [2]float64
			for _, e := range v {
				for i := range e {
					if e[i].claimed {
						nights[i] += float64(e[i].nights)
						n[i]++
					}
				}
			}
			fmt.Printf("%8.4f %8.4f %3.1f %3.1f  %s\n", r[0], r[1], nights[0]/n[0], nights[1]/n[1], w)
		}
	}
}
