package model

import (
	"regexp"
	"slices"
	"strings"

	"evolve/runtime/memory"
)

// maxTerms is the maximum number of distinct content words in a goal. A set of them must
// fit into the 64 bits of a [set].
const maxTerms = 64

// maxGoal is the maximum length of the part of a goal that is read, in bytes.
const maxGoal = 8000

// question holds the results of analysing a goal.
type question struct {
	lex   *memory.Lexicon
	text  string
	lower string
	words []string // every word, lower-case

	terms   map[string]int // stem of a content word → its bit
	raw     []string       // the content words themselves, by bit
	weights []float64
	total   float64

	shape     Shape
	count     bool // how many
	list      bool
	aggregate aggregate
	which     bool // asks for a name
	quoted    []string
	paths     []string // tokens that look like file names
	cue       bool
}

// aggregate is the kind of result that a question asks to be computed from a column of
// numbers.
type aggregate int

const (
	none aggregate = iota
	sumOf
	averageOf
	highest
	lowest
)

var (
	quotedText = regexp.MustCompile("\"([^\"]{1,200})\"|`([^`]{1,200})`|“([^”]{1,200})”|'([^' ][^']{0,198})'(?:[ ?.,!]|$)")
	pathLike   = regexp.MustCompile(`(?:[A-Za-z0-9_.-]+/)*[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.(?:md|txt|csv|tsv|go|mod|log|json|yaml|yml|toml|ini|conf|py|js|ts|sh|sql|html)\b`)
	whenWords  = regexp.MustCompile(`\b(when|what date|which date|what day|which day|what weekday|which weekday)\b`)
	whoWords   = regexp.MustCompile(`\b(who|whose|whom)\b`)
	manyWords  = regexp.MustCompile(`\b(how many|how much|number of|count the|count of)\b`)
	countWords = regexp.MustCompile(`\b(how many|number of|count)\b`)
	listWords  = regexp.MustCompile(`^(list|name all|enumerate)\b|\b(list (all|the|every)|which files|what files|which packages|what are the|which \w+ are)\b`)
	sumWords   = regexp.MustCompile(`\b(total|sum|altogether|combined|in all)\b`)
	meanWords  = regexp.MustCompile(`\b(average|mean)\b`)
	maxWords   = regexp.MustCompile(`\b(highest|largest|biggest|most|maximum|greatest|longest|latest|newest|dearest|most expensive|max)\b`)
	minWords   = regexp.MustCompile(`\b(lowest|smallest|least|fewest|minimum|shortest|earliest|oldest|cheapest|min)\b`)
)

// read analyses a goal.
func read(lex *memory.Lexicon, text string) *question {
	text = memory.Cut(text, maxGoal)
	q := &question{lex: lex, text: text, lower: strings.ToLower(text), terms: map[string]int{}}
	for _, m := range quotedText.FindAllStringSubmatch(text, 8) {
		q.quoted = append(q.quoted, strings.Join(m[1:], ""))
	}
	q.paths = pathLike.FindAllString(text, 8)
	memory.EachWord(text, func(w string) {
		q.words = append(q.words, w)
		if !memory.StopWord(w) && !instruction(w) {
			q.addTerm(w)
		}
	})
	switch {
	case manyWords.MatchString(q.lower):
		q.shape = NumberShape
	case whenWords.MatchString(q.lower):
		q.shape = DateShape
	case whoWords.MatchString(q.lower):
		q.shape = NameShape
	}
	q.count = countWords.MatchString(q.lower)
	q.list = listWords.MatchString(q.lower)
	q.which = slices.ContainsFunc(q.words, func(w string) bool { return w == "which" || w == "who" || w == "whose" })
	switch {
	case meanWords.MatchString(q.lower):
		q.aggregate = averageOf
	case sumWords.MatchString(q.lower):
		q.aggregate = sumOf
	case maxWords.MatchString(q.lower):
		q.aggregate = highest
	case minWords.MatchString(q.lower):
		q.aggregate = lowest
	}
	q.cue = memory.HasCue(text)
	return q
}

func (q *question) addTerm(word string) {
	stem := q.stem(word)
	if _, ok := q.terms[stem]; ok || len(q.weights) >= maxTerms {
		return
	}
	w := 1.0
	if strings.ContainsAny(word, "0123456789") {
		w = 1.5 // names with digits, versions and numbers are more specific than words
	}
	q.terms[stem] = len(q.weights)
	q.raw = append(q.raw, word)
	q.weights = append(q.weights, w)
	q.total += w
}

// stem returns the stem of a word. For a few pairs of words that the stemmer distinguishes,
// it returns the same stem.
func (q *question) stem(word string) string {
	switch s := q.lex.Stem(word); s {
	case "own":
		return "owner"
	case "mail":
		return "email"
	case "telephon":
		return "phone"
	case "cost":
		return "price"
	case "mainten":
		return "maintain"
	default:
		return s
	}
}

// instruction reports whether a word describes how to find or phrase the answer rather than
// its subject.
func instruction(word string) bool {
	switch word {
	case "find", "show", "tell", "give", "list", "get", "look", "name", "answer", "say", "says", "according",
		"many", "much", "long", "number", "count", "total", "sum", "average", "mean", "altogether",
		"highest", "largest", "biggest", "most", "maximum", "greatest", "lowest", "smallest", "least", "fewest",
		"minimum", "cheapest", "file", "files", "document", "documents", "all", "every", "each", "any",
		"when", "where", "why", "now", "know", "want", "need", "let", "help", "exactly", "value",
		"md", "csv", "txt", "tsv", "go", "log", "remember", "earlier", "previous", "previously", "last", "time",
		"said", "told", "mentioned", "discussed", "agreed", "recall":
		return true
	}
	return false
}

// set is a set of the question's terms.
type set uint64

// match returns the set of terms in a text.
func (q *question) match(text string) set {
	var s set
	memory.EachWord(text, func(w string) {
		if bit, ok := q.terms[q.stem(w)]; ok {
			s |= 1 << bit
		}
	})
	return s
}

// covers returns the set of terms in a text, as match does, and reports whether the text
// has content words, all of which are terms.
func (q *question) covers(text string) (set, bool) {
	var s set
	all, any := true, false
	memory.EachWord(text, func(w string) {
		if memory.StopWord(w) {
			return
		}
		any = true
		if bit, ok := q.terms[q.stem(w)]; ok {
			s |= 1 << bit
		} else {
			all = false
		}
	})
	return s, all && any
}

// weight returns the sum of the weights of the terms in a set.
func (q *question) weight(s set) float64 {
	var sum float64
	for bit, w := range q.weights {
		if s&(1<<bit) != 0 {
			sum += w
		}
	}
	return sum
}

// coverage returns how much of the question a fact covers, in [0,1]. Terms in the line
// itself count in full; terms that occur only in its context count .85 as much.
func (q *question) coverage(line, context set) float64 {
	if q.total == 0 {
		return 0
	}
	return (q.weight(line) + .85*q.weight(context&^line)) / q.total
}

// contains reports whether the goal contains one of the phrases.
func (q *question) contains(phrases ...string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(q.lower, p) })
}
