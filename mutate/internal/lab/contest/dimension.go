package contest

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"evolve/runtime/agent"
)

// dimension is one coordinate of a config in the representation that the peers use. Each
// member of a subset and each line of a text is a separate switch.
type dimension struct {
	// Type is "float", "int" or "list".
	Type string `json:"type"`
	// Low and High are the bounds of a number, and Log reports whether its scale is
	// logarithmic.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	Log  bool    `json:"log"`
	// Size is the number of values of a list.
	Size int `json:"size"`
	// Needs holds the conditions under which the dimension is active. Each of them requires
	// that an earlier dimension has one of the given values.
	Needs []need `json:"needs"`

	param  int
	member string
}

type need struct {
	Dimension int       `json:"dimension"`
	Values    []float64 `json:"values"`
}

// genome is a config with one number for each dimension: a numeric value, or the index of
// a value in a list. The values of inactive dimensions are ignored.
type genome []float64

// chart converts between the configs of a space and genomes.
type chart struct {
	space      agent.Space
	dimensions []dimension
}

func newChart(space agent.Space) chart {
	c := chart{space: space}
	first := map[string]int{}
	for i, p := range space.Params {
		first[p.Name] = len(c.dimensions)
		d := dimension{Type: "list", Size: len(p.Values), Needs: []need{}, param: i}
		for other, values := range p.When {
			q, _ := space.Lookup(other)
			n := need{Dimension: first[other]}
			for _, v := range values {
				n.Values = append(n.Values, index(q, v))
			}
			d.Needs = append(d.Needs, n)
		}
		switch p.Kind {
		case agent.Float:
			d.Type, d.Low, d.High, d.Log = "float", p.Min, p.Max, p.Log
		case agent.Int:
			d.Type, d.Low, d.High, d.Log = "int", p.Min, p.Max, p.Log
		case agent.Bool:
			d.Size = 2
		case agent.Subset, agent.Text:
			for _, member := range slices.Concat(p.Of, p.Lines) {
				d.Size, d.member = 2, member
				c.dimensions = append(c.dimensions, d)
			}
			continue
		}
		c.dimensions = append(c.dimensions, d)
	}
	return c
}

// index returns the index of a value in the list of values of a choice or switch.
func index(p agent.Param, v any) float64 {
	if p.Kind == agent.Bool {
		if v == true {
			return 1
		}
		return 0
	}
	return float64(slices.Index(p.Values, v))
}

// encode returns the genome of a config in the space.
func (c chart) encode(config agent.Config) genome {
	g := make(genome, len(c.dimensions))
	for k, d := range c.dimensions {
		p := c.space.Params[d.param]
		value, ok := config[p.Name]
		if !ok {
			value = p.Default
		}
		switch v := value.(type) {
		case float64:
			g[k] = v
		case int64:
			g[k] = float64(v)
		case []string:
			g[k] = there(slices.Contains(v, d.member))
			continue
		case string:
			if p.Kind == agent.Text {
				g[k] = there(slices.Contains(strings.Split(v, "\n"), d.member))
				continue
			}
		}
		if !p.Numeric() {
			g[k] = index(p, value)
		}
	}
	return g
}

func there(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// decode returns the canonical config of a genome. In a text, lines that were written by a
// person come before the offered lines.
func (c chart) decode(g genome) agent.Config {
	config := make(agent.Config, len(c.space.Params))
	for k, d := range c.dimensions {
		p := c.space.Params[d.param]
		switch p.Kind {
		case agent.Float:
			config[p.Name] = math.Max(d.Low, math.Min(d.High, g[k]))
		case agent.Int:
			config[p.Name] = int64(math.Max(d.Low, math.Min(d.High, math.Round(g[k]))))
		case agent.Bool:
			config[p.Name] = g[k] == 1
		case agent.Choice:
			config[p.Name] = p.Values[int(g[k])]
		case agent.Subset:
			list, _ := config[p.Name].([]string)
			if list == nil {
				list = []string{}
			}
			if g[k] == 1 {
				list = append(list, d.member)
			}
			config[p.Name] = list
		case agent.Text:
			text, ok := config[p.Name].(string)
			if !ok {
				text = ownLines(p)
			}
			if g[k] == 1 {
				text = strings.TrimPrefix(text+"\n"+d.member, "\n")
			}
			config[p.Name] = text
		}
	}
	return c.space.Canonical(config)
}

func ownLines(p agent.Param) string {
	text, _ := p.Default.(string)
	own := slices.DeleteFunc(strings.Split(text, "\n"), func(l string) bool { return slices.Contains(p.Lines, l) })
	return strings.Join(own, "\n")
}

// random returns a genome drawn uniformly.
func (c chart) random(rng *rand.Rand) genome {
	g := make(genome, len(c.dimensions))
	for k, d := range c.dimensions {
		g[k] = d.at(rng.Float64())
	}
	return g
}

// at returns the value of a dimension for u in [0,1].
func (d dimension) at(u float64) float64 {
	if d.Type == "list" {
		return math.Min(math.Floor(u*float64(d.Size)), float64(d.Size-1))
	}
	x := d.Low + u*(d.High-d.Low)
	if d.Log {
		x = d.Low * math.Pow(d.High/d.Low, u)
	}
	if d.Type == "int" {
		x = math.Round(x)
	}
	return x
}

// place is the inverse of the method at, for numbers.
func (d dimension) place(x float64) float64 {
	if d.Log {
		return math.Log(x/d.Low) / math.Log(d.High/d.Low)
	}
	return (x - d.Low) / (d.High - d.Low)
}
