package experience

import (
	"testing"

	"evolve/runtime/agent"
)

// TestFurtherRequests checks that praise and a further request are told apart. Praise that
// is followed by a doubt, a change or a complaint approves nothing, nor does praise before
// words that refer back to the answer.
func TestFurtherRequests(t *testing.T) {
	earlier := []agent.Message{{Role: "user", Content: "Who wrote Hamlet?"}, {Role: "assistant", Content: "Shakespeare."}}
	for message, want := range map[string]string{
		"Perfect. Now what about Faust?":                                                    "Now what about Faust?",
		"Exactly right. When was Emma written?":                                             "When was Emma written?",
		"Thanks so much, that was exactly what I needed. Could you tell me who wrote Emma?": "Could you tell me who wrote Emma?",
		"Oh great. Another useless answer. Who wrote Hamlet?":                               "",
		"Perfect, if you like wrong answers. Who wrote it?":                                 "",
		"Great, so you don't know. Who wrote Faust?":                                        "",
		"Perfect! Now what about Faust?":                                                    "Now what about Faust?",
		"Great, thanks! Who wrote Faust?":                                                   "Who wrote Faust?",
		"Great. Thank you so much!\nWho wrote Faust?":                                       "Who wrote Faust?",
		"Thanks, that's right. And when was Faust printed?":                                 "And when was Faust printed?",
		"Perfect, now what about Faust?":                                                    "now what about Faust?",
		"Thanks, and who wrote Faust?":                                                      "and who wrote Faust?",
		"Exactly — who wrote Faust?":                                                        "who wrote Faust?",
		"Perfect 👍 Who wrote Faust?":                                                        "Who wrote Faust?",
		"Perfect answer. Now list the plays of Goethe.":                                     "Now list the plays of Goethe.",
		"That's correct. I also need the author of Faust.":                                  "I also need the author of Faust.",
		"Correct. What is the name of Goethe's wife? Also list the plays of Lessing.":       "What is the name of Goethe's wife? Also list the plays of Lessing.",
		"Looks good to me. Next, translate \"dog\" to French.":                              "Next, translate \"dog\" to French.",

		"Exactly right. When was it written?":  "",
		"Perfect. Which one is by Goethe?":     "",
		"Correct. Was Shakespeare English?":    "", // about the answer
		"Great. Who wrote Hamlet in 1601?":     "", // about the question
		"Perfect. Wer schrieb Faust?":          "",
		"Perfect. Кто написал Фауста?":         "",
		"Great. List the plays. Not that one.": "",

		"Perfect, thanks!": "",
		"Perfect.":         "",
		"Perfect is not the word I would use. What about Faust?": "",
		"Great, but who wrote Faust?":                            "",
		"Great. But that's wrong.":                               "",
		"Great. However, it was Marlowe.":                        "",
		"Great question. What about Faust?":                      "",
		"Nice try. What about Faust?":                            "",
		"Perfect. Are you sure?":                                 "",
		"Perfect. Right?":                                        "",
		"Great. Is that really correct?":                         "",
		"Great. Why did you leave out the year?":                 "",
		"Great. What about the missing ones?":                    "",
		"Thanks. Can you check again?":                           "",
		"Nice. Make it shorter.":                                 "",
		"Great! Can you fix the second line?":                    "",
		"Thanks! It still fails, what now?":                      "",
		"Thanks. My id is 1234. Who wrote Faust?":                "",
		"Thanks for nothing. Who wrote Faust?":                   "",
		"Thanks in advance. Who wrote Faust?":                    "",
		"Great, now it's broken again":                           "",
		"Perfect? Who wrote Faust?":                              "",
		"\"Perfect.\" What does it mean?":                        "",
		"> Perfect.\nWhat does it mean?":                         "",
		"Who wrote Faust? Perfect.":                              "",
		"Great Expectations. Who wrote Faust?":                   "",
		"I need a perfect rhyme. Who wrote Faust?":               "",
		"Not perfect. Who wrote Faust?":                          "",
		"No. Who wrote Faust?":                                   "",
		"Ok. Who wrote Faust?":                                   "",
		"Great, exactly wrong. Who wrote Faust?":                 "",
	} {
		if _, got := Interpret(message, earlier); got != want {
			t.Errorf("%q: %q, not %q", message, got, want)
		}
	}
	// A request can be the answer to a question from the agent.
	for answer, want := range map[string]string{
		"There are two. Which one would you like?":                      "",
		"There are two. Please let me know which one you want to book.": "",
		"It is booked. Is there anything else I can help you with?":     "I also need the keys of the north gate.",
		"It is booked. If you have any questions, feel free to ask!":    "I also need the keys of the north gate.",
	} {
		if _, got := Interpret("Great. I also need the keys of the north gate.", after(answer)); got != want {
			t.Errorf("after %q: %q, not %q", answer, got, want)
		}
	}
	if _, got := Interpret("Perfect. Now what about Faust?", nil); got != "" {
		t.Errorf("a first message approves: %q", got)
	}
}

