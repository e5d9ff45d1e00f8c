package scrub

import (
	"slices"
	"strings"
)

// issuer is a format of credentials that begin with a prefix chosen by their issuer.
type issuer struct {
	prefix string
	// The characters that the part after the prefix may contain (of), and its minimum and
	// maximum length in characters. A max of 0 means no upper limit.
	of       alphabet
	min, max int
	// loose reports whether ordinary words may also have this prefix. The part after the
	// prefix must then have the right length and look random.
	loose bool
}

// issuers returns the credential formats of all kinds of services. If an issuer has changed
// the length of its credentials or has not specified it, the table states only a minimum.
func issuers() []issuer {
	var all []issuer
	for _, f := range slices.Concat(
		cloudIssuers(), codeIssuers(), modelIssuers(), chatIssuers(), paymentIssuers(), monitoringIssuers(), officeIssuers(), storeIssuers(),
	) {
		for _, prefix := range strings.Fields(f.prefix) {
			one := f
			one.prefix = prefix
			all = append(all, one)
		}
	}
	return all
}

// cloudIssuers returns the formats of the credentials that cloud services issue. In this
// table and the next ones, a format may have several prefixes, separated by blanks.
func cloudIssuers() []issuer {
	return []issuer{
		{"AKIA ASIA ABIA ACCA", digit | upper, 16, 16, true},
		{"ABSK", std64, 100, 0, true}, // Bedrock
		{"AIza", url64, 35, 0, false},
		{"GOCSPX-", url64, 24, 0, false},
		{"ya29.", dotted, 20, 0, false},
		{"1//0", url64, 30, 0, true},
		{"LTAI", alnum, 12, 30, true},
		{"dop_v1_ doo_v1_ dor_v1_ sbp_", smallHex, 40, 0, false},
		{"HRKU-", url64, 30, 0, false},
		{"nfp_", alnum, 30, 0, false},
		{"vcp_ vca_ vck_", alnum, 20, 0, true},
		{"cfut_ cfat_ cfk_", word, 30, 0, true},
		{"v1.0-", smallHex | dash, 100, 0, true}, // Cloudflare origin CA
		{"fm1_ fm1r_ fm2_", std64, 40, 0, true},
		{"fo1_", std64 | under | dash, 30, 0, true},
		{"rnd_", alnum, 24, 0, true},
		{"pscale_tkn_ pscale_pw_ pscale_oauth_", dotted, 30, 0, false},
		{"sb_secret_", url64, 20, 0, false},
		{"napi_", alnum, 40, 0, true},
	}
}

// codeIssuers returns the formats of the credentials that code hosts, package registries
// and build services issue.
func codeIssuers() []issuer {
	return []issuer{
		{"ghp_ gho_ ghu_ ghr_", alnum, 20, 0, false},
		{"ghs_ glpat- gldt- glrt- glrtr-", dotted, 20, 0, false},
		{"github_pat_", word, 20, 0, false},
		{"glptt- glcbt- glsoat- glft- glimt- glagent- glffct- GR1348941 dckr_pat_ dckr_oat_", url64, 20, 0, false},
		{"gloas-", url64, 40, 0, false},
		{"ATBB", alnum, 24, 0, true},
		{"ATCTT3 ATATT3 ATSTT3", any64, 40, 0, false},
		{"npm_", alnum, 30, 0, false},
		{"pypi-", url64, 30, 0, true},
		{"rubygems_ bkua_ sqp_ squ_ sqa_", smallHex, 40, 0, false},
		{"cio", alnum, 32, 32, true},
		{"oy2", lower | digit, 43, 43, true},
		{"CLOJARS_", lower | digit, 50, 0, false},
		{"AKCp", alnum, 60, 0, true},
		{"CCIPAT_", word, 30, 0, false},
		{"sgp_", word, 40, 0, true},
		{"PMAK-", hexAny | dash, 40, 0, false},
	}
}

// modelIssuers returns the formats of the keys that model providers issue.
func modelIssuers() []issuer {
	return []issuer{
		{"sk-", url64, 16, 0, true}, // OpenAI, Anthropic and compatible services
		{"sess-", alnum, 40, 40, true},
		{"hf_ api_org_", alnum, 30, 0, false},
		{"r8_", alnum, 37, 0, false},
		{"gsk_ pplx- csk-", alnum, 40, 0, true},
		{"xai-", word, 60, 0, true},
		{"nvapi-", url64, 50, 0, false},
		{"tgp_v1_", url64, 30, 0, false},
		{"lsv2_pt_ lsv2_sk_", smallHex | under, 40, 0, false},
		{"pcsk_", word, 40, 0, true},
		{"tvly-", url64, 24, 0, true},
		{"e2b_", smallHex, 40, 0, false},
		{"sk_", smallHex, 48, 48, true}, // ElevenLabs
	}
}

