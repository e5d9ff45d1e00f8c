package grade

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// numberSlack is the relative difference below which two numbers are equal; it allows for
// the printed form of 0.1+0.2.
const numberSlack = 1e-9

// numeric passes when the number in the answer differs from one of the accepted numbers by
// at most the larger of tolerance (absolute) and relative (a share of the accepted number);
// by default they must be equal up to the ninth digit. The number is the last one in the
// text, or the first with "pick": "first"; [findNumbers] defines numbers. A percent sign is
// ignored, unless "percent" is true: then 12 % stands for 0.12, in answer and reference
// alike.
func numeric(b *builder) scorer {
	tolerance := b.number("tolerance", 0, 0, math.MaxFloat64)
	relative := b.number("relative", 0, 0, 1)
	percent := b.flag("percent")
	first := false
	if b.has("pick") {
		switch pick := b.text("pick"); pick {
		case "first":
			first = true
		case "last", "":
		default:
			b.problem("pick", `%q must be "first" or "last"`, "pick")
		}
	}
	accepted := numbersOf(b, first, percent)
	return onAnswer(func(answer string) judgement {
		got, ok := pickNumber(answer, first, percent)
		if !ok {
			return judgement{reason: "there is no number in the answer", void: true}
		}
		for _, want := range accepted {
			if math.Abs(got-want) <= max(tolerance, relative*math.Abs(want), numberSlack*math.Abs(want)) {
				return yes(true, "is %v", got)
			}
		}
		if len(accepted) == 1 {
			return yes(false, "is %v, not %v", got, accepted[0])
		}
		return yes(false, "is %v, which is not one of the %d accepted numbers", got, len(accepted))
	})
}

// numbersOf reads the accepted numbers: "answer" is a number, a text that contains one, or
// a list of either; without it, the task's answer is used.
func numbersOf(b *builder, first, percent bool) []float64 {
	var texts []string
	var list []json.RawMessage
	raw := b.fields["answer"]
	switch {
	case !b.has("answer"):
		texts = b.answers()
	case json.Unmarshal(raw, &list) == nil:
		if len(list) == 0 || len(list) > maxReferences {
			b.problem("answer", "%q must have 1 to %d numbers", "answer", maxReferences)
		}
	default:
		list = []json.RawMessage{raw}
	}
	for _, item := range list {
		var text string
		var number json.Number
		if item[0] == '"' && json.Unmarshal(item, &text) == nil {
			texts = append(texts, text)
		} else if item[0] != '"' && json.Unmarshal(item, &number) == nil {
			texts = append(texts, number.String())
		} else {
			texts = append(texts, "")
		}
	}
	var numbers []float64
	for _, text := range texts {
		n, ok := pickNumber(text, first, percent)
		if !ok || math.IsInf(n, 0) {
			b.problem("answer", "%s is not a number", show(text))
			continue
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// pickNumber returns the last or the first number of a text.
func pickNumber(text string, first, percent bool) (value float64, ok bool) {
	findNumbers(text, func(n number) bool {
		value, ok = n.value, true
		if percent && n.percent {
			value /= 100
		}
		return !first
	})
	return value, ok
}

type number struct {
	value   float64 // possibly infinite, never NaN
	percent bool
}

// findNumbers calls yield for each number in a text until yield returns false. A number
// is a run of the digits 0–9, not directly after a letter or an underscore, with
//   - a sign before it (-, +, or the minus U+2212), also before a currency sign,
//     unless the sign stands directly after a letter, a digit or a closing bracket,
//     as in 3-5;
//   - groups of exactly three digits after one to three leading ones, separated by one kind of
//     separator: comma, apostrophe, underscore, no-break, thin or narrow space. 1,234 is always
//     1234, and 1,5 is two numbers;
//   - a decimal point with digits after it (or before it only, as in .5);
//   - an exponent such as e5 or E-3;
//   - a percent sign after it.
//
// Fractions such as 3/4, words, infinities and NaN are not numbers.
func findNumbers(text string, yield func(number) bool) {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case isDigit(r), r == '.' && i+1 < len(text) && isDigit(rune(text[i+1])):
			n, end := readNumber(text, i)
			if !yield(n) {
				return
			}
			i = end
		case unicode.IsLetter(r), r == '_':
			// A digit inside a word is part of the word.
			for i < len(text) && (unicode.IsLetter(r) || isDigit(r) || r == '_') {
				i += size
				r, size = utf8.DecodeRuneInString(text[i:])
			}
		default:
			i += size
		}
	}
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func digits(text string, i int) int {
	for i < len(text) && isDigit(rune(text[i])) {
		i++
	}
	return i
}

// readNumber reads the number whose first digit or point is at start.
func readNumber(text string, start int) (n number, end int) {
	var b strings.Builder
	if negative(text[:start]) {
		b.WriteByte('-')
	}
	i := digits(text, start)
	b.WriteString(text[start:i])
	if lead := i - start; lead >= 1 && lead <= 3 {
		i = readGroups(text, i, &b)
	}
	if i+1 < len(text) && text[i] == '.' && isDigit(rune(text[i+1])) {
		j := digits(text, i+1)
		b.WriteString(text[i:j])
		i = j
	}
	if j := exponent(text, i); j > i {
		b.WriteString(strings.Replace(text[i:j], "\u2212", "-", 1))
		i = j
	}
	// A range error gives an infinity, which is not near any number.
	n.value, _ = strconv.ParseFloat(b.String(), 64)
	rest := strings.TrimLeft(text[i:], " \u00a0\u202f\u2009")
	n.percent = strings.HasPrefix(rest, "%")
	return n, i
}

// readGroups appends to b the groups of three digits at i, each of which follows a
// separator of the same kind, and returns the end of the last group.
func readGroups(text string, i int, b *strings.Builder) int {
	var kind rune
	for i < len(text) {
		sep, size := utf8.DecodeRuneInString(text[i:])
		if !strings.ContainsRune(",'_\u2019\u00a0\u2009\u202f", sep) || kind != 0 && sep != kind {
			break
		}
		if digits(text, i+size) != i+size+3 {
			break
		}
		kind = sep
		b.WriteString(text[i+size : i+size+3])
		i += size + 3
	}
	return i
}

// exponent returns the end of an exponent at i, or i if there is none.
func exponent(text string, i int) int {
	if i >= len(text) || text[i] != 'e' && text[i] != 'E' {
		return i
	}
	j := i + 1
	for _, sign := range []string{"+", "-", "\u2212"} {
		if strings.HasPrefix(text[j:], sign) {
			j += len(sign)
			break
		}
	}
	end := digits(text, j)
	if end == j {
		return i
	}
	if r, _ := utf8.DecodeRuneInString(text[end:]); end < len(text) && (unicode.IsLetter(r) || r == '_') {
		return i
	}
	return end
}

// negative reports whether the text before a number ends in a minus sign that belongs to
// the number.
func negative(before string) bool {
	r, size := utf8.DecodeLastRuneInString(before)
	if unicode.Is(unicode.Sc, r) {
		before = before[:len(before)-size]
		r, size = utf8.DecodeLastRuneInString(before)
	}
	if r != '-' && r != '\u2212' {
		return false
	}
	prev, _ := utf8.DecodeLastRuneInString(before[:len(before)-size])
	return !unicode.IsLetter(prev) && !unicode.IsDigit(prev) && !strings.ContainsRune(")]}%", prev)
}
