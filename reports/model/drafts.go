package model

import (
	"evolve/archive"
)

// Drafts summarises the changes that language models proposed in the search.
type Drafts struct {
	// Tallies are the results for each option of each choice in the requests; see
	// [archive.DraftTally].
	Tallies []archive.DraftTally `json:"tallies"`
	// Best are the drafts with the highest estimated gains, in descending order.
	Best []Draft `json:"best,omitempty"`
	// Untried are the reasons why requests did not lead to a variant, most frequent first.
	Untried []archive.UntriedDraft `json:"untried,omitempty"`
	// Full describes the limits that ended requests, each with its figures.
	Full []string `json:"full,omitempty"`
	// Rival compares the drafts with the variants made only by operators, after equal
	// numbers of evaluations; it is nil if there is no comparison.
	Rival *archive.DraftRival `json:"rival,omitempty"`
}

// Draft is a variant that a language model wrote.
type Draft struct {
	Variant Ref `json:"variant"`
	// Author is the model that wrote the draft, and its route.
	Author    string `json:"author,omitempty"`
	Component string `json:"component"`
	Form      string `json:"form,omitempty"`
	Wording   string `json:"wording,omitempty"`
	// Gain is the search's estimate of the draft's gain over its parent, in score units.
	Gain        float64 `json:"gain"`
	Evaluations int     `json:"evaluations"`
	// InUse describes which part of the live turns the model was shown; it is empty if the
	// model was shown none.
	InUse string `json:"in_use,omitempty"`
}

// drafts copies the summary of the drafts, if there is one.
func (b *builder) drafts() {
	d := b.result.Search.Drafts
	if d == nil {
		return
	}
	b.out.Drafts = &Drafts{Tallies: append([]archive.DraftTally{}, d.Tallies...), Untried: d.Untried, Full: d.Full, Rival: d.Rival}
	for _, v := range d.Best {
		b.out.Drafts.Best = append(b.out.Drafts.Best, Draft{
			Variant: b.ref(v.Variant), Author: b.variant(v.Variant).Author, Component: v.Component, Form: v.Form, Wording: v.Wording,
			Gain: v.Gain, Evaluations: v.Evaluations, InUse: v.InUse,
		})
	}
}

// draftUSD returns the cost, in USD, of the requests for drafts.
func (b *builder) draftUSD() float64 {
	sum := 0.0
	if d := b.out.Drafts; d != nil {
		for _, t := range d.Tallies {
			if t.Choice == "route" {
				sum += t.Usage.CostUSD
			}
		}
	}
	return sum
}
