package turn

import (
	"regexp"
	"slices"
	"strings"
)

// The forms of a comparison. A goal of any other form is not split.
var (
	polite     = `(?i)^(?:please\s+|can you\s+|could you\s+|i want you to\s+)*`
	compares   = regexp.MustCompile(polite + `(?:compare(?:\s+and\s+contrast)?|contrast)\s+(.+?)[.?!]?$`)
	howCompare = regexp.MustCompile(polite + `how\s+(?:do|does)\s+(.+?)\s+(?:compare|differ)(?:\s+(?:to|with|against|from)\s+(.+?))?(\s+(?:by|in|on|in terms of)\s+.+?)?[.?!]?$`)
	between    = regexp.MustCompile(polite + `(?:what(?:'s|\s+is|\s+are)\s+|explain\s+|describe\s+|calculate\s+|find\s+|give\s+(?:me\s+)?|tell me\s+)?(?:the\s+)?(?:main\s+|key\s+)?differences?\s+(?:in\s+(.+?)\s+)?between\s+(.+?)[.?!]?$`)
	versus     = regexp.MustCompile(`(?i)^([^:;?]+?\s+(?:vs\.?|versus)\s+[^:;?]+?)(?:[:,]\s*` + whichOf + `(is|costs)\s+(?:the\s+)?(.+?))?[.?!]?$`)
	whichOne   = regexp.MustCompile(polite + `which\s+(?:one\s+|of (?:the(?:se)?|the two|the three)\s+|\w+\s+)?(is|costs|has|takes|needs|weighs|uses)\s+(?:the\s+)?(.+?)[,:]\s*(.+?\s+or\s+.+?)[.?!]?$`)
	whichOf    = `which\s+(?:one\s+|of (?:the(?:se)?|the two)\s+)?`
)

var (
	later = regexp.MustCompile(`(?i)(?:[,;.]|\s)\s*(?:then|after that|afterwards|finally|lastly)[,\s]`)
	// sentences matches the end of a sentence inside a goal. A match means that the
	// comparison is followed by more text.
	sentences   = regexp.MustCompile(`[.?!:;]\s`)
	separator   = regexp.MustCompile(`\s*,\s*(?:and\s+|or\s+)?|\s+and\s+|\s+or\s+|\s+with\s+|\s+against\s+|\s+to\s+|\s+versus\s+|\s+vs\.?\s+`)
	conjunction = regexp.MustCompile(`(?i)\sand\s`)
	alternates  = regexp.MustCompile(`\s*,\s*(?:or\s+)?|\s+or\s+`)
	judged      = regexp.MustCompile(`(?i)^(?:better|best|worse|worst)$`)
	attributed  = regexp.MustCompile(`(?i)^(.+?)\s+(?:by|on|in terms of|regarding|with respect to|based on)\s+(?:their\s+|the\s+)?(.+)$`)
	inMeasure   = regexp.MustCompile(`(?i)^(.+?)\s+in\s+(price|costs?|size|weight|speed|length|height|duration|age|population|revenue|latency|timeout|fees?|area|performance|quality|salary|budget|taste|style)$`)
	ofWhich     = regexp.MustCompile(`(?i)^(?:the\s+)?(.+?)\s+(?:of|for)\s+(.+)$`)
	tail        = regexp.MustCompile(`(?i)(?:,|\s+and|,\s*and)\s+(?:then\s+)?(?:` + tasks + `|pick|choose|decide|suggest|report|show|conclude)\b.*$`)
	tailWhich   = regexp.MustCompile(`(?i)\b` + whichOf + `(is|costs)\s+(?:the\s+)?(.+)$`)
	noSubject   = regexp.MustCompile(`(?i)^(?:how|what|why|when|where|whether|which|who|it|them|this|that|these|those|both|each other|notes)\b|^(?:the\s+)?(?:two|three|\d+)\s`)
	measured    = regexp.MustCompile(`^[\d.,:%$€£/-]+(?:\s\w+)?$|(?i)^(?:january|february|march|april|may|june|july|august|september|october|november|december)\s+\d+$`)
	headNumber  = regexp.MustCompile(`^(?:the\s+)?([A-Za-z]+)\s+(\d[\w.]*)$`)
	bareNumber  = regexp.MustCompile(`^\d[\w.]*$`)
	prefixed    = regexp.MustCompile(`^(.+\s(?:in|for|at|from|during)\s+(?:the\s+)?)([A-Z]\S*|\d{4})$`)
	qualified   = regexp.MustCompile(`^(.+?)(\s+(?:in|for|on|at|during|under|within|since)\s+.+)$`)
	proper      = regexp.MustCompile(`^(?:[A-Z]\S*|\d{4})$`)
	owner       = regexp.MustCompile(`^(.+)['’]s$`)
	ownerOf     = regexp.MustCompile(`^(.+)['’]s\s+(.+)$`)
	article     = regexp.MustCompile(`(?i)^(the|an?)\s+`)
	countable   = regexp.MustCompile(`(?i)^(?:more|most|fewer|fewest)\s+(\w+s)$`)
	comparing   = regexp.MustCompile(`(?i)^(?:more|less|most|least|higher|lower|larger|smaller|bigger|greater|longer|shorter|cheaper|dearer|faster|slower|older|newer|earlier|later|fewer|highest|lowest|largest|smallest|biggest|greatest|longest|shortest|cheapest|fastest|slowest|oldest|newest|fewest)\b\s*`)
	adjective   = regexp.MustCompile(`^(?:[a-z]+-)?(?:cheap|expensive|small|medium|large|big|old|new|early|late|fast|slow|hot|cold|warm|high|low|long|short|young|good|bad|best|worst|free|paid|red|blue|green|black|white|yellow|brown|grey|public|private|internal|external|local|remote|open|closed|first|second|third|last|next|previous|current|north|south|east|west|northern|southern|eastern|western|daily|weekly|monthly|quarterly|yearly|annual|manual|automatic|domestic|foreign|gross|net|planned|actual|upper|lower|left|right|front|rear|basic|premium|standard|renewable|fossil|synchronous|asynchronous|hard|soft|light|heavy|wet|dry|sweet|savoury|junior|senior|urban|rural|male|female)$`)
	adjectival  = regexp.MustCompile(`^[a-z-]{3,}(?:al|ous|ive|ic|able|ible|ful|less|ary|ed|ing|ern|ar)$`)
)

