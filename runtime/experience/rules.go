package experience

import (
	"regexp"
	"strings"
	"sync"
)

// The rules for corrections are matched at the beginning of a clause, after its lead. They
// apply only to statements, except for undoes, which also applies to questions.
var (
	corrections = rules(
		// that is wrong; this isn't what I asked
		`(?:that|this|it|those|these)(?:'s| is| was| are| were|'re| looks?| seems?| sounds?)(?: ADV)* (?:wrong|incorrect|inaccurate|false|untrue|(?:a mistake|an error)(?: on your.*)?$|mistaken|outdated|not(?: ADV)* (?:right\b|correct|true|accurate|it\b$|WANTED|the (?:right|correct)|even close))\b`,
		`(?:that|this|it|those|these) (?:isn't|wasn't|aren't|weren't|(?:doesn't|don't|didn't|does not|do not|did not)(?: ADV)* (?:look|seem|sound|feel))(?: ADV)* (?:right|correct|true|accurate|WANTED|the (?:right|correct))\b`,
		`(?:that|this|it)(?:'s| is) not (?:my|our) (?:name|address|account|reservation|order|id|email|e-mail|number|flight|booking|file|date|city|company|team|project|repo|branch|phone)\b`,
		`(?:that|this|it) (?:doesn't|does not|didn't|did not) answer (?:my|the) question`,
		// your total is wrong; the date you used is wrong
		`(?:your|the) (?:answer|response|reply|result|results|total|calculation|sum|conclusion|summary|math|numbers you|figures you|(?:\w+ ){1,2}you (?:gave|sent|used|booked|picked|chose|wrote|listed|mentioned|quoted|found|showed|provided|made)(?: me| us)?)(?: \w+)?(?: is| are| was| were|'s| looks?| seems?)(?: ADV)* (?:wrong|incorrect|inaccurate|off\b|not (?:right|correct|accurate)|missing|outdated)`,
		`(?:that|this|those|these) \w+(?: \w+)? (?:is|are|was|were|looks?|seems?|isn't|aren't)(?: ADV)* (?:wrong|incorrect|inaccurate|not (?:right|correct))`,
		`(?:the )?(?:wrong|incorrect)(?: \w+)?(?: though)?(?:,.*)?$`,
		`(?:that|this|it)(?:'s| is| was) the wrong \w+$`,
		`(?:right|correct|good) \w+, (?:but )?(?:the )?wrong \w+$`,
		`(?:almost|nearly|(?:only )?half|partly|partially|hardly|barely) (?:right|correct)$`,
		`(?:please )?correct (?:it|that|this)(?: please| to .*)?$`,
		`not (?:true|correct|right|accurate|quite(?: right| correct)?|WANTED.*|that one|exactly)$`,
		`(?:absolutely|completely|totally|definitely|clearly|still|plain|just|exactly|quite|simply) (?:wrong|incorrect|not (?:right|correct|true))$`,
		`i (?:do not|don't|cannot|can't) (?:think|believe|see how|agree that) (?:that|this|it)(?:'s| is| was| are| were| can be)?(?: ADV)* (?:right|correct|true|accurate|WANTED)\b`,
		// you forgot; you used the wrong one; you didn't include
		`you(?:'ve| have)?(?: ADV)* (?:forgot|forgotten|missed|misunderstood|misread|misinterpreted|misspelled|overlooked|ignored|mixed up|mixed|confused|skipped|left out|made (?:a|another|the same|an|some) (?:mistakes?|errors?|typos?)|made (?:it|that|this) up|hallucinated|messed up|screwed up|broke|got (?:it|that|this|them|the|my)\b.*\b(?:wrong|backwards|mixed up)|\w+(?: me| us)? (?:the|a|my) wrong)\b`,
		`you(?: ADV)* (?:did not|didn't|have not|haven't|failed to) (?:answer|include|do|change|add|use|follow|read|apply|update|fix|address|mention|finish|remove|delete|send|book|give|keep|consider|account|check|convert|translate|format|sort|list|cancel|say (?:why|how)|explain|handle|provide|respond)`,
		`you were (?:not )?supposed to\b`,
		`you (?:should have|should've|should not have|shouldn't have)(?: ADV)* (?:\w+ed|\w+en|done|kept|sent|put|made|said|been|used|left|begun|read|told|set|cut|built|run)\b`,
		`you(?:'re| are| were)(?: ADV)* (?:wrong|mistaken|incorrect|confusing|mixing up|misunderstanding|misreading|not (?:listening|reading|following|answering))`,
		`you keep (?:\w+ing|on)\b`,
		// I meant; I asked for this, not that; I never asked for it
		`(?:what )?i (?:meant|was referring to)\b`,
		`i (?:did not|didn't|never|haven't)(?: ADV)* (?:(?:ask|asked)(?: you)? (?:for|to|about)|(?:say|said) (?:that|anything|to|it)|(?:request|requested|authori[sz]e|authori[sz]ed|approve|approved|agree to|agreed to|mean|meant|order|ordered)\b|(?:want|wanted|need|needed) (?:that|this|it|you to)\b|(?:tell|told) you to)`,
		`i(?: ADV)* (?:clearly|explicitly|specifically|distinctly) (?:asked|said|told|requested|wanted|specified|wrote)\b`,
		`i (?:asked you (?:to|for|not)|told you (?:to|not))\b`,
		`i (?:said|asked for|asked about|wanted|requested|specified|needed|wrote|was(?: ADV)* (?:asking|looking|talking|referring|trying|hoping)(?: \w+)?)\b.*(?:, not | instead of | rather than |,? (?:and )?you (?:gave|sent|booked|used|wrote|told|answered|returned|made|changed))`,
		`i said (?:\w+ ){0,4}\w+$`,
		`(?:it|that|this|there|the \w+) should have (?:been|said|read)\b`,
		`(?:it|that|this|the \w+) should (?:be|say|read)\b.*(?:, not | instead(?: of .*)?$| rather than )`,
		`(?:please )?(?:correct|fix) (?:your (?:answer|mistake|error|response|reply|total|calculation)|that mistake)`,
		`correction[:,]`,
	)
	// failures matches reports that a result does not work. If the agent has just asked
	// about a problem, such a report describes the problem and is not a correction.
	failures = rules(
		`(?:it|that|this|the (?:fix|change|solution|patch|workaround|suggestion)|your (?:\w+ )?\w+)(?: still| just| now)? (?:doesn't|does not|didn't|did not|isn't|is not|won't)(?: even| actually| really)? (?:work|working|help|compile|run|build|pass|passing|fix|solve|load|parse)\b(?:[^ ]| (?:either|at all|here|yet|now|anymore|any more|when|because|on|in|and|it|the|as)\b.*)?$`,
		`(?:it |that |this )?still (?:fails|failing|broken|crashes|not working|not right|not correct|wrong|incorrect|doesn't|does not|gives|shows|says|(?:getting )?the same(?:$| FAULT))\b`,
		`i(?:'m| am) still (?:getting|seeing) (?:the|an|that|this)(?: same)?(?: \w+)? FAULT`,
		`(?:the )?same FAULT(?: \w+)?(?: again| as before)?$`,
		`(?:now (?:it's|it is|everything is) (?:worse|broken)|(?:it's|it is) even worse|nothing works(?: now| anymore)|now nothing works)\b`,
	)
	// doubts matches corrections that do not count if the message also requests another
	// check, because a user who requests one is not sure. In eight of ten real
	// conversations in which a user contradicted the agent and requested another check, the
	// agent was right.
	doubts = rules(
		`there(?:'s| is| must be| must have been| seems to be| has to be| has been| might be| appears to be)(?: clearly| obviously)? (?:a|an|some|a bit of) (?:mistake|mix-?up|misunderstanding|confusion)(?: here| somewhere| on your (?:end|side|part)| in (?:your|what you).*)?(?:,.*)?$`,
		`there (?:must be|must have been|seems to be|has to be|is) an error (?:here|on your (?:end|side|part)|in (?:your|what you).*)$`,
		`(?:that|this|it)(?: can't| cannot| can not) be(?: ADV)* (?:right|correct|true|accurate)\b`,
	)
	undoes = rules(
		`(?:can you |could you |would you )?(?:please )?(?:undo|revert|roll back) (?:that|this|it|your|what you|the last (?:change|edit|step|move|commit)|the (?:change|edit)s? you)\b`,
		`(?:can you |could you |would you )?(?:please )?(?:change|put|set|switch|turn) (?:it|that|this|them) back\b`,
		`(?:didn't i|did i not) (?:say|ask|tell)\b`,
		`why did you (?:delete|remove|change|cancel|ignore|book|overwrite|send)\b`,
	)
	// rechecks matches a request to check again. In a message with such a request, doubts
	// are not corrections.
	rechecks = regexp.MustCompile(`\b(?:check|look|verify|review|count|calculate)(?: \w+){0,3} again\b|\bdouble[- ]?check|\bre-?(?:check|calculate|count)\b|\blook into (?:it|this|that)\b|\bcan (?:it|this|that) be checked\b|\btake another look\b|\bare you sure\b|\bverify that\b`)
	// spared matches clauses that no correction rule applies to.
	spared = regexp.MustCompile(`\bif (?:i|you|that|this|it)\b|\bwrong (?:to|with (?:me|my|asking|that)|about me)\b|\bnot (?:be )?wrong\b|\byou (?:didn't|did not) (?:have|need) to\b|\bmeant to (?:ask|say|tell|mention|send|write|thank)\b|\bmeant (?:well|a lot)\b|\b(?:doesn't|does not|didn't|won't) work (?:for|with) (?:me|us|my)\b|\bno longer\b|\bmistake to\b|\bmeant (?:it|every)\b|\b(?:forgot|missed|overlooked|ignored) nothing\b|\bi said (?:yes|no|please|thanks|thank|so|that|it|hello|hi|ok|sorry)\b|\bshould have been (?:obvious|easy|easier|me|more|there|here)\b|\bin the (?:textbook|book|article|paper)\b|\bshould(?:'ve| have) (?:received|gotten|got|seen|heard|been (?:told|informed|notified))\b`)
	// ownMistake matches a user's statement about their own mistake.
	ownMistake = regexp.MustCompile(`\bmy (?:mistake|bad|fault|error|apologies)\b|\bmistake (?:on|was) my\b|\bi (?:was|am|stand) (?:wrong|mistaken|corrected)\b|\bi(?:'m| am) (?:the one who's )?(?:wrong|mistaken)\b|\bi(?:'ve| have)? (?:misread|misspoke|mistyped|misremembered|misunderstood|mixed up|got (?:it|that) wrong|made (?:a|an) (?:mistake|error|typo)|gave you the wrong|typed the wrong|sent you the wrong|meant to)\b|\byou(?:'re| are| were) (?:right|correct)\b`)
	// ownWindow matches a message that the user sent to the wrong recipient or window by
	// mistake.
	ownWindow = regexp.MustCompile(`^(?:oops|sorry|ups|whoops)?[,! ]*wrong (?:window|chat|tab|channel|thread|button|person|conversation|key|link)\b`)
	// task matches the beginning of a request to do something with a text. The text may
	// follow in the same message.
	task = regexp.MustCompile(`^(?:(?:please|can you|could you|would you|now|also|next|then)[ ,]+)*(?:proofread|translate|rewrite|rephrase|paraphrase|summari[sz]e|edit|reply|respond|draft|write|compose|classify|analy[sz]e|explain|review|read)\b`)
	// contrast matches ", not X" at the end of a clause, or "not X, Y" at its beginning.
	contrast = regexp.MustCompile(`, not (?:the |a |an |my |in |on |to |from |for |at )*([a-z0-9][\w'$.-]*)(?: \w+){0,2}$|^not (?:the |a |an |my |in |on |to |from |for |at )*([a-z0-9][\w'$.-]*)(?:,| but)`)
	// asks matches a text by an agent that a "no" could answer.
	asks = regexp.MustCompile(`\?|\blet me know\b|\bfeel free\b|\bplease (?:provide|confirm|share|specify|tell|choose|select|reply|answer|send)\b|\bwould you like\b|\bwhether you\b`)
	// inquires matches a question, or a request for something that the agent needs.
	inquires = regexp.MustCompile(`\?|\bplease (?:provide|confirm|share|specify|tell|choose|select|reply|answer|send)\b`)
	// asksWhat matches a question about a problem.
	asksWhat = regexp.MustCompile(`\b(?:what|which|describe|tell me)\b`)
	// denial matches a "no" that is a statement in itself, unlike the "no" in "no
	// payments".
	denial = regexp.MustCompile(`^(?:no|nope|nah)(?:,| (?:that|that's|this|it|it's|the|don't|do not|not|you|we|they|he|she|there)\b)`)
	// harmlessNo matches the words after a "no" that corrects nothing.
	harmlessNo = regexp.MustCompile(`^(?:problem|worries|worry|prob|thanks|thank|thx|need|rush|hurry|doubt|kidding|way|wonder|idea|more|further|other|one|not|matter|big deal|pressure|stress|complaints?|issues?|objections?|questions?|that's (?:all|it|fine|ok|okay|good|great|perfect|everything|right|correct|alright)|that is (?:all|fine|it|ok|okay|good)|that (?:will|would) be all|that'?ll be|it's (?:fine|ok|okay|good|alright|all|great|perfect)|i'm (?:good|fine|ok|okay|all|done)|i am (?:good|fine|done)|i don't (?:need|have|think so|mind)|all good|nothing|go ahead|leave|keep|i (?:like|love)|not at all|please)\b`)

	// ownState matches a user's statement about themselves.
	ownState = regexp.MustCompile(`^(?:i|we)(?:'m|'ve| am| are| was| were| have| had| haven't| hadn't| don't| do not| will| won't| can| can't)\b`)

	givesUp      = regexp.MustCompile(`\bnever ?mind\b|\bforget (?:it|about it)\b|\bforget (?:that|this)(?:$|[.,!;])|\bi give up\b|\bi'll (?:just )?(?:do|figure|try|find|look|handle|call|ask|go|fix|write|take|use)\b.*\b(?:myself|elsewhere|someone else|somewhere else|something else|another (?:tool|way))\b|\bdon't bother\b|(?:^|[.!,;] ?)(?:please )?(?:just )?(?:stop|abort|quit)(?: it| that| please| now| here| right there| this)?(?:[.!]|$)|^cancel(?: that| this| it)?[.!]?$|\b(?:transfer|connect|put) me (?:to|with|through to) (?:a |an |the |your |some)?(?:live |real )?(?:human|person|supervisor|agent|representative|manager|someone|one)|\b(?:speak|talk)(?:ing)? (?:to|with) (?:a |an |the |your |some)?(?:live |real )?(?:human|person|supervisor|manager|agent|representative|someone|higher|one else)|\b(?:supervisor|manager|human|person|higher-up)(?: \w+){0,4} (?:speak|talk) (?:to|with)\b|\bnothing (?:more|else) (?:to do|you can do|we can do)\b|\blet's (?:stop|leave it|drop it)\b|^(?:just |please )?drop it\b|\bnot worth (?:it|the)\b`)
	wantsNone    = regexp.MustCompile(`\b(?:don't|do not|without|rather not|prefer not|not) (?:\w+ ){0,3}(?:transfer|speak|talk|stop|forget|give up|be transferred)|\bam i (?:now |really |actually )?(?:talking|speaking)\b`)
	repeats      = regexp.MustCompile(`\b(?:try|check|look|verify|review|search|do|run)(?: (?:it|that|this|them|for me|once|on that))?(?: more| over| part)? again\b|\bcheck (?:\w+ ){1,3}again\b|\bdouble[- ]?check|\bre-?check|\btake another look\b|\bonce more\b|\b(?:as|like) i(?:'ve| have)?(?: already| just)? (?:said|mentioned|told|wrote|asked)\b|\bi(?:'ve| have)? (?:already|just) (?:told|said|gave|given|asked|mentioned|provided|sent|answered|explained|shared)\b|\bi repeat\b|\bsame question\b|^again[,:]|\banswer my question\b`)
	complains    = regexp.MustCompile(`\bfrustrat|\bdisappoint|\bridiculous\b|\bunacceptable\b|\buseless\b|\bannoy(?:ing|ed)\b|\bterrible\b|\bawful\b|\bwast(?:e|ing) (?:of )?(?:my )?time\b|\b(?:not|isn't|aren't|wasn't)(?: \w+)? (?:helpful|helping|useful|good enough|acceptable)\b|\bunhelpful\b|\b(?:unhappy|not happy|dissatisfied|not satisfied|fed up|upset)\b|\bstressful\b|\btakes? (?:too long|forever)\b|\btoo slow\b|\bunfair\b|\bdoesn't help\b|\bi expected (?:better|more)\b`)
	noComplaint  = regexp.MustCompile(`\b(?:not|isn't|wasn't|never|don't|won't be)(?: \w+)? (?:frustrat|disappoint|ridiculous|useless|annoy|terrible|awful|upset|a waste)`)
	clarifies    = regexp.MustCompile(`\bwhat do you mean\b|\bwhat (?:does|did) (?:that|this|it|the \w+) mean\b|\bi (?:don't|do not|didn't|can't)(?: quite| really| fully)? (?:understand|get it|follow)\b|\bi'm (?:not following|lost|confused|not sure (?:i understand|what you mean))\b|\b(?:can|could|would|will) you (?:please )?(?:explain|clarify|elaborate)|\bplease (?:explain|clarify|elaborate)\b|\b(?:explain|clarify) (?:that|this|it|what you)\b|\bare you (?:\w+ )?(?:sure|certain)\b|^how (?:so|come)\b|^why (?:is that|not|so)\??$|^why\??$|\bin other words\b|^meaning\b|\bhow do you (?:know|mean)\b|\bwhat (?:exactly )?(?:is|are|do you call) (?:that|those)\?`)
	besides      = regexp.MustCompile(`\bby the way\b|\bbtw\b`)
	changesTopic = regexp.MustCompile(`\bon (?:another|a different|an unrelated|a separate) (?:note|topic|subject|matter)\b|\b(?:another|a different|different|a new|new|an unrelated|unrelated|a separate|separate) (?:question|topic|thing|subject|task|request|matter|issue)\b|\bchang(?:ing|e) (?:the |of )?(?:subject|topic)\b|\bmoving on\b|\bswitch(?:ing)? (?:gears|topics|to another)\b|\bnext (?:topic|question|task)\b|^(?:ok |okay |now )?something (?:else|completely different)\b|\bunrelated\b|\blet's (?:talk about|move on|switch)\b`)

	// spoils matches words that cancel or qualify an approval.
	spoils = regexp.MustCompile(`\b(?:not|never|nothing|none|neither|cannot|without|but|however|although|though|except|unless|instead|unfortunately|sadly|wrong|incorrect|inaccurate|false|mistakes?|errors?|bugs?|broken|broke|breaks?|breaking|fail(?:s|ed|ing|ure)?|crash(?:es|ed|ing)?|worse|worst|still|again|missing|missed|forgot|ruin(?:ed|ing)?|wast(?:e|ed|ing)|hardly|barely|half|only|almost|nearly|wanted|meant|asked|expected|should|try|retry|redo|undo)\b|n't\b`)
)

