package mutate

import (
	"cmp"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"evolve/mutate/irt"
	"evolve/mutate/operator"
)

// texts holds the values of one text parameter that have occurred, apart from offered
// lines, with their distances for the model. A text is treated as the sum of its parts: the
// sentences of an instruction, or whole demonstrations. The product of two parts is 1 if
// they are equal, and otherwise wordShare times the cosine of their words and pairs of
// words. The squared distance x between two texts therefore counts the parts that only one
// of them has, and gives reworded parts less weight. The distance for the model is √(1 −
// exp(−x/farApart)), which is also Euclidean.
type texts struct {
	// demonstrations reports whether the parts are demonstrations. The last demonstration
	// counts more, because a model heeds it most.
	demonstrations bool
	list           []string
	at             map[string]int
	parts          [][]int // of each text
	norms          []float64
	chars          []int
	// known maps the text of each part to the part's number; words holds the words of
	// each part, and products holds the products of each part with all parts.
	known    map[string]int
	words    [][]word
	products [][]float64
	apart    *irt.Texts
	// kept is the number of texts at the start of list that forget retains; the texts after
	// them belong to points that are not variants yet.
	kept int
}

const (
	// wordShare is the factor by which the cosine of two different parts is multiplied to
	// obtain their product.
	wordShare = 2.0 / 3
	// lastShare is the square of the additional weight that a demonstration has if it is
	// the last one.
	lastShare = 0.25
	// farApart is the squared distance, in parts, between two texts that have little in
	// common.
	farApart = 4
	// mostWords is the maximum number of words in a part, and mostTexts is the maximum
	// number of texts that get codes of their own.
	mostWords = 400
	mostTexts = 1 << 14
)

// word is a hashed word, or a hashed pair of words, with its weight in a part.
type word struct {
	hash   uint32
	weight float64
}

func newTexts(demonstrations bool) *texts {
	return &texts{demonstrations: demonstrations, at: map[string]int{}, known: map[string]int{}, apart: &irt.Texts{}}
}

// keep returns the number of a text and keeps the text when others are forgotten.
func (t *texts) keep(text string) int {
	at := t.add(text)
	t.kept = max(t.kept, at+1)
	return at
}

// add returns the number of a text. If the text is new, add stores it first.
func (t *texts) add(text string) int {
	if at, ok := t.at[text]; ok {
		return at
	}
	at := len(t.list)
	var parts []int
	for _, part := range t.split(text) {
		parts = append(parts, t.part(part))
	}
	t.list, t.parts = append(t.list, text), append(t.parts, parts)
	t.chars = append(t.chars, utf8.RuneCountInString(text))
	t.at[text] = at
	sums := make([]float64, len(t.products)) // for each part, the sum of its products with the parts of the text
	for _, p := range parts {
		for q, v := range t.products[p] {
			sums[q] += v
		}
	}
	t.norms = append(t.norms, product(parts, sums))
	distances := make([]float64, at)
	for i := range distances {
		x := t.norms[at] + t.norms[i] - 2*product(t.parts[i], sums) + t.lastApart(parts, t.parts[i])
		distances[i] = math.Sqrt(1 - math.Exp(-math.Max(0, x)/farApart))
	}
	t.apart.Add(distances)
	return at
}

// forget removes all texts after the first t.kept texts.
func (t *texts) forget() {
	for _, text := range t.list[t.kept:] {
		delete(t.at, text)
	}
	t.list, t.parts, t.norms, t.chars = t.list[:t.kept], t.parts[:t.kept], t.norms[:t.kept], t.chars[:t.kept]
	t.apart.Truncate(t.kept)
}

// product returns the product of two texts, given the parts of one text and, for each part,
// the sum of its products with the parts of the other text.
func product(parts []int, sums []float64) float64 {
	n := 0.0
	for _, q := range parts {
		n += sums[q]
	}
	return n
}

// lastApart returns the squared distance between the last demonstrations of two texts.
func (t *texts) lastApart(a, b []int) float64 {
	switch {
	case !t.demonstrations || len(a) == 0 && len(b) == 0:
		return 0
	case len(a) == 0 || len(b) == 0:
		return lastShare
	case a[len(a)-1] != b[len(b)-1]:
		return 2 * lastShare
	}
	return 0
}

