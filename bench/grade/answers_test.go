package grade

import (
	"math"
	"testing"
)

// TestAnswerGraders has a row for each rule in the documentation.
func TestAnswerGraders(t *testing.T) {
	for _, c := range []struct {
		grader, answer string
		score          float64
		pass           bool
	}{
		{`{"type":"exact","answer":"42"}`, "42", 1, true},
		{`{"type":"exact","answer":"42"}`, " 42\n", 1, true},
		{`{"type":"exact","answer":"42"}`, "43", 0, false},
		{`{"type":"exact","answer":"a b"}`, "a \t\n b", 1, true},
		{`{"type":"exact","answer":"a b","strict":true}`, "a  b", 0, false},
		{`{"type":"exact","answer":"a b","strict":true}`, "a b", 1, true},
		{`{"type":"exact","answer":"caf\u00e9"}`, "cafe\u0301", 1, true},
		{`{"type":"exact","answer":"caf\u00e9","strict":true}`, "cafe\u0301", 0, false},
		{`{"type":"exact","answer":"Yes"}`, "yes", 0, false},
		{`{"type":"exact","answer":"Σίσυφος","ignore_case":true}`, "ΣΊΣΥΦΟΣ", 1, true},
		{`{"type":"exact","answer":["a","b"]}`, "b", 1, true},
		{`{"type":"exact","answer":["a","b"]}`, "c", 0, false},
		{`{"type":"exact","answer":""}`, " ", 1, true},
		{`{"type":"exact","answer":"42","not":true}`, "42", 0, false},
		{`{"type":"exact","answer":"42","not":true}`, "x", 1, true},

		{`{"type":"contains","all":["a","b"]}`, "b and a", 1, true},
		{`{"type":"contains","all":["a","b"]}`, "a", .5, false},
		{`{"type":"contains","all":["a","b"],"threshold":0.5}`, "a", .5, true},
		{`{"type":"contains","any":["x","y"]}`, "say y", 1, true},
		{`{"type":"contains","any":["x","y"]}`, "z", 0, false},
		{`{"type":"contains","all":["a"],"any":["x","y"]}`, "a", .5, false},
		{`{"type":"contains","answer":"New York"}`, "in New\nYork", 1, true},
		{`{"type":"contains","answer":"new york"}`, "in New York", 0, false},
		{`{"type":"contains","answer":"new york","ignore_case":true}`, "in New York", 1, true},

		{`{"type":"regex","pattern":"^a+$"}`, "aaa", 1, true},
		{`{"type":"regex","pattern":"^a+$"}`, "aab", 0, false},
		{`{"type":"regex","pattern":"(?i)total: \\d+"}`, "The TOTAL: 7.", 1, true},

		{`{"type":"f1","answer":"The cat sat on the mat."}`, "a cat sat on mat", 1, true},
		{`{"type":"f1","answer":"cat sat"}`, "cat", 2. / 3, true},
		{`{"type":"f1","answer":"cat sat down here now"}`, "cat", 2. / 6, false},
		{`{"type":"f1","answer":["x y","cat"]}`, "cat", 1, true},
		{`{"type":"f1","answer":"dog"}`, "", 0, false},
		{`{"type":"f1","answer":"cat cat"}`, "cat cat cat", .8, true},

		{`{"type":"rouge_l","answer":"police killed the gunman"}`, "police kill the gunman", .75, true},
		{`{"type":"rouge_l","answer":"police killed the gunman"}`, "the gunman kill police", .5, true},
		{`{"type":"rouge_l","answer":"a b c d"}`, "d c b a", .25, false},
		{`{"type":"rouge_l","answer":"a"}`, "", 0, false},

		{`{"type":"set","answer":["x","y"]}`, "y, x", 1, true},
		{`{"type":"set","answer":["x","y"]}`, "- Y\n- X.\n", 1, true},
		{`{"type":"set","answer":["x","y"]}`, "1. x\n2) \"y\"", 1, true},
		{`{"type":"set","answer":["x","y","z"]}`, "x, y, and z.", 1, true},
		{`{"type":"set","answer":["x","y"]}`, `["y","x","x"]`, 1, true},
		{`{"type":"set","answer":["1","2"]}`, `[2, 1]`, 1, true},
		{`{"type":"set","answer":["x","y"]}`, "x", 2. / 3, false},
		{`{"type":"set","answer":["x","y"]}`, "x, y, z, w", 2. * 2 / 6, false},
		{`{"type":"set","answer":["x","y"]}`, "", 0, false},

		{`{"type":"json_schema","schema":{"type":"object","required":["a"],"properties":{"a":{"type":"integer"}}}}`, `{"a":1}`, 1, true},
		{`{"type":"json_schema","schema":{"type":"object","required":["a"],"properties":{"a":{"type":"integer"}}}}`, `{"a":"1"}`, 0, false},
		{`{"type":"json_schema","schema":{"type":"object"}}`, "Here you are:\n```json\n{\"a\":1}\n```\n", 1, true},
		{`{"type":"json_schema","schema":true}`, `not json`, 0, false},
		{`{"type":"json_schema","schema":true,"not":true}`, `not json`, 1, true},
		{`{"type":"json_schema","schema":true}`, `{} {}`, 0, false},
		{`{"type":"json_schema","schema":{"multipleOf":2}}`, `1e999999999`, 0, false},

		{`{"type":"json_path","path":"$.a.b[1]","answer":3}`, `{"a":{"b":[1,3.0]}}`, 1, true},
		{`{"type":"json_path","path":"$.a.b[-1]","answer":3}`, `{"a":{"b":[1,3]}}`, 1, true},
		{`{"type":"json_path","path":"$['a b'][*].n","answer":"x"}`, `{"a b":[{"n":"y"},{"n":"x"}]}`, 1, true},
		{`{"type":"json_path","path":"$.*","answer":{"k":[null,true]}}`, `{"q":{"k":[null,true]}}`, 1, true},
		{`{"type":"json_path","path":"$","answer":9007199254740993}`, `9007199254740992`, 0, false},
		{`{"type":"json_path","path":"$.a","answer":null}`, `{"a":null}`, 1, true},
		{`{"type":"json_path","path":"$.a","answer":null}`, `{}`, 0, false},
		{`{"type":"json_path","path":"$.a"}`, `{"a":false}`, 1, true},
		{`{"type":"json_path","path":"$.a"}`, `[1]`, 0, false},
		{`{"type":"json_path","path":"$.a","not":true}`, `no json`, 0, false},
	} {
		g := gradeOne(t, task(t, "", c.grader), answered(c.answer))
		if math.Abs(g.Score-c.score) > 1e-12 || g.Pass != c.pass || g.Grades[0].Reason == "" {
			t.Errorf("%s on %q: %v %v %q, want %v %v", c.grader, c.answer, g.Score, g.Pass, g.Grades[0].Reason, c.score, c.pass)
		}
	}
}

func TestReferencesComeFromTheTask(t *testing.T) {
	for _, typ := range []string{"exact", "contains", "numeric", "f1", "rouge_l", "set"} {
		if g := gradeOne(t, task(t, "7", `{"type":"`+typ+`"}`), answered("7")); g.Score != 1 || !g.Pass {
			t.Errorf("%s: %+v", typ, g)
		}
	}
	if g := gradeOne(t, task(t, "a, b", `{"type":"set"}`), answered("b, a")); g.Score != 1 {
		t.Errorf("set: %+v", g)
	}
	if g := gradeOne(t, task(t, "7"), answered("7")); g.Score != 1 || g.Grades[0].Type != "exact" {
		t.Errorf("without graders: %+v", g)
	}
}
