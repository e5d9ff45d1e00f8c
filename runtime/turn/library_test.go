package turn

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"evolve/runtime/agent"
	"evolve/runtime/autonomy"
	"evolve/runtime/memory"
	"evolve/runtime/model"
	"evolve/runtime/provider"
	"evolve/runtime/tool"
)

// libraryOf returns n tools, half of them from a server and half written by the agent.
// There is one tool for each of a few subjects, and all other tools perform the same
// actions on numbered things.
func libraryOf(n int) []tool.Tool {
	out := []tool.Tool{
		drawn{name: "travel__searchFlights", text: "Find flights between two airports on a date, with prices.", effect: tool.Read, origin: "mcp:travel"},
		drawn{name: "shop__get_invoice", text: "Return an invoice of a customer by its number.", effect: tool.Read, origin: "mcp:shop"},
		drawn{name: "convert_currency", text: "Converts an amount of money from one currency to another.", effect: tool.Read, origin: "authored"},
		drawn{name: "roman_numeral", text: "Writes a whole number as a roman numeral.", effect: tool.Read, origin: "authored"},
	}
	verbs, things := []string{"list", "get", "count", "describe"}, []string{"sensor", "valve", "pump", "tank", "relay", "meter"}
	for i := len(out); i < n; i++ {
		verb, thing := verbs[i%len(verbs)], things[i/len(verbs)%len(things)]
		name := fmt.Sprintf("%s_%s_%d", verb, thing, i)
		d := drawn{name: name, text: fmt.Sprintf("To %s the %ss of hall %d, with their state and last change.", verb, thing, i), effect: tool.Read}
		if i%2 == 0 {
			d.name, d.origin = "plant__"+name, "mcp:plant"
		}
		out = append(out, d)
	}
	return out
}

// offer returns the first request for a goal as it is sent to a language model.
func offer(t *testing.T, foreign []tool.Tool, goal string, replies ...model.Reply) (agent.Result, []provider.Chat) {
	t.Helper()
	a, seen := writer(t, foreign)
	a.model = scripted{replies: append(replies, model.Reply{Answer: "done"}), seen: seen}
	res := a.Run(t.Context(), agent.Request{Task: agent.Task{Goal: goal}, Live: true})
	var chats []provider.Chat
	for _, req := range *seen {
		chats = append(chats, provider.Render(&req))
	}
	return res, chats
}

func described(c provider.Chat, name string) string {
	for _, t := range c.Tools {
		if t.Name == name {
			return t.Description
		}
	}
	return ""
}

func TestLibraryPicksTheToolsForTheGoal(t *testing.T) {
	for _, n := range []int{60, 500} {
		for goal, want := range map[string]string{
			"Which flights go from Oslo to Riga on 3 May?":            "travel__searchFlights",
			"What did the customer pay on invoice 4711?":              "shop__get_invoice",
			"Convert 20 euros into another currency.":                 "convert_currency",
			"Write 1999 as a roman numeral":                           "roman_numeral",
			"How many pumps does hall 10 have? Count the pumps there": "plant__count_pump_10",
		} {
			res, chats := offer(t, libraryOf(n), goal)
			c := chats[0]
			if described(c, want) == "" {
				t.Errorf("%d tools, %q: %s is not offered", n, goal, want)
			}
			for _, essential := range []string{"calculate", "read_file", "enable_tool"} {
				if described(c, essential) == "" {
					t.Errorf("%d tools, %q: %s is not offered", n, goal, essential)
				}
			}
			if most := 1 + len(essential(toolNames())) + maxPicked; len(c.Tools) > most {
				t.Errorf("%d tools, %q: %d are offered, want at most %d", n, goal, len(c.Tools), most)
			}
			if got := events(res, agent.EventTools); len(got) != 1 || !strings.Contains(got[0], want+" 0.") && !strings.Contains(got[0], want+" 1.") {
				t.Errorf("%d tools, %q: the transcript has %q", n, goal, got)
			}
		}
	}
}

// TestLibraryLeavesOutWithheldTools tests that a tool in quarantine is not listed, cannot
// be activated, and takes no slot away from a suitable tool.
func TestLibraryLeavesOutWithheldTools(t *testing.T) {
	var tools []tool.Tool
	for i := range maxPicked + 3 {
		d := drawn{name: fmt.Sprintf("roman_%d", i), text: "Writes a whole number as a roman numeral. " + strings.Repeat("Long. ", i), effect: tool.Read}
		if i < 3 {
			d.withheld = d.name + " is in quarantine"
		}
		tools = append(tools, d)
	}
	res, chats := offer(t, tools, "Write 1999 as a roman numeral", calls("enable_tool", `{"name":"roman_1"}`), calls("enable_tool", `{"query":"roman numeral"}`))
	for i := range tools {
		if offered := described(chats[0], fmt.Sprintf("roman_%d", i)) != ""; offered != (i >= 3) {
			t.Errorf("roman_%d: offered %v", i, offered)
		}
	}
	got := strings.Join(append(events(res, agent.EventTools), events(res, agent.EventTool)...), "\n")
	if strings.Contains(got, "roman_0") || strings.Contains(got, "roman_2") || !strings.Contains(got, "[denied] roman_1 is in quarantine") {
		t.Errorf("the transcript has %s", got)
	}
}

