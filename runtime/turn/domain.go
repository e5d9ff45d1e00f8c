package turn

import (
	"slices"
	"strings"

	"evolve/runtime/memory"
)

// DefaultDomains returns the table of keywords for agents that declare none.
func DefaultDomains() map[string][]string {
	return map[string][]string{
		"engineering": {
			"code", "function", "package", "module", "compile", "compiler", "bug", "refactor", "api", "test", "import",
			"repository", "library", "struct", "method", "build", "commit", "golang", "python", "class", "interface",
		},
		"operations": {
			"server", "deploy", "deployment", "incident", "outage", "uptime", "latency", "backup", "runbook", "alert",
			"pager", "on-call", "cluster", "disk", "log", "maintenance", "restart", "monitoring", "invoice", "supplier",
			"order", "warehouse", "shipment", "inventory",
		},
		"marketing": {
			"campaign", "brand", "audience", "newsletter", "conversion", "click", "funnel", "seo", "advert", "ad",
			"impressions", "landing", "segment", "customer", "lead", "social", "engagement",
		},
		"research": {
			"paper", "study", "experiment", "hypothesis", "survey", "literature", "dataset", "citation", "method",
			"finding", "participants", "sample", "author", "journal", "theory", "evidence",
		},
		"crypto": {
			"bitcoin", "ethereum", "token", "wallet", "blockchain", "staking", "ledger", "mining", "defi", "nft", "coin",
			"validator", "gas", "hash rate", "exchange",
		},
	}
}

// classifier finds a goal's domain by keywords.
type classifier struct {
	lex     *memory.Lexicon
	domains []string            // sorted
	of      map[string][]int    // stem of a one-word keyword → domains
	phrases map[string][]string // domain → keywords of several words, lower-case
}

func newClassifier(lex *memory.Lexicon, table map[string][]string) *classifier {
	c := &classifier{lex: lex, of: map[string][]int{}, phrases: map[string][]string{}}
	for d := range table {
		c.domains = append(c.domains, d)
	}
	slices.Sort(c.domains)
	for i, d := range c.domains {
		for _, k := range table[d] {
			k = strings.ToLower(strings.TrimSpace(k))
			if terms := lex.Terms(nil, k); len(terms) != 1 {
				c.phrases[d] = append(c.phrases[d], k)
			} else if !slices.Contains(c.of[terms[0]], i) {
				c.of[terms[0]] = append(c.of[terms[0]], i)
			}
		}
	}
	return c
}

// classify returns the domain with the most different keywords in the text, or
// the global one when there is none or no single best.
func (c *classifier) classify(text string) string {
	counts := make([]int, len(c.domains))
	seen := map[string]bool{}
	for _, term := range c.lex.Terms(nil, text) {
		if seen[term] {
			continue
		}
		seen[term] = true
		for _, d := range c.of[term] {
			counts[d]++
		}
	}
	lower := strings.ToLower(text)
	for i, d := range c.domains {
		for _, p := range c.phrases[d] {
			if strings.Contains(lower, p) {
				counts[i]++
			}
		}
	}
	best, tie := -1, false
	for i, n := range counts {
		switch {
		case n == 0:
		case best < 0 || n > counts[best]:
			best, tie = i, false
		case n == counts[best]:
			tie = true
		}
	}
	if best < 0 || tie {
		return memory.GlobalDomain
	}
	return c.domains[best]
}
