package model

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	searchWords = regexp.MustCompile(`\b(which files?|what files?|where is|where are|mentions?|contains?|occurrences?|occurs?|appears?|search for|grep)\b`)
	folderWords = regexp.MustCompile(`\b(list (?:all )?(?:the )?\S* ?files|which files are|what files are|how many (?:\S+ )?files|directory|folder|what is in)\b`)
	mentions    = regexp.MustCompile(`\b(mention|mentions|mentioned|contain|contains|containing|occurrences|occur|occurs|appear|appears|lines with|define|defines|defined|declare|declares|declared|implement|implements)\b`)
	docWords    = regexp.MustCompile(`\b(according to|handbook|runbook|manual|guide|report|notes?|policy|readme|docs?|document|documentation|spec|changelog)\b`)
	noteWords   = regexp.MustCompile(`^(?:please )?(?:note that|make a note|take a note|note down|write down that|keep in mind that)\b`)
)

// Pattern scores for goals that fit a tool only in part, between 0 and 1.
const (
	patternQuestion  = .45 // there are files, but the goal names none: grep may find the answer
	patternNamed     = .2  // grep, although the goal names the file
	patternDocument  = .25 // reading a file, if the goal mentions a document
	patternAggregate = .05 // calculate, for an exact sum over a table
	patternEnable    = .9  // factor applied to the pattern score of an inactive tool
)

// intent is a call with a score for how well the goal fits it.
type intent struct {
	call Call
	fit  float64
	// useful is the tool's usefulness in the domain. score is the weighted sum of fit and
	// useful after the strategy's directives, experience and feedback are applied.
	useful, score float64
	why           string // the reason why experience or feedback changed the score
}

// choose returns the calls that could still be made and whose score reaches the cutoff, the
// best first.
func (t *planner) choose() []intent {
	var out []intent
	for _, spec := range t.req.Tools {
		if spec.Name == "enable_tool" {
			for _, inactive := range t.req.Inactive {
				if in := t.callsOf(inactive.Name); len(in) > 0 {
					out = t.weigh(out, one("enable_tool", patternEnable*in[0].fit, map[string]any{"name": inactive.Name})[0], "enable_tool")
				}
			}
			continue
		}
		for _, in := range t.callsOf(spec.Name) {
			out = t.weigh(out, in, spec.Name)
		}
	}
	slices.SortStableFunc(out, func(a, b intent) int { return cmp.Compare(b.score, a.score) })
	return out
}

// noteScores records the best scores of a plan, which show why its first call was chosen.
func (t *planner) noteScores(plan []intent) {
	parts := make([]string, 0, shownScores)
	for _, in := range plan[:min(len(plan), shownScores)] {
		why := ""
		if in.why != "" {
			why = ", " + in.why
		}
		parts = append(parts, fmt.Sprintf("%s %.3f (pattern %.2f, performance %.2f%s)", in.call.Tool, in.score, in.fit, in.useful, why))
	}
	t.note("scores: " + strings.Join(parts, ", "))
}

// shownScores is the maximum number of scores that a note lists.
const shownScores = 3

// weigh scores an intent and appends it to out. The score is the weighted sum of pattern
// and performance; then the strategy's directive for the tool is applied, and then
// experience and feedback. weigh omits an intent whose call was already made, whose tool is
// banned, or whose score is below the cutoff.
func (t *planner) weigh(out []intent, in intent, name string) []intent {
	if t.made(in.call) {
		return out
	}
	directive := t.strategy.in(t.req.Domain, slotTool+slot(name))
	if directive == "never" {
		return out
	}
	in.useful = t.useful(in.call)
	score := func(useful float64) float64 {
		return directed(directive, max(t.rated(in.fit, useful), t.inPlace(name)))
	}
	in.score = score(in.useful)
	if t.req.Weigh != nil {
		in.score, in.why = t.req.Weigh(name, in.score, score(t.prior(in.call.Tool)), in.useful)
	}
	if in.score < t.req.Choice.Cutoff {
		return out
	}
	return append(out, in)
}

// directed returns a score after applying the strategy's directive for the tool.
func directed(directive string, score float64) float64 {
	switch directive {
	case "avoid":
		return .3 * score
	case "prefer":
		return score + .3
	}
	return score
}

// prior returns the usefulness that a tool without history has.
func (t *planner) prior(tool string) float64 {
	if t.req.Prior == nil {
		return .5
	}
	return t.req.Prior(tool)
}

// useful returns the usefulness of a call's tool.
func (t *planner) useful(c Call) float64 {
	if t.req.Usefulness == nil {
		return .5
	}
	return t.req.Usefulness(c)
}

