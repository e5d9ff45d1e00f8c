package mutate

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"evolve/runtime/agent"
)

func oneNumber() encoder {
	return newEncoder([]agent.Param{{Name: "x", Kind: agent.Float, Max: 1, Default: 0.0}})
}

func at(e encoder, x float64) point { return e.encode(agent.Config{"x": x}) }

// The posterior of one point has a closed form.
func TestProcessOfOnePoint(t *testing.T) {
	e := oneNumber()
	g := newProcess(e)
	const y, noise = 0.3, 0.02
	mean, variance := g.train([]point{at(e, 0.5)}, []float64{y}, []float64{noise})
	prior := g.scale * (constantPart + totalPart + productPart + nugget)
	if want := y * prior / (prior + noise); math.Abs(mean[0]-want) > 1e-12 {
		t.Errorf("posterior mean %v, want %v", mean[0], want)
	}
	if want := 1 / (1/prior + 1/noise); math.Abs(variance[0]-want) > 1e-12 {
		t.Errorf("posterior variance %v, want %v", variance[0], want)
	}
	// Far away only the constant is shared; half a range away is far for a Gaussian
	// of .35, but not for the products: d² = 4·½².
	k := g.scale * (constantPart + totalPart*math.Exp(-0.25/(2*lengthScale*lengthScale)) + productPart*math.Exp(-totalPart))
	m, v := g.predict(at(e, 1))
	if want := k / (prior + noise) * y; math.Abs(m-want) > 1e-12 {
		t.Errorf("prediction %v, want %v", m, want)
	}
	if want := prior - k*k/(prior+noise); math.Abs(v-want) > 1e-12 {
		t.Errorf("its variance %v, want %v", v, want)
	}
}

// The factorised answers are those of the textbook formula with an inverse.
func TestProcessAgreesWithTheFormula(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	space := mixedSpace(12)
	s := newSearch(t, Options{Space: space, Champion: space.Default(), Tasks: makeTasks(1), Budget: 1})
	g := newProcess(s.encoder)
	const n = 25
	var x []point
	y, noise := make([]float64, n), make([]float64, n)
	for i := range n {
		x = append(x, s.encoder.encode(s.random().config))
		y[i], noise[i] = rng.NormFloat64()/5, 0.01+rng.Float64()/10
	}
	mean, variance := g.train(x, y, noise)
	a := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, g.scale*g.covariance(x[i], x[j]))
		}
		a.Set(i, i, a.At(i, i)+g.scale*nugget+noise[i])
	}
	var inverse mat.Dense
	if err := inverse.Inverse(a); err != nil {
		t.Fatal(err)
	}
	posterior := func(k []float64, own float64) (m, v float64) {
		v = own
		for i := range n {
			for j := range n {
				m += k[i] * inverse.At(i, j) * y[j]
				v -= k[i] * inverse.At(i, j) * k[j]
			}
		}
		return m, v
	}
	for q := range n {
		k := make([]float64, n)
		for i := range n {
			k[i] = g.scale * g.covariance(x[i], x[q])
		}
		k[q] += g.scale * nugget
		m, v := posterior(k, k[q])
		if math.Abs(m-mean[q]) > 1e-9 || math.Abs(v-variance[q]) > 1e-9 {
			t.Fatalf("point %d: %v ± %v, formula %v ± %v", q, mean[q], variance[q], m, v)
		}
	}
	for range 20 {
		p := s.encoder.encode(s.random().config)
		k := make([]float64, n)
		for i := range n {
			k[i] = g.scale * g.covariance(x[i], p)
		}
		m, v := posterior(k, g.scale*(g.covariance(p, p)+nugget))
		gotM, gotV := g.predict(p)
		if math.Abs(m-gotM) > 1e-9 || math.Abs(v-gotV) > 1e-9 {
			t.Fatalf("prediction %v ± %v, formula %v ± %v", gotM, gotV, m, v)
		}
	}
}

func TestProcessLearnsAShape(t *testing.T) {
	e := oneNumber()
	g := newProcess(e)
	truth := func(x float64) float64 { return 0.4 * math.Sin(4*x) }
	var x []point
	var y, noise []float64
	rng := rand.New(rand.NewPCG(2, 2))
	for range 40 {
		u := rng.Float64()
		x, y, noise = append(x, at(e, u)), append(y, truth(u)+0.05*rng.NormFloat64()), append(noise, 0.0025)
	}
	g.train(x, y, noise)
	for u := 0.05; u < 1; u += 0.05 {
		m, v := g.predict(at(e, u))
		if math.Abs(m-truth(u)) > 0.06 || !(v > 0) {
			t.Errorf("at %.2f: %.3f ± %.3f, truth %.3f", u, m, math.Sqrt(v), truth(u))
		}
	}
}

// Whatever is told, predictions stay numbers with a variance above 0.
func TestProcessStaysFinite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, _ := anySearch(t, nil)
		if len(s.encoder) == 0 {
			t.Skip()
		}
		n := rapid.IntRange(1, 30).Draw(t, "points")
		var x []point
		y, noise := make([]float64, n), make([]float64, n)
		for i := range n { // many of them equal
			x = append(x, s.encoder.encode(s.random().config))
			y[i] = rapid.SampledFrom([]float64{-1, 0, 0.3, 1}).Draw(t, "y")
			noise[i] = rapid.SampledFrom([]float64{1e-3 / 60_000, 1e-3, 0.25}).Draw(t, "noise")
		}
		mean, variance := s.model.train(x, y, noise)
		if len(mean) != n {
			t.Fatal("could not be trained")
		}
		for i := range n {
			if math.IsNaN(mean[i]) || !(variance[i] > 0) {
				t.Fatalf("point %d: %v ± %v", i, mean[i], variance[i])
			}
		}
		for range 5 {
			m, v := s.model.predict(s.encoder.encode(s.random().config))
			if math.IsNaN(m) || math.Abs(m) > 10 || !(v > 0) {
				t.Fatalf("prediction %v ± %v", m, v)
			}
		}
	})
}

func TestEncoding(t *testing.T) {
	e := newEncoder([]agent.Param{
		{Name: "x", Kind: agent.Float, Max: 1},
		{Name: "c", Kind: agent.Choice, Values: []any{"a", int64(1)}},
		{Name: "b", Kind: agent.Bool},
		{Name: "s", Kind: agent.Subset, Of: []string{"u", "v"}},
		{Name: "t", Kind: agent.Text, Lines: []string{"one", "two"}},
	})
	for _, c := range []struct {
		config agent.Config
		want   point
	}{
		{agent.Config{"x": 0.5, "c": int64(1), "b": true, "s": []string{"v"}, "t": "mine\ntwo"}, point{grid / 2, category - 1, present, absent, present, absent, present}},
		{agent.Config{"x": 1.0, "c": "a", "b": false, "s": []string{}, "t": ""}, point{grid, category, absent, absent, absent, absent, absent}},
		{agent.Config{}, point{inactive, inactive, inactive, inactive, inactive, inactive, inactive}},
	} {
		got := e.encode(c.config)
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: %v, want %v", c.config.Canonical(), got, c.want)
				break
			}
		}
	}
}
