package tokens

import (
	"maps"
	"path"
	"strings"
)

// language describes the lexical form of a language.
type language struct {
	line   []string    // signs that begin a comment that ends with its line
	block  [][2]string // signs that begin and end other comments
	nested bool        // comments nest
	raw    [][2]string // signs other than quotation marks that begin and end strings of any content
	quotes string      // quotation marks
	long   string      // the quotation marks whose strings may have several lines
	plain  string      // the quotation marks in whose strings a backslash is not an escape

	spaced     bool   // whether line comments begin only after white space
	first      bool   // whether line comments begin only at the beginning of a line
	slashed    bool   // whether regular expressions are written between slashes
	directives bool   // whether lines that begin with # are preprocessor directives
	indented   bool   // whether indentation delimits blocks, and braces delimit lists
	braced     bool   // braces delimit blocks
	bare       bool   // conditions stand without parentheses
	semicolons bool   // whether statements end with a semicolon
	separated  bool   // whether ' may also separate digits
	letters    bool   // whether ' encloses a single character
	worded     bool   // whether words end blocks, and the head of a function ends with its parameters
	not        string // the sign or word that negates a condition
	unequal    string // the sign for inequality, if it is not !=
	shell, sql bool
	unknown    bool // whether the language is unknown: comments and strings of many languages are recognised
}

var (
	braces = language{line: []string{"//"}, block: [][2]string{{"/*", "*/"}}, quotes: `"'`, not: "!", semicolons: true, braced: true}
	script = language{line: []string{"#"}, quotes: `"'`, not: "!", worded: true}
)

// with returns a copy of a language, modified by the given function (change).
func (l language) with(change func(*language)) language {
	change(&l)
	return l
}

// languageOf returns the language of a file, judging by the extension of its name.
func languageOf(file string) *language {
	l := byEnding(strings.TrimPrefix(strings.ToLower(path.Ext(file)), "."))
	return &l
}

func byEnding(ending string) language {
	switch ending {
	case "c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "cu", "m", "mm":
		return braces.with(func(l *language) { l.directives, l.separated = true, true })
	case "cs":
		return braces.with(func(l *language) { l.directives = true; l.raw = [][2]string{{`"""`, `"""`}} })
	case "java", "d", "zig", "sol", "proto":
		return braces.with(func(l *language) { l.raw = [][2]string{{`"""`, `"""`}} })
	case "rs":
		return braces.with(func(l *language) { l.nested, l.letters, l.long, l.bare = true, true, `"`, true })
	case "php":
		return braces.with(func(l *language) { l.line, l.long = []string{"//", "# "}, `"'` })
	case "css", "scss", "less":
		return braces.with(func(l *language) { l.braced = false })
	case "go":
		return braces.with(func(l *language) { l.quotes, l.long, l.plain, l.semicolons, l.bare = "\"'`", "`", "`", false, true })
	case "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts":
		return braces.with(func(l *language) { l.quotes, l.long, l.slashed, l.semicolons = "\"'`", "`", true, false })
	case "kt", "kts", "swift", "scala", "sc", "groovy", "gradle", "dart":
		return braces.with(func(l *language) {
			l.bare = ending == "swift"
			l.nested, l.semicolons, l.raw = true, false, [][2]string{{`"""`, `"""`}, {"'''", "'''"}}
		})
	case "py", "pyi", "pyx", "bzl", "star", "nim":
		return script.with(func(l *language) {
			l.raw, l.not, l.indented, l.worded = [][2]string{{`"""`, `"""`}, {"'''", "'''"}}, "not ", true, false
		})
	case "rb", "cr", "rake":
		return script.with(func(l *language) { l.quotes, l.long, l.slashed = "\"'`", "\"'`", true })
	case "sh", "bash", "zsh", "ksh", "fish":
		return script.with(func(l *language) {
			l.quotes, l.long, l.plain, l.spaced, l.shell = "\"'`", "\"'`", "'", true, true
		})
	case "pl", "pm", "awk", "tcl":
		return script.with(func(l *language) { l.long, l.spaced, l.slashed = `"'`, true, true })
	case "jl", "ex", "exs", "r", "coffee", "toml", "yaml", "yml", "tf", "cmake", "mk":
		return script.with(func(l *language) { l.raw = [][2]string{{`"""`, `"""`}} })
	case "lua":
		return language{line: []string{"--"}, block: [][2]string{{"--[[", "]]"}}, raw: [][2]string{{"[[", "]]"}}, quotes: `"'`, worded: true, not: "not ", unequal: "~="}
	case "sql", "ddl", "psql":
		return language{line: []string{"--"}, block: [][2]string{{"/*", "*/"}}, quotes: "'\"`", long: "'\"`", plain: "'\"`", worded: true, not: "NOT ", unequal: "<>", sql: true}
	case "hs", "elm", "purs":
		return language{line: []string{"--"}, block: [][2]string{{"{-", "-}"}}, nested: true, quotes: `"'`, letters: true, worded: true, not: "not ", unequal: "/="}
	case "ml", "mli", "fs", "fsx":
		return language{block: [][2]string{{"(*", "*)"}}, nested: true, line: []string{"//"}, quotes: `"'`, letters: true, not: "not "}
	case "asm", "s", "ini":
		return language{line: []string{";", "#"}, quotes: `"'`, not: "!"}
	case "erl", "hrl", "tex", "pro":
		return language{line: []string{"%"}, quotes: `"'`, not: "not "}
	}
	l := language{line: []string{"//", "#", "--", ";", "%"}, block: [][2]string{{"/*", "*/"}}, quotes: "\"'`", first: true, not: "!", unknown: true}
	if ending == "md" || ending == "markdown" {
		l.unknown, l.block, l.raw = false, [][2]string{{"<!--", "-->"}}, [][2]string{{"```", "```"}, {"~~~", "~~~"}}
	}
	return l
}