// comparison holds what a goal compares, and by which property.
type comparison struct {
	subjects  []string
	attribute string // such as "price"; empty if the goal names none
	question  string // such as "How many employees does % have?", instead of an attribute
}

// splitComparison returns one question for each thing that a goal compares, or nil if the
// goal is not a comparison or the things cannot be named in a sentence.
func splitComparison(goal string) []subgoal {
	goal = strings.TrimSpace(goal)
	if condition.MatchString(goal) || later.MatchString(goal) {
		return nil
	}
	c, ok := readComparison(goal)
	if !ok || len(c.subjects) < 2 {
		return nil
	}
	var parts []subgoal
	for _, subject := range c.subjects {
		if subject == "" || sentences.MatchString(subject) || measured.MatchString(subject) || noSubject.MatchString(subject) || opensTask.MatchString(subject) {
			return nil
		}
		parts = append(parts, subgoal{Goal: c.ask(subject), Subject: strings.TrimPrefix(subject, "the ")})
	}
	return parts
}

// readComparison parses a goal as a comparison. It returns false if the goal does not have
// the form of one.
func readComparison(goal string) (comparison, bool) {
	if m := whichOne.FindStringSubmatch(goal); m != nil {
		c := comparison{subjects: subjects(alternates.Split(m[3], -1))}
		c.attribute, c.question = property(m[1], m[2])
		return c, c.decidable(m[2])
	}
	if m := between.FindStringSubmatch(goal); m != nil {
		return about(m[2], m[1]), true
	}
	if m := howCompare.FindStringSubmatch(goal); m != nil {
		text := m[1] + m[3]
		if m[2] != "" {
			text = m[1] + " with " + m[2] + m[3]
		}
		return about(text, ""), true
	}
	if m := compares.FindStringSubmatch(goal); m != nil {
		text := m[1]
		var asked comparison
		if at := tail.FindStringIndex(text); at != nil { // the synthesis answers this last part of the goal
			if w := tailWhich.FindStringSubmatch(text[at[0]:]); w != nil {
				asked.attribute, asked.question = property(w[1], w[2])
			}
			text = text[:at[0]]
		}
		c := about(text, "")
		if c.attribute == "" {
			c.attribute = asked.attribute
		}
		if asked.question != "" {
			c.question = asked.question
		}
		return c, true
	}
	if m := versus.FindStringSubmatch(goal); m != nil && len(strings.Fields(m[1])) <= 9 && !opensTask.MatchString(goal) && !noSubject.MatchString(goal) {
		c := about(m[1], "")
		if m[2] != "" {
			c.attribute, c.question = property(m[2], m[3])
			return c, c.decidable(m[3])
		}
		return c, true
	}
	return comparison{}, false
}

