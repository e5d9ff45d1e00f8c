package scrub

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

// setting is a context in which a credential may appear.
type setting struct {
	name string
	// bare reports whether nothing names the credential in this setting.
	bare bool
	wrap func(name, text string) string
}

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func settings() []setting {
	return []setting{
		{"bare line", true, func(_, s string) string { return "before it\n" + s + "\nbehind it" }},
		{"start of text", true, func(_, s string) string { return s + " was used" }},
		{"end of text", true, func(_, s string) string { return "it was " + s }},
		{"markdown", true, func(_, s string) string { return "Use `" + s + "` here.\n\n```\n" + s + "\n```\n" }},
		{"log line", true, func(_, s string) string {
			return "2026-11-21T10:00:00.123Z ERROR client: refused (" + s + ") after 3 tries"
		}},
		{"coloured", true, func(_, s string) string { return "\x1b[32m" + s + "\x1b[0m ok" }},
		{"json list", true, func(_, s string) string { return jsonText([]any{1, s, nil}) }},
		{"url query", false, func(n, s string) string {
			return "GET https://api.example.org/v1?" + url.Values{n: {s}, "page": {"2"}}.Encode()
		}},
		{"env", false, func(n, s string) string { return "PORT=80\n" + n + "=" + s + "\nHOST=db" }},
		{"export", false, func(n, s string) string { return "export " + n + "='" + s + "'" }},
		{"json", false, func(n, s string) string { return jsonText(map[string]any{"id": 7, n: s, "next": "ordinary"}) }},
		{"escaped json", false, func(n, s string) string {
			return jsonText(map[string]string{"body": jsonText(map[string]string{n: s})})
		}},
		{"json twice escaped", false, func(n, s string) string {
			return jsonText([]string{jsonText([]string{jsonText(map[string]string{n: s})})})
		}},
		{"yaml", false, func(n, s string) string {
			if strings.Contains(s, "\n") {
				return "app:\n  " + n + ": |\n    " + strings.ReplaceAll(s, "\n", "\n    ") + "\n  port: 80\n"
			}
			return "app:\n  " + n + ": " + s + "\n  port: 80\n"
		}},
		{"ini", false, func(n, s string) string { return "[app]\n" + n + " = " + s + "\nport = 80" }},
		{"program", false, func(n, s string) string { return n + " := " + fmt.Sprintf("%q", s) }},
		{"split literal", false, func(n, s string) string {
			q := fmt.Sprintf("%q", s)
			half := len(q) / 2
			if q[half-1] == '\\' {
				half++
			}
			return n + " = " + q[:half] + "\" +\n    \"" + q[half:]
		}},
		{"log with name", false, func(n, s string) string { return "2026-11-21 10:00:00 INFO start " + n + "=" + s + " attempt=3" }},
		{"coloured name", false, func(n, s string) string { return "\x1b[36m" + n + "\x1b[0m=\x1b[33m" + s + "\x1b[0m" }},
		{"toml", false, func(n, s string) string { return "[app]\n" + n + ` = """` + s + `"""` }},
		{"dockerfile", false, func(n, s string) string { return "FROM x\nENV " + n + " " + s + "\nRUN y" }},
		{"php", false, func(n, s string) string { return "define('" + n + "', '" + s + "');" }},
		{"html", false, func(n, s string) string { return `<input type="hidden" name="` + n + `" value="` + s + `">` }},
		{"ruby", false, func(n, s string) string { return ":" + n + " => '" + s + "'," }},
		{"diff", false, func(n, s string) string { return "@@ -1 +1 @@\n-" + n + "=old\n+" + n + "=" + s }},
		{"make", false, func(n, s string) string { return n + " ?= " + s + "\nall: x\n" }},
		{"chat", false, func(n, s string) string { return "Sure! My " + n + " is " + s + ", please use it." }},
		{"name and value", false, func(n, s string) string { return "env:\n  - name: " + n + "\n    value: \"" + s + "\"\n" }},
	}
}

// heldSettings returns settings that were written after the rules, and to which the rules
// were not adapted.
func heldSettings() []setting {
	return []setting{
		{"held out: powershell", false, func(n, s string) string { return "$env:" + n + ` = "` + s + `"` }},
		{"held out: csv", false, func(n, s string) string { return "name,value\n" + n + "," + s + "\n" }},
		{"held out: xml attribute", false, func(n, s string) string { return `<add key="` + n + `" value="` + s + `" />` }},
		{"held out: hcl", false, func(n, s string) string { return "variable \"x\" {}\n" + n + ` = "` + s + "\"\n" }},
		{"held out: cmd", false, func(n, s string) string { return "C:\\> set " + n + "=" + s + "\r\nC:\\> x" }},
		{"held out: yaml quoted", false, func(n, s string) string { return "- {name: x, " + n + ": '" + s + "'}" }},
		{"held out: http header", false, func(n, s string) string { return "POST / HTTP/1.1\r\nX-" + n + ": " + s + "\r\n\r\n" }},
		{"held out: python", false, func(n, s string) string { return "client = Client(host, " + n + "=\"" + s + "\")" }},
	}
}

// leaks reports whether part of the secret is left, either as it is or encoded for a URL.
func leaks(out, secret string) bool {
	const part = 12
	if len(secret) < part {
		return strings.Contains(out, secret)
	}
	for i := 0; i+part <= len(secret); i++ {
		if p := secret[i : i+part]; strings.Contains(out, p) || strings.Contains(out, url.QueryEscape(p)) {
			return true
		}
	}
	return false
}
