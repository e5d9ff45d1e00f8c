package importer

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"evolve/bench"
	"evolve/runtime/agent"
)

// maxYAML limits the size of a YAML file, in bytes.
const maxYAML = 32 << 20

// readPromptfoo reads the tests of a promptfoo configuration, a list or table that
// contains only tests, or the results of an evaluation. A goal is the first prompt with
// the test's variables substituted for {{name}}; without prompts it is the variables
// themselves, except those that hold the answer. No other template syntax is evaluated,
// and assertions that need a file or a function are left out; assertions that use a model
// become judges.
func readPromptfoo(c *collector, data []byte) error {
	if len(data) > maxYAML {
		return fmt.Errorf("the file is larger than %d MB", maxYAML>>20)
	}
	p := promptfoo{c: c}
	root, err := c.promptfooDocument(data)
	if err != nil {
		return err
	}
	if results, ok := outputOf(root); ok && field(root, "tests") == nil {
		countKeys(c.results, "", root, "results")
		countKeys(c.results, "", field(root, "results"), "results")
		return p.output(results)
	}
	tests := root
	if root.Kind == yaml.MappingNode {
		tests = field(root, "tests")
		c.unreadKeys("", root, "tests", "prompts", "defaultTest", "scenarios")
		p.prompt = c.firstPrompt(field(root, "prompts"))
		p.common = field(root, "defaultTest")
		if isText(p.common) {
			c.note(p.common.Line, "defaultTest names a file, which is not read")
		}
		if other := field(root, "scenarios"); other != nil {
			c.note(other.Line, "scenarios are left out")
		}
	}
	if tests == nil || tests.Kind != yaml.SequenceNode {
		return errors.New("the file contains no list of tests; files that it refers to are not read")
	}
	p.holding(tests.Content)
	c.unreadKeys("defaultTest.", p.common, "vars", "assert")
	for i, item := range tests.Content {
		test := resolve(item)
		if err := p.test(test, i+1); err != nil {
			c.note(test.Line, "test %d left out: %v", i+1, err)
		}
	}
	return nil
}

// promptfooDocument parses a file into one document. The file may be YAML, JSON, JSON
// lines (read as one list) or a table (read as a list of tests).
func (c *collector) promptfooDocument(data []byte) (*yaml.Node, error) {
	if isTestTable(data) {
		return c.testTable(data)
	}
	var doc yaml.Node
	if err := yaml.Load(joined(data), &doc); err != nil {
		return nil, fmt.Errorf("the file is not valid YAML: %s", show(strings.Join(strings.Fields(err.Error()), " ")))
	}
	return resolve(&doc), nil
}

type promptfoo struct {
	c      *collector
	prompt string
	// sent is the prompt of a result as it was sent, instead of a prompt with placeholders.
	sent   string
	common *yaml.Node
	// hidden are the variables left out of goals that consist of variables.
	hidden []string
}

// holding hides the variables that hold the answer, in goals that consist of variables.
// It does not change a prompt, but adds a note if the prompt contains such a variable.
func (p *promptfoo) holding(tests []*yaml.Node) {
	expected := p.expected(tests)
	if p.prompt == "" {
		p.hidden = expected
	}
	for _, name := range expected {
		switch {
		case p.prompt == "":
			p.c.note(0, "the variable %s is left out of every goal, because it contains the expected answer; to control what agents see, add a prompt to the file", show("vars."+name))
		case slices.Contains(placesOf(p.prompt), name):
			p.c.note(0, "the prompt shows agents the variable %s, which contains the expected answer", show("vars."+name))
		}
	}
}

// asserts returns the common assertions and those of a test.
func (p *promptfoo) asserts(test *yaml.Node) []*yaml.Node {
	var out []*yaml.Node
	for _, a := range slices.Concat(items(field(p.common, "assert")), items(field(test, "assert"))) {
		out = append(out, resolve(a))
	}
	return out
}

// placesOf returns the names of the variables in the placeholders of a template.
func placesOf(template string) []string {
	var names []string
	for _, place := range placeholder.FindAllStringSubmatch(template, -1) {
		names = append(names, place[1])
	}
	return names
}

// firstPrompt returns the first prompt that is given in the file itself.
func (c *collector) firstPrompt(prompts *yaml.Node) string {
	if prompts == nil {
		return ""
	}
	list := []*yaml.Node{prompts}
	if prompts.Kind == yaml.SequenceNode {
		list = prompts.Content
	}
	found := ""
	for _, n := range list {
		n = resolve(n)
		if n.Kind == yaml.MappingNode {
			c.unreadKeys("prompts.", n, "raw")
			if n = field(n, "raw"); n == nil {
				continue
			}
		}
		switch {
		case !isText(n) || foreign(n.Value):
			c.note(n.Line, "a prompt that is not in this file is left out")
		case found == "":
			found = n.Value
		default:
			c.note(n.Line, "a further prompt is left out: tasks are made only from the first one")
		}
	}
	return found
}

// foreign reports whether a value refers to something outside the file.
func foreign(s string) bool {
	for _, scheme := range []string{"file://", "exec:", "python:", "package:", "http://", "https://", "huggingface://", "az://", "s3://"} {
		if strings.HasPrefix(strings.TrimSpace(s), scheme) {
			return true
		}
	}
	return false
}