// decidable reports whether a question of the form "which is …" is a comparison. One such
// as "which is the capital of France" is not: it is a question in itself, which questions
// about each subject would not answer.
func (c comparison) decidable(by string) bool {
	return c.attribute != "" || c.question != "" || judged.MatchString(by)
}

// about parses "the price of A and B", "A and B by price", and "A and B".
func about(text, attribute string) comparison {
	if attribute == "" {
		if m := attributed.FindStringSubmatch(text); m != nil && separator.MatchString(m[1]) && m[2][:1] == strings.ToLower(m[2][:1]) {
			text, attribute = m[1], m[2]
		} else if m := inMeasure.FindStringSubmatch(text); m != nil {
			text, attribute = m[1], m[2]
		} else if m := ofWhich.FindStringSubmatch(text); m != nil && separator.MatchString(m[2]) && !startsApart(text, m[1]) {
			text, attribute = m[2], m[1]
		}
	}
	if len(conjunction.FindAllString(text, 3)) > 1 && !strings.Contains(text, ",") {
		return comparison{} // "A and B and C" may name two things or three
	}
	c := comparison{subjects: subjects(separator.Split(text, -1)), attribute: article.ReplaceAllString(attribute, "")}
	if n := len(c.subjects) - 1; n > 0 && c.attribute == "" {
		if m := ownerOf.FindStringSubmatch(c.subjects[n]); m != nil && !slices.ContainsFunc(c.subjects[:n], func(s string) bool { return !owner.MatchString(s) }) {
			c.question = "What is %'s " + m[2] + "?"
			for i := range c.subjects[:n] {
				c.subjects[i] = owner.FindStringSubmatch(c.subjects[i])[1]
			}
			c.subjects[n] = m[1]
		}
	}
	return c
}

// startsApart reports whether the separator of two subjects lies within the text taken for
// the attribute and is followed by an article, as in "tea and the price of coffee".
func startsApart(text, attribute string) bool {
	at := separator.FindStringIndex(text)
	return at != nil && at[0] < len(attribute) && article.MatchString(text[at[1]:])
}

// subjects returns the things in a list, each in a form that can stand by itself: words
// that the list states once for all things are added to each thing.
func subjects(out []string) []string {
	for i := range out {
		out[i] = strings.TrimPrefix(strings.Trim(out[i], " .?!,"), "that of ")
		for _, word := range []string{"between ", "either "} {
			out[i] = strings.TrimPrefix(out[i], word)
		}
	}
	out = slices.DeleteFunc(out, func(s string) bool { return s == "" })
	if len(out) < 2 {
		return out
	}
	n := len(out) - 1
	if m := headNumber.FindStringSubmatch(out[0]); m != nil && !slices.ContainsFunc(out[1:], func(s string) bool { return !bareNumber.MatchString(s) }) {
		head := m[1]
		if len(head) > 3 && strings.HasSuffix(head, "s") && !strings.HasSuffix(head, "ss") {
			head = head[:len(head)-1]
		}
		out[0] = head + " " + m[2]
		for i := range out[1:] {
			out[i+1] = head + " " + out[i+1]
		}
		return out
	}
	if m := prefixed.FindStringSubmatch(out[0]); m != nil && !slices.ContainsFunc(out[1:], func(s string) bool { return !proper.MatchString(s) }) {
		for i := range out[1:] {
			out[i+1] = m[1] + out[i+1]
		}
		return out
	}
	if m := qualified.FindStringSubmatch(out[n]); m != nil && !slices.ContainsFunc(out[:n], qualified.MatchString) {
		out[n] = m[1]
		shareNoun(out)
		for i := range out {
			out[i] += m[2]
		}
		return out
	}
	shareNoun(out)
	return out
}