// split returns the parts of a text: its lines or, for an instruction, the sentences in its
// lines.
func (t *texts) split(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		for part := range strings.SplitAfterSeq(line, ". ") {
			if t.demonstrations {
				part = line
			}
			if part = strings.TrimSpace(part); part != "" && !slices.Contains(out, part) {
				out = append(out, part)
			}
		}
	}
	return out
}

// part returns the number of a part, which it adds if it is new.
func (t *texts) part(text string) int {
	if at, ok := t.known[text]; ok {
		return at
	}
	at := len(t.words)
	t.known[text] = at
	t.words = append(t.words, wordsOf(text))
	row := make([]float64, at+1)
	for i := range at {
		row[i] = wordShare * cosine(t.words[at], t.words[i])
		t.products[i] = append(t.products[i], row[i])
	}
	row[at] = 1
	t.products = append(t.products, row)
	return at
}

// wordsOf returns the words and pairs of words in a part, in order of their hashes, with
// weights whose squares add up to 1.
func wordsOf(text string) []word {
	list := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	list = list[:min(len(list), mostWords)]
	counts := map[uint32]float64{}
	hash := func(words ...string) uint32 {
		h := fnv.New32a()
		for _, w := range words {
			_, _ = h.Write([]byte(w + " ")) // never fails
		}
		return h.Sum32()
	}
	for i, w := range list {
		counts[hash(w)]++
		if i > 0 {
			counts[hash(list[i-1], w)]++
		}
	}
	out := make([]word, 0, len(counts))
	squares := 0.0
	for h, n := range counts {
		out = append(out, word{h, n})
		squares += n * n // whole numbers: the order does not matter
	}
	slices.SortFunc(out, func(a, b word) int { return cmp.Compare(a.hash, b.hash) })
	for i := range out {
		out[i].weight /= math.Sqrt(squares)
	}
	return out
}

// cosine returns the cosine similarity of two texts: the sum, over the words that both
// have, of the products of their weights.
func cosine(a, b []word) float64 {
	sum := 0.0
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].hash < b[0].hash:
			a = a[1:]
		case a[0].hash > b[0].hash:
			b = b[1:]
		default:
			sum += a[0].weight * b[0].weight
			a, b = a[1:], b[1:]
		}
	}
	return sum
}

// set sets the coordinates that stand for a text without offered lines.
func (st *setting) set(to []int16, at int) {
	to[0] = category - int16(min(at, mostTexts))
	if st.texts.demonstrations {
		to[1] = int16(min(irt.Grid, len(st.texts.parts[at])*irt.Grid/operator.MostDemonstrations))
	}
}

// rewrite replaces a text without offered lines with another text: the text with changed
// demonstrations, another instruction that has occurred, or the text with one line added
// from that instruction or one line removed.
func (st *setting) rewrite(to []int16, rng *rand.Rand) {
	t := st.texts
	text := t.list[category-to[0]]
	switch {
	case t.demonstrations && st.pool != nil:
		if next, ok := st.pool.Change(st.param, text, nil, rng); ok {
			st.set(to, t.add(next))
		}
	case !t.demonstrations && t.kept > 1:
		other := t.list[rng.IntN(t.kept)]
		if rng.IntN(2) == 0 {
			other = operator.Recombine(st.param, text, other, st.own, rng)
		}
		st.set(to, t.add(other))
	}
}

// chars returns the number of characters in the free texts of a point.
func (c *codec) chars(x irt.Point) int {
	n := 0
	for i := range c.settings {
		if st := &c.settings[i]; st.texts != nil && len(st.members) == 0 && x[st.first] != inactive {
			n += st.texts.chars[category-x[st.first]]
		}
	}
	return n
}

// forget removes the texts that do not belong to any variant.
func (c *codec) forget() {
	for _, st := range c.settings {
		if st.texts != nil {
			st.texts.forget()
		}
	}
}