// TestLibraryListsTheRestWithDescriptions checks how inactive tools are shown: a bounded
// list with descriptions, and the number of tools that are not listed.
func TestLibraryListsTheRestWithDescriptions(t *testing.T) {
	_, chats := offer(t, libraryOf(500), "Write 1999 as a roman numeral")
	raw, err := json.Marshal(chats[0].Messages)
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	i := strings.Index(text, "tools_to_enable")
	if i < 0 {
		t.Fatal("no tool is listed")
	}
	list := text[i:]
	if n := strings.Count(list[:strings.Index(list, "]")], `",`); n > maxListed+1 {
		t.Errorf("%d tools are listed", n)
	}
	if !strings.Contains(list, "context_check: How full the context is") {
		t.Errorf("no description: %s", list)
	}
	if !strings.Contains(list, `\"more\":4`) {
		t.Errorf("the number of the others is missing: %s", list)
	}
}

func TestModelSearchesTheLibrary(t *testing.T) {
	res, chats := offer(t, libraryOf(500), "say hello", calls("enable_tool", `{"query":"exchange money into another currency"}`))
	if described(chats[0], "convert_currency") != "" || described(chats[1], "convert_currency") == "" {
		t.Errorf("the query does not activate the tool: %q", events(res, agent.EventTool))
	}
	if got := events(res, agent.EventTool); !strings.Contains(got[0], "Converts an amount of money") {
		t.Errorf("%q", got)
	}
	if more := len(chats[1].Tools) - len(chats[0].Tools); more > maxFound {
		t.Errorf("one query activates %d tools", more)
	}
	res, _ = offer(t, libraryOf(60), "say hello", calls("enable_tool", `{"query":"xylophone"}`), calls("enable_tool", `{"name":"roman_numeral","query":"x"}`), calls("enable_tool", `{}`))
	if got := events(res, agent.EventTool); !strings.Contains(got[0], "no other tool fits") || !strings.Contains(got[1], "[contract_violation]") || !strings.Contains(got[2], "[contract_violation]") {
		t.Errorf("%q", got)
	}
}

// TestHeuristicHasNoLibrary checks that the heuristic gets every name, because it chooses
// by patterns.
func TestHeuristicHasNoLibrary(t *testing.T) {
	seen := []model.Request{}
	a, err := New(Options{Foreign: libraryOf(60), Model: scripted{replies: []model.Reply{{Answer: "done"}}, seen: &seen}})
	if err != nil {
		t.Fatal(err)
	}
	a.Run(t.Context(), agent.Request{Task: agent.Task{Goal: "Write 1999 as a roman numeral"}})
	if n := len(seen[0].Inactive); n != 63 || seen[0].Unlisted != 0 {
		t.Errorf("%d inactive tools, %d unlisted", n, seen[0].Unlisted)
	}
}

func TestNameWords(t *testing.T) {
	lex := memory.NewLexicon()
	for name, want := range map[string]string{"travel__searchFlights": "travel search flight", "get_invoice": "get invoic", "HTTPGet2URL": "httpget2 url"} {
		if got := strings.Join(lex.Terms(nil, nameWords(name)), " "); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestUnallowedToolsAreNotOffered checks that a tool that the operator must allow by name
// is not listed, found or activated unless it is allowed, and is not part of the selection.
// A tool with an effect on other things is offered, and a call to it leaves a change
// request.
func TestUnallowedToolsAreNotOffered(t *testing.T) {
	for _, allowed := range [][]string{nil, {"memory_add"}} {
		seen := new([]model.Request)
		a, err := New(Options{
			ID: "a", Language: true, Allowed: allowed, Level: autonomy.Draft,
			Model: scripted{seen: seen, replies: []model.Reply{
				{Calls: []model.Call{
					{Tool: "enable_tool", Arguments: json.RawMessage(`{"name": "memory_add"}`)},
					{Tool: "enable_tool", Arguments: json.RawMessage(`{"query": "add a fact to the memory"}`)},
				}},
				{Answer: "done"},
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
		res := a.Run(t.Context(), agent.Request{Task: agent.Task{Goal: "Add a fact to the memory"}, Live: true})
		inactive := func(name string) bool {
			return slices.ContainsFunc((*seen)[0].Inactive, func(s tool.Spec) bool { return s.Name == name })
		}
		may := allowed != nil
		if inactive("memory_add") != may || inactive("tool_create") || inactive("share") || !inactive("propose_patch") || !inactive("reflect") {
			t.Errorf("allowed %v: %d tools to enable, %d more", allowed, len((*seen)[0].Inactive), (*seen)[0].Unlisted)
		}
		active := slices.ContainsFunc((*seen)[1].Tools, func(s tool.Spec) bool { return s.Name == "memory_add" })
		said := ""
		for _, e := range res.Transcript.Events {
			if e.Kind == agent.EventTool {
				said += e.Text + "\n"
			}
		}
		if active != may || strings.Contains(said, `allow: [memory_add]`) == may || strings.Contains(said, "tool_create") {
			t.Errorf("allowed %v: %s", allowed, said)
		}
		p, _ := LanguageSpace(nil, nil, allowed, nil).Lookup("tools.selection")
		if slices.Contains(p.Of, "memory_add") != may || slices.Contains(p.Of, "share") || !slices.Contains(p.Of, "propose_patch") || !slices.Contains(p.Retired, "share") {
			t.Errorf("allowed %v: selection of %v without %v", allowed, p.Of, p.Retired)
		}
	}
}
