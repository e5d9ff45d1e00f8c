package mutate

import (
	"slices"
	"strings"
	"unicode/utf8"

	"evolve/mutate/irt"
	"evolve/mutate/operator"
	"evolve/runtime/agent"
)

// The codes for non-numeric values in a point.
const (
	inactive = -1
	absent   = -2
	present  = -3
	// Codes from category downwards stand for the values of a choice and for the texts seen
	// so far.
	category = irt.FirstText
)

// setting is a parameter that can change, with its dimensions. A number, choice or switch
// has one dimension. A subset has one dimension for each member. A text has one dimension
// for the text without its offered lines, followed by one for each offered line. A text
// of demonstrations instead has a second dimension for the number of demonstrations.
type setting struct {
	param agent.Param
	// first is the first dimension and dims is the number of dimensions.
	first, dims int
	members     []string // the members of a subset, or the lines that a text offers
	texts       *texts   // for a text: the values seen so far, without the offered lines
	own         string   // for a text: the champion's value
	// pool holds the demonstrations to choose from; nil means that there are none.
	pool *operator.Pool
	// snapped maps each grid position of a number to the grid position of its rounded
	// value.
	snapped []int16
	needs   []need
}

// need is a condition that another setting has one of the given codes.
type need struct {
	setting int
	codes   []int16
}

// codec converts configs to points and back.
type codec struct {
	space    agent.Space
	base     agent.Config // source of fixed values
	settings []setting
	dims     []irt.Dimension
	// order lists the settings so that each comes after the settings on which it depends.
	order []int
	// home is the point of the default config, with every parameter treated as active.
	home irt.Point
}

func newCodec(space agent.Space, champion agent.Config) *codec {
	c := &codec{space: space, base: champion}
	for _, p := range space.Params {
		if p.Kind != agent.Text && operator.Fixed(p) {
			continue
		}
		st := setting{param: p, first: len(c.dims), dims: 1}
		weight := 1.0
		switch p.Kind {
		case agent.Subset:
			st.members = p.Of
			st.dims = len(p.Of)
		case agent.Text:
			demonstrations := operator.Demonstrates(p)
			if st.dims = 2; !demonstrations {
				st.members = operator.Offered(p)
				st.dims = 1 + len(st.members)
			}
			st.texts, st.own = newTexts(demonstrations), champion.String(p.Name)
		case agent.Float, agent.Int:
			st.snapped = snapped(p)
		}
		weight /= float64(st.dims)
		for k := range st.dims {
			d := irt.Dimension{Numeric: p.Numeric() || k == 1 && operator.Demonstrates(p), Weight: weight}
			if k == 0 && p.Kind == agent.Text {
				d.Texts = st.texts.apart
			}
			c.dims = append(c.dims, d)
		}
		c.settings = append(c.settings, st)
	}
	c.arrange()
	all := make(agent.Config, len(space.Params))
	for _, p := range space.Params {
		all[p.Name] = p.Default
	}
	c.home = c.encode(all)
	return c
}

// snapped returns, for every grid position, the grid position of the parameter's value
// after rounding.
func snapped(p agent.Param) []int16 {
	out := make([]int16, irt.Grid+1)
	for i := range out {
		out[i] = place(p, operator.FromUnit(p, float64(i)/irt.Grid))
	}
	return out
}

// place returns the grid position of a numeric value.
func place(p agent.Param, v any) int16 {
	f, ok := v.(float64)
	if n, whole := v.(int64); whole {
		f, ok = float64(n), true
	}
	if !ok {
		return 0
	}
	return int16(operator.Unit(p, f)*irt.Grid + 0.5)
}

// conditions returns the conditions under which a parameter is active. A condition on a
// fixed parameter is replaced by that parameter's own conditions.
func (c *codec) conditions(p agent.Param, at map[string]int, depth int) []need {
	var out []need
	for other, values := range p.When {
		j, free := at[other]
		if !free {
			if q, ok := c.space.Lookup(other); ok && depth < len(c.space.Params) {
				out = append(out, c.conditions(q, at, depth+1)...)
			}
			continue
		}
		if c.settings[j].param.Kind == agent.Text {
			continue
		}
		n := need{setting: j}
		for _, v := range values {
			if v, err := c.settings[j].param.Coerce(v); err == nil {
				n.codes = append(n.codes, c.settings[j].code(v))
			}
		}
		out = append(out, n)
	}
	return out
}