// words returns the words in a list as a set.
func words(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

// vocabulary holds the words that have a special meaning in at least one language.
type vocabulary struct {
	// declaring holds the words that begin the head of a declaration, wherever they
	// occur. leading holds the words that begin such a head only at the beginning of a
	// line, and modifying holds the words that may precede a word in leading.
	declaring, leading, modifying map[string]bool
	// looping holds the words that begin the head of a loop, and branching holds the
	// words that begin a condition.
	looping, branching map[string]bool
	// joining holds the words that are written between operands, and opening holds the
	// words that precede an operand.
	joining, opening map[string]bool
	// fixed holds the words that begin lines that must stay where they are, and reserved
	// holds the words that are not names of values.
	fixed, reserved map[string]bool
}

func newVocabulary(sql bool) *vocabulary {
	v := &vocabulary{
		declaring: words("def function fn func fun lambda class"),
		leading:   words("import from use using package include require struct enum interface trait impl module namespace typedef template type extern sub proc create macro pragma global nonlocal"),
		modifying: words("pub public private protected static export async local inline final abstract virtual override default unsafe const constexpr"),
		looping:   words("while until for foreach loop repeat"),
		branching: words("if elif elsif elseif unless when"),
		joining:   words("and or in is not then do else if unless as AND OR IN IS THEN ELSE BETWEEN LIKE xor mod div"),
		opening:   words("return if elif elsif elseif unless and or not in when case yield else then xor mod div echo RETURN WHEN THEN ELSE AND OR NOT"),
		fixed:     words("else elif elsif elseif catch except finally rescue ensure end fi done esac then do begin case switch when match try with break continue next redo goto yield return raise throw throws assert pass del RETURN"),
		reserved: words(`True False None true false null nil undefined NULL TRUE FALSE new delete await async let var val mut print
			int long short char double float bool boolean byte unsigned signed void auto`),
	}
	if sql {
		const list = `select from where group by order having limit offset join left right inner outer full cross on using union all distinct as with
			insert into values update set delete create table view index case when then else end and or not in is like between exists null
			over partition asc desc cast interval rows range primary key references default returns begin declare`
		const opening = "select where by having on when then else and or not between limit set "
		v.reserved = words(list + " " + strings.ToUpper(list))
		v.joining, v.opening = v.reserved, words(opening+strings.ToUpper(opening))
		v.fixed = maps.Clone(v.reserved)
		for _, w := range []string{"and", "or", "AND", "OR"} { // a line that begins with such a word is a condition
			delete(v.fixed, w)
		}
		v.leading, v.looping = words("create CREATE insert INSERT"), words("")
		return v
	}
	for _, set := range []map[string]bool{v.declaring, v.modifying, v.looping, v.branching, v.joining, v.opening, v.fixed} {
		for w := range set {
			v.reserved[w] = true
		}
	}
	return v
}
