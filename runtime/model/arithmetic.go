package model

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"evolve/runtime/tool"
)

// rewrites replace words with the calculator's operators, in this order.
var rewrites = []struct {
	from *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`(\d),(\d{3})\b`), "$1$2"},
	{regexp.MustCompile(`(\d),(\d{3})\b`), "$1$2"}, // again, for the second comma in a number
	{regexp.MustCompile(`[€$£](\d)`), "$1"},
	{regexp.MustCompile(`\b(\d+(?:\.\d+)?) [a-z]+(?: [a-z]+)? at (\d+(?:\.\d+)?) each\b`), "($1 * $2)"},
	{regexp.MustCompile(`\b(?:increase|raise) (\d+(?:\.\d+)?) by (\d+(?:\.\d+)?) ?(?:%|percent)`), "($1 * (1 + $2 / 100))"},
	{regexp.MustCompile(`\b(?:decrease|reduce|discount|lower) (\d+(?:\.\d+)?) by (\d+(?:\.\d+)?) ?(?:%|percent)`), "($1 * (1 - $2 / 100))"},
	{regexp.MustCompile(`\bsquare root of (\d+(?:\.\d+)?)`), "sqrt($1)"},
	{regexp.MustCompile(`\b(?:average|mean) of (\d[\d., ]*(?:,? and \d[\d.]*))`), "avg[$1]"},
	{regexp.MustCompile(`\b(?:sum|total) of (\d[\d., ]*(?:,? and \d[\d.]*))`), "sum[$1]"},
	{regexp.MustCompile(`\bproduct of (\d+(?:\.\d+)?) and (\d+(?:\.\d+)?)`), "($1 * $2)"},
	{regexp.MustCompile(`\bdifference between (\d+(?:\.\d+)?) and (\d+(?:\.\d+)?)`), "abs($1 - $2)"},
	{regexp.MustCompile(`\b(?:to the power of)\b`), "^"},
	{regexp.MustCompile(`(\d) squared\b`), "$1 ^ 2"},
	{regexp.MustCompile(`\bplus\b`), "+"},
	{regexp.MustCompile(`\bminus\b`), "-"},
	{regexp.MustCompile(`\b(?:multiplied by|times)\b`), "*"},
	{regexp.MustCompile(`\bdivided by\b`), "/"},
	{regexp.MustCompile(` ?\bpercent\b`), "%"},
	{regexp.MustCompile(`\bhalf of (\d)`), "0.5 * $1"},
	{regexp.MustCompile(`\btwice (\d)`), "2 * $1"},
	{regexp.MustCompile(`(\d) ?x ?(\d)`), "$1 * $2"},
}

var (
	listOf   = regexp.MustCompile(`\b(avg|sum)\[([^\]]*)\]`)
	exprRun  = regexp.MustCompile(`(?:(?:sqrt|avg|sum|abs|min|max|round|floor|ceil|ln|log|exp)\(|\bof\b|[-+*/^%().,\s]|\d+(?:\.\d+)?)+`)
	hasValue = regexp.MustCompile(`\d`)
	operates = regexp.MustCompile(`\d\s*[)%]*\s*(?:[-+*/^]|% of)\s*[-(]*\s*(?:\d|sqrt|abs|avg|sum)|(?:sqrt|avg|sum|abs|min|max|round|floor|ceil|ln|log|exp)\(`)
)

// expression returns the arithmetic expression in a goal and reports whether the goal
// contains little else.
func (q *question) expression() (expr string, pure bool) {
	if !strings.ContainsAny(q.lower, "0123456789") {
		return "", false
	}
	text := isoDate.ReplaceAllString(q.lower, " date ")
	for _, r := range rewrites {
		text = r.from.ReplaceAllString(text, r.to)
	}
	text = listOf.ReplaceAllStringFunc(text, func(s string) string {
		m := listOf.FindStringSubmatch(s)
		return m[1] + "(" + strings.Join(aNumber.FindAllString(strings.ReplaceAll(m[2], ",", " , "), -1), ",") + ")"
	})
	best := ""
	for _, run := range exprRun.FindAllString(text, 20) {
		run = trimExpression(run)
		if len(run) <= len(best) || !operates.MatchString(run) {
			continue
		}
		if _, err := tool.Evaluate(run); err == nil {
			best = run
		}
	}
	if best == "" {
		return "", false
	}
	left := 0
	for _, w := range q.raw {
		if !hasValue.MatchString(w) && !operation(w) {
			left++
		}
	}
	return best, left <= 2
}

// trimExpression removes fragments of the surrounding sentence from both ends of a run of
// numbers and operators.
func trimExpression(run string) string {
	for {
		before := run
		run = strings.TrimSpace(run)
		run = strings.TrimRight(run, "+-*/^.,( ")
		run = strings.TrimSuffix(run, "of")
		run = strings.TrimLeft(run, "+*/^.,%) ")
		run = strings.TrimPrefix(run, "of ")
		for strings.Count(run, ")") > strings.Count(run, "(") && strings.HasSuffix(run, ")") {
			run = run[:len(run)-1]
		}
		for strings.Count(run, "(") > strings.Count(run, ")") && strings.HasPrefix(run, "(") {
			run = run[1:]
		}
		if run == before {
			return run
		}
	}
}

func operation(word string) bool {
	switch word {
	case "plus", "minus", "times", "multiplied", "divided", "percent", "squared", "square", "root", "power",
		"product", "difference", "between", "half", "twice", "calculate", "compute", "work", "out", "result",
		"increase", "increased", "decrease", "decreased", "reduce", "reduced", "discount", "raise", "equals", "units":
		return true
	}
	return false
}

var headToken = regexp.MustCompile(`\d+(?:\.\d+)?|[-+*/^%]|of`)

// mentalArithmetic evaluates an expression imprecisely: strictly from left to right,
// ignoring parentheses, and truncating intermediate results to whole numbers.
func mentalArithmetic(expr string) string {
	acc, op, first := 0.0, "+", true
	tokens := headToken.FindAllString(strings.ToLower(expr), 2000)
	for i := 0; i < len(tokens); i++ {
		v, err := strconv.ParseFloat(tokens[i], 64)
		if err != nil {
			if tokens[i] == "of" {
				op = "*"
			} else if tokens[i] != "%" {
				op = tokens[i]
			}
			continue
		}
		percent := i+1 < len(tokens) && tokens[i+1] == "%"
		switch {
		case percent:
			v /= 100
		default:
			v = math.Trunc(v)
		}
		if first {
			acc, first = v, false
			continue
		}
		switch op {
		case "+":
			acc += v
		case "-":
			acc -= v
		case "*":
			acc *= v
		case "^":
			acc = math.Pow(acc, v)
		case "/":
			if v != 0 {
				acc /= v
			}
		}
		acc = math.Trunc(acc)
	}
	if math.IsNaN(acc) || math.IsInf(acc, 0) {
		return "0"
	}
	return tool.FormatNumber(acc)
}
