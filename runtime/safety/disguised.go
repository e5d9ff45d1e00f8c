package safety

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	foreign "evolve/runtime/text"
)

// DisguisedWrite returns why a call to a foreign tool that is declared as read-only must
// be treated as a write: because of the tool's name, the first verb in its description,
// or the arguments. It is only for tools from other people's servers, and errs on the
// side of a write. A call that passes is not proven to be a read.
func DisguisedWrite(toolName, description string, args json.RawMessage) (reason string, disguised bool) {
	if verb := nameVerb(words(toolName)); verb != "" {
		return fmt.Sprintf("its name contains the verb %s", verb), true
	}
	if first := words(foreign.Clip(strings.TrimSpace(description), 200)); len(first) > 0 {
		if verb := base(first[0]); slices.Contains(writeVerbs(), verb) && !slices.Contains(nouns(), verb) {
			return fmt.Sprintf("its description begins with %s", first[0]), true
		}
	}
	if len(args) > maxArguments {
		return "its arguments are too large to be checked", true
	}
	var root any
	if len(args) == 0 {
		return "", false
	}
	if err := json.Unmarshal(args, &root); err != nil {
		return "its arguments are not JSON", true
	}
	path, content := false, false
	whole := walk(root, func(name, text string) {
		name = plainName(name)
		if reason == "" {
			reason = argument(name, text)
		}
		path = path || slices.Contains([]string{"path", "file", "filepath", "filename", "targetfile", "destination"}, name)
		content = content || slices.Contains([]string{"content", "contents", "newcontent", "filetext", "newstr", "newtext", "data", "patch", "diff"}, name)
	})
	switch {
	case reason == "" && path && content:
		reason = "its arguments contain a file path and content to write"
	case reason == "" && !whole: // the decisive argument may follow padding
		reason = "its arguments are too many or too deeply nested to be checked"
	}
	return reason, reason != ""
}

// writeVerbs returns verbs that, in the name of a tool, indicate that the tool changes
// something.
func writeVerbs() []string {
	return []string{
		"write", "delete", "remove", "update", "create", "insert", "exec", "execute", "run", "send", "post", "put", "drop", "patch", "upsert", "set",
		"add", "append", "edit", "modify", "replace", "save", "store", "overwrite", "truncate", "move", "rename", "copy", "upload", "commit", "push", "merge",
		"publish", "deploy", "kill", "restart", "reboot", "shutdown", "grant", "revoke", "install", "uninstall", "approve", "reject", "pay", "transfer", "purchase", "buy", "book",
		"cancel", "wipe", "purge", "clear", "reset", "enable", "disable", "trigger", "invoke", "reply", "tweet", "email", "notify", "subscribe", "unsubscribe",
		"rm", "del", "mkdir", "rmdir", "mv", "eval", "spawn", "fork", "close", "archive", "assign", "import", "restore", "rollback", "sign", "register", "erase", "destroy",
	}
}

// readVerbs returns verbs that, in the name of a tool, indicate that the tool only reads.
func readVerbs() []string {
	return []string{
		"get", "list", "read", "search", "find", "fetch", "show", "describe", "view", "count", "query", "lookup", "check", "inspect", "stat", "head", "tail",
		"explain", "validate", "preview", "estimate", "is", "has", "can", "compare", "analyze", "summarize", "calculate", "compute", "browse", "watch", "export", "download", "resolve", "grep", "select",
	}
}

// nouns returns write verbs that are often used as nouns, as in "run status".
func nouns() []string {
	return []string{"post", "run", "commit", "patch", "merge", "set", "book", "email", "push", "copy", "transfer", "import", "archive", "store", "reset", "put", "reply", "close", "sign", "register", "fork"}
}

// facets returns nouns for readable properties of a thing. In a name that ends in one of
// these nouns, the words that the function nouns returns count as nouns as well.
func facets() []string {
	return []string{"count", "counts", "history", "log", "logs", "info", "list", "stats", "summary", "details", "status", "search", "lookup", "price", "prices", "id", "ids", "results", "metadata", "diff"}
}