// chatIssuers returns the formats of the credentials that chat and mail services issue.
func chatIssuers() []issuer {
	return []issuer{
		{"xoxb- xoxp- xoxa- xoxr- xoxs- xoxc- xoxe- xapp- xwfp-", alnum | dash, 10, 0, false},
		{"xoxo-", alnum | dash, 10, 0, true},
		{"xoxd-", any64 | percent, 10, 0, false},
		{"xoxe.", alnum | dash | dot, 20, 0, false},
		{"SG.", dotted, 40, 0, true},
		{"key-", smallHex, 32, 32, true}, // Mailgun
		{"xkeysib-", alnum | dash, 60, 0, false},
		{"EAA", alnum, 80, 0, true}, // Facebook
	}
}

// paymentIssuers returns the formats of the credentials that payment services and shops
// issue.
func paymentIssuers() []issuer {
	return []issuer{
		{"sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ pk_test_", alnum, 16, 0, false},
		{"whsec_", std64, 24, 0, false},
		{"sq0atp- sq0idp-", url64, 22, 0, false},
		{"sq0csp- duffel_live_", url64, 40, 0, false},
		{"EAAA", url64, 56, 0, true},
		{"access_token$production$ access_token$sandbox$", alnum | dollar, 40, 0, false},
		{"A21AA", url64, 60, 0, true},
		{"shpat_ shpss_ shpca_ shppa_ shpua_", hexAny, 32, 0, false},
		{"SK", smallHex, 32, 32, true}, // Twilio
		{"FLWSECK", alnum | dash | under, 24, 0, true},
		{"EZAK EZTK", alnum, 54, 0, true},
		{"access-production- access-sandbox-", smallHex | dash, 36, 36, false},
		{"shippo_live_", smallHex, 40, 0, false},
	}
}

// monitoringIssuers returns the formats of the credentials that monitoring services issue.
func monitoringIssuers() []issuer {
	return []issuer{
		{"NRAK-", alnum, 20, 0, false},
		{"NRJS-", alnum, 19, 0, false},
		{"NRII-", url64, 30, 0, false},
		{"glc_", std64, 30, 0, true},
		{"glsa_", word, 30, 0, true},
		{"sntrys_", any64, 40, 0, false},
		{"sntryu_", smallHex, 40, 0, false},
		{"pdus+", word | dash | plus, 16, 0, true},
		{"u+", url64, 18, 18, true},
		{"dt0c01.", digit | upper | dot, 80, 0, false},
		{"dt0s16.", digit | upper | dot, 60, 0, false},
		{"phx_", alnum, 40, 0, true},
	}
}

// officeIssuers returns the formats of the credentials that office tools issue.
func officeIssuers() []issuer {
	return []issuer{
		{"lin_api_ lin_oauth_", alnum, 30, 0, false},
		{"secret_", alnum, 43, 0, true},
		{"ntn_", alnum, 40, 0, true},
		{"figd_", url64, 30, 0, true},
		{"pat-na1- pat-eu1-", smallHex | dash, 36, 0, false},
		{"CFPAT-", url64, 40, 0, false},
		{"rdme_", alnum, 60, 0, true},
		{"tskey-", alnum | dash, 20, 0, true},
		{"ops_eyJ", url64, 100, 0, false},
		{"sl.", url64, 100, 0, true},
	}
}

// storeIssuers returns the formats of the credentials that databases and secret stores
// issue.
func storeIssuers() []issuer {
	return []issuer{
		{"dapi", smallHex | dash, 32, 34, true},
		{"hvs. hvb. hvr.", url64, 24, 0, true},
		{"s.", alnum, 24, 24, true}, // Vault before 1.10
		{"b.", alnum, 24, 0, true},
		{"dp.pt. dp.ct. dp.sa. dp.scim. dp.audit.", alnum, 40, 0, false},
		{"dp.st.", dotted, 40, 0, false},
		{"pul-", smallHex, 40, 0, false},
		{"AGE-SECRET-KEY-", alnum | dash, 50, 0, false},
		{"AAAAAAAAAAAAAAAAAAAAA", alnum | percent, 40, 0, true}, // X
	}
}
