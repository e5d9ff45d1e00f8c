package scrub

import (
	"encoding/base64"
	"encoding/json"
	"math/rand/v2"
	"strings"
)

// The corpus is based on the formats that issuers publish and on real kinds of files, not
// on the rules of this package.

// sample is one credential.
type sample struct {
	// text is the credential as issued.
	text string
	// random is the unpredictable part of the credential. No 12 characters of it may be
	// left.
	random string
	// own is text that contains the credential if its format occurs only in such text, for
	// example in a connection string. It is empty for a credential that can occur anywhere.
	own string
}

// format makes credentials of one kind.
type format struct {
	name string
	// variable is the usual name for such a credential.
	variable string
	// named reports whether a credential of this kind is recognizable only by its name.
	named bool
	make  func(r *rand.Rand) sample
}

const (
	digits10  = "0123456789"
	small     = "abcdefghijklmnopqrstuvwxyz"
	capitals  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	letters62 = digits10 + small + capitals
	base16    = "0123456789abcdef"
	base32    = capitals + "234567"
	urlSafe   = letters62 + "-_"
	standard  = letters62 + "+/"
)

func pick(r *rand.Rand, from string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = from[r.IntN(len(from))]
	}
	return string(b)
}

// fixed makes credentials that consist of a prefix and n characters from an alphabet.
func fixed(prefix, from string, n int) func(*rand.Rand) sample {
	return func(r *rand.Rand) sample {
		v := pick(r, from, n)
		return sample{text: prefix + v, random: v}
	}
}

// laid makes credentials from a template in which {} is the random part.
func laid(template, from string, n int) func(*rand.Rand) sample {
	return func(r *rand.Rand) sample {
		v := pick(r, from, n)
		text := strings.ReplaceAll(template, "{}", v)
		return sample{text: text, random: v}
	}
}

// whole makes credentials from a template that is used as the whole text.
func whole(template, from string, n int) func(*rand.Rand) sample {
	return func(r *rand.Rand) sample {
		v := pick(r, from, n)
		return sample{random: v, own: strings.ReplaceAll(template, "{}", v)}
	}
}

func randomUUID(r *rand.Rand) string {
	h := pick(r, base16, 32)
	return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-a" + h[17:20] + "-" + h[20:]
}

// password makes a typical password of letters, digits and some special characters.
func password(r *rand.Rand) sample {
	v := pick(r, letters62+"!#%^*_-+", 14+r.IntN(8)) + pick(r, digits10, 1)
	v = pick(r, letters62, 1) + v
	return sample{text: v, random: v}
}

func pem(kind string) func(*rand.Rand) sample {
	return func(r *rand.Rand) sample {
		var lines []string
		for range 6 {
			lines = append(lines, pick(r, standard, 64))
		}
		lines = append(lines, pick(r, standard, 30)+"==")
		body := strings.Join(lines, "\n")
		return sample{text: "-----BEGIN " + kind + "-----\n" + body + "\n-----END " + kind + "-----", random: body}
	}
}

