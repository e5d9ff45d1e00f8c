package problem

import (
	"math/rand/v2"
	"slices"
	"strings"

	"evolve/runtime/agent"
)

// written is the number of prompts to choose from.
const written = 200

// slots returns the phrases that make up prompts, one list for each slot; "" leaves the
// slot empty.
func slots() [][]string {
	return [][]string{
		{"You are a careful analyst.", "You are a quick assistant.", "You are an expert in the field.", "You are a teacher.", ""},
		{"Think step by step.", "Answer at once.", "List the facts first, then reason.", "Draft an answer, then improve it.", ""},
		{"Use the tools for every fact.", "Use tools only when unsure.", "Do not use tools for arithmetic.", ""},
		{"Quote the source of each claim.", "Name at most one source.", "Give a confidence from 0 to 1.", ""},
		{"Reply in one sentence.", "Reply in short bullet points.", "Reply in JSON.", "Reply in as much detail as needed.", ""},
		{"If you do not know, tell so.", "Never refuse.", "Ask back when the goal is unclear."},
	}
}

// prompt is a text, given as the index of its phrase in each slot.
type prompt []int

func (p prompt) String() string {
	var phrases []string
	for s, slot := range slots() {
		if text := slot[p[s]]; text != "" {
			phrases = append(phrases, text)
		}
	}
	return strings.Join(phrases, " ")
}

// prompts draws the space: a choice of prompts, and two or three settings.
func (m *maker) prompts() []agent.Param {
	var texts []any
	for len(texts) < written {
		var p prompt
		for _, slot := range slots() {
			p = append(p, m.rng.IntN(len(slot)))
		}
		if text := p.String(); !slices.Contains(texts, any(text)) {
			texts = append(texts, text)
			m.written = append(m.written, p)
		}
	}
	return append([]agent.Param{choice("prompt", texts...)}, choose(m.rng, m.rng.IntN(2), 0, 2)...)
}

// phrases draws the effects: the effect of each slot's phrase, two interactions of slots,
// the effects of the settings, a setting whose best value depends on a phrase, and a
// residual effect of each prompt.
func (m *maker) phrases(sample []point) {
	of := slots()
	for s, slot := range of {
		worth := normals(m.rng, len(slot))
		m.add(func(at point) float64 { return worth[m.written[int(at[0])][s]] }, between(m.rng, 0.5, 1.5), sample)
	}
	order := m.rng.Perm(len(of))
	for k := range 2 {
		s, t := order[2*k], order[2*k+1]
		worth := normals(m.rng, len(of[s])*len(of[t]))
		m.add(func(at point) float64 {
			p := m.written[int(at[0])]
			return worth[p[s]*len(of[t])+p[t]]
		}, between(m.rng, 0.4, 0.8), sample)
	}
	residue := normals(m.rng, written)
	m.add(func(at point) float64 { return residue[int(at[0])] }, between(m.rng, 0.2, 0.4), sample)
	for i, p := range m.params[1:] {
		m.add(single(m.rng, p, i+1, gentle), between(m.rng, 0.5, 1), sample)
	}
	number := len(m.params) - 1 // the last parameter is a number
	slot := m.rng.IntN(len(of))
	places := make([]float64, len(of[slot]))
	for k := range places {
		places[k] = m.rng.Float64()
	}
	m.add(func(at point) float64 {
		if !at.on(number) {
			return 0
		}
		return peak(places[m.written[int(at[0])][slot]], 0.25)(at[number])
	}, between(m.rng, 0.5, 1), sample)
}

// normals returns n numbers drawn from the standard normal distribution.
func normals(rng *rand.Rand, n int) []float64 {
	list := make([]float64, n)
	for k := range list {
		list[k] = rng.NormFloat64()
	}
	return list
}