// rated returns the weighted sum of the pattern and performance scores of a call.
func (t *planner) rated(fit, useful float64) float64 {
	return t.req.Choice.PatternWeight*fit + t.req.Choice.PerformanceWeight*useful
}

// inPlace returns the highest score of the tools that people want replaced by the named
// tool, or 0 if there are none.
func (t *planner) inPlace(name string) float64 {
	best := 0.
	for old, with := range t.req.Instead {
		if with != name {
			continue
		}
		for _, in := range t.callsOf(old) {
			best = max(best, t.rated(in.fit, t.useful(in.call)))
		}
	}
	return best
}

func (t *planner) made(c Call) bool {
	return slices.ContainsFunc(t.req.Steps, func(s Step) bool {
		return s.Call.Tool == c.Tool && string(s.Call.Arguments) == string(c.Arguments)
	})
}

func newCall(name string, args map[string]any) Call {
	raw, err := json.Marshal(args) // sorts the keys: equal arguments give equal bytes
	if err != nil {
		raw = []byte("{}")
	}
	return Call{Tool: name, Arguments: raw}
}

// one returns a list with a single call to a tool.
func one(name string, fit float64, args map[string]any) []intent {
	return []intent{{call: newCall(name, args), fit: fit}}
}

// callsOf returns the calls that the heuristic considers making to a tool, and how well
// the goal fits each call.
func (t *planner) callsOf(name string) []intent {
	q := t.q
	files := len(t.req.Files) > 0
	switch name {
	case "calculate":
		return t.calculations()
	case "get_time":
		return q.clockCalls()
	case "read_file":
		return t.reads()
	case "list_directory":
		if files && folderWords.MatchString(q.lower) && !mentions.MatchString(q.lower) {
			return one(name, 1, map[string]any{"path": t.folder(), "recursive": true})
		}
	case "grep":
		if files {
			return t.searches()
		}
	case "memory_search":
		fit := 0.0
		if q.cue {
			fit = .8
		}
		return one(name, fit, map[string]any{"query": q.text[:min(len(q.text), 2000)]})
	case "note":
		if noteWords.MatchString(q.lower) {
			return one(name, 1, map[string]any{"text": q.text[:min(len(q.text), 500)]})
		}
	case "repo_index":
		if files && indexWords.MatchString(q.lower) {
			return one(name, 1, map[string]any{})
		}
	case "file_summary":
		if p := t.namedFile(); path.Ext(p) == ".go" && summaryWords.MatchString(q.lower) {
			return one(name, 1, map[string]any{"path": p})
		}
	case "dependency_map":
		if files && len(q.paths) == 0 && importWords.MatchString(q.lower) {
			return one(name, 1, map[string]any{})
		}
	}
	return nil
}

var convert = regexp.MustCompile(`\bconvert (\d+(?:\.\d+)?) ?([a-z]+)\b`)

// calculations returns the calculation that the goal requires or, if there is none, the
// calculation of a sum or average over a table.
func (t *planner) calculations() []intent {
	calculate := func(fit float64, expr string) []intent {
		return one("calculate", fit, map[string]any{"expression": expr})
	}
	if expr, pure := t.q.expression(); expr != "" {
		if pure {
			return calculate(1, expr)
		}
		return calculate(.4, expr)
	}
	if m := convert.FindStringSubmatch(t.q.lower); m != nil {
		return calculate(.6, m[1]+" "+m[2])
	}
	for _, e := range t.evidence {
		if e.reckon != "" && len(e.reckon) <= 1000 {
			if t.set(slotVerify) != "" {
				return calculate(1, e.reckon)
			}
			return calculate(patternAggregate, e.reckon)
		}
	}
	return nil
}

// known returns the task's file to which a path in the goal refers, by its full path or its
// base name, and whether there is one.
func (t *planner) known(p string) (string, bool) {
	p = strings.TrimPrefix(p, "./")
	if slices.Contains(t.req.Files, p) {
		return p, true
	}
	i := slices.IndexFunc(t.req.Files, func(f string) bool { return path.Base(f) == path.Base(p) })
	if i < 0 {
		return p, false
	}
	return t.req.Files[i], true
}

// namedFile returns the first of the task's files that the goal names, or "".
func (t *planner) namedFile() string {
	for _, p := range t.q.paths {
		if f, ok := t.known(p); ok {
			return f
		}
	}
	return ""
}

// folder returns the folder that the goal names, or the root if it names none.
func (t *planner) folder() string {
	best := "."
	for _, f := range t.req.Files {
		for d := path.Dir(f); d != "."; d = path.Dir(d) {
			if len(d) > len(best) && (strings.Contains(t.q.lower, strings.ToLower(d)+"/") || slices.Contains(t.q.words, strings.ToLower(path.Base(d)))) {
				best = d
			}
		}
	}
	return best
}

