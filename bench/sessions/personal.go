package sessions

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"evolve/runtime/scrub"
)

// personal replaces the personal data in one conversation, if the data has a clear form:
// e-mail addresses, phone numbers, US social security numbers and IBANs. Equal data gets
// equal marks, such as <email-1>, so that an answer still follows from the messages.
type personal struct {
	marks  map[string]string // keyed by kind and normal form
	counts map[string]int
}

// datum is one occurrence of personal data in a text.
type datum struct {
	start, end int
	kind       string
	normal     string
}

// newPersonal numbers the personal data of a conversation in the order of its messages,
// so that a longer log of the same conversation has the same marks.
func newPersonal(messages []Message) *personal {
	p := &personal{marks: map[string]string{}, counts: map[string]int{}}
	for _, m := range messages {
		p.replace(m.Text)
	}
	return p
}

// replace returns a text in which personal data is replaced by marks, and these marks.
func (p *personal) replace(text string) (out string, marks []string) {
	seen, place := scrub.Bare(text) // so that personal data is found even if it contains an invisible character
	found := personalData(seen)
	if len(found) == 0 {
		return text, nil
	}
	var b strings.Builder
	at := 0
	for _, d := range found {
		key := d.kind + " " + d.normal
		if p.marks[key] == "" {
			p.counts[d.kind]++
			p.marks[key] = fmt.Sprintf("<%s-%d>", d.kind, p.counts[d.kind])
		}
		start, end := place(d.start, d.end)
		b.WriteString(text[at:start] + p.marks[key])
		marks = append(marks, p.marks[key])
		at = end
	}
	b.WriteString(text[at:])
	return b.String(), marks
}

// fewest is the number of digits in the shortest number that is replaced.
const fewest = 7

var (
	email = regexp.MustCompile(`(?:"[^"\s@][^"\n@]{0,60}"|[\pL\pN._%+-]+)@(?:[\pL\pN-]+\.)+\pL{2,24}`)
	// spelled matches an e-mail address that is spelled out in words, which only people
	// recognise.
	spelled = regexp.MustCompile(`(?i)\b[\pL\pN._%+-]+(?:(?: dot [\pL\pN_-]+)* at (?:[\pL\pN-]+ dot )+(?:com|org|net|edu|gov|info|io|de|at|ch|fr|es|it|nl|uk)\b| ?[(\[{] ?at ?[)\]}] ?(?:[\pL\pN-]+(?:\.| ?[(\[{] ?dot ?[)\]}] ?))+\pL{2,24})`)
	// iban matches a possible IBAN, whose check digits are verified later; if it is in
	// lower case, the word IBAN must precede it.
	iban      = regexp.MustCompile(`(?i)[A-Z]{2}[0-9]{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?`)
	namedIBAN = regexp.MustCompile(`(?i)\biban\b[^\n]{0,12}$`)
	ssn       = regexp.MustCompile(`[0-9]{3}-[0-9]{2}-[0-9]{4}`)
	// international matches a phone number with its country code; american matches a phone
	// number with its area code, grouped as in North America; and named matches a number
	// after a word for a phone.
	international = regexp.MustCompile(`\+[1-9][0-9]{0,2}(?:[ .-]?(?:\([0-9]{1,5}\)|[0-9]{1,14})){1,6}`)
	dialled       = regexp.MustCompile(`00[1-9][0-9]{0,2}[ .-]?(?:[ .-]?(?:\([0-9]{1,5}\)|[0-9]{2,14})){2,6}`)
	american      = regexp.MustCompile(`(?:1[-. ])?(?:\([2-9][0-9]{2}\) ?[0-9]{3}[-. ][0-9]{4}|[2-9][0-9]{2}-[0-9]{3}-[0-9]{4}|[2-9][0-9]{2}\.[0-9]{3}\.[0-9]{4})`)
	named         = regexp.MustCompile(`(?i)(?:\b(?:tele)?(?:phone|fon)|\bt[eé]l(?:[eé]phone)?|\btel[eé]fono|\bm[oó]vil|\b(?:tel|mobile|cell ?phone|cell (?:number|no)|mobil|handy|fax|whatsapp|(?:call|text|phone|reach|ring) (?:me|us|him|her|them)))(?:[\s:.#="'*,]|\b(?:numbers?|nummer|num[eé]ro|no|nr|is|ist|est|es|at|on|under|unter|to|my|our|the|me|us)\b){1,24}(\(?[0-9](?:[ ()./-]{0,2}[0-9]){6,14})`)
	own           = regexp.MustCompile(`(?i)\b(?:my|our|his|her|their|home|work|office|contact) number(?: is|:| =)? ?(\(?[0-9](?:[ ()./-]{0,2}[0-9]){6,14})`)
	quantity      = regexp.MustCompile(`(?i)^ ?(?:dollars?|euros?|eur|usd|gbp|pounds?|yen|francs?|km|kg|miles?|met(?:er|re)s?|m|units?|people|users|percent|points?|times|bytes|rows|items|seconds|ms)\b`)
	numberedSSN   = regexp.MustCompile(`(?i)(?:\bssn|\bmy social|\bsocial security)(?:[\s:.#="'*,]|\b(?:numbers?|no|is)\b){1,24}([0-9]{3}[ -]?[0-9]{2}[ -]?[0-9]{4})`)
	// ordinal matches a word that marks the number after it as not personal, such as an
	// order number.
	ordinal = regexp.MustCompile(`(?i)\b(?:order|invoice|ticket|reference|ref|tracking|isbn|issn|case|serial|part|sku|model|item|booking|reservation|confirmation|version|release|build|rfc|doi|article|product|policy|po|bug|issue|flight|shipment|parcel|batch|lot|claim|score|id|code|price|cost|total|key|hash|port|checksum)(?:[\s:#.="'*(]|\b(?:numbers?|no|nr|id|code|is|was)\b){0,12}$`)
	date    = regexp.MustCompile(`^(?:(?:19|20)[0-9]{2}[-/. ]?[01]?[0-9][-/. ]?[0-3]?[0-9]\b|[0-3]?[0-9][-/.][01]?[0-9][-/.](?:19|20)[0-9]{2})`)
)

