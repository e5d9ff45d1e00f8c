package scrub

import "regexp"

// shape is one form that credentials take.
type shape struct {
	// hints are texts, in lower case, of which every match holds one: most text has
	// none, and is then not searched further.
	hints   []string
	pattern *regexp.Regexp
	// with replaces a match; $1 is what it keeps.
	with string
}

// shapes lists them in the order in which they are removed: whole keys first, then single
// tokens of known issuers, then what only its surroundings give away.
func shapes() []shape {
	return []shape{
		{
			// To the end of the text where the end of the key is missing.
			[]string{"private key"},
			regexp.MustCompile(`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?s:.*?-----END [A-Z0-9 ]{0,60}-----|.*)`), Mark,
		},
		{[]string{"akia", "asia", "abia", "acca"}, regexp.MustCompile(`\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b`), Mark},
		{[]string{"gh", "glpat-"}, regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{20,})`), Mark},
		{[]string{"xox", "xapp-", "hooks.slack.com"}, regexp.MustCompile(`\bxox[a-z]-[A-Za-z0-9-]{10,}|\bxapp-[A-Za-z0-9-]{10,}|hooks\.slack\.com/services/[A-Za-z0-9/_-]+`), Mark},
		{[]string{"sk-"}, regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{16,}`), Mark}, // OpenAI, Anthropic and those who copied them
		{[]string{"_live_", "_test_"}, regexp.MustCompile(`\b[srp]k_(?:live|test)_[A-Za-z0-9]{16,}`), Mark},
		{[]string{"aiza"}, regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{35}`), Mark},
		{[]string{"npm_", "hf_", "pypi-"}, regexp.MustCompile(`\b(?:npm_[A-Za-z0-9]{30,}|hf_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,})`), Mark},
		{[]string{"eyj"}, regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`), Mark},
		{
			[]string{"authorization"},
			regexp.MustCompile(`(?i)(\bauthorization["']?\s{0,9}[:=]\s{0,9}["']?(?:(?:basic|bearer|token|digest|negotiate|apikey)\s{1,9})?)[^\s"',;]+`), "${1}" + Mark,
		},
		{[]string{"bearer"}, regexp.MustCompile(`(?i)(\bbearer\s{1,9})[A-Za-z0-9._~+/=-]{20,}`), "${1}" + Mark},
		{[]string{"://"}, regexp.MustCompile(`(://)[^\s/@:"'<>]{0,256}:[^\s/@"'<>]{1,512}@`), "${1}" + Mark + "@"},
		{
			// What is in quotation marks keeps them, so that JSON stays JSON.
			[]string{"pass", "pwd", "secret", "key", "token"},
			regexp.MustCompile(named + `"\s{0,9}[=:]\s{0,9}")(?:[^"\\\n]|\\.)+`), "${1}" + Mark,
		},
		{
			[]string{"pass", "pwd", "secret", "key", "token"},
			regexp.MustCompile(named + `["']?\s{0,9}[=:]\s{0,9}["']?)[^\s"',;&]{3,}`), "${1}" + Mark,
		},
	}
}

// named begins the shape of a value that has its name before it.
const named = `(?i)((?:password|passwd|passphrase|pwd|secret|api[_-]?key|access[_-]?key|private[_-]?key|secret[_-]?key|` +
	`(?:access|auth|api|refresh|session|bearer)[_-]?token)`
