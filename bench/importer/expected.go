package importer

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// expected returns the variables of promptfoo tests that hold the answer. A variable
// holds the answer if an assertion names it, if it equals the expected text in every
// test, or if it has the usual name of an answer and contains an answer. If all variables
// of a file hold the answer, expected returns none, because the tests expect the agent to
// echo its input.
func (p *promptfoo) expected(tests []*yaml.Node) []string {
	seen := map[string]*variable{}
	asked := map[string]bool{} // every expected answer in the file
	var order []string
	for _, item := range tests {
		n := resolve(item)
		vars, names, err := p.vars(n)
		if err != nil {
			continue
		}
		places, answers := p.answers(n, vars)
		for _, a := range answers {
			asked[a] = true
		}
		for _, name := range names {
			v := seen[name]
			if v == nil {
				v = &variable{always: true}
				seen[name], order = v, append(order, name)
			}
			v.named = v.named || slices.Contains(places, name)
			if value := plainText(vars[name]); len(answers) > 0 {
				v.tests++
				v.always = v.always && slices.Contains(answers, value)
				v.held = v.held || slices.ContainsFunc(answers, func(a string) bool { return strings.Contains(value, a) })
			}
		}
	}
	told := slices.DeleteFunc(slices.Clone(order), func(name string) bool {
		v := seen[name]
		always := v.always && v.tests > 1 && len(asked) > 1
		return !v.named && !always && !(v.held && slices.Contains(answerNames, strings.ToLower(name)))
	})
	if len(told) == len(order) {
		return nil
	}
	return told
}

// variable describes the use of a variable in the assertions of a file.
type variable struct {
	named, held, always bool
	tests               int // that expect a text
}

// answers returns the variables that the assertions of a test name, and the texts that
// they expect. A variable in an assertion that cannot be converted counts only if the
// variable is the whole value, because the comparison that the assertion makes is
// unknown.
func (p *promptfoo) answers(test *yaml.Node, vars map[string]string) (names, texts []string) {
	for _, a := range p.asserts(test) {
		typ := field(a, "type")
		if !isText(typ) || strings.HasPrefix(typ.Value, "not-") {
			continue
		}
		value := field(a, "value")
		list := []*yaml.Node{value}
		if value != nil && value.Kind == yaml.SequenceNode {
			list = value.Content
		}
		_, err := assertion(a, vars)
		if judged(typ.Value) {
			err = errRubric
		}
		for _, v := range list {
			if v = resolve(v); !isScalar(v) {
				continue
			}
			for _, place := range anyPlace.FindAllStringSubmatch(v.Value, -1) {
				if err == nil || place[0] == strings.TrimSpace(v.Value) {
					names = append(names, place[1])
				}
			}
			if text, fault := fill(v.Value, vars); err == nil && fault == nil && plainText(text) != "" {
				texts = append(texts, plainText(text))
			}
		}
	}
	return names, texts
}

// errRubric marks an assertion with a rubric, which expects no particular text.
var errRubric = errors.New("a rubric")

// anyPlace matches a placeholder in a template, with or without filters.
var anyPlace = regexp.MustCompile(`\{\{-?\s*(?:vars\.)?([\pL_][\pL\d_]*)[^{}]*\}\}`)

// plainText normalizes case and spacing.
func plainText(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