func jwtSample(r *rand.Rand) sample {
	enc := base64.RawURLEncoding
	head := enc.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`))
	body := enc.EncodeToString([]byte(`{"sub":"` + pick(r, digits10, 10) + `","iat":1516239022}`))
	v := pick(r, urlSafe, 43)
	return sample{text: head + "." + body + "." + v, random: v}
}

// formats returns the formats that were known when the rules were written.
func formats() []format {
	basicPair := func(r *rand.Rand) sample {
		v := base64.StdEncoding.EncodeToString([]byte("app:" + pick(r, letters62, 18)))
		return sample{random: v[8:], own: "Authorization: Basic " + v}
	}
	dollar := func(r *rand.Rand) sample {
		v := pick(r, base16, 32)
		return sample{text: "access_token$production$" + pick(r, small+digits10, 16) + "$" + v, random: v}
	}
	splits := func(parts ...any) func(*rand.Rand) sample {
		return func(r *rand.Rand) sample {
			var text strings.Builder
			longest := ""
			for _, p := range parts {
				switch p := p.(type) {
				case string:
					text.WriteString(p)
				case func(*rand.Rand) string:
					v := p(r)
					text.WriteString(v)
					if len(v) > len(longest) {
						longest = v
					}
				}
			}
			return sample{text: text.String(), random: longest}
		}
	}
	some := func(from string, n int) func(*rand.Rand) string {
		return func(r *rand.Rand) string { return pick(r, from, n) }
	}
	encodedPair := func(r *rand.Rand) sample {
		v := pick(r, letters62, 32)
		e := base64.StdEncoding.EncodeToString([]byte(v))
		return sample{random: e, own: "apiVersion: v1\nkind: Secret\nmetadata:\n  name: app\ntype: Opaque\ndata:\n  user: YXBw\n  entry: " + e + "\n"}
	}
	oneLine := func(r *rand.Rand) sample {
		s := pem("PRIVATE KEY")(r)
		s.text = strings.ReplaceAll(s.text, "\n", `\n`)
		s.random = s.random[:60]
		return s
	}
	account := func(r *rand.Rand) sample {
		key := pem("PRIVATE KEY")(r)
		text, _ := json.MarshalIndent(map[string]string{"type": "service_account", "project_id": "p", "private_key": key.text + "\n", "client_email": "a@p.example"}, "", "  ")
		return sample{random: key.random[:60], own: string(text)}
	}

	return []format{
		{"aws access key id", "AWS_ACCESS_KEY_ID", false, fixed("AKIA", base32, 16)},
		{"aws temporary key id", "AWS_ACCESS_KEY_ID", false, fixed("ASIA", base32, 16)},
		{"aws secret key", "AWS_SECRET_ACCESS_KEY", true, fixed("", standard, 40)},
		{"aws session token", "AWS_SESSION_TOKEN", true, fixed("IQoJb3JpZ2luX2Vj", standard, 300)},
		{"google api key", "GOOGLE_API_KEY", false, fixed("AIzaSy", urlSafe, 33)},
		{"google client secret", "GOOGLE_CLIENT_SECRET", false, fixed("GOCSPX-", urlSafe, 28)},
		{"google access token", "GOOGLE_TOKEN", false, fixed("ya29.", urlSafe, 120)},
		{"google refresh token", "GOOGLE_REFRESH_TOKEN", false, fixed("1//0", urlSafe, 50)},
		{"google service account", "", false, account},
		{"azure storage key", "AZURE_STORAGE_KEY", true, func(r *rand.Rand) sample { v := pick(r, standard, 86); return sample{text: v + "==", random: v} }},
		{"azure connection string", "", false, whole("DefaultEndpointsProtocol=https;AccountName=app;AccountKey={}==;EndpointSuffix=core.windows.net", standard, 86)},
		{"azure service bus", "", false, whole("Endpoint=sb://app.servicebus.windows.net/;SharedAccessKeyName=root;SharedAccessKey={}=", standard, 43)},
		{"azure sas", "", false, whole("https://app.blob.core.windows.net/c?sv=2022-11-02&se=2026-01-01&sr=c&sp=rl&sig={}%3D", letters62, 43)},
		{"azure client secret", "AZURE_CLIENT_SECRET", false, splits(some(letters62, 3), "8Q~", some(letters62+"_.~-", 33), some(letters62, 1))},
		{"github personal", "GITHUB_TOKEN", false, fixed("ghp_", letters62, 36)},
		{"github oauth", "GITHUB_TOKEN", false, fixed("gho_", letters62, 36)},
		{"github user", "GH_TOKEN", false, fixed("ghu_", letters62, 36)},
		{"github server", "GH_TOKEN", false, fixed("ghs_", letters62, 36)},
		{"github refresh", "GH_TOKEN", false, fixed("ghr_", letters62, 36)},
		{"github fine grained", "GH_TOKEN", false, splits("github_pat_", some(letters62, 22), "_", some(letters62, 59))},
		{"gitlab personal", "GITLAB_TOKEN", false, fixed("glpat-", letters62, 20)},
		{"gitlab runner", "RUNNER_TOKEN", false, fixed("glrt-", letters62, 20)},
		{"gitlab deploy", "DEPLOY_TOKEN", false, fixed("gldt-", letters62, 20)},
		{"gitlab trigger", "TRIGGER_TOKEN", false, fixed("glptt-", base16, 40)},
		{"bitbucket app password", "BITBUCKET_APP_PASSWORD", false, fixed("ATBB", letters62, 32)},
		{"atlassian", "ATLASSIAN_TOKEN", false, fixed("ATATT3xFfGF0", urlSafe, 160)},
		{"slack bot", "SLACK_BOT_TOKEN", false, splits("xoxb-", some(digits10, 12), "-", some(digits10, 13), "-", some(letters62, 24))},
		{"slack user", "SLACK_TOKEN", false, splits("xoxp-", some(digits10, 12), "-", some(digits10, 12), "-", some(digits10, 13), "-", some(base16, 32))},
		{"slack app", "SLACK_APP_TOKEN", false, splits("xapp-1-A", some(capitals+digits10, 10), "-", some(digits10, 13), "-", some(base16, 64))},
		{"slack webhook", "SLACK_WEBHOOK_URL", false, splits("https://hooks.slack.com/services/T", some(capitals+digits10, 8), "/B", some(capitals+digits10, 8), "/", some(letters62, 24))},
		{"discord bot", "DISCORD_TOKEN", false, splits("MT", some(letters62, 22), ".", some(letters62, 6), ".", some(urlSafe, 38))},
		{"discord webhook", "WEBHOOK", false, splits("https://discord.com/api/webhooks/", some(digits10, 18), "/", some(urlSafe, 68))},
		{"telegram bot", "TELEGRAM_BOT_TOKEN", false, splits(some("123456789", 10), ":AA", some(urlSafe, 33))},
		{"stripe live", "STRIPE_KEY", false, fixed("sk_live_", letters62, 24)},
		{"stripe test", "STRIPE_KEY", false, fixed("sk_test_", letters62, 99)},
		{"stripe restricted", "STRIPE_KEY", false, fixed("rk_live_", letters62, 24)},
		{"stripe webhook", "STRIPE_WEBHOOK_SECRET", false, fixed("whsec_", letters62, 32)},
		{"square token", "SQUARE_TOKEN", false, fixed("sq0atp-", urlSafe, 22)},
		{"square secret", "SQUARE_SECRET", false, fixed("sq0csp-", urlSafe, 43)},
		{"paypal braintree", "BRAINTREE_TOKEN", false, dollar},
		{"paypal client secret", "PAYPAL_CLIENT_SECRET", true, fixed("E", urlSafe, 79)},
		{"shopify", "SHOPIFY_TOKEN", false, fixed("shpat_", base16, 32)},
		{"shopify shared", "SHOPIFY_SECRET", false, fixed("shpss_", base16, 32)},
		{"twilio key", "TWILIO_API_KEY", false, fixed("SK", base16, 32)},
		{"twilio auth token", "TWILIO_AUTH_TOKEN", true, fixed("", base16, 32)},
		{"sendgrid", "SENDGRID_API_KEY", false, splits("SG.", some(urlSafe, 22), ".", some(urlSafe, 43))},
		{"mailgun", "MAILGUN_KEY", false, fixed("key-", base16, 32)},
		{"mailchimp", "MAILCHIMP_KEY", false, func(r *rand.Rand) sample { v := pick(r, base16, 32); return sample{text: v + "-us14", random: v} }},
		{"openai", "OPENAI_API_KEY", false, splits("sk-", some(letters62, 20), "T3BlbkFJ", some(letters62, 20))},
		{"openai project", "OPENAI_API_KEY", false, fixed("sk-proj-", urlSafe, 124)},
		{"anthropic", "ANTHROPIC_API_KEY", false, fixed("sk-ant-api03-", urlSafe, 93)},
		{"hugging face", "HF_TOKEN", false, fixed("hf_", small+capitals, 34)},
		{"cohere", "COHERE_API_KEY", true, fixed("", letters62, 40)},
		{"mistral", "MISTRAL_API_KEY", true, fixed("", letters62, 32)},
		{"groq", "GROQ_API_KEY", false, fixed("gsk_", letters62, 52)},
		{"replicate", "REPLICATE_API_TOKEN", false, fixed("r8_", letters62, 37)},
		{"npm", "NPM_TOKEN", false, fixed("npm_", letters62, 36)},
		{"npmrc", "", false, whole("//registry.npmjs.org/:_authToken={}", base16, 36)},
		{"pypi", "PYPI_TOKEN", false, fixed("pypi-AgEIcHlwaS5vcmc", urlSafe, 150)},
		{"rubygems", "GEM_HOST_API_KEY", false, fixed("rubygems_", base16, 48)},
		{"crates.io", "CARGO_REGISTRY_TOKEN", false, fixed("cio", letters62, 32)},
		{"docker hub", "DOCKER_TOKEN", false, fixed("dckr_pat_", urlSafe, 27)},
		{"digitalocean", "DIGITALOCEAN_TOKEN", false, fixed("dop_v1_", base16, 64)},
		{"heroku", "HEROKU_API_KEY", true, func(r *rand.Rand) sample { v := randomUUID(r); return sample{text: v, random: v} }},
		{"netlify", "NETLIFY_AUTH_TOKEN", false, fixed("nfp_", letters62, 36)},
		{"vercel", "VERCEL_TOKEN", true, fixed("", letters62, 24)},
		{"cloudflare", "CLOUDFLARE_API_TOKEN", true, fixed("", urlSafe, 40)},
		{"fly", "FLY_API_TOKEN", false, fixed("fm2_", standard, 120)},
		{"datadog api", "DD_API_KEY", true, fixed("", base16, 32)},
		{"datadog app", "DD_APP_KEY", true, fixed("", base16, 40)},
		{"new relic", "NEW_RELIC_KEY", false, fixed("NRAK-", capitals+digits10, 27)},
		{"grafana cloud", "GRAFANA_TOKEN", false, fixed("glc_eyJ", standard, 90)},
		{"grafana account", "GRAFANA_TOKEN", false, splits("glsa_", some(letters62, 32), "_", some(base16, 8))},
		{"sentry", "SENTRY_AUTH_TOKEN", false, splits("sntrys_eyJ", some(letters62, 80), "_", some(letters62, 43))},
		{"pagerduty", "PAGERDUTY_TOKEN", false, fixed("u+", urlSafe, 18)},
		{"linear", "LINEAR_API_KEY", false, fixed("lin_api_", letters62, 40)},
		{"notion", "NOTION_TOKEN", false, fixed("ntn_", letters62, 46)},
		{"notion before 2024", "NOTION_TOKEN", false, fixed("secret_", letters62, 43)},
		{"airtable", "AIRTABLE_TOKEN", false, splits("pat", some(letters62, 14), ".", some(base16, 64))},
		{"asana", "ASANA_TOKEN", false, splits("1/", some(digits10, 16), ":", some(base16, 32))},
		{"databricks", "DATABRICKS_TOKEN", false, fixed("dapi", base16, 32)},
		{"snowflake dsn", "", false, whole("app:{}@org-app.snowflakecomputing.com/db", letters62, 20)},
		{"vault", "VAULT_TOKEN", false, fixed("hvs.", letters62, 90)},
		{"vault before 1.10", "VAULT_TOKEN", false, fixed("s.", letters62, 24)},
		{"terraform cloud", "TF_TOKEN", false, splits(some(letters62, 14), ".atlasv1.", some(urlSafe, 67))},
		{"doppler", "DOPPLER_TOKEN", false, fixed("dp.pt.", letters62, 43)},
		{"pulumi", "PULUMI_ACCESS_TOKEN", false, fixed("pul-", base16, 40)},
		{"postman", "POSTMAN_KEY", false, splits("PMAK-", some(base16, 24), "-", some(base16, 34))},
		{"jwt", "TOKEN", false, jwtSample},
		{"rsa key", "PRIVATE_KEY", false, pem("RSA PRIVATE KEY")},
		{"ec key", "PRIVATE_KEY", false, pem("EC PRIVATE KEY")},
		{"openssh key", "SSH_KEY", false, pem("OPENSSH PRIVATE KEY")},
		{"pgp key", "PGP_KEY", false, pem("PGP PRIVATE KEY BLOCK")},
		{"pkcs8 key", "PRIVATE_KEY", false, pem("PRIVATE KEY")},
		{"key on one line", "PRIVATE_KEY", false, oneLine},
		{"age key", "AGE_KEY", false, fixed("AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)},
		{"basic header", "", false, basicPair},
		{"bearer header", "", false, whole("Authorization: Bearer {}", letters62+"._~-", 40)},
		{"cookie", "", false, whole("Cookie: theme=dark; session={}; lang=en", base16, 40)},
		{"set-cookie", "", false, whole("Set-Cookie: sid={}; Path=/; HttpOnly", urlSafe, 32)},
		{"url with userinfo", "", false, whole("https://app:{}@git.example.org/x.git", letters62, 20)},
		{"postgres dsn", "DATABASE_URL", false, laid("postgres://app:{}@db.internal:5432/x?sslmode=off", letters62+"!$*_-", 20)},
		{"mysql dsn", "DATABASE_URL", false, laid("mysql://app:{}@db:3306/x", letters62, 20)},
		{"mongodb dsn", "MONGO_URI", false, laid("mongodb+srv://app:{}@c0.mongodb.net/x", letters62, 20)},
		{"redis dsn", "REDIS_URL", false, laid("redis://:{}@cache:6379/0", letters62, 24)},
		{"amqp dsn", "BROKER_URL", false, laid("amqp://app:{}@mq:5672/x", letters62, 20)},
		{"password", "DB_PASSWORD", true, password},
		{"passwd", "ftp_passwd", true, password},
		{"pwd", "pwd", true, password},
		{"secret", "client_secret", true, fixed("", letters62, 32)},
		{"api key", "api_key", true, fixed("", letters62, 32)},
		{"token", "token", true, fixed("", letters62, 32)},
		{"camel case", "dbPassword", true, password},
		{"flag", "", false, whole("server --user app --password {} --port 80", letters62, 20)},
		{"mysql flag", "", false, whole("mysql -h db -u root -p{} app", letters62, 16)},
		{"curl user", "", false, whole("curl -u app:{} https://api.example.org/v1", letters62, 20)},
		{"beside a word", "", false, whole("use the API key {} for staging", letters62, 32)},
		{"kubernetes secret", "", false, encodedPair},
		{"netrc", "", false, whole("machine git.example.org login app password {}", letters62, 20)},
		{"pgpass", "", false, whole("db.internal:5432:app:app:{}", letters62, 20)},
		{"htpasswd", "", false, whole("app:$apr1$x7Gd2k9s${}", letters62+"./", 22)},
		{"bcrypt", "", false, whole("app:$2y$10${}", letters62+"./", 53)},
	}
}

// heldOut returns formats for which there is no specific rule. Only their names and context
// can reveal them.
func heldOut() []format {
	return []format{
		{"held out: typeform", "TYPEFORM_TOKEN", false, fixed("tfp_", urlSafe, 59)},
		{"held out: contentstack", "CONTENTSTACK_TOKEN", false, fixed("cs", base16, 40)},
		{"held out: prefect", "PREFECT_API_KEY", false, fixed("pnu_", letters62, 36)},
		{"held out: infracost", "INFRACOST_API_KEY", false, fixed("ico-", letters62, 32)},
		{"held out: scalingo", "SCALINGO_TOKEN", false, fixed("tk-us-", urlSafe, 48)},
		{"held out: frame.io", "FRAMEIO_TOKEN", false, fixed("fio-u-", urlSafe, 64)},
		{"held out: lob", "LOB_API_KEY", false, fixed("live_", base16, 35)},
		{"held out: adafruit", "ADAFRUIT_IO_KEY", false, fixed("aio_", letters62, 28)},
		{"held out: buildkite agent", "BUILDKITE_AGENT_TOKEN", false, fixed("bkct_", urlSafe, 60)},
		{"held out: okta", "OKTA_API_TOKEN", false, fixed("00", urlSafe, 40)},
		{"held out: fastly", "FASTLY_API_TOKEN", false, fixed("", urlSafe, 32)},
		{"held out: coinbase", "COINBASE_SECRET", false, fixed("", letters62, 64)},
		{"held out: algolia", "ALGOLIA_ADMIN_KEY", false, fixed("", base16, 32)},
		{"held out: trello", "TRELLO_TOKEN", false, fixed("ATTA", base16, 72)},
		{"held out: zendesk", "ZENDESK_SECRET", false, fixed("", letters62, 40)},
	}
}
