package experience

import (
	"regexp"
	"strings"
)

var (
	// hedged matches a softened negation followed by the right value. Such a message is
	// just as often the reply to a question by the agent, and then it is not a correction.
	hedged = regexp.MustCompile(`^(?:(?:well|hmm+|um+|oh|ah|sorry|er+)[, ]+)*(?:(?:that's|that is|it's|it is) )?(?:not (?:quite|exactly|entirely|really|precisely|right|correct|true)(?: right| correct| true| accurate)?|(?:close|almost|nearly|nice try|good try|good guess|good attempt)(?: enough)?(?:,? but)?)(?:[,.:;!]| [-–—])\s*(.+)$|^(?:(?:that's|that is|it's|it is) )?(?:close|almost|nearly|nice try|good try|good guess|good attempt),? (?:but|except) (.+)$`)
	// states matches a statement of fact, without an opinion or a wish.
	states = regexp.MustCompile(`^(?:it|that|this|these|those|they|he|she|there|(?:the|its|their|his|her|our|my) [\w-]+(?: [\w-]+)?)(?:'s|'re| is| are| was| were| has| have| had| isn't| wasn't| aren't| weren't| doesn't| starts?| ends?| costs?| opens?| closes?| means?) \S`)
	// opinion matches a statement that contains no fact about the answer: praise, a wish,
	// or a detail of the user's own affairs.
	opinion = regexp.MustCompile(`^\S+(?: \S+){0,2}?(?:'s|'re| is| are| was| were| has been)(?: (?:all|quite|really|very|so|pretty|just|totally|already|kind of|a bit|even|much|such|not))* (?:a )?(?:fine|ok|okay|good|great|perfect|nice|all|enough|alright|easier|better|best|urgent|interesting|funny|helpful|useful|right|correct|working|done|everything|it|bad|wrong|for|about|because|just|only|clear|lovely|impressive|cool|neat|easy|hard|difficult|important|necessary|needed|possible|impossible|up to|what i|one more|another|something|more|no problem|no need|no rush|nothing|anything|late|early|my (?:fault|mistake|bad))\b`)
	// lacks matches praise with an exception: "great, except that it is blue".
	lacks = regexp.MustCompile(`\b(?:great|good|nice|perfect|fine|thanks|thank you|right|correct|close|excellent|awesome)\b[^.!?]{0,40}?,? (?:except(?: for| that)?|apart from|other than)(?: the (?:fact|total|date|name|price|number|colou?r|time|address|amount|order|sum|year|last|first)| (?:that )?(?:it|you|there|this|they)(?:'s|'re| is| are| forgot| missed| used| put| should))`)
)

// statesOtherwise reports whether the message replaces the agent's answer with another
// fact. The fact may follow "actually" or a softened negation, or be an exception to
// praise.
func (m written) statesOtherwise(before string) bool {
	if before == "" || len(m.clauses) == 0 || m.clauses[0].question || asks.MatchString(ending(before)) {
		return false
	}
	if lacks.MatchString(m.text) && !m.clauses[len(m.clauses)-1].question {
		return true
	}
	if found := hedged.FindStringSubmatch(m.text); found != nil {
		rest := strings.TrimSpace(found[1] + found[2])
		return !strings.Contains(rest, "?") && !approving(rest) && !harmlessNo.MatchString(strings.TrimPrefix(rest, "no ")) && !opinion.MatchString(rest) && !wishes.MatchString(rest)
	}
	for _, c := range m.clauses[:min(len(m.clauses), 2)] {
		if !c.question && actually.MatchString(c.lead) && !approving(c.text) && states.MatchString(c.text) && !opinion.MatchString(c.text) {
			return true
		}
	}
	return false
}

var (
	actually = regexp.MustCompile(`(?:^|[ ,])actually[ ,]*$`)
	// wishes matches the beginning of a clause in which users state what they want next or
	// are unsure about.
	wishes = regexp.MustCompile(`^(?:(?:but|so|and) )?(?:i(?:'d|'ll|'m| would| want| need| have| was| am| don't| do not| can't| think i)|can|could|would|will|let|let's|please|what|how|when|where|why|which|sure|yet|now)\b`)
)
