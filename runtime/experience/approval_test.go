package experience

import (
	"testing"

	"evolve/runtime/agent"
)

// TestAfterApproval: praise and a further request are told apart; praise that a doubt, a
// change or a complaint follows approves nothing.
func TestAfterApproval(t *testing.T) {
	earlier := []agent.Message{{Role: "user", Content: "Who wrote Hamlet?"}, {Role: "assistant", Content: "Shakespeare."}}
	for message, want := range map[string]string{
		"Perfect. Now what about Faust?":                                                    "Now what about Faust?",
		"Exactly right. When was it written?":                                               "When was it written?",
		"Thanks so much, that was exactly what I needed. Could you tell me who wrote Emma?": "Could you tell me who wrote Emma?",
		"Oh great. Another useless answer. Who wrote Hamlet?":                               "",
		"Perfect, if you like wrong answers. Who wrote it?":                                 "",
		"Great, so you don't know. Who wrote Faust?":                                        "",
		"Perfect! Now what about Faust?":                                                    "Now what about Faust?",
		"Great, thanks! Who wrote Faust?":                                                   "Who wrote Faust?",
		"Great. Thank you so much!\nWho wrote Faust?":                                       "Who wrote Faust?",
		"Thanks, that's right. And Faust by whom?":                                          "And Faust by whom?",
		"Perfect, now what about Faust?":                                                    "now what about Faust?",
		"Thanks, and who wrote Faust?":                                                      "and who wrote Faust?",
		"Exactly — who wrote Faust?":                                                        "who wrote Faust?",
		"Perfect 👍 Who wrote Faust?":                                                        "Who wrote Faust?",
		"Perfect answer. Now list the plays of Goethe.":                                     "Now list the plays of Goethe.",
		"That's correct. I also need the author of Faust.":                                  "I also need the author of Faust.",
		"Correct. What is the name of Goethe's wife? She is\nit":                            "What is the name of Goethe's wife? She is\nit",
		"Looks good to me. Next, translate \"dog\" to French.":                              "Next, translate \"dog\" to French.",

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
		if got := AfterApproval(message, earlier); got != want {
			t.Errorf("%q: %q, not %q", message, got, want)
		}
	}
	// A request can be the answer to what the agent asked for.
	for answer, want := range map[string]string{
		"There are two. Which one would you like?":                      "",
		"There are two. Please let me know which one you want to book.": "",
		"It is booked. Is there anything else I can help you with?":     "I need the large one in the north.",
		"It is booked. If you have any questions, feel free to ask!":    "I need the large one in the north.",
	} {
		if got := AfterApproval("Great. I need the large one in the north.", after(answer)); got != want {
			t.Errorf("after %q: %q, not %q", answer, got, want)
		}
	}
	if got := AfterApproval("Perfect. Now what about Faust?", nil); got != "" {
		t.Errorf("a first message approves: %q", got)
	}
}
