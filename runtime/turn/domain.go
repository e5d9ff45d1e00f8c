package turn

import (
	"regexp"
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
			"debug", "backend", "back end", "frontend", "front end", "database", "sql", "schema", "stack trace", "unit test",
			"pull request", "merge conflict", "exception", "javascript", "typescript", "java", "regex", "endpoint",
		},
		"operations": {
			"server", "deploy", "deployment", "incident", "outage", "uptime", "latency", "backup", "runbook", "alert",
			"pager", "on-call", "cluster", "disk", "log", "maintenance", "restart", "monitoring", "invoice", "supplier",
			"order", "warehouse", "shipment", "inventory", "schedule", "budget", "roster", "shift", "logistics", "delivery",
			"procurement", "capacity", "downtime", "rollback",
		},
		"marketing": {
			"campaign", "brand", "audience", "newsletter", "conversion", "click", "funnel", "seo", "advert", "ad",
			"impressions", "landing", "segment", "customer", "lead", "social", "engagement", "slogan", "tagline", "press release",
			"landing page", "social media", "hashtag", "influencer",
		},
		"research": {
			"paper", "study", "experiment", "hypothesis", "survey", "literature", "dataset", "citation", "method",
			"finding", "participants", "sample", "author", "journal", "theory", "evidence", "abstract", "meta analysis",
			"peer review", "p value", "statistical significance",
		},
		"crypto": {
			"bitcoin", "btc", "ethereum", "eth", "ether", "token", "wallet", "blockchain", "staking", "ledger", "mining", "defi", "nft", "coin",
			"validator", "gas", "hash rate", "exchange", "cryptocurrency", "stablecoin", "smart contract", "altcoin", "solana",
		},
	}
}

// traps returns phrases whose words do not count as keywords.
func traps() []string {
	return []string{
		"in order to", "in order that", "in order for", "out of order", "in alphabetical order", "in chronological order", "court order",
		"based on call", "log in", "log out", "logged in", "logging in", "shift key",
		"lead to", "leads to", "leading to", "led to", "lead time", "leads the team",
		"dress code", "zip code", "postal code", "area code", "country code", "gate code", "door code", "vault code", "access code",
		"promo code", "discount code", "first class", "world class", "middle class", "dance class", "yoga class", "exchange rate",
		"exchange student", "gas station", "gas bill", "natural gas", "coin a phrase", "toss a coin", "build up", "blood test", "driving test",
		"method of payment", "payment method", "wrapping paper", "toilet paper", "paper towel", "social security", "ad hoc",
		"landing gear",
	}
}

// signals matches the parts of a message that control how the runtime classifies it and
// that do not belong to its text: [route:code], [hint:code], hint:code.
var signals = regexp.MustCompile(`(?i)\[[a-z][a-z0-9_-]*:[^\[\]\s]*\]|(?:^|\s)hint:[a-z0-9_-]+`)

// classifier finds the domain of a goal by keywords.
type classifier struct {
	lex     *memory.Lexicon
	domains []string            // sorted
	of      map[string][]int    // stem of a one-word keyword → domains
	phrases map[string][]string // domain → keywords of several words, in the form that normal returns
	traps   *strings.Replacer
	// alone maps, for each domain, the stems of keywords that do not indicate the domain
	// by themselves to the stems of the words that must accompany them.
	alone []map[string][]string
}

// Classify returns the domain of a text according to a table of keywords; nil means
// [DefaultDomains].
func Classify(table map[string][]string, text string) string {
	if table == nil {
		table = DefaultDomains()
	}
	return newClassifier(memory.NewLexicon(), table).classify(text)
}

func newClassifier(lex *memory.Lexicon, table map[string][]string) *classifier {
	c := &classifier{lex: lex, of: map[string][]int{}, phrases: map[string][]string{}}
	for d := range table {
		c.domains = append(c.domains, d)
	}
	slices.Sort(c.domains)
	for i, d := range c.domains {
		for _, k := range table[d] {
			words := strings.Fields(normal(k))
			if len(words) != 1 {
				c.phrases[d] = append(c.phrases[d], normal(k))
				continue
			}
			if stem := lex.Stem(words[0]); !slices.Contains(c.of[stem], i) {
				c.of[stem] = append(c.of[stem], i)
			}
		}
	}
	c.alone = make([]map[string][]string, len(c.domains))
	for d, words := range ambiguous() {
		i, found := slices.BinarySearch(c.domains, d)
		if !found {
			continue
		}
		c.alone[i] = map[string][]string{}
		for word, beside := range words {
			for _, b := range beside {
				c.alone[i][lex.Stem(word)] = append(c.alone[i][lex.Stem(word)], lex.Stem(b))
			}
		}
	}
	var pairs []string
	for _, t := range traps() {
		pairs = append(pairs, normal(t), " | ")
	}
	c.traps = strings.NewReplacer(pairs...)
	return c
}

// normal returns the words of a text in lower case, each surrounded by single spaces.
func normal(text string) string {
	var b strings.Builder
	b.WriteByte(' ')
	memory.EachWord(text, func(word string) {
		b.WriteString(word)
		b.WriteByte(' ')
	})
	return b.String()
}

// classify returns the domain that has the largest number of distinct keywords in the
// text, or the global domain if no keyword occurs or several domains have that number.
// Only whole words count. Signals in the message and traps do not count, nor does an
// ambiguous keyword that is not accompanied by another keyword or by one of the words
// listed with it.
func (c *classifier) classify(text string) string {
	words := c.traps.Replace(normal(signals.ReplaceAllString(text, " ")))
	counts := make([]int, len(c.domains))
	for i, d := range c.domains {
		for _, p := range c.phrases[d] {
			if strings.Contains(words, p) || strings.Contains(words, strings.TrimSuffix(p, " ")+"s ") {
				counts[i]++
			}
		}
	}
	seen := map[string]bool{}
	by := make([]string, len(c.domains)) // by domain, the stem of the last word that counted
	for word := range strings.FieldsSeq(words) {
		stem := c.lex.Stem(word)
		if seen[stem] {
			continue
		}
		seen[stem] = true
		for _, d := range c.of[stem] {
			counts[d]++
			by[d] = stem
		}
	}
	for d := range counts {
		beside, alone := c.alone[d][by[d]]
		if counts[d] == 1 && alone && !slices.ContainsFunc(beside, func(w string) bool { return seen[w] }) {
			counts[d] = 0
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
