package coding

import (
	"math/rand/v2"
	"strings"
	"testing"

	"evolve/mutate/blocks"
	"evolve/mutate/operator"
	"evolve/mutate/rewrite"
	"evolve/mutate/tokens"
	"evolve/runtime/agent"
)

// pair returns two blocks in two files that share the number 16.
func pair(t *testing.T, language string) ([]blocks.Block, map[string]rewriter) {
	t.Helper()
	files := map[string][]byte{}
	switch language {
	case "go":
		files["enc/enc.go"] = []byte("package enc\n\nfunc Encode(x int) int {\n\t// evolve:begin encode\n\tstep := 16\n\treturn x / step\n\t// evolve:end\n}\n")
		files["dec/dec.go"] = []byte("package dec\n\nfunc Decode(q int) int {\n\t// evolve:begin decode\n\tstep, half := 16, 8\n\treturn q*step + half\n\t// evolve:end\n}\n")
	default:
		files["enc.js"] = []byte("// evolve:begin encode\nexport const encode = x => Math.floor(x / 16);\n// evolve:end\n")
		files["dec.js"] = []byte("// evolve:begin decode\nexport const decode = q => q * 16 + 8;\n// evolve:end\n")
	}
	list, problems := blocks.Find(files)
	if len(list) != 2 || len(problems) > 0 {
		t.Fatal(list, problems)
	}
	of := map[string]rewriter{}
	for _, b := range list {
		if language != "go" {
			r, err := tokens.New(b.File, b.Text)
			if err != nil {
				t.Fatal(err)
			}
			of[b.Name] = lexical{r}
			continue
		}
		start, end := b.Span()
		r, err := rewrite.New(rewrite.Source{Files: map[string][]byte{b.File: files[b.File]}}, rewrite.Site{File: b.File, Start: start, End: end})
		if err != nil {
			t.Fatal(err)
		}
		of[b.Name] = typed{Rewriter: r}
	}
	return list, of
}

// TestMutationsOfSeveralBlocks checks that some mutations change two blocks at once, and
// that some of these replace the same number in both. Where two blocks must change
// together, changing only one of them makes the code worse or no better.
func TestMutationsOfSeveralBlocks(t *testing.T) {
	for _, language := range []string{"go", "js"} {
		list, of := pair(t, language)
		_, base := blocks.Space(list)
		m := mutation{list, of}
		const draws = 600
		both, shared, single := 0, 0, 0
		for seed := range uint64(draws) {
			c, ok := m.Make(operator.FailureContext{Parent: base, Champion: base}, rand.New(rand.NewPCG(seed, 1)))
			if !ok {
				continue
			}
			one, two := c.Config.String("encode"), c.Config.String("decode")
			if one == base.String("encode") || two == base.String("decode") {
				single++
				continue
			}
			if both++; !strings.Contains(c.Rationale, "in block encode: ") || !strings.Contains(c.Rationale, "in block decode: ") {
				t.Errorf("%s: a change of both is described as %q", language, c.Rationale)
			}
			if from, to, ok := renumbered(base.String("encode"), one); ok && from == "16" && two == strings.ReplaceAll(base.String("decode"), "16", to) {
				shared++
			}
		}
		t.Logf("%s: of %d changes %d are of both blocks, %d of them of the number in both", language, draws, both, shared)
		if both < draws/10 || shared < draws/50 || single < draws/2 {
			t.Errorf("%s: %d single changes, %d of both, %d of a number in both", language, single, both, shared)
		}
	}
}

// TestMutationsOfOneBlock checks that the mutations of a target with one block are those
// that it had before there were several blocks.
func TestMutationsOfOneBlock(t *testing.T) {
	list, of := pair(t, "go")
	_, base := blocks.Space(list[:1])
	m := mutation{list[:1], of}
	for seed := range uint64(50) {
		rng, again := rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 1))
		c, ok := m.Make(operator.FailureContext{Parent: base, Champion: base}, rng)
		if !ok {
			continue
		}
		again.Uint64() // a block is drawn even if there is only one
		steps := 1 + min(again.IntN(3), again.IntN(3))
		text := base.String(list[0].Name)
		for range steps {
			if next, ok := of[list[0].Name].Mutate(text, again); ok {
				text = next.Text
			}
		}
		if c.Config.String(list[0].Name) != text {
			t.Fatalf("seed %d: %q, want %q", seed, c.Config.String(list[0].Name), text)
		}
	}
}

// TestCrossoverOfSeveralBlocks checks that a version can also get whole blocks from another
// version.
func TestCrossoverOfSeveralBlocks(t *testing.T) {
	list, of := pair(t, "js")
	_, base := blocks.Space(list)
	other := agent.Config{"encode": base.String("encode"), "decode": "const five = 5;\nexport const decode = q => (q + five) * 7 - 3;\n"}
	whole := 0
	const draws = 300
	for seed := range uint64(draws) {
		c, ok := crossover{list, of}.Make(operator.FailureContext{Parent: base, Other: other, Champion: base}, rand.New(rand.NewPCG(seed, 1)))
		if ok && c.Config.String("decode") == other.String("decode") {
			if whole++; !c.Both || !strings.Contains(c.Rationale, "all of block decode") {
				t.Errorf("described as %q, of both parents: %v", c.Rationale, c.Both)
			}
		}
	}
	if whole < draws/20 || whole > draws/2 {
		t.Errorf("%d of %d crossovers are of a whole block", whole, draws)
	}
}

// TestRenumbered checks that a number replaced by another is found, provided that nothing
// else differs.
func TestRenumbered(t *testing.T) {
	for _, c := range []struct{ before, after, from, to string }{
		{"step := 16\nreturn x / step\n", "step := 12\nreturn x / step\n", "16", "12"},
		{"f(0.5, 3) # 16 of them", "f(0.25, 3) # 16 of them", "0.5", "0.25"},
		{"a=40\n", "a=37\n", "40", "37"},
		{"a := 1", "a := b", "", ""},
		{"a := 16 + 16", "a := 12 + 12", "", ""},
		{"a := 16", "a := 16 + 1", "", ""},
		{"a := 16", "a := 16", "", ""},
		{"it's 16", "it's 12", "16", "12"},
	} {
		from, to, ok := renumbered(c.before, c.after)
		if from != c.from || to != c.to || ok != (c.from != "") {
			t.Errorf("%q → %q: %q → %q, %v", c.before, c.after, from, to, ok)
		}
	}
}
