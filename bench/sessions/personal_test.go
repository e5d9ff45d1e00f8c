package sessions

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPersonalData checks that clear forms of personal data are replaced, and that numbers
// that only look similar stay.
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

// TestPersonalForms checks further forms of personal data, including some with invisible
// characters, and other numbers that look like personal data.
func TestPersonalForms(t *testing.T) {
	for text, want := range map[string]string{
		"jo\u200be@exam\u200bple.org, joe@example.org": "<email-1>, <email-1>",
		"mail \u2060ann@example.com\u200b now":         "mail \u2060<email-1>\u200b now",
		"SSN 123-45\u200b-6789":                        "SSN <ssn-1>",
		"S\u00adSN 123456789":                          "S\u00adSN <ssn-1>",
		"call +44 20 79\u200d46 0958":                  "call <phone-1>",
		"pho\u200bne: 415\ufeff5550132":                "pho\u200bne: <phone-1>",
		"DE89 3704\u200b 0044 0532 0130 00":            "<iban-1>",
		`{"mail":"joe\\u200b@example.org"}`:            `{"mail":"<email-1>"}`,
		"Mail jane(at)example.com or jane@example.com": "Mail <email-1> or <email-1>",
		"jane [at] example [dot] com":                  "<email-1>",
		"Mail jane dot doe at example dot com.":        "Mail <email-1>.",
		`to "jane doe"@example.com`:                    "to <email-1>",
		"0044 20 7946 0958":                            "<phone-1>",
		"0049-30-1234567":                              "<phone-1>",
		"my number is 07946 095812":                    "my number is <phone-1>",
		"my number: (415) 555 0132":                    "my number: <phone-1>",
		"text him on 415.555.0132 please":              "text him on <phone-1> please",
		"mobile +49 (0)171 2345678":                    "mobile <phone-1>",
		"Handy 0171/2345678":                           "Handy <phone-1>",
		"my social is 123 45 6789":                     "my social is <ssn-1>",
		"iban de89 3704 0044 0532 0130 00":             "iban <iban-1>",
		"Tél. 01 23 45 67 89":                          "Tél. <phone-1>",
		"teléfono: 612 345 678":                        "teléfono: <phone-1>",
		"WhatsApp +4915112345678":                      "WhatsApp <phone-1>",
		"Fax (030) 1234567":                            "Fax <phone-1>",
	} {
		if got, _ := newPersonal(nil).replace(text); got != want {
			t.Errorf("%q became %q, not %q", text, got, want)
		}
	}
	for _, text := range []string{
		"price +44 000 000 dollars", "score 415-555-0132", "flight number +1 234 567 8901 km", "a range of +1 200 300 4000 km", "code: 415-555-0132", "id 219-09-9999",
		"my number of crates is 12", "my number is 42", "her number 3 is best", "my number is 1234567", "0012345678901", "00 12 34", "0.0044 20 7946",
		"between 2024-11-15 and 2024-11-20", "on 12.05.2026 at 10:30", "call me on 12.05.2026", "phone me at 2026-05-12 10:30", "15/11/2024 - 20/11/2024", "1700000000000", "2024-11-15T10:30:00Z",
		"version 1.2.3-45-6789", "v2.415.555.0132", "go1.22.3", "10.0.0.255", "192.168.100.200:8080", "fe80::1ff:fe23:4567:890a", "255.255.255.0",
		"order #123-45-6789", "order 415-555-0132-77", "booking 4155550132", "part no 123-45-6789", "tracking 1Z 999 AA1 01 2345 6784", "invoice: 415 555 0132",
		"isbn 978-3-16-148410-0", "ISBN 0306406152", "ISBN 978 0 306 40615 7", "$415,555,013", "€1.234.567,89", "USD 4155550132", "12 345 678 people", "3.1415926535",
		"lat +44.1234 lon +20.5678", "uuid 123e4567-e89b-12d3-a456-426614174000", "look at the dot on example com", "meet at noon dot", "use @ at (at) signs", "GB82WEST is the batch",
		"ab12 cdef 3456 7890 1234 5678", "call number 5551234 in the library", "the mobile unit 12345678 failed", "extension 1234567", "call f(123456789)",
	} {
		if got, _ := newPersonal(nil).replace(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// TestPersonalTasks checks that marks are consistent within a conversation, that a task
// whose answer repeats what was said stays answerable, and that an answer that the agent
// cannot know makes no task.
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
	if tasks, s := b.Tasks(); len(tasks) != 0 || s.LeftOut["the answer contains personal data that no earlier message contains"] != 1 {
		t.Errorf("%+v", s)
	}
	// A script does not provide personal data that only the agent's own earlier answers
	// stated.
	script := talk("I am ann@example.com, what is my number?", "It is +1 415 555 0132.", "And my address?", "ann@example.com", "Perfect, thanks!", "")
	b = newBuilder(t, Options{PerDomain: 10, Conversations: true})
	b.Add(script)
	tasks, s = b.Tasks()
	if len(tasks) != 1 || tasks[0].Turns[0].User != "I am <email-1>, what is my number?" || *tasks[0].Answer != "<email-1>" || s.Personal != 1 {
		t.Errorf("%+v, %+v", tasks, s)
	}
}

// TestPersonalDataOfRealConversations checks that in 200 real conversations only e-mail
// addresses are found, and that flight numbers, booking numbers, card numbers and numbers
// of days stay.
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