// pictures are the endings of file names such as icon@2x.png, which are not domains.
var pictures = []string{"png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "bmp", "avif"}

// personalData returns the personal data in a text, in order. It takes time linear in the
// length of the text.
func personalData(text string) []datum {
	var out []datum
	add := func(kind, normal string, start, end int) { out = append(out, datum{start, end, kind, normal}) }
	if strings.Contains(text, "@") {
		for _, at := range email.FindAllStringIndex(text, -1) {
			if start, ok := address(text, at[0], at[1]); ok {
				add("email", strings.ToLower(text[start:at[1]]), start, at[1])
			}
		}
	}
	for _, at := range spelled.FindAllStringIndex(text, -1) {
		if !strings.Contains(text[at[0]:at[1]], "@") {
			add("email", plainAddress(text[at[0]:at[1]]), at[0], at[1])
		}
	}
	if len(digits(text)) < fewest {
		return apart(out)
	}
	each := func(rule *regexp.Regexp, group int, kind string, ok func(start, end int) bool) {
		for _, at := range rule.FindAllStringSubmatchIndex(text, -1) {
			start, end := at[2*group], at[2*group+1]
			if alone(text, start, end) && ok(start, end) {
				add(kind, digits(text[start:end]), start, end)
			}
		}
	}
	for _, at := range iban.FindAllStringIndex(text, -1) {
		if lower := 'a' <= text[at[0]] && text[at[0]] <= 'z'; lower && !namedIBAN.MatchString(text[max(0, at[0]-20):at[0]]) {
			continue
		}
		if end := ibanEnd(text, at[0], at[1]); end > 0 {
			add("iban", strings.ToUpper(compact(text[at[0]:end])), at[0], end)
		}
	}
	unnamed := func(start int) bool { return !ordinal.MatchString(text[max(0, start-60):start]) }
	each(numberedSSN, 1, "ssn", func(int, int) bool { return true })
	each(ssn, 0, "ssn", func(start, end int) bool {
		d := digits(text[start:end])
		return d[:3] != "000" && d[:3] != "666" && d[0] != '9' && d[3:5] != "00" && d[5:] != "0000" && unnamed(start)
	})
	each(international, 0, "phone", func(start, end int) bool {
		n := len(digits(text[start:end]))
		return n >= 8 && n <= 15 && (n >= 10 || strings.ContainsAny(text[start:end], " .-()")) && unnamed(start) && !quantity.MatchString(text[end:])
	})
	each(dialled, 0, "phone", func(start, end int) bool {
		before := strings.TrimRight(text[:start], " -.")
		n := len(digits(text[start:end]))
		return (before == "" || !unicode.IsDigit(rune(before[len(before)-1]))) && n >= 11 && n <= 17 && strings.ContainsAny(text[start:end], " .-()") && unnamed(start) && !quantity.MatchString(text[end:])
	})
	each(own, 1, "phone", func(start, end int) bool {
		n := len(digits(text[start:end]))
		return n <= 15 && (n >= 10 || n >= 8 && text[start] == '0') && !date.MatchString(text[start:end])
	})
	each(american, 0, "phone", func(start, _ int) bool { return unnamed(start) })
	each(named, 1, "phone", func(start, end int) bool {
		n := len(digits(text[start:end]))
		return n >= fewest && n <= 15 && !date.MatchString(text[start:end]) && unnamed(start)
	})
	return apart(out)
}

// apart returns the data in order, without overlaps. If two rules found data at the same
// position, the first rule counts.
func apart(out []datum) []datum {
	slices.SortStableFunc(out, func(a, b datum) int { return a.start - b.start })
	kept := out[:0]
	for _, d := range out {
		if n := len(kept); n == 0 || d.start >= kept[n-1].end {
			kept = append(kept, d)
		}
	}
	return kept
}

// plainAddress returns the usual form of an e-mail address that is spelled out in words.
func plainAddress(s string) string {
	s = strings.NewReplacer("(", " ", ")", " ", "[", " ", "]", " ", "{", " ", "}", " ").Replace(strings.ToLower(s))
	s = strings.Join(strings.Fields(s), " ")
	return strings.NewReplacer(" dot ", ".", " at ", "@", " ", "").Replace(s)
}

// address examines a part of a text that looks like an e-mail address. It returns the
// position at which the address begins, and false if the part is the name of a picture, a
// git remote or a part of a URL.
func address(text string, start, end int) (int, bool) {
	for start < end && strings.IndexByte(".-%+", text[start]) >= 0 {
		start++
	}
	local, domain, _ := strings.Cut(text[start:end], "@")
	top := domain[strings.LastIndexByte(domain, '.')+1:]
	switch {
	case local == "", slices.Contains(pictures, strings.ToLower(top)):
		return 0, false
	case strings.HasSuffix(text[:start], "://"), strings.HasSuffix(text[:start], ":") && strings.Contains(text[max(0, start-60):start], "://"):
		return 0, false
	case local == "git", end+1 < len(text) && text[end] == ':' && text[end+1] != ' ' && text[end+1] != '\n' && strings.Contains(text[end:min(len(text), end+80)], "/"):
		return 0, false
	}
	return start, true
}

// alone reports whether text[start:end] is not part of a longer number or word.
func alone(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, size := utf8.DecodeRuneInString(text[end:])
	switch {
	case start > 0 && (wordy(before) || strings.ContainsRune("_-+/#$€£.", before)), end < len(text) && (wordy(after) || strings.ContainsRune("_/%", after)):
		return false
	case end < len(text) && strings.ContainsRune("-.,:+", after):
		next, _ := utf8.DecodeRuneInString(text[end+size:])
		return !unicode.IsDigit(next) && (after != '-' || !wordy(next))
	}
	return true
}

// ibanEnd returns the end of the IBAN at the beginning of text[start:end], which may
// include the words after it, or 0 if there is none.
func ibanEnd(text string, start, end int) int {
	if start > 0 && wordy(rune(text[start-1])) {
		return 0
	}
	for ; end > start; end-- {
		if last := text[end-1]; last == ' ' || last == '-' || end < len(text) && wordy(rune(text[end])) {
			continue
		}
		if s := strings.ToUpper(compact(text[start:end])); len(s) < 15 {
			return 0
		} else if ibanChecks(s) {
			return end
		}
	}
	return 0
}

// ibanChecks reports whether the check digits of an IBAN match its other characters (ISO
// 7064).
func ibanChecks(s string) bool {
	var b strings.Builder
	for _, r := range s[4:] + s[:4] {
		if unicode.IsDigit(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprint(&b, r-'A'+10)
		}
	}
	n, ok := new(big.Int).SetString(b.String(), 10)
	return ok && n.Mod(n, big.NewInt(97)).Int64() == 1
}

func compact(s string) string { return strings.NewReplacer(" ", "", "-", "").Replace(s) }

// digits returns the digits of a text.
func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, s)
}

