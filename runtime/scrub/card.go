package scrub

import "strings"

// cardTriggers returns a trigger for each digit with which a payment card number may begin.
func cardTriggers() []trigger {
	var all []trigger
	for _, first := range []string{"2", "3", "4", "5", "6"} {
		all = append(all, trigger{first, card})
	}
	return all
}

// maxCard is the maximum length of a card number, including separators.
const maxCard = 19 + 4

// card removes a payment card number if its first digits and its length match an issuer,
// its check digit is right, and its groups all have the same separator. A number without
// groups counts only if a word for a card precedes it, because other numbers can have the
// same length.
func card(s *scan, start, _ int) {
	if start > 0 && (word.has(s.text[start-1]) || strings.IndexByte(".-+/", s.text[start-1]) >= 0) {
		return
	}
	var digits []byte
	var groups []int
	separator, end := byte(0), start
	for i := start; i < len(s.text) && i-start < maxCard+1; i++ {
		b := s.text[i]
		switch {
		case '0' <= b && b <= '9':
			if i == start || s.text[i-1] == separator {
				groups = append(groups, 0)
			}
			groups[len(groups)-1]++
			digits, end = append(digits, b), i+1
			continue
		case (b == ' ' || b == '-') && (separator == 0 || separator == b) && digit.has(s.text[i-1]) && i+1 < len(s.text) && digit.has(s.text[i+1]):
			separator = b
			continue
		}
		break
	}
	if end < len(s.text) && (word.has(s.text[end]) || s.text[end] == '.' && end+1 < len(s.text) && digit.has(s.text[end+1])) {
		return
	}
	if !issued(string(digits)) || !checks(digits) {
		return
	}
	if separator == 0 && !cardNamed(lowered(s.text[max(0, start-48):start])) || separator != 0 && !grouped(groups) {
		return
	}
	s.remove(start, end)
}

// issued reports whether digits have the prefix and the length of an issuer's card
// numbers.
func issued(d string) bool {
	if len(d) < 13 || len(d) > 19 {
		return false
	}
	two, four := d[:2], d[:4]
	switch {
	case d[0] == '4':
		return len(d) == 13 || len(d) == 16 || len(d) == 19
	case "51" <= two && two <= "55", "2221" <= four && four <= "2720":
		return len(d) == 16
	case two == "34" || two == "37":
		return len(d) == 15
	case two == "36" || two == "38" || "300" <= d[:3] && d[:3] <= "305":
		return len(d) == 14
	case "3528" <= four && four <= "3589", two == "65", two == "62", four == "6011", "644" <= d[:3] && d[:3] <= "649":
		return len(d) >= 16
	}
	return false
}

// checks reports whether the last digit is the check digit for the other digits (Luhn).
func checks(digits []byte) bool {
	sum := 0
	for i := range digits {
		n := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	return sum%10 == 0
}

// grouped reports whether groups of digits have the lengths of the groups that are printed
// on cards.
func grouped(n []int) bool {
	switch {
	case len(n) == 3:
		return n[0] == 4 && n[1] == 6 && (n[2] == 5 || n[2] == 4)
	case len(n) < 4 || len(n) > 5:
		return false
	}
	for _, g := range n[:len(n)-1] {
		if g != 4 {
			return false
		}
	}
	return n[len(n)-1] <= 4
}

// cardNamed reports whether a text names a payment card.
func cardNamed(text string) bool {
	for _, name := range []string{"card", "visa", "amex", "credit", "debit", "maestro", "pan:", "pan ", "karte", "carte", "tarjeta"} {
		if strings.Contains(text, name) {
			return true
		}
	}
	return false
}
