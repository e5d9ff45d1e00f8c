package coding

import (
	"math/rand/v2"
	"path"
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
	// Normal returns what distinguishes a text, and Size how large it is.
	Normal(text string) string
	Size(text string) int
}

// typed rewrites Go with its types.
type typed struct{ *rewrite.Rewriter }

func (typed) Normal(text string) string { return rewrite.Normal(text) }
func (typed) Size(text string) int      { return rewrite.Size(text) }

// lexical rewrites other languages by tokens.
type lexical struct{ *tokens.Rewriter }

func (lexical) Size(text string) int { return len(text) }

// prepare makes the operators of the blocks.
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

// rewriter returns the rewriter of a block: by types in Go, and by tokens in other
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
	return typed{r}, nil
}

// TextProblem returns why a text of a block cannot run; empty where it may.
func (p *Prospect) TextProblem(block, text string) string {
	if r, ok := p.rewriters[block].(typed); ok {
		return r.Problem(text)
	}
	return ""
}

// Imports returns the imports that each block must keep in use, by its name.
func (p *Prospect) Imports() map[string]string {
	out := map[string]string{}
	for name, r := range p.rewriters {
		if r, ok := r.(typed); ok {
			out[name] = strings.Join(r.Needs(), ", ")
		}
	}
	return out
}

// normal returns the normal form of a version.
func (p *Prospect) normal(c agent.Config) string {
	var out strings.Builder
	for _, b := range p.Blocks {
		out.WriteString(p.rewriters[b.Name].Normal(c.String(b.Name)))
		out.WriteByte(0)
	}
	return out.String()
}

// size returns the size of a version.
func (p *Prospect) size(c agent.Config) int {
	n := 0
	for _, b := range p.Blocks {
		n += p.rewriters[b.Name].Size(c.String(b.Name))
	}
	return n
}

// mutation rewrites one block, by up to three changes where all results compile: many
// improvements need more than one.
type mutation struct {
	blocks []blocks.Block
	of     map[string]rewriter
}

func (mutation) Name() string { return "mutate" }

// Make implements [operator.Operator].
func (m mutation) Make(s operator.FailureContext, rng *rand.Rand) (operator.Child, bool) {
	name := m.blocks[rng.IntN(len(m.blocks))].Name
	r, steps := m.of[name], 1
	if _, ok := r.(typed); ok {
		steps += min(rng.IntN(3), rng.IntN(3))
	}
	made := rewrite.Change{Text: s.Parent.String(name)}
	for range steps {
		next, ok := r.Mutate(made.Text, rng)
		switch {
		case !ok:
		case made.Operator == "":
			made = next
		default:
			made = rewrite.Change{Text: next.Text, Operator: made.Operator + ", " + next.Operator, Describes: made.Describes + "; " + next.Describes}
		}
	}
	if made.Operator == "" {
		return operator.Child{}, false
	}
	return child(s.Parent, name, m.Name(), made), true
}

// crossover puts a part of the other parent's block into the parent's.
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
	change, ok := x.of[name].Cross(s.Parent.String(name), s.Other.String(name), rng)
	if !ok {
		return operator.Child{}, false
	}
	c := child(s.Parent, name, x.Name(), change)
	c.Both = true
	return c, true
}

// child returns the parent with a changed block.
func child(parent agent.Config, name, operatorName string, c rewrite.Change) operator.Child {
	config := parent.Clone()
	config[name] = c.Text
	return operator.Child{Config: config, Operator: operatorName, Rationale: c.Operator + " in block " + name + ": " + c.Describes}
}

// knobs returns the operators on the parameters of an agent: those of the search over
// configs, without the ones that respond to failures.
func knobs(space agent.Space) []operator.Operator {
	var out []operator.Operator
	for _, op := range operator.Single() {
		out = append(out, knob{op, space})
	}
	return out
}

// knob is an operator on the parameters of a space that leaves other parameters as they are.
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

// part returns the parameters of a config that a space has.
func part(space agent.Space, c agent.Config) agent.Config {
	out := agent.Config{}
	for name, v := range c {
		if _, mine := space.Lookup(name); mine {
			out[name] = v
		}
	}
	return out
}
