package mutate

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"

	"evolve/mutate/irt"
)

// A long search has thousands of variants, but only the champion and some leaders are
// evaluated further. The results of the other variants are packed by task, which takes
// about ten bytes per task instead of 44. They are unpacked while the model is fitted to
// them.

// pack packs the results of a variant by task. They remain packed until the variant's next
// evaluation.
func (a *variantStats) pack() {
	if a.packed != nil {
		return
	}
	b := make([]byte, 0, 12*len(a.repeats))
	cells, spends := a.cells, a.spends
	for j, repeats := range a.repeats {
		var c irt.Cell
		if len(cells) > 0 && int(cells[0].Task) == j {
			c, cells = cells[0], cells[1:]
		}
		var p spend
		if len(spends) > 0 && int(spends[0].task) == j {
			p, spends = spends[0], spends[1:]
		}
		// Usually each repeat has a result and a score. If not, a bit indicates that the
		// four counts follow.
		odd := uint64(b2i(a.told[j] != repeats || c.N != float64(repeats) || p.n != int32(repeats) || p.timed != p.n))
		b = binary.AppendUvarint(b, uint64(repeats)<<1|odd)
		if odd == 1 {
			b = binary.AppendUvarint(b, uint64(a.told[j]))
			b = binary.AppendUvarint(b, bits.ReverseBytes64(math.Float64bits(c.N)))
			b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(p.n)), uint64(p.timed))
		}
		if c.N != 0 {
			// The last bytes of a sum of a few scores are mostly 0, and if the scores are 0
			// and 1, the sum equals the sum of squares.
			b = binary.AppendUvarint(b, bits.ReverseBytes64(math.Float64bits(c.Sum)))
			b = appendFloat(b, math.Float32bits(c.Squares)^math.Float32bits(float32(c.Sum)))
		}
		if p.n != 0 {
			b = appendFloat(appendFloat(b, math.Float32bits(p.cost)), math.Float32bits(p.seconds))
		}
	}
	a.packed = bytes.Clone(b)
	a.repeats, a.told, a.cells, a.spends = nil, nil, nil, nil
}

func appendFloat(b []byte, f uint32) []byte {
	return binary.AppendUvarint(b, uint64(bits.ReverseBytes32(f)))
}

// unpack restores a variant to its state before pack.
func (a *variantStats) unpack() {
	if a.packed == nil {
		return
	}
	a.visit(func(j int, repeats, told uint16, c irt.Cell, p spend) {
		a.repeats, a.told = append(a.repeats, repeats), append(a.told, told)
		if c.N != 0 {
			a.cells = append(a.cells, c)
		}
		if p.n != 0 {
			a.spends = append(a.spends, p)
		}
	})
	a.packed = nil
}

// visit calls the function task for each task of a packed variant, in order.
func (a *variantStats) visit(task func(j int, repeats, told uint16, c irt.Cell, p spend)) {
	b := a.packed
	next := func() uint64 {
		v, n := binary.Uvarint(b)
		b = b[n:]
		return v
	}
	for j := 0; len(b) > 0; j++ {
		head := next()
		repeats := uint16(head >> 1)
		told, c, p := repeats, irt.Cell{Task: int32(j), N: float64(repeats)}, spend{task: int32(j), n: int32(repeats), timed: int32(repeats)}
		if head&1 == 1 {
			told = uint16(next())
			c.N = math.Float64frombits(bits.ReverseBytes64(next()))
			p.n, p.timed = int32(next()), int32(next())
		}
		if c.N != 0 {
			c.Sum = math.Float64frombits(bits.ReverseBytes64(next()))
			c.Squares = math.Float32frombits(bits.ReverseBytes32(uint32(next())) ^ math.Float32bits(float32(c.Sum)))
		}
		if p.n != 0 {
			p.cost = math.Float32frombits(bits.ReverseBytes32(uint32(next())))
			p.seconds = math.Float32frombits(bits.ReverseBytes32(uint32(next())))
		}
		task(j, repeats, told, c, p)
	}
}

// scores returns the scores in order of the tasks. Callers must not change the list.
func (a *variantStats) scores() []irt.Cell {
	if a.packed == nil {
		return a.cells
	}
	var out []irt.Cell
	a.visit(func(_ int, _, _ uint16, c irt.Cell, _ spend) {
		if c.N != 0 {
			out = append(out, c)
		}
	})
	return out
}

// spent returns what the variant consumed on each task, in the order of the tasks.
// Callers must not change the list.
func (a *variantStats) spent() []spend {
	if a.packed == nil {
		return a.spends
	}
	var out []spend
	a.visit(func(_ int, _, _ uint16, _ irt.Cell, p spend) {
		if p.n != 0 {
			out = append(out, p)
		}
	})
	return out
}

// packIdle packs the variants without pending evaluations. The champion and the leaders
// stay unpacked.
func (s *search) packIdle() {
	leads := map[*variantStats]bool{s.champion: true}
	for _, a := range s.posterior.leaders {
		leads[a] = true
		a.unpack()
	}
	for _, a := range s.variants {
		if !leads[a] && a.pending() == 0 {
			a.pack()
		}
	}
}