// scrubbing removes credentials and personal data from the texts of a task, and notes whether
// there were any.
type scrubbing struct {
	scrub    func(string) string
	personal func() *personal // of the conversation
	// changed reports whether there were credentials, and named whether there was personal
	// data.
	changed, named bool
	// given holds the marks in the texts that the agent gets, and needed holds those in the
	// answers.
	given  map[string]bool
	needed []string
}

func newScrubbing(scrub func(string) string, messages []Message) *scrubbing {
	return &scrubbing{scrub: scrub, personal: sync.OnceValue(func() *personal { return newPersonal(messages) })}
}

// task returns a scrubbing for a task of the same conversation.
func (s *scrubbing) task() *scrubbing {
	return &scrubbing{scrub: s.scrub, personal: s.personal, given: map[string]bool{}}
}

// about returns a scrubbed text that the agent does not get, such as a text in the
// provenance.
func (s *scrubbing) about(text string) string {
	out, _ := s.marked(text)
	return out
}

// text returns a scrubbed text that the agent gets.
func (s *scrubbing) text(text string) string {
	out, marks := s.marked(text)
	for _, m := range marks {
		s.given[m] = true
	}
	return out
}

// answer returns a scrubbed answer, which the agent does not get.
func (s *scrubbing) answer(text string) string {
	out, marks := s.marked(text)
	s.needed = append(s.needed, marks...)
	return out
}

func (s *scrubbing) marked(text string) (out string, marks []string) {
	clean := s.scrub(text)
	s.changed = s.changed || clean != text
	out, marks = s.personal().replace(clean)
	s.named = s.named || len(marks) > 0
	return out, marks
}

// told reports whether the texts that the agent gets contain all personal data of an
// answer.
func (s *scrubbing) told(answer string) bool {
	_, marks := s.personal().replace(answer)
	return !slices.ContainsFunc(marks, func(m string) bool { return !s.given[m] })
}

// untold reports whether an answer contains personal data that the agent was not given.
// The agent therefore cannot know the mark that replaces this data.
func (s *scrubbing) untold() bool {
	return slices.ContainsFunc(s.needed, func(m string) bool { return !s.given[m] })
}
