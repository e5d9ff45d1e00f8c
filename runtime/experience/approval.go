package experience

import (
	"regexp"
	"strings"
	"sync"
)

// This is the grammar of an approval. A message is read part by part; a part ends at the
// next comma, end of a sentence, dash or emoji. Each part must consist wholly of praise,
// thanks or a courtesy; the rest of the message begins at the first part that does not.
// So "the correct answer is 9" is not an approval, although "correct" is.
//
// The patterns of the parts are built from the following names, each of which stands for
// a set of words.
var grammar = []struct{ name, pattern string }{
	{"FILL", `(?:yes|yeah|yep|yup|no|nope|ok|okay|ah|wow|sure|alright|great|perfect|now|then|and|actually|so|got it|i see|i understand|understood|ja|nein|oui|non|sí|si)`},
	{"TAIL", `(?: (?:to me|for (?:me|us)|now|here|too|at all|as (?:i )?(?:expected|asked|wanted)|indeed|THANKS))*`},
	{"THANKS", `(?:(?:many |much )?(?:thanks|thank you|thx|cheers)|much appreciated)(?: (?:so much|very much|a lot|a million|again|once again|indeed|FOR))*`},
	{"FOR", `for (?:that|this|everything|(?:all )?(?:of )?(?:your|the|this)(?: (?:quick|fast|kind|clear|great|detailed))? (?:NOUN|time|patience|clarification|confirmation|assistance)|` +
		`(?:taking (?:care|the time)|helping|booking|confirming|explaining|checking|clarifying|letting|being|sorting|fixing)(?: [a-z]+){0,5})`},
	{"WANTED", `(?:just )?(?:ADV )*(?:what|as|how|all(?: that)?|everything|the (?:[a-z]+ )?NOUN) i (?:needed|need|wanted|asked(?: for)?|meant|expected|was (?:looking|hoping) for|had in mind)`},
	{"SUBJECT", `(?:that|this|it|which|everything|these|those|all of (?:it|that|this)|(?:the|your) NOUN)`},
	{"BE", `(?:'s|'re| is| are| was| were| looks?)`},
	{"GOOD", `(?:right|true|good|fine|helpful|useful|clear|cool|great|lovely|BARE)`},
	{"BARE", `(?:correct|perfect|great|awesome|excellent|wonderful|fantastic|amazing|brilliant|nice|lovely|superb|neat|impressive|beautiful|accurate|spot on)`},
	{"ADV", `(?:absolutely|completely|totally|definitely|exactly|precisely|really|very|super|quite|all|now|so|indeed|much|pretty|most|such a|a)`},
	{"NOUN", `(?:answer|reply|response|result|job|work|one|stuff|help|support|advice|info|information|translation|summary|explanation|solution|plan|list|table|code|script|text|draft|e-?mail|letter|report|overview|poem|story|recipe|version|suggestion|find)`},
}

var (
	// praise matches thanks, or a part whose predicate is about the given answer.
	praise = amid(
		`BARE`, `(?:ADV )*GOOD NOUN`, `(?:ADV )+GOOD`, `exactly|precisely|just right|bingo|lgtm|well done|right on|WANTED`,
		`SUBJECTBE (?:ADV )*(?:GOOD|it|everything|a relief|WANTED)(?: NOUN)?`, `looks (?:ADV )*GOOD`,
		`(?:SUBJECT )?(?:ADV )*(?:works|worked|helps|helped|did it|did the trick|fixed it|solved it|makes sense|answers (?:it|my question))(?: (?:ADV )*(?:GOOD|well|perfectly))?`,
		`(?:SUBJECTBE )?not (?:(?:too|so|at all) )?(?:bad|wrong)`, `(?:it )?(?:couldn't|could not) be better`,
		`you(?:'re| are| were) (?:ADV )*(?:right|correct|awesome|great|the best|a lifesaver|not wrong)`,
		`(?:i )?(?:really )?(?:love|like|appreciate) (?:it|this|that|(?:the|your) help)`,
		`THANKS`,
	)
	// otherPraise matches praise or thanks in German, French, Spanish and Chinese.
	otherPraise = parts(
		`(?:ja |oui |sí |si |ok )?(?:genau(?: (?:richtig|so|das))?|perfekt|super|toll|prima|klasse|wunderbar|stimmt(?: genau)?|richtig|korrekt|sehr gut|gut gemacht|das (?:stimmt|passt|hilft|funktioniert)(?: so| genau)?|das (?:ist|war) (?:genau |sehr |ganz )?(?:richtig|korrekt|perfekt|gut|super|toll))`,
		`(?:ja |oui |sí |si |ok )?(?:(?:vielen |besten |herzlichen )?dank|danke(?: schön| sehr| dir| ihnen| vielmals)*(?: für (?:die|deine|ihre) (?:hilfe|antwort))?)`,
		`(?:ja |oui |sí |si |ok )?(?:merci(?: beaucoup| bien)?|parfait|génial|exact(?:ement)?|très bien|c'est (?:tout à fait |très )?(?:parfait|exact|correct|juste|ça|bien|super)|ça marche)`,
		`(?:ja |oui |sí |si |ok )?(?:(?:muchas |mil )?gracias|perfecto|correcto|exacto|excelente|genial|estupendo|muy bien|(?:eso )?(?:es|está) (?:muy )?(?:correcto|perfecto|exacto|bien)|así es)`,
		`(?:ja |oui |sí |si |ok )?(?:(?:非常)?(?:谢谢|感谢)(?:你|您)?|对的?|没错|正确|很好|完美)`,
	)
	// civil matches a part that neither approves of anything by itself nor takes anything
	// back.
	civil = amid(
		`FILL`, `good|fine|cool|right|all good`,
		`(?:that'?s?|this)(?: is| was| will be|'ll be)? (?:all|everything|it)(?: i need(?:ed)?)?(?: for (?:now|today))?`,
		`have a (?:[a-z]+ ){1,2}(?:day|evening|night|weekend|week|one|time)(?: yourself| too| ahead)?`, `(?:you too|see you(?: later| soon)?|take care|good ?bye|bye)`,
		`no (?:problem|worries|need|rush|complaints|(?:errors?|mistakes?|bugs?|problems?|changes?)(?: needed)?)`, `no need to (?:change|fix|correct)(?: it| that| anything)?`,
		`nothing (?:else|more|further)`, `i(?:'m| am) (?:all )?(?:set|good|done|happy)|all set`, `i(?:'ll| will) (?:be in touch|reach out|get back(?: to you)?|be back)`,
		`the (?:bug|error|problem|issue|failure|crash) is (?:gone|fixed|solved)`, `(?:you )?(?:forgot|missed|overlooked) nothing|i (?:really )?meant it|you (?:didn't|did not) have to [a-z]+`,
		`das (?:war's|wars|ist alles|war alles)|tschüss|c'est tout|au revoir|bonne journée|nada más|adiós`,
	)
	// separators matches the characters that end a part. accolade matches an emoji that is
	// praise.
	separators = regexp.MustCompile(`[.!,;…\n¡。，！]|\s[-–—]+\s|—|:-?\)`)
	accolade   = regexp.MustCompile(`^(?:👍|👌|✅|💯|👏)[\x{1F3FB}-\x{1F3FF}\x{FE0F}]*`)
	smile      = regexp.MustCompile(`^(?::-?\)|🙏|🎉|🙂|😀|😊|😄|❤|🥳)[\x{1F3FB}-\x{1F3FF}\x{FE0F}]*`)
)