// TestApprovals checks messages that begin with praise or contain a word of praise. Only
// those that consist of nothing but praise, thanks and a further request may count as
// approvals.
func TestApprovals(t *testing.T) {
	const asked = "Where does the alpha crate of number 0 brook go when alpha arrives?"
	for _, answer := range []string{"Shelf alpha0", "The alpha crate goes at 7."} {
		earlier := []agent.Message{{Role: "user", Content: asked}, {Role: "assistant", Content: answer}}
		for _, message := range approvals {
			if got := Classify(message, earlier); got != Approves {
				t.Errorf("%q after %q: %q", message, answer, got)
			}
		}
		for _, message := range noApprovals {
			if got := Classify(message, earlier); got == Approves {
				t.Errorf("%q after %q is an approval", message, answer)
			}
		}
	}
	// Here praise consents to what an agent asks for, and does not approve anything that
	// was given.
	for _, answer := range []string{"I would book the flight HAT001 for $120. Shall I go ahead?", "Please confirm the date."} {
		if got := Classify("Perfect, thank you!", after(answer)); got == Approves {
			t.Errorf("an approval after %q", answer)
		}
	}
}

var (
	approvals = []string{
		"No problem, thanks.",
		"No worries, it works.",
		"No, that's fine, thanks!",
		"No, that is correct.",
		"No, perfect.",
		"No need to change, it's correct.",
		"Great. Now what about Faust?",
		"Perfect.",
	}
	noApprovals = []string{
		"Great, just great.", "Well that's just perfect.", "Thanks - no", "Great\nNo\n", "Merci. Non.", "Awesome... NOT", "Great!!! (not)", "Thanks / no", "Great \"no\"", "Great `no`", "👍👎", "Thanks.\n\n> quoted",
		"Great. Show me where nine is.", "Perfect. Write an apology.", "Thanks. Find a second opinion.", "Thanks. Is the catalogue reliable?", "Great. Does Anna agree?", "Thanks. Could the crate be elsewhere?",
		"Perfect. Would nine be possible?", "Great. Will Anna confirm?", "Correct?", "Correct, if you are in Oslo.", "Thanks for checking the wrong shelf.", "Gracias por nada", "Merci pour rien", "Toll, wieder falsch", "Genau. Falsch.",
		"Great. Tell me another answer.", "Thanks. Are there alternatives?", "Perfect. List the mistakes.", "100% correct", "Great, who told you?",
		"No, the correct answer is 9.",
		"No, the correct answer is 10.",
		"The correct answer is 9.",
		"No. The correct answer is 9.",
		"No, the right answer is Oslo.",
		"No, the correct shelf is nine.",
		"No, the answer is 9.",
		"Nope, the correct one is 9",
		"No, correct is 9.",
		"no the correct answer is 9",
		"No, it's 9.",
		"No, 9.",
		"No, the correct gate is 12",
		"No, shelf nine is correct.",
		"No, the correct time is 9.",
		"The right answer would be nine.",
		"Nope. The correct answer is nine.",
		"No, sorry, the correct answer is nine.",
		"No - the correct answer is nine",
		"No, the correct answer was nine.",
		"No, the correct answer should be nine.",
		"Well, the correct answer is nine.",
		"Hmm, the correct answer is nine.",
		"Sorry, the correct answer is nine.",
		"But the correct answer is nine.",
		"Actually the correct answer is nine.",
		"The correct answer: nine",
		"Correct answer: nine",
		"Correct: nine",
		"Right answer is nine",
		"The answer is nine.",
		"It is nine, not seven.",
		"That's the wrong shelf.",
		"Correct that to nine.",
		"Correct it please.",
		"Please correct the shelf.",
		"Not correct.",
		"Almost correct.",
		"Half right.",
		"Right idea, wrong shelf.",
		"Right shelf, wrong building.",
		"You're right, it is not nine, it is ten.",
		"You are right to ask, but it's nine.",
		"Oh great.",
		"Great. Is it really 7?",
		"Perfect. But why 7?",
		"Thanks. Are you certain?",
		"Great! Where did you get that from?",
		"OK. Hmm, I think it is shelf nine.",
		"Great. My colleague says shelf nine.",
		"Thanks. Shelf nine, surely?",
		"Great. Shouldn't that be nine?",
		"Perfect. Isn't that shelf empty?",
		"Great. Can you check again?",
		"Thank you. It is nine, I looked.",
		"Great. I went there and found nothing.",
		"Thanks. It was not there.",
		"Perfect. Except that it is nine.",
		"Great job. Now do it properly.",
		"Great. Now give me the right one.",
		"Thanks. Try again.",
		"Thanks. Please try again with the real catalogue.",
		"Wonderful. Nothing is there.",
		"Great. That shelf does not exist.",
		"Perfect. Now tell me the truth.",
		"Great. And what is the actual shelf?",
		"Thanks. Does it really go there?",
		"Thank you. You are useless.",
		"Great. So you don't know?",
		"Great. What a mess.",
		"Perfect. Now I have to redo everything.",
		"Thanks. I already knew that was the old shelf, what is the new shelf?",
		"That's correct. For last year. What about now?",
		"Yes. In 2019. Which shelf now?",
		"Perfect. Is that still the case?",
		"Great. Why?",
		"Great. Says who?",
		"Nice try.",
		"Good try. It's nine.",
		"Great. Who told you so?",
		"Perfect! /s",
		"Great 🙄",
		"Thanks. 👎",
		"Thanks. Wrong shelf though.",
		"Danke. Das ist falsch.",
		"Great, thanks. Das stimmt nicht.",
		"Merci. C'est faux.",
		"Perfect. No es correcto.",
		"谢谢。不对。",
		"Thanks. It should go to nine instead, right?",
		"Great. Cancel that.",
		"Great. Undo it.",
		"Great. Scratch that.",
		"Great. Forget it.",
	}
)