// arrange sets the conditions of the settings and the order in which the settings are
// evaluated. It skips conditions on texts, because whole texts have no codes; they are
// applied to the config instead.
func (c *codec) arrange() {
	at := map[string]int{}
	for i, st := range c.settings {
		at[st.param.Name] = i
	}
	for i := range c.settings {
		c.settings[i].needs = c.conditions(c.settings[i].param, at, 0)
		slices.SortFunc(c.settings[i].needs, func(a, b need) int { return a.setting - b.setting })
	}
	done := make([]bool, len(c.settings))
	var visit func(int)
	visit = func(i int) {
		if done[i] {
			return
		}
		done[i] = true
		for _, n := range c.settings[i].needs {
			visit(n.setting)
		}
		c.order = append(c.order, i)
	}
	for i := range c.settings {
		visit(i)
	}
}

// code returns the code for a value of a setting with one dimension.
func (st *setting) code(v any) int16 {
	switch st.param.Kind {
	case agent.Float, agent.Int:
		return place(st.param, v)
	case agent.Choice:
		return category - int16(slices.Index(st.param.Values, v))
	}
	return presence(v == true)
}

func presence(there bool) int16 {
	if there {
		return present
	}
	return absent
}

// encode returns the point that stands for a config. A new text gets a new code.
func (c *codec) encode(config agent.Config) irt.Point {
	x := make(irt.Point, len(c.dims))
	for i := range c.settings {
		st := &c.settings[i]
		to := x[st.first : st.first+st.dims]
		v, ok := config[st.param.Name]
		if !ok {
			for k := range to {
				to[k] = inactive
			}
			continue
		}
		switch st.param.Kind {
		case agent.Subset:
			list, _ := v.([]string)
			for k, m := range st.members {
				to[k] = presence(slices.Contains(list, m))
			}
		case agent.Text:
			text, _ := v.(string)
			lines, rest := st.divide(text)
			st.set(to, st.texts.keep(rest))
			for k, m := range st.members {
				to[1+k] = presence(slices.Contains(lines, m))
			}
		default:
			to[0] = st.code(v)
		}
	}
	return x
}

// divide splits a text into the offered lines that it contains and the rest.
func (st *setting) divide(text string) (lines []string, rest string) {
	if len(st.members) == 0 {
		return nil, text
	}
	var other []string
	for l := range strings.SplitSeq(text, "\n") {
		if slices.Contains(st.members, l) {
			lines = append(lines, l)
		} else {
			other = append(other, l)
		}
	}
	return lines, strings.Join(other, "\n")
}

// decode returns the config for a point. If x and at have equal positions for a
// parameter, the parameter keeps its exact value from the config near. It returns false
// if a text would be too long.
func (c *codec) decode(x irt.Point, near agent.Config, at irt.Point) (agent.Config, bool) {
	config := make(agent.Config, len(c.space.Params))
	for _, p := range c.space.Params {
		if v, ok := c.base[p.Name]; ok && p.Kind != agent.Text && operator.Fixed(p) {
			config[p.Name] = v
		}
	}
	for i := range c.settings {
		st := &c.settings[i]
		from, to := st.first, st.first+st.dims
		if x[from] == inactive {
			continue
		}
		if v, ok := near[st.param.Name]; ok && slices.Equal(x[from:to], at[from:to]) {
			config[st.param.Name] = v
			continue
		}
		v, ok := st.value(x[from:to], near)
		if !ok {
			return nil, false
		}
		config[st.param.Name] = v
	}
	return operator.Canonical(c.space, config.Clone()), true
}

// value returns the setting's value for the codes x, and false if a text would be too long.
func (st *setting) value(x []int16, near agent.Config) (any, bool) {
	p := st.param
	switch p.Kind {
	case agent.Float, agent.Int:
		return operator.FromUnit(p, float64(x[0])/irt.Grid), true
	case agent.Choice:
		return p.Values[category-x[0]], true
	case agent.Bool:
		return x[0] == present, true
	case agent.Subset:
		list := []string{}
		for k, m := range st.members {
			if x[k] == present {
				list = append(list, m)
			}
		}
		return list, true
	}
	return st.text(x, near)
}

// text builds a text from the codes x. If near's text differs only in offered lines, the
// result is near's text without the removed lines and with the added lines at its end.
func (st *setting) text(x []int16, near agent.Config) (string, bool) {
	rest := st.texts.list[category-x[0]]
	text, _ := near[st.param.Name].(string)
	if _, same := st.divide(text); same != rest {
		text = rest
	}
	var lines []string
	if text != "" {
		lines = strings.Split(text, "\n")
	}
	end := len(lines) // retain a final line break
	if end > 0 && lines[end-1] == "" {
		end--
	}
	for k, l := range st.members {
		switch {
		case x[1+k] != present:
			before := len(lines)
			lines = slices.DeleteFunc(lines, func(s string) bool { return s == l })
			end = max(0, end-(before-len(lines)))
		case !slices.Contains(lines, l):
			lines = slices.Insert(lines, end, l)
			end++
		}
	}
	text = strings.Join(lines, "\n")
	return text, st.param.MaxChars <= 0 || utf8.RuneCountInString(text) <= st.param.MaxChars
}