// amid returns a rule for patterns that may be surrounded by words that do not affect the
// meaning.
func amid(patterns ...string) func(string) bool {
	return parts(`(?:FILL )*(?:` + strings.Join(patterns, "|") + `)TAIL`)
}

// parts returns a rule that matches whole parts. It is compiled when first used, because
// most commands classify no message.
func parts(patterns ...string) func(string) bool {
	rule := sync.OnceValue(func() *regexp.Regexp {
		all := strings.Join(patterns, "|")
		for _, g := range grammar {
			all = strings.ReplaceAll(all, g.name, g.pattern)
		}
		return regexp.MustCompile(`^(?:` + all + `)$`)
	})
	return func(part string) bool { return rule().MatchString(part) }
}

// maxPraise is the number of bytes at the beginning of a message that are searched for an
// approval.
const maxPraise = 300

// praised reports whether a message begins with praise or thanks, and returns what follows,
// or "" if nothing does.
func praised(message string) (rest string, ok bool) {
	message = control.ReplaceAllString(strings.NewReplacer("’", "'", "‘", "'").Replace(message), " ")
	at := 0
	for at < len(message) {
		if at > maxPraise {
			return message[at:], ok
		}
		left := message[at:]
		if skip := len(left) - len(strings.TrimLeft(left, " \t\r\n.,!;…¡。，！-–—")); skip > 0 {
			at += skip
			continue
		}
		if found := accolade.FindString(left); found != "" {
			at, ok = at+len(found), true
			continue
		}
		if found := smile.FindString(left); found != "" {
			at += len(found)
			continue
		}
		part := partOf(left)
		words := strings.ToLower(strings.Join(strings.Fields(part), " "))
		switch {
		case ok && denied.MatchString(words): // "Great. No."
			return left, ok
		case otherPraise(words), praise(words) && !spoils.MatchString(litotes.ReplaceAllString(words, "")):
			ok = true
		case !civil(words):
			return left, ok
		}
		at += len(part)
	}
	return "", ok
}

// denied matches a denial. After praise, it takes the praise back; before praise, it refers
// to something else.
var denied = regexp.MustCompile(`^(?:no|nope|nein|non)$`)

// litotes matches negations that are praise.
var litotes = regexp.MustCompile(`not (?:(?:too|so|at all) )?(?:bad|wrong)|(?:couldn't|could not) be better|(?:as|what|how) i (?:asked|expected|wanted|meant)|(?:all|everything) i wanted|thank(?:s| you)(?: so much)?(?: once)? again`)

// partOf returns the first part of a text. The text must not begin with a separator.
func partOf(text string) string {
	end := len(text)
	if stop := separators.FindStringIndex(text); stop != nil {
		end = stop[0]
	}
	for i, r := range text[:end] {
		if i > 0 && r > 0x2600 && (accolade.MatchString(text[i:]) || smile.MatchString(text[i:])) {
			return text[:i]
		}
	}
	return text[:end]
}

// approving reports whether a text consists only of praise or thanks.
func approving(text string) bool {
	rest, ok := praised(text)
	return ok && rest == ""
}
