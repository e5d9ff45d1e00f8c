package mcp

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/tool"
)

// explosive returns a schema whose last part is checked w^n times.
func explosive(w, n int) string {
	var defs []string
	for i := range n {
		refs := strings.Repeat(fmt.Sprintf(`{"$ref":"#/$defs/a%d"},`, i+1), w)
		defs = append(defs, fmt.Sprintf(`"a%d":{"allOf":[%s]}`, i, strings.TrimSuffix(refs, ",")))
	}
	return fmt.Sprintf(`{"type":"object","properties":{"x":{"$ref":"#/$defs/a0"}},"$defs":{%s,"a%d":{}}}`, strings.Join(defs, ","), n)
}

func TestAccept(t *testing.T) {
	nested := func(n int) string {
		return `{"type":"object","properties":` + strings.Repeat(`{"x":`, n) + "{}" + strings.Repeat("}", n) + "}"
	}
	for name, c := range map[string]struct{ schema, want string }{ // want is the schema, or "!" and the error
		"plain":             {`{"type":"object","properties":{"a":{"type":"string"}}}`, `{"properties":{"a":{"type":"string"}},"type":"object"}`},
		"empty":             {`{}`, `{"type":"object"}`},
		"draft 7":           {`{"$schema":"http://json-schema.org/draft-07/schema#","$id":"https://x/y","type":"object"}`, `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}`},
		"reference inside":  {`{"type":"object","$defs":{"a/b":{"type":"string"}},"properties":{"x":{"$ref":"#/$defs/a~1b"}}}`, `{"$defs":{"a/b":{"type":"string"}},"properties":{"x":{"$ref":"#/$defs/a~1b"}},"type":"object"}`},
		"odd names":         {`{"type":"object","properties":{"$ref":{},"$id":{},"description":{"type":"string"}}}`, `{"properties":{"$id":{},"$ref":{},"description":{"type":"string"}},"type":"object"}`},
		"hidden text":       {"{\"type\":\"object\",\"description\":\"a\u202eb\\u0007\U000E0041 \",\"properties\":{\"x\":{\"title\":\"\u200bt\"}}}", `{"description":"ab","properties":{"x":{"title":"t"}},"type":"object"}`},
		"null":              {`null`, "!not an object"},
		"a list":            {`[]`, "!not an object"},
		"true":              {`true`, "!not an object"},
		"not of an object":  {`{"type":"string"}`, "!does not describe an object"},
		"two types":         {`{"type":["object","null"]}`, "!does not describe an object"},
		"unknown draft":     {`{"$schema":"file:///etc/passwd","type":"object"}`, "!unknown draft"},
		"no draft":          {`{"$schema":1,"type":"object"}`, "!unknown draft"},
		"from a file":       {`{"properties":{"x":{"$ref":"file:///etc/passwd"}}}`, "!has a $ref that"},
		"from the network":  {`{"properties":{"x":{"$ref":"https://example.org/x"}}}`, "!has a $ref that"},
		"by a name":         {`{"properties":{"x":{"$ref":"#x"}}}`, "!has a $ref that"},
		"by an escape":      {`{"properties":{"x":{"$ref":"#/%24defs/x"}}}`, "!has a $ref that"},
		"to nothing":        {`{"properties":{"x":{"$ref":"#/type/x"}}}`, "!refers to a location that does not exist"},
		"to no item":        {`{"allOf":[{}],"properties":{"x":{"$ref":"#/allOf/1"}}}`, "!refers to a location that does not exist"},
		"to itself":         {`{"properties":{"x":{"$ref":"#/properties/x"}}}`, "!refers to itself"},
		"to the top":        {`{"properties":{"x":{"$ref":"#"}}}`, "!has a $ref that"},
		"in a circle":       {`{"$defs":{"a":{"items":{"$ref":"#/$defs/b"}},"b":{"items":{"$ref":"#/$defs/a"}}}}`, "!refers to itself"},
		"identity inside":   {`{"properties":{"x":{"$id":"file:///x"}}}`, "!uses $id"},
		"draft inside":      {`{"properties":{"x":{"$schema":"http://json-schema.org/draft-07/schema#"}}}`, "!uses $schema"},
		"dynamic":           {`{"properties":{"x":{"$dynamicRef":"#x"}}}`, "!uses $dynamicRef"},
		"dynamic at top":    {`{"$dynamicRef":"#x"}`, "!uses $dynamicRef"},
		"recursive":         {`{"properties":{"x":{"$recursiveRef":"#"}}}`, "!uses $recursiveRef"},
		"explosive":         {explosive(10, 5), "!too long to check"},
		"a long chain":      {explosive(2, 60), "!nested deeper"},
		"just not":          {explosive(2, 7), ""},
		"deep":              {nested(40), "!nested deeper"},
		"large":             {`{"type":"object","description":"` + strings.Repeat("x", maxSchema) + `"}`, "!bytes"},
		"no schema":         {`{"type":"object","properties":{"x":{"type":"strange"}}}`, "!not a JSON schema"},
		"no pattern":        {`{"type":"object","properties":{"x":{"pattern":"("}}}`, "!not a JSON schema"},
		"a pattern too far": {`{"type":"object","properties":{"x":{"pattern":"((a{1000}){1000}){1000}"}}}`, "!not a JSON schema"},
	} {
		t.Run(name, func(t *testing.T) {
			var schema any
			if err := json.Unmarshal([]byte(c.schema), &schema); err != nil {
				t.Fatal(err)
			}
			got, err := accept(schema)
			if problem, bad := strings.CutPrefix(c.want, "!"); bad {
				if err == nil || !strings.Contains(err.Error(), problem) {
					t.Errorf("%s, %v, want %q", got, err, problem)
				}
				return
			}
			if err != nil || c.want != "" && string(got) != c.want {
				t.Errorf("%s, %v, want %s", got, err, c.want)
			}
		})
	}
}

