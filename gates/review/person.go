package review

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"evolve/patch"
	"evolve/runtime/scrub"
	"evolve/runtime/text"
)

// maxPerson is the maximum length of a person's name and mail address, in runes.
const maxPerson = 200

// ParsePerson parses "Name" or "Name <mail>", which becomes a commit's author and a line in
// its message. The name must contain a letter or a digit, and the mail must have text on
// both sides of an @. Neither may contain invisible characters or text that looks like a
// credential.
func ParsePerson(by string) (patch.Person, error) {
	const hint = "name yourself with --by \"Name <mail>\", or set git's user.name"
	name, email, given := strings.Cut(by, "<")
	email, closed := strings.CutSuffix(strings.TrimSpace(email), ">")
	p := patch.Person{Name: strings.TrimSpace(name), Email: strings.TrimSpace(email)}
	odd := func(r rune) bool { return !text.Shown(r) || r == '<' || r == '>' }
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	host := strings.LastIndexByte(p.Email, '@')
	switch {
	case !strings.ContainsFunc(p.Name, word), strings.ContainsFunc(p.Name, odd), strings.ContainsFunc(p.Email, odd), !utf8.ValidString(by):
		return p, Refuse(hint, "a decision needs the name of a person")
	case given && (!closed || host <= 0 || host == len(p.Email)-1 || strings.ContainsFunc(p.Email, unicode.IsSpace)):
		return p, Refuse(hint, "the e-mail address of %s is not valid", p.Name)
	case utf8.RuneCountInString(by) > maxPerson:
		return p, Refuse(hint, "the name is longer than %d characters", maxPerson)
	case scrub.New(nil).Flags(by):
		return p, Refuse(hint, "the name contains what looks like a credential")
	}
	return p, nil
}

// Discreet refuses reasons with text that looks like a credential, because the ledger and
// commits retain them forever.
func Discreet(reasons ...string) error {
	scrubber := scrub.New(nil)
	for _, r := range reasons {
		if scrubber.Flags(r) {
			return Refuse("leave the credential out of the reason", "the reason contains what looks like a credential: the ledger and the commit would keep it for ever")
		}
	}
	return nil
}