// rules returns a function that returns the patterns compiled to match from the beginning
// of a clause. In a pattern, ADV stands for an adverb of degree, WANTED for what the user
// wanted, and FAULT for a visible sign of a failure. The patterns are compiled on first
// use, because most commands do not classify messages.
func rules(patterns ...string) func() []*regexp.Regexp {
	const wanted = `(?:what (?:i|we) (?:asked|wanted|meant|said|need|needed|requested|ordered|intended|wrote|had in mind|was|were)|how (?:i|we) (?:asked|wanted|said|meant)|what the|the \w+ i (?:asked|wanted|meant|said|need|needed|requested|ordered))`
	const fault = `(?:error|problem|issue|result|thing|output|answer|mistake|message|exception|failure|warning|bug)`
	const adverb = `(?:just|definitely|still|also|completely|totally|simply|clearly|plain|plainly|actually|quite|really|again|entirely|absolutely|obviously|all|even|exactly|very|at all|so|both|already|apparently|somehow|partly|partially|slightly|certainly)`
	expand := strings.NewReplacer("ADV", adverb, "WANTED", wanted, "FAULT", fault)
	return sync.OnceValue(func() []*regexp.Regexp {
		out := make([]*regexp.Regexp, len(patterns))
		for i, p := range patterns {
			out[i] = regexp.MustCompile(`^(?:` + expand.Replace(p) + `)`)
		}
		return out
	})
}

// pointing matches words with which a message refers to the preceding message.
var pointing = regexp.MustCompile(`\b(?:it|its|that|this|these|those|them|they|their|he|she|his|her|there|then|again|also|too|instead|same|other|another|more|else|one|ones|yes|no|yeah|sure|ok|okay|thanks)\b`)

// request matches the beginning of a message that asks for something.
var request = regexp.MustCompile(`^(?:(?:and|now|ok|okay|next|hey|hi|hello)[ ,]+)*(?:what|how|when|where|who|which|why|is|are|does|do|can|could|would|will|should|tell|find|show|write|plan|make|give|list|summari[sz]e|book|compare|draft|explain|create|help|debug|check|search|calculate|translate|recommend|suggest|remind|set|build|design|price)\b`)