// TestOtherAnswersAreCorrections checks that a message is a correction if it gives a
// different answer from the agent's or asks for a repair of that answer. A message that
// repeats the answer, asks a question, or concerns another matter is not a correction.
func TestOtherAnswersAreCorrections(t *testing.T) {
	earlier := []agent.Message{{Role: "user", Content: "Where does the alpha crate go?"}, {Role: "assistant", Content: "It goes to shelf 7."}}
	for message, want := range map[string]bool{
		"The correct answer is 9.": true, "No. The correct answer is 9.": true, "No - the correct answer is nine": true, "The right answer would be nine.": true, "But the correct answer is nine.": true,
		"The correct answer: nine": true, "Correct: nine": true, "Right answer is nine": true, "No, 9.": true, "Thanks, but it's shelf 9.": true, "Good, but the shelf is 9": true, "It's shelf 9 actually.": true,
		"Correct it please.": true, "Correct that to nine.": true, "Please correct the shelf.": true, "Almost correct.": true, "Half right.": true, "That's the wrong shelf.": true,
		"Right shelf, wrong building.": true, "Thanks. Wrong shelf though.": true, "Danke. Das ist falsch.": true, "Great, thanks. Das stimmt nicht.": true, "Merci. C'est faux.": true,
		"Perfect. No es correcto.": true, "谢谢。不对。": true, "Die richtige Antwort ist 9.": true, "La respuesta correcta es 9": true,

		"The correct answer is 7, thanks.": false, "The right shelf is 7, great.": false, "Is the correct answer 9?": false, "Right now is a good time.": false, "The right way is to ask first.": false,
		"Thanks, but I need 9 crates.": false, "No, thanks, I have 9.": false, "Please correct the grammar of my mail.": false, "The correct spelling of my name is Ann.": false, "Actually, can you take 9?": false,
		"Nein danke.": false, "No, I haven't been there yet.": false, "But the price is 12 euros.": false, "Danke, perfekt.": false, "Half of it is right in front of me.": false, "What is the right size for 9 crates?": false,
	} {
		if got := Classify(message, earlier); (got == Corrects) != want {
			t.Errorf("%q: %q", message, got)
		}
	}
	for _, message := range []string{"The correct shelf is 9.", "No, 9.", "Correct: nine"} {
		if got := Classify(message, after("Is it on shelf 7?")); got == Corrects {
			t.Errorf("%q corrects a question", message)
		}
	}
}

// TestHeldOutApprovals measures the rules with messages that were labelled before the rules
// were written, in English, German, French and Spanish, with sarcasm and doubts. A false
// approval makes a wrong answer a reference, so precision counts most.
func TestHeldOutApprovals(t *testing.T) {
	counts := map[Signal]*struct{ found, labelled, both int }{Approves: {}, Corrects: {}}
	for _, l := range readLabelled(t, "approvals.jsonl") {
		got := l.classify()
		for s, c := range counts {
			if got == s {
				c.found++
			}
			if l.Want == s {
				c.labelled++
			}
			if got == s && l.Want == s {
				c.both++
			} else if got == s || l.Want == s {
				t.Logf("%s: %q, not %q", l.Message, got, l.Want)
			}
		}
	}
	for s, c := range counts {
		t.Logf("%s: %d of %d found are ones, of %d labelled", s, c.both, c.found, c.labelled)
		if c.both < c.found {
			t.Errorf("%d false signals %s", c.found-c.both, s)
		}
	}
	if c := counts[Approves]; float64(c.both) < .9*float64(c.labelled) {
		t.Errorf("recall of approvals %d of %d", c.both, c.labelled)
	}
}