// shareNoun adds the noun of the last subject to earlier subjects that consist only of an
// adjective: "cheap and expensive hotels", "the first and second quarter".
func shareNoun(all []string) {
	n := len(all) - 1
	_, last := cutArticle(all[n])
	own, noun, ok := strings.Cut(last, " ")
	if !ok {
		return
	}
	for i, s := range all[:n] {
		a, word := cutArticle(s)
		if strings.Contains(word, " ") || !adjective.MatchString(word) && !(adjectival.MatchString(word) && isAdjective(own)) {
			continue
		}
		all[i] = a + word + " " + noun
		if last, bare := cutArticle(all[n]); a != "" && last == "" {
			all[n] = a + bare
		}
	}
}

func isAdjective(word string) bool {
	return adjective.MatchString(word) || adjectival.MatchString(word)
}

// cutArticle returns the article of a phrase, with its space, and the rest.
func cutArticle(phrase string) (article1, rest string) {
	at := article.FindString(phrase)
	return at, phrase[len(at):]
}

// property returns what "which is cheaper" or "which has more employees" asks for: an
// attribute, or a question with % for the subject. It returns neither if the comparison
// asks only for a judgement.
func property(verb, comparative string) (attribute, question string) {
	verb = strings.ToLower(verb)
	if m := countable.FindStringSubmatch(comparative); m != nil && verb != "is" {
		return "", "How many " + m[1] + " does % " + base(verb) + "?"
	}
	word := strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(comparative, "more "), "most "))
	if noun := subjectOf(word); noun != "" {
		return noun, ""
	}
	switch noun := strings.TrimSpace(comparing.ReplaceAllString(comparative, "")); {
	case noun != comparative && noun != "" && verb != "is":
		return noun, ""
	case noun == "" && verb == "costs":
		return "price", ""
	case noun == "" && verb == "weighs":
		return "weight", ""
	}
	return "", ""
}

// base returns the infinitive of a verb that whichOne accepts.
func base(verb string) string {
	switch verb {
	case "has":
		return "have"
	case "is":
		return "be"
	}
	return strings.TrimSuffix(verb, "s")
}

// subjectOf returns the attribute that a comparative such as "cheaper" refers to, or "" if
// the comparative is unknown.
func subjectOf(comparative string) string {
	switch comparative {
	case "cheaper", "dearer", "cheapest", "expensive":
		return "price"
	case "older", "newer", "oldest", "newest", "younger":
		return "age"
	case "longer", "shorter", "longest", "shortest":
		return "duration"
	case "larger", "bigger", "smaller", "largest", "biggest", "smallest":
		return "size"
	case "faster", "slower", "fastest", "slowest":
		return "speed"
	case "taller", "tallest", "higher", "highest":
		return "height"
	case "heavier", "lighter", "heaviest", "lightest":
		return "weight"
	case "warmer", "colder", "hotter":
		return "temperature"
	case "reliable":
		return "reliability"
	case "popular":
		return "popularity"
	case "populous":
		return "population"
	case "secure":
		return "security"
	}
	return ""
}

// ask returns the question about one subject.
func (c comparison) ask(subject string) string {
	switch {
	case c.question != "":
		return strings.Replace(c.question, "%", subject, 1)
	case c.attribute == "":
		return "Describe " + subject + "."
	}
	if plural(c.attribute) { // "what are" would ask for a list
		return "Give the " + c.attribute + " of " + subject + "."
	}
	return "What is the " + c.attribute + " of " + subject + "?"
}

// plural reports whether a noun phrase is plural. The part after "in" does not count.
func plural(phrase string) bool {
	head, _, _ := strings.Cut(strings.ToLower(phrase), " in ")
	if strings.Contains(head, " and ") {
		return true
	}
	for _, end := range []string{"ss", "us", "is", "os"} {
		if strings.HasSuffix(head, end) {
			return false
		}
	}
	return strings.HasSuffix(head, "s") && !strings.ContainsAny(head, "_0123456789")
}
