package experience

import "testing"

// TestCorrectionsBesideEnglishRules tests contrasts after praise, softened negations,
// "actually" with a statement, and other languages, each alongside similar messages that
// correct nothing. In each case the agent has stated something.
func TestCorrectionsBesideEnglishRules(t *testing.T) {
	for _, c := range []struct {
		corrects bool
		messages []string
	}{
		{true, []string{
			"great, but wrong", "Great, but that's wrong", "Thanks, but it's not correct.", "nice, except that it's blue", "Perfect, except the date is the 5th",
			"not quite, it is blue", "Not exactly, the sky is blue.", "Not really: it closes at nine", "not right, it has two doors", "That's not quite right, it is blue",
			"It's not quite, the sky is blue.", "close, but it is blue", "Almost, but the year is 1969", "Nice try, but it opens at 8", "Hmm, not quite. The sky is blue.",
			"Actually, it's blue", "actually it's blue.", "Actually, the sky is blue.", "No, actually, it's blue", "Well, actually, they have two doors", "Actually, that was in 1969.",
			"Nein, das ist falsch.", "Das stimmt nicht.", "das ist leider nicht richtig", "Falsch.", "Nein, der Himmel ist blau.", "Die Antwort ist falsch", "Stimmt so nicht, es sind zwei.",
			"Non, c'est faux", "C'est faux.", "Ce n'est pas correct", "Non, le ciel est bleu", "Désolé, c'est incorrect", "Tu te trompes.",
			"No, eso está mal", "Eso no es correcto.", "No es cierto", "La respuesta es incorrecta", "Te equivocas", "¡No, está mal!",
			"不对", "不对，天是蓝色的。", "你的回答是错的", "这不正确", "错了",
		}},
		{false, []string{
			"not bad at all", "actually, thanks", "no problem", "wrong window, sorry", "Sorry, wrong chat", "no more questions", "not really, thanks", "Not quite sure yet", "not exactly, no worries",
			"Actually, it's fine", "actually, that's all", "Actually, it's great", "Actually, I'd like the blue one", "Actually, can you make it blue?", "Actually, it's for my mother", "Actually, is it blue?",
			"Great, but what about Tuesday?", "close the window", "almost done here", "Close enough, thanks!", "Perfect, except for my spelling of course",
			"Nein danke", "Nein, alles gut", "kein Problem", "Nicht schlecht!", "Ist das falsch?", "Das ist nicht falsch", "Nein, das ist alles",
			"Non merci", "Pas mal", "pas de problème", "Non, c'est bon", "C'est faux ?",
			"No gracias", "No hay problema", "¿Está mal?", "nada más",
			"没问题", "不用了", "不客气", "不对吗？", "不错",
		}},
	} {
		for _, m := range c.messages {
			if got := Classify(m, after("The sky is green, with one door, in 1968.")); (got == Corrects) != c.corrects {
				t.Errorf("%s: %q", m, got)
			}
		}
	}
}

// TestDenialsAnswerQuestions tests messages that follow a question of the agent. A denial
// or a softened message corrects nothing; a message that calls the answer wrong is a
// correction.
func TestDenialsAnswerQuestions(t *testing.T) {
	for message, want := range map[string]bool{
		"not quite, it is blue": false, "Actually, it's blue": false, "Nein, der Himmel ist blau.": false, "Non, le ciel est bleu": false,
		"Nein, das ist falsch.": true, "No, eso está mal": true, "不对": true,
	} {
		if got := Classify(message, after("Is the sky green?")); (got == Corrects) != want {
			t.Errorf("%s: %q", message, got)
		}
	}
}
