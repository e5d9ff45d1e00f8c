package workspace

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSecrets checks that text that looks like a key is refused wherever it appears, and
// that no message repeats it.
func TestSecrets(t *testing.T) {
	key := "sk-" + strings.Repeat("aB3xY9", 8)
	password := "postgres://app:" + strings.Repeat("Qz7", 5) + "@db.example/x"
	for _, c := range []struct {
		name, file, content, want string
	}{
		{"as the value of an unknown key", "evolve.yaml", "providers: {p: {kind: openai, api_key: KEY}}\n", `
evolve.yaml:1:31: unknown key "api_key"
evolve.yaml:1:40: a value looks like a secret (put secrets in environment variables and give only the variables' names)
`},
		{"for the name of a variable", "evolve.yaml", "providers: {p: {kind: openai, key_env: KEY}}\n", `evolve.yaml:1:40: a value looks like a secret (put secrets in environment variables and give only the variables' names)`},
		{"for a word among others", "evolve.yaml", "search: {selection: KEY}\n", `evolve.yaml:1:21: a value looks like a secret (put secrets in environment variables and give only the variables' names)`},
		{"as a key", "evolve.yaml", "KEY: 1\n", `
evolve.yaml:1:1: a key looks like a secret (put secrets in environment variables and give only the variables' names)
evolve.yaml:1:1: unknown key "[redacted]"
`},
		{"as the name of a provider", "evolve.yaml", "providers:\n  KEY: {kind: openai}\n", `evolve.yaml:2:3: a key looks like a secret (put secrets in environment variables and give only the variables' names)`},
		{"as a model", "evolve.yaml", "providers: {p: {kind: openai}}\nroutes: {default: {provider: p, model: KEY}}\n", `evolve.yaml:2:40: a value looks like a secret (put secrets in environment variables and give only the variables' names)`},
		{"as a whole section", "evolve.yaml", "providers: KEY\n", `evolve.yaml:1:12: a value looks like a secret (put secrets in environment variables and give only the variables' names)`},
		{"in a comment", "evolve.yaml", "budget: {usd: 1}\nsearch:  # was KEY\n  concurrency: 1\n", `evolve.yaml:2:10: a comment contains what looks like a secret (put secrets in environment variables and give only the variables' names)`},
		{"in an address", "evolve.yaml", "providers: {p: {kind: openai, base_url: \"PASSWORD\"}}\n", `evolve.yaml:1:41: a value looks like a secret (put secrets in environment variables and give only the variables' names)`},
		{"in a pattern", "evolve.yaml", "safety: {never: [\"KEY\"]}\n", `evolve.yaml:1:18: a value looks like a secret (put secrets in environment variables and give only the variables' names)`},
		{"in a command line", "agents/solver/agent.yaml", "id: solver\nadapter: {kind: command, argv: [curl, -H, \"Authorization: Bearer KEY\"]}\nsuites: [tasks]\n", `agents/solver/agent.yaml:2:43: a value looks like a secret (put secrets in environment variables and give only the variables' names)`},
		{"in env", "agents/solver/agent.yaml", "id: solver\nadapter: {kind: command, argv: [a], env: [\"OPENAI_API_KEY=KEY\"]}\nsuites: [tasks]\n", `agents/solver/agent.yaml:2:43: a value looks like a secret (put secrets in environment variables and give only the variables' names)`},
		{"as the kind of an adapter", "agents/solver/agent.yaml", "id: solver\nadapter: {kind: KEY}\nsuites: [tasks]\n", `agents/solver/agent.yaml:2:17: a value looks like a secret (put secrets in environment variables and give only the variables' names)`},
		{"as the default of a parameter", "agents/solver/agent.yaml", goodHead + "space:\n  prompt: {type: text, max_chars: 500, default: \"use KEY\"}\n", `agents/solver/agent.yaml:5:49: a value looks like a secret (put secrets in environment variables and give only the variables' names)`},
		{"in the champion", "agents/solver/config.yaml", "heat: KEY\nKEY: 1\n", `
agents/solver/config.yaml:1:7: parameter "heat" must be a number
agents/solver/config.yaml:2:1: parameter "[redacted]" is not declared in the space
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			content := strings.NewReplacer("PASSWORD", password, "Bearer KEY", "Bearer "+key, "=KEY", "="+key, " KEY", " "+key, "\"KEY", "\""+key, "KEY:", key+":").Replace(c.content)
			w, err := Load(build(t, spoil(map[string]string{c.file: content})), testBuiltins())
			var errs *Errors
			if !errors.As(err, &errs) {
				t.Fatalf("loaded as %v with %v", w, err)
			}
			for _, hidden := range []string{key, key[5:20], password[15:25]} {
				if strings.Contains(errs.Error(), hidden) {
					t.Error("the secret is repeated")
				}
			}
			if diff := cmp.Diff(strings.TrimSpace(c.want), errs.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestNoSecrets checks that the usual content of these files is not mistaken for a
// secret.
func TestNoSecrets(t *testing.T) {
	for name, content := range map[string]string{
		"evolve.yaml": fullSettings + "# Authorization: the name of a variable\n# password: never here\n",
		"agents/solver/agent.yaml": strings.Replace(goodHead, "argv: [./a.sh]", "argv: [./a.sh, --token-file, /run/secrets/token], env: [OPENAI_API_KEY, AWS_SECRET_ACCESS_KEY]", 1) +
			goodSpace + "  prompt: {type: text, max_chars: 500, default: \"Never repeat a password, a token or an API key.\"}\n",
	} {
		if _, err := Load(build(t, spoil(map[string]string{name: content})), testBuiltins()); err != nil {
			t.Error(err)
		}
	}
}