// reads returns the calls that read a file: the files that the goal names or, if it names
// none, all files, scored by how well their names fit.
func (t *planner) reads() []intent {
	var out []intent
	add := func(p string, fit float64) {
		out = append(out, intent{call: newCall("read_file", map[string]any{"path": p}), fit: fit})
	}
	for _, p := range t.q.paths {
		f, _ := t.known(p)
		add(f, 1)
	}
	if len(out) > 0 {
		return out
	}
	generic := 0.0
	if docWords.MatchString(t.q.lower) {
		generic = patternDocument
	}
	for _, f := range t.req.Files {
		fit := generic
		if s := t.q.match(nameWords(f)); s != 0 {
			fit = max(fit, .25) + .35*t.q.weight(s)/t.q.total
		}
		add(f, fit)
	}
	return out
}

// searches returns the grep calls that fit the goal.
func (t *planner) searches() []intent {
	q := t.q
	if defineWords.MatchString(q.lower) {
		if s := q.symbolAsked(); s != "" {
			return one("grep", 1, map[string]any{"pattern": `^\s*(func (\([^)]*\) )?|type |const |var |def |class )` + regexp.QuoteMeta(s) + `\b`})
		}
	}
	if importWords.MatchString(q.lower) {
		if what := firstGroup(whoImports.FindStringSubmatch(q.lower)); what != "" {
			return one("grep", .7, map[string]any{"pattern": `"([^"]*/)?` + regexp.QuoteMeta(what) + `"$`})
		}
	}
	if mentions.MatchString(q.lower) && (q.count || searchWords.MatchString(q.lower)) {
		if what := q.searchText(); what != "" {
			args := map[string]any{"pattern": what, "literal": true}
			if p := t.namedFile(); p != "" {
				args["path"] = p
			}
			return one("grep", 1, args)
		}
	}
	fit := patternQuestion
	if t.namedFile() != "" {
		fit = patternNamed
	}
	var out []intent
	specificTerms := q.specificTerms()
	for i := 0; i < len(specificTerms); i += 3 {
		var parts []string
		for _, w := range specificTerms[i:min(i+3, len(specificTerms))] {
			parts = append(parts, regexp.QuoteMeta(w))
		}
		out = append(out, intent{
			call: newCall("grep", map[string]any{"pattern": strings.Join(parts, "|")}),
			fit:  fit / float64(1+i/3),
		})
	}
	return out
}

// searchText returns the text to search for: the first quoted text in the goal, or else the
// text after the verb.
func (q *question) searchText() string {
	if len(q.quoted) > 0 {
		return q.quoted[0]
	}
	at := mentions.FindAllStringIndex(q.lower, -1)
	if at == nil || len(q.lower) != len(q.text) {
		return ""
	}
	rest := strings.TrimRight(strings.TrimSpace(q.text[at[len(at)-1][1]:]), "?.! ")
	rest = strings.TrimPrefix(rest, "the ")
	for _, stop := range []string{" in ", " of ", " and "} {
		if i := strings.Index(rest, stop); i > 0 {
			rest = rest[:i]
		}
	}
	return rest
}

// specificTerms returns at most nine of the content words, the most specific first: words
// with digits, then long words. Each word is shortened to the part that it shares with
// its stem, so that other forms of the word are found too.
func (q *question) specificTerms() []string {
	type ranked struct {
		text string
		rank int
	}
	var all []ranked
	for _, w := range q.raw {
		stem := q.lex.Stem(w)
		n := 0
		for n < len(w) && n < len(stem) && w[n] == stem[n] {
			n++
		}
		text := w
		if n >= 3 {
			text = w[:n]
		}
		rank := len(w)
		if strings.ContainsAny(w, "0123456789") {
			rank += 20
		}
		all = append(all, ranked{text, rank})
	}
	slices.SortStableFunc(all, func(a, b ranked) int { return b.rank - a.rank })
	out := make([]string, 0, len(all))
	for _, r := range all[:min(len(all), 9)] {
		out = append(out, r.text)
	}
	return out
}

// grepped is one line of grep's output.
type grepped struct {
	file, text string
	number     int
}

// grepLines parses the lines of grep's output, "path:number: text".
func grepLines(output string) []grepped {
	var out []grepped
	for line := range strings.Lines(output) {
		file, rest, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		number, text, ok := strings.Cut(rest, ": ")
		if n, err := strconv.Atoi(number); ok && err == nil {
			out = append(out, grepped{file, text, n})
		}
	}
	return out
}

// filesOf returns the files in which lines were found, without duplicates.
func filesOf(lines []grepped) []string {
	var files []string
	for _, l := range lines {
		if !slices.Contains(files, l.file) {
			files = append(files, l.file)
		}
	}
	return files
}