// FuzzAccept tests that an accepted schema is bounded, is accepted again without changes,
// and is valid for the registry.
func FuzzAccept(f *testing.F) {
	for _, s := range []string{
		`{"type":"object","properties":{"a":{"type":"string","description":"x"}}}`, `{"$schema":"http://json-schema.org/draft-07/schema#"}`,
		explosive(2, 3), `{"$ref":"#/a","a":[{"$ref":"#/a/1"},{}]}`, `{"properties":{"x":{"$ref":"#"}}}`, `{"enum":[1,null,{"$ref":"x"}]}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var schema any
		if json.Unmarshal([]byte(text), &schema) != nil {
			return
		}
		once, err := accept(schema)
		if err != nil {
			return
		}
		if err := json.Unmarshal(once, &schema); err != nil {
			t.Fatalf("%s: %v", once, err)
		}
		if twice, err := accept(schema); err == nil && string(twice) != string(once) || err != nil && len(once) <= maxSchema {
			t.Errorf("%s became %s, %v", once, twice, err)
		}
		if _, err := tool.NewRegistry(tool.Options{}, &remote{spec: tool.Spec{Name: "x", Schema: once, Effect: tool.Read}}); err != nil {
			t.Errorf("%s: %v", once, err)
		}
	})
}

func TestNameOf(t *testing.T) {
	long := strings.Repeat("x", 100)
	got := map[string]string{}
	for _, name := range []string{"a", "a.b/c d", "ä", "\xff", long, long + "y", "ü" + long} {
		got[name] = ToolName("s", name)
		if !regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`).MatchString(got[name]) {
			t.Errorf("%q became %q", name, got[name])
		}
	}
	if got[long] == got[long+"y"] {
		t.Errorf("two names became %q", got[long])
	}
	for _, name := range []string{long, long + "y", "ü" + long} {
		delete(got, name)
	}
	want := map[string]string{"a": "s__a", "a.b/c d": "s__a_b_c_d", "ä": "s___", "\xff": "s___"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDescribeTool(t *testing.T) {
	for text, want := range map[string]string{
		" reads a file\n": "reads a file", "a\x1b[31mb\u202ec\u200bd\U000E0041\ue000\u3164e": "a[31mbcde", "a\xffb": "a\uFFFDb",
		strings.Repeat("ä", 1001): strings.Repeat("ä", 1000) + "…",
	} {
		if got := describeTool(text, maxDescription); got != want {
			t.Errorf("%.40q became %.40q, want %.40q", text, got, want)
		}
	}
}
