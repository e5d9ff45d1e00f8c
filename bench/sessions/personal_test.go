package sessions

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPersonalData: clear forms are replaced, and numbers that only look alike stay.
func TestPersonalData(t *testing.T) {
	for text, want := range map[string]string{
		"Write to ann.lee+x@mail.example.co.uk.":                "Write to <email-1>.",
		"a@b.com, A@B.com and c@d.org":                          "<email-1>, <email-1> and <email-2>",
		"mailto:jörg@müller.de>":                                "mailto:<email-1>>",
		"Call +1 (415) 555-0132 or +44 20 7946 0958.":           "Call <phone-1> or <phone-2>.",
		"+4917012345678":                                        "<phone-1>",
		"(415) 555-0132, 415-555-0132, 415.555.0132":            "<phone-1>, <phone-1>, <phone-1>",
		"1-415-555-0132":                                        "<phone-1>",
		"my phone number is 415 555 0132":                       "my phone number is <phone-1>",
		"Tel.: 0171 2345678":                                    "Tel.: <phone-1>",
		"call me at 5551234567 please":                          "call me at <phone-1> please",
		"SSN 123-45-6789, my ssn is 123456789":                  "SSN <ssn-1>, my ssn is <ssn-1>",
		"it is 219-09-9999.":                                    "it is <ssn-1>.",
		"IBAN DE89 3704 0044 0532 0130 00 at the bank":          "IBAN <iban-1> at the bank",
		"GB82WEST12345698765432":                                "<iban-1>",
		`{"email":"ann@example.com","phone":"+1-415-555-0132"}`: `{"email":"<email-1>","phone":"<phone-1>"}`,
	} {
		if got, _ := newPersonal(nil).replace(text); got != want {
			t.Errorf("%q became %q, not %q", text, got, want)
		}
	}
	for _, text := range []string{
		"order 415-555-0132", "Order number: 219-09-9999", "invoice no. 415-555-0132", "tracking 1Z999AA10123456784", "order #W1234567", "PO 219-09-9999",
		"2026-11-23", "23.11.2026", "2026-11-23T10:00:00+01:00", "11/23/2026", "call me on 2026-11-23", "call me at 10:30", "20261123", "2026-11-23 10:15:30",
		"$1,234,567.89", "€ 415.555", "1 000 000", "200 300 4000", "3.14159265358979", "10.0.0.1", "192.168.100.1000", "v1.22.333", "2.0.0-rc.1+20261123",
		"ISBN 978-3-16-148410-0", "ISBN-10: 0-306-40615-2", "978-0306406157", "ISSN 1234-5678", "4111 1111",
		"mia_li_3668", "ZFA04Y", "HAT123", "credit_card_4421486", "certificate_7504069", "gift_card_8887175", "flight HAT001 at 20:15", "user sara_doe_496",
		"git@github.com:acme/depot.git", "ssh://git@github.com/acme", "https://ann@host.example.com/x", "icon@2x.png", "pkg@1.2.3", "@decorator.route", "user@localhost",
		"DE89 3704 0044 0532 0130 01", "AB12CDEF34567890", "000-12-3456", "666-12-3456", "123-00-4567", "1234-567-8901", "415-555-01329", "x415-555-0132",
		"+5", "+100000", "+2 %", "+12345678", "phone 3310", "the phone costs 1200", "a mobile plan of 20 GB", "cell 1234567", "telephone exchange 12",
		"550e8400-e29b-41d4-a716-446655440000", "sha 3f786850e387550fdab836ed7e6dc881de23001b", "latitude 59.9138688, 10.7522454", "123-456-7890",
	} {
		if got, _ := newPersonal(nil).replace(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// TestPersonalTasks: marks are consistent in a conversation, an answer that repeats what was
// said stays answerable, and one that the agent cannot know makes no task.
func TestPersonalTasks(t *testing.T) {
	c := talk("My address is ann@example.com, and Bob has bob@example.com.", "Noted, ann@example.com.", "To which address do you send the bill of Ann?", "To ANN@example.com.", "Perfect, thanks!", "")
	c.ID, c.Messages[3].Verdict = "ann@example.com", Verdict{Given: true, Approved: true, How: "approved", By: "kim@example.com"}
	b := newBuilder(t, Options{PerDomain: 10})
	b.Add(c)
	tasks, s := b.Tasks()
	if len(tasks) != 1 || s.Personal != 1 || s.Scrubbed != 0 {
		t.Fatalf("%+v", s)
	}
	task := tasks[0]
	got := []string{task.Fixtures.Turns[0].Content, task.Fixtures.Turns[1].Content, *task.Answer, string(task.Graders[0].Raw), task.Source.Session, task.Source.Author}
	want := []string{"My address is <email-1>, and Bob has <email-2>.", "Noted, <email-1>.", "To <email-1>.", `{"answer":["To <email-1>","To <email-1>."],"ignore_case":true,"type":"exact"}`, "<email-1>", "<email-3>"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	unknown := talk("What is the phone number of the depot?", "It is +1 415 555 0132.", "Perfect, thanks!", "")
	b = newBuilder(t, Options{PerDomain: 10})
	b.Add(unknown)
	if tasks, s := b.Tasks(); len(tasks) != 0 || s.LeftOut["the answer has personal data that no message before it has"] != 1 {
		t.Errorf("%+v", s)
	}
	// In a script, what the agent told itself on the way is not given.
	script := talk("I am ann@example.com, what is my number?", "It is +1 415 555 0132.", "And my address?", "ann@example.com", "Perfect, thanks!", "")
	b = newBuilder(t, Options{PerDomain: 10, Conversations: true})
	b.Add(script)
	tasks, s = b.Tasks()
	if len(tasks) != 1 || tasks[0].Turns[0].User != "I am <email-1>, what is my number?" || *tasks[0].Answer != "<email-1>" || s.Personal != 1 {
		t.Errorf("%+v, %+v", tasks, s)
	}
}

// TestPersonalDataOfRealConversations: of 200 real conversations, addresses of e-mail alone
// are found; numbers of flights, bookings, cards and days stay.
func TestPersonalDataOfRealConversations(t *testing.T) {
	data := realData("tau-airline-gpt-4o.json")
	if data == nil {
		t.Skip("the real data is not on this machine: set EVOLVE_SHARED_DATA to the folder that has it")
	}
	found := map[string]int{}
	_, err := Read(bytes.NewReader(data), ReadOptions{Name: "tau"}, func(c Conversation) {
		for _, m := range c.Messages {
			for _, d := range personalData(m.Text) {
				found[d.kind]++
			}
		}
	})
	if diff := cmp.Diff(map[string]int{"email": 7}, found); diff != "" || err != nil {
		t.Error(err, diff)
	}
}