// test adds one test as a task.
func (p *promptfoo) test(n *yaml.Node, number int) error {
	if n.Kind != yaml.MappingNode {
		return errors.New("it is in another file")
	}
	vars, names, err := p.vars(n)
	if err != nil {
		return err
	}
	for _, from := range []*yaml.Node{p.common, n} {
		if field(field(from, "options"), "transform") != nil {
			return errors.New("its answer is transformed by a program before it is judged")
		}
	}
	t := bench.Task{}
	if err := p.goal(&t, vars, names); err != nil {
		return err
	}
	if id := field(field(n, "metadata"), "id"); isScalar(id) {
		t.ID = id.Value
	}
	domainKey := ""
	for _, name := range domainNames {
		if domain := field(field(n, "metadata"), name); domainKey == "" && isScalar(domain) {
			t.Domain, domainKey = domain.Value, name
		}
	}
	p.c.unreadKeys("", n, "vars", "assert", "metadata")
	p.c.unreadKeys("metadata.", field(n, "metadata"), "id", domainKey)
	p.unreadVars(n, vars, names)
	for _, a := range p.asserts(n) {
		spec, err := assertion(a, vars)
		if err != nil {
			p.c.remark(Note{Line: a.Line, Text: fmt.Sprintf("an assertion of test %d is left out, so only the others grade the task: %v", number, err), Kind: kindOf(a)})
			continue
		}
		p.c.unreadKeys("assert.", a, "type", "value", "threshold", "weight")
		t.Graders = append(t.Graders, spec)
	}
	if len(t.Graders) == 0 {
		return errors.New("it has no assertion that can be imported")
	}
	p.c.add(n.Line, number, t)
	return nil
}

// kindOf returns the type of an assertion, quoted, for the notes on it.
func kindOf(a *yaml.Node) string {
	if typ := field(a, "type"); isText(typ) {
		return show(typ.Value)
	}
	return ""
}

// vars returns the common variables, overridden by those of a test, and the names of all
// of them in order.
func (p *promptfoo) vars(n *yaml.Node) (vars map[string]string, names []string, err error) {
	vars = map[string]string{}
	for _, from := range []*yaml.Node{field(p.common, "vars"), field(n, "vars")} {
		if from == nil {
			continue
		}
		if from.Kind != yaml.MappingNode {
			return nil, nil, errors.New("its variables are not in this file")
		}
		for i := 0; i+1 < len(from.Content); i += 2 {
			name, value := from.Content[i].Value, resolve(from.Content[i+1])
			var text string
			switch {
			case isScalar(value):
				text = value.Value
			case value.Kind == yaml.SequenceNode:
				return nil, nil, fmt.Errorf("its variable %s has several values: write one test for each", show(name))
			default:
				v, err := plain(value)
				if err != nil {
					return nil, nil, err
				}
				raw, err := json.Marshal(v)
				if err != nil {
					return nil, nil, fmt.Errorf("its variable %s cannot be written as JSON", show(name))
				}
				text = string(raw)
			}
			if foreign(text) {
				return nil, nil, fmt.Errorf("its variable %s names something outside this file", show(name))
			}
			if _, ok := vars[name]; !ok {
				names = append(names, name)
			}
			vars[name] = text
		}
	}
	return vars, names, nil
}

// unreadVars records the variables that neither the prompt nor an assertion uses.
func (p *promptfoo) unreadVars(test *yaml.Node, vars map[string]string, names []string) {
	if p.prompt == "" && p.sent == "" {
		return
	}
	used := placesOf(p.prompt)
	for _, a := range p.asserts(test) {
		value := field(a, "value")
		for _, v := range append([]*yaml.Node{value}, items(value)...) {
			if v = resolve(v); isScalar(v) {
				used = append(used, placesOf(v.Value)...)
			}
		}
	}
	for _, name := range names {
		if !slices.Contains(used, name) && (p.sent == "" || !strings.Contains(p.sent, strings.TrimSpace(vars[name]))) {
			p.c.unread["vars."+name]++
		}
	}
}

// goal sets the goal to the prompt with variables substituted. A prompt that is a JSON
// list of chat messages becomes a conversation.
func (p *promptfoo) goal(t *bench.Task, vars map[string]string, names []string) error {
	if p.sent != "" {
		p.sentGoal(t, p.sent)
		return nil
	}
	if p.prompt == "" {
		names = except(names, p.hidden...)
		lines := make([]string, len(names))
		for i, name := range names {
			if lines[i] = name + ": " + vars[name]; len(names) == 1 {
				lines[i] = vars[name]
			}
		}
		t.Goal = strings.Join(lines, "\n")
		return nil
	}
	messages, err := p.c.chat("prompts.", []byte(p.prompt))
	if err != nil {
		t.Goal, err = fill(p.prompt, vars)
		return err
	}
	t.Messages = make([]agent.Message, len(messages))
	for i, m := range messages {
		if m.Content, err = fill(m.Content, vars); err != nil {
			return err
		}
		t.Messages[i] = m
	}
	return nil
}

var placeholder = regexp.MustCompile(`\{\{\s*([\pL_][\pL\d_]*)\s*\}\}`)

// fill substitutes variables for {{name}}. Substituted text is not expanded again.
func fill(template string, vars map[string]string) (string, error) {
	rest := placeholder.ReplaceAllString(template, "")
	if strings.Contains(rest, "{{") || strings.Contains(rest, "{%") || strings.Contains(rest, "{#") {
		return "", errors.New("its template uses syntax other than plain {{name}} placeholders")
	}
	var missing string
	out := placeholder.ReplaceAllStringFunc(template, func(place string) string {
		name := placeholder.FindStringSubmatch(place)[1]
		value, ok := vars[name]
		if !ok {
			missing = name
		}
		return value
	})
	if missing != "" {
		return "", fmt.Errorf("it has no variable %s, which the template names", show(missing))
	}
	return out, nil
}
