package coding

import (
	"math"
	"math/rand/v2"
	"path"
	"regexp"
	"strconv"
	"strings"

	"evolve/mutate/blocks"
	"evolve/mutate/operator"
	"evolve/mutate/rewrite"
	"evolve/mutate/tokens"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// rewriter rewrites the texts of one block.
type rewriter interface {
	Mutate(text string, rng *rand.Rand) (rewrite.Change, bool)
	Cross(text, other string, rng *rand.Rand) (rewrite.Change, bool)
	// Renumber replaces each occurrence of a number with another; both are given in digits.
	Renumber(text, from, to string) (rewrite.Change, bool)
	// Normal returns the normal form of a text, and Size returns the text's size.
	Normal(text string) string
	Size(text string) int
	// Smaller returns attempts to bring text closer to base.
	Smaller(base, text string) []tokens.Attempt
}

// typed rewrites Go code with knowledge of its types.
type typed struct {
	*rewrite.Rewriter
	// lines divides changes into parts; it is nil if the block is too large to be divided.
	lines *tokens.Rewriter
}

func (typed) Normal(text string) string { return rewrite.Normal(text) }
func (typed) Size(text string) int      { return rewrite.Size(text) }

// lexical rewrites code in other languages token by token.
type lexical struct{ *tokens.Rewriter }

func (lexical) Size(text string) int { return len(text) }

// prepare creates the operators for the blocks.
func (p *Prospect) prepare() error {
	p.rewriters = map[string]rewriter{}
	for _, b := range p.Blocks {
		r, err := p.rewriter(b)
		if err != nil {
			return err
		}
		p.rewriters[b.Name] = r
	}
	p.operators = []operator.Operator{mutation{p.Blocks, p.rewriters}, crossover{p.Blocks, p.rewriters}}
	return nil
}

// rewriter returns the rewriter of a block: a typed one for Go, and a lexical one for other
// languages.
func (p *Prospect) rewriter(b blocks.Block) (rewriter, error) {
	switch {
	case strings.HasSuffix(b.File, "_test.go"):
		return nil, &Problem{"block " + b.Name + " is in " + text.Visible(b.File) + ", and tests are not searched"}
	case !strings.HasSuffix(b.File, ".go"):
		p.Lexical = append(p.Lexical, b.Name)
		r, err := tokens.New(b.File, b.Text)
		if err != nil {
			return nil, &Problem{"block " + b.Name + ": " + err.Error()}
		}
		return lexical{r}, nil
	}
	files, err := p.ground.Package(path.Dir(b.File))
	if err != nil {
		return nil, err
	}
	start, end := b.Span()
	r, err := rewrite.New(rewrite.Source{Files: files}, rewrite.Site{File: b.File, Start: start, End: end})
	if err != nil {
		return nil, &Problem{"block " + b.Name + ": " + err.Error()}
	}
	out := typed{Rewriter: r}
	if lines, err := tokens.New(b.File, b.Text); err == nil {
		out.lines = lines
	}
	return out, nil
}

// TextProblem returns the reason why a text for a block cannot run; it returns "" if the
// text may run.
func (p *Prospect) TextProblem(block, text string) string {
	if r, ok := p.rewriters[block].(typed); ok {
		return r.Problem(text)
	}
	return ""
}

// Imports returns the imports that each block must keep in use, keyed by block name.
func (p *Prospect) Imports() map[string]string {
	out := map[string]string{}
	for name, r := range p.rewriters {
		if r, ok := r.(typed); ok {
			out[name] = strings.Join(r.Needs(), ", ")
		}
	}
	return out
}

// normal returns the normal form of a version, composed of the normal forms of its blocks.
func (p *Prospect) normal(c agent.Config) string {
	var out strings.Builder
	for _, b := range p.Blocks {
		out.WriteString(p.rewriters[b.Name].Normal(c.String(b.Name)))
		out.WriteByte(0)
	}
	return out.String()
}

// size returns the size of a version, which is the sum of the sizes of its blocks.
func (p *Prospect) size(c agent.Config) int {
	n := 0
	for _, b := range p.Blocks {
		n += p.rewriters[b.Name].Size(c.String(b.Name))
	}
	return n
}

// mutation rewrites one block, or sometimes several, by up to three changes whose results
// all compile, because many improvements need more than one change. If several blocks
// have to change together, changing only one of them brings no gain, or even a loss, so
// the result would never become a parent.
type mutation struct {
	blocks []blocks.Block
	of     map[string]rewriter
}

func (mutation) Name() string { return "mutate" }

// Make implements [operator.Operator].
func (m mutation) Make(s operator.FailureContext, rng *rand.Rand) (operator.Child, bool) {
	name, steps, several := m.draw(rng), 1, len(m.blocks) > 1
	if _, ok := m.of[name].(typed); ok {
		steps += min(rng.IntN(3), rng.IntN(3))
	} else if several && rng.IntN(4) == 0 { // at most two changes, because many changes do not build
		steps++
	}
	c := change{config: s.Parent.Clone()}
	for step := range steps {
		before := c.config.String(name)
		made, ok := m.of[name].Mutate(before, rng)
		if c.add(name, made, ok); several {
			if ok && step == 0 && rng.IntN(4) > 0 {
				m.repeat(&c, name, before, made.Text)
			}
			name = m.draw(rng)
		}
	}
	return c.child(m.Name())
}

func (m mutation) draw(rng *rand.Rand) string { return m.blocks[rng.IntN(len(m.blocks))].Name }

// leastShared is the smallest number that is assumed to have the same meaning in several
// blocks; smaller numbers occur everywhere.
const leastShared = 3

// repeat applies a change that was made to a number in one block to the other blocks as
// well.
func (m mutation) repeat(c *change, name, before, after string) {
	from, to, ok := renumbered(before, after)
	if n, err := strconv.ParseFloat(from, 64); !ok || err != nil || n < leastShared && n == math.Trunc(n) {
		return
	}
	for _, b := range m.blocks {
		if b.Name != name {
			made, ok := m.of[b.Name].Renumber(c.config.String(b.Name), from, to)
			c.add(b.Name, made, ok)
		}
	}
}

// numerals matches the numbers in a text, and the text between them.
var numerals = regexp.MustCompile(`[0-9]+(?:\.[0-9]+)?|[^0-9]+`)

// renumbered compares two texts that differ in one number, and returns that number from
// each text. ok is false if they differ in anything else or in several positions, or do not
// differ.
func renumbered(before, after string) (from, to string, ok bool) {
	x, y := numerals.FindAllString(before, -1), numerals.FindAllString(after, -1)
	if len(x) != len(y) {
		return "", "", false
	}
	for i := range x {
		if x[i] == y[i] {
			continue
		}
		if ok || x[i][0] < '0' || x[i][0] > '9' || y[i][0] < '0' || y[i][0] > '9' {
			return "", "", false
		}
		from, to, ok = x[i], y[i], true
	}
	return from, to, ok
}

// change collects the changes to blocks from which a child is made.
type change struct {
	config agent.Config
	parts  []blockChange
}

// blockChange is the change to one block.
type blockChange struct{ block, operators, describes string }

// add adds a change to a block; it does nothing if ok is false.
func (c *change) add(block string, made rewrite.Change, ok bool) {
	if !ok {
		return
	}
	c.config[block] = made.Text
	if n := len(c.parts) - 1; n >= 0 && c.parts[n].block == block {
		c.parts[n].operators += ", " + made.Operator
		c.parts[n].describes += "; " + made.Describes
		return
	}
	c.parts = append(c.parts, blockChange{block, made.Operator, made.Describes})
}

// child returns the parent with all changes applied; it returns false if there are none.
func (c *change) child(operatorName string) (operator.Child, bool) {
	words := make([]string, len(c.parts))
	for i, p := range c.parts {
		words[i] = p.operators + " in block " + p.block + ": " + p.describes
	}
	return operator.Child{Config: c.config, Operator: operatorName, Rationale: strings.Join(words, "; ")}, len(words) > 0
}

// crossover copies a part of the other parent's block into the parent's block. If there are
// several blocks, it sometimes copies the whole block instead.
type crossover struct {
	blocks []blocks.Block
	of     map[string]rewriter
}

func (crossover) Name() string { return "cross" }

// Make implements [operator.Operator].
func (x crossover) Make(s operator.FailureContext, rng *rand.Rand) (operator.Child, bool) {
	if s.Other == nil {
		return operator.Child{}, false
	}
	name := x.blocks[rng.IntN(len(x.blocks))].Name
	c := change{config: s.Parent.Clone()}
	text, other := s.Parent.String(name), s.Other.String(name)
	if len(x.blocks) > 1 && rng.IntN(4) == 0 {
		c.config[name] = other
		return operator.Child{Config: c.config, Operator: x.Name(), Rationale: "all of block " + name + " from the other version", Both: true}, text != other
	}
	made, ok := x.of[name].Cross(text, other, rng)
	c.add(name, made, ok)
	child, ok := c.child(x.Name())
	child.Both = true
	return child, ok
}

// knobs returns the operators on the parameters of an agent: the operators of the search
// over configs, except those that respond to failures.
func knobs(space agent.Space) []operator.Operator {
	var out []operator.Operator
	for _, op := range operator.Single() {
		out = append(out, knob{op, space})
	}
	return out
}

// knob applies an operator to the parameters of a space and leaves other parameters as they
// are.
type knob struct {
	operator.Operator
	space agent.Space
}

// Make implements [operator.Operator].
func (k knob) Make(s operator.FailureContext, rng *rand.Rand) (operator.Child, bool) {
	whole := s.Parent
	s.Space, s.Parent, s.Other = k.space, part(k.space, whole), nil
	child, ok := k.Operator.Make(s, rng)
	if !ok {
		return child, false
	}
	for name, v := range whole {
		if _, mine := k.space.Lookup(name); !mine {
			child.Config[name] = v
		}
	}
	return child, true
}

// part returns the parameters of a config that belong to a space.
func part(space agent.Space, c agent.Config) agent.Config {
	out := agent.Config{}
	for name, v := range c {
		if _, mine := space.Lookup(name); mine {
			out[name] = v
		}
	}
	return out
}
