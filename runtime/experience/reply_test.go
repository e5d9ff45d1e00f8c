package experience

import "testing"

// TestReplies checks that consent, thanks and answers to the agent's question are not
// treated as requests.
func TestReplies(t *testing.T) {
	const stated, asked, offered = "The flight HAT001 costs $120.", "The flight HAT001 costs $120. Shall I book it?", "Booked. Is there anything else I can help you with?"
	for _, c := range []struct {
		before, message string
		want            bool
	}{
		{asked, "Yes, please go ahead.", true},
		{asked, "Yes", true},
		{asked, "yes please proceed with the booking", true},
		{asked, "Yes, I confirm. Thank you!", true},
		{asked, "No, thanks.", true},
		{asked, "That works for me.", true},
		{asked, "Yes, with the card that ends in 4421.", true},
		{"Could you provide your user ID?", "mia_li_3668", true},
		{"Could you provide your user ID?", "Sure, my user ID is mia_li_3668.", true},
		{"Please confirm the date.", "It is the 5th of May.", true},
		{asked, "Yes, please proceed with the change.", true},
		{asked, "Yes, please book the flight. The reason is a change of plan. Thank you!", true},
		{asked, "If that's the only option, then yes, please go ahead.", true},
		{asked, "Yes, that sounds good. Please go ahead and make the change.", true},
		{stated, "Please go ahead.", true},
		{stated, "Go ahead with that.", true},
		{stated, "Ok, great.", true},

		{asked, "Yes, and can you also add a bag?", false},
		{asked, "No, I would like an aisle seat.", false},
		{asked, "Book the one at nine.", false},
		{asked, "How long is the flight?", false},
		{asked, "Yes, please go ahead. Also, what is the baggage limit?", false},
		{asked, "That's good but I want a window seat", false},
		{asked, "Yes, proceed. Also, do I have other flights?", false},
		{stated, "Yes, please book it.", false},
		{offered, "Yes, I need a hotel in Oslo.", false},
		{offered, "I need a hotel in Oslo.", false},
		{offered, "Where is gate 4?", false},
		{stated, "Gate 4 or gate 5?", false},
		{stated, "Continue the story of the captain.", false},
		{stated, "The second flight of the day to Oslo.", false},
		{stated, "Cancel my flight HAT001.", false},
		{asked, "Cancel it and find a train.", false},
	} {
		if got := Replies(c.message, after(c.before)); got != c.want {
			t.Errorf("%q after %q: %t", c.message, c.before, got)
		}
	}
	if Replies("Yes, please go ahead.", nil) {
		t.Error("a first message replies")
	}
}
