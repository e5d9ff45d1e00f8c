package experience

import "regexp"

// These patterns match the first words of a correction in German, French, Spanish and
// Chinese; the other rules are for English. For a correction that they miss, a person can
// use `evolve feedback add`. A denial by itself corrects an answer only if the agent did
// not ask anything.
var (
	otherWrong = regexp.MustCompile(`^[¡¿\s]*(?:` +
		// German: das ist falsch; nein, das stimmt nicht
		`(?:nein|nee|doch|leider|aber|sorry|moment|stopp?|hm+)?[,.! ]*(?:(?:das|dies|es|die antwort|(?:deine|ihre|eure) (?:antwort|rechnung|angabe))(?: \pL+)? (?:ist|war|sind|stimmt)(?: (?:leider|aber|ganz|völlig|einfach|so|auch|immer|noch|doch|wohl))* (?:falsch|verkehrt|inkorrekt|nicht(?: ganz| so)?(?:$|[.,!;]| richtig| korrekt| wahr| das,? was))|stimmt (?:so )?nicht|falsch(?:$|[.,!;:])|die richtige \pL+ (?:ist|wäre)|fast richtig|du irrst|sie irren|du hast (?:dich|es|das) (?:geirrt|falsch|vergessen)|ich meinte )` +
		// French: c'est faux; non, ce n'est pas ça
		`|(?:non|mais|désolé|pardon|hm+)?[,.! ]*(?:c'est (?:\pL+ )?(?:faux|incorrect|inexact|une erreur)|ce n'est pas (?:\pL+ )?(?:ça|cela|correct|juste|vrai|exact|bon|la bonne|ce que)|(?:ta|votre|la) réponse est (?:fausse|incorrecte|inexacte)|faux(?:$|[.,!;:])|la bonne réponse est|presque|tu te trompes|vous vous trompez|tu as (?:oublié|fait une erreur)|vous avez (?:oublié|fait une erreur)|je voulais dire )` +
		// Spanish: eso está mal; no, no es correcto
		`|(?:no|pero|perdón|perdona|lo siento)?[,.! ]*(?:(?:eso|esto|ello|la respuesta|(?:tu|su) respuesta) (?:\pL+ )?(?:está mal|es (?:incorrect[oa]|fals[oa]|erróne[oa]|un error)|no es (?:\pL+ )?(?:correct[oa]|ciert[oa]|verdad|así|lo que)|no está bien)|no es (?:correcto|cierto|verdad|así|lo que)|está mal(?:$|[.,!;])|es incorrecto|incorrecto(?:$|[.,!;])|la respuesta correcta es|casi(?:$|[.,!;])|te equivocas|se equivoca|te has equivocado|se ha equivocado|olvidaste |quise decir |quería decir )` +
		// Chinese: not right, wrong, you are mistaken
		`|(?:不[,,。 ]*)?(?:这|那|你的?(?:回答|答案)?|答案|结果|这个|那个)?(?:都|也|还是|是)?(?:不对|错了|错误的|不正确|是错的|搞错了|弄错了|说错了|有误|不是这样)` +
		`)`)
	// otherDenial matches a "no" followed by more text, such as the right answer;
	// harmlessOther matches the words after a "no" that is not a correction.
	otherDenial   = regexp.MustCompile(`^[¡\s]*(?:nein|nee|non|不是|不,|不,)[,.! ]*(.*\pL.*)$`)
	harmlessOther = regexp.MustCompile(`^(?:danke|alles|das (?:ist|war) (?:alles|gut|ok)|das passt|passt|schon gut|ist gut|kein|bitte|nicht nötig|mehr nicht|nichts|merci|c'est (?:bon|tout|parfait|bien|ok)|rien|pas (?:besoin|de problème|grave)|ça (?:va|ira|marche)|ce n'est (?:rien|pas (?:grave|nécessaire))|gracias|nada|问题|我的意思|谢谢|用)`)
	// otherQuestion matches a text whose first sentence is a question.
	otherQuestion = regexp.MustCompile(`^[^.!。!\n]*[??]|^[^.!。!\n]*吗`)
)

// correctsElsewhere reports whether a message in German, French, Spanish or Chinese is a
// correction, even after praise or thanks.
func correctsElsewhere(text, before string) bool {
	if rest, ok := praised(text); ok && rest != "" {
		text = rest
	}
	if otherQuestion.MatchString(text) {
		return false
	}
	if otherWrong.MatchString(text) {
		return true
	}
	found := otherDenial.FindStringSubmatch(text)
	return found != nil && before != "" && !asksElsewhere.MatchString(before) && !harmlessOther.MatchString(found[1])
}

// asksElsewhere matches an agent's text to which "no" could be the answer.
var asksElsewhere = regexp.MustCompile(`[??]|吗|\b(?:bitte|veuillez|por favor|please|let me know)\b|请`)