// nameVerb returns the write verb in a tool's name, or "" if it has none.
func nameVerb(name []string) string {
	writes := writeVerbs()
	reads := false
	for i, w := range name {
		joined := i > 0 && (name[i-1] == "and" || name[i-1] == "or" || name[i-1] == "then")
		if slices.Contains(readVerbs(), w) && !joined {
			// The next word is the object of the read, unless it is another verb joined to
			// this one.
			reads = true
			continue
		}
		if !slices.Contains(writes, w) || reads && !joined {
			continue
		}
		last := name[len(name)-1]
		if slices.Contains(nouns(), w) && i < len(name)-1 && slices.Contains(facets(), last) {
			continue
		}
		return w
	}
	return ""
}

// words splits a name at capitals and at characters that are not letters, and returns the
// parts in lower case with look-alike characters replaced.
func words(name string) []string {
	var parts []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			parts = append(parts, fold(string(word)))
			word = word[:0]
		}
	}
	last := ' '
	for _, r := range foreign.Clip(name, 256) {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.Is(unicode.Cf, r):
			flush()
		case unicode.IsUpper(r) && unicode.IsLower(last):
			flush()
			fallthrough
		default:
			word = append(word, r)
		}
		last = r
	}
	flush()
	return parts
}

// base returns a verb without its third-person ending.
func base(verb string) string {
	for _, end := range []string{"", "s", "es"} {
		if stem, ok := strings.CutSuffix(verb, end); ok && slices.Contains(writeVerbs(), stem) {
			return stem
		}
	}
	if stem, ok := strings.CutSuffix(verb, "ies"); ok {
		return stem + "y"
	}
	return verb
}

// argument returns why an argument makes a call a write, or "" if it does not.
func argument(name, text string) string {
	text = foreign.Clip(text, 64<<10)
	switch name {
	case "sql", "statement", "sqlquery", "query", "q", "statements", "queries":
		return statement(text, name[0] == 's')
	case "graphql", "gql", "document":
		if mutates(text) {
			return "its query is a GraphQL mutation"
		}
	case "method", "httpmethod", "verb", "requestmethod", "xhttpmethod", "xhttpmethodoverride", "xmethodoverride", "httpmethodoverride":
		switch verb := strings.ToUpper(strings.TrimSpace(text)); verb {
		case "POST", "PUT", "PATCH", "DELETE", "CONNECT", "MKCOL", "MOVE", "COPY", "PROPPATCH", "LOCK", "UNLOCK", "PURGE":
			return "its method is " + verb
		}
	case "command", "cmd", "shell", "bash", "commandline", "argv":
		return shell(text)
	case "script":
		if why := shell(text); why != "" {
			return why
		}
		return program(text)
	case "code", "python", "javascript", "lua", "snippet":
		return program(text)
	case "flags", "args", "arguments", "options":
		if w := words(text); strings.HasPrefix(text, "-") && len(w) > 0 && slices.Contains(writeVerbs(), w[0]) {
			return "it is called with " + foreign.Clip(text, 40)
		}
	case "dryrun", "simulate", "preview", "readonly":
		if strings.EqualFold(strings.TrimSpace(text), "false") {
			return "its " + name + " is false"
		}
	case "action", "operation", "op", "mode", "operationtype":
		w := words(text)
		if len(w) > 0 && slices.Contains(writeVerbs(), w[0]) || slices.Contains([]string{"w", "a", "wb", "w+", "r+"}, strings.TrimSpace(text)) {
			return "its " + name + " is " + foreign.Clip(text, 40)
		}
	case "overwrite", "force", "delete", "write", "commit", "apply", "save", "autocommit", "confirm", "confirmed":
		if strings.EqualFold(strings.TrimSpace(text), "true") {
			return "it sets " + name
		}
	}
	return ""
}

// program returns the reason why a call counts as a write if text, which comes from one
// of the call's arguments, is code that calls something; otherwise it returns "".
func program(text string) string {
	if strings.Contains(text, "(") || strings.Contains(text, "`") {
		return "one of its arguments is a program"
	}
	return ""
}
