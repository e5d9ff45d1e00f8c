package turn

// ambiguous returns, by domain, the keywords of [DefaultDomains] that also occur in
// everyday language. Such a keyword by itself does not indicate its domain: the text must
// also contain another keyword, or one of the words listed with it.
func ambiguous() map[string]map[string][]string {
	return map[string]map[string][]string{
		"engineering": {
			"bug":    {"fix", "report", "crash", "line", "parser", "triage", "reproduce", "software", "app", "program", "file", "release"},
			"test":   {"run", "unit", "write", "fail", "failing", "failed", "flaky", "suite", "ci", "pass", "coverage", "integration", "mock"},
			"class":  {"inherit", "object", "subclass", "base", "instance", "constructor", "parser", "field"},
			"method": {"call", "override", "argument", "return", "signature"},
			"build":  {"fail", "failed", "failing", "broken", "release", "ci", "pipeline", "artifact"},
			"import": {"cycle", "path", "missing", "unused"},
		},
		"operations": {
			"order": {"open", "ship", "cancel", "refund", "customer", "place", "delay", "track", "late", "fulfil", "process", "stock", "pending", "purchase"},
			"log":   {"error", "rotate", "file", "service", "line", "grep", "request", "access", "debug"},
			"shift": {"night", "early", "late", "swap", "cover", "staff", "team"},
			"alert": {"page", "fire", "silence", "threshold", "noisy", "service"},
		},
		"marketing": {
			"lead": {"sale", "qualified", "pipeline", "convert", "generate", "crm"},
			"ad":   {"spend", "run", "click", "target", "creative", "copy", "platform"},
		},
		"research": {
			"sample": {"size", "random", "population", "bias"},
			"method": {"section", "statistical", "compare", "result"},
		},
		"crypto": {
			"gas":      {"fee", "gwei", "limit", "transaction"},
			"mining":   {"pool", "rig", "block", "reward", "hash", "difficulty", "farm"},
			"token":    {"price", "sale", "transfer", "mint", "burn", "swap", "supply", "contract", "holder", "airdrop"},
			"coin":     {"price", "market", "buy", "sell", "trade", "cap"},
			"ether":    {"price", "buy", "sell", "transfer", "trade", "send", "worth"},
			"exchange": {"trade", "listed", "withdraw", "deposit", "spot"},
			"ledger":   {"hardware", "nano", "distributed"},
		},
	}
}
