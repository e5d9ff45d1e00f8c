package scrub

// issuer is a format of credentials that begin with a prefix of their issuer.
type issuer struct {
	prefix string
	// of is the alphabet of the rest, which is min to max characters long; max 0 is no
	// bound.
	of       alphabet
	min, max int
	// loose reports that ordinary words begin so too: the rest must then have the right
	// length and look random.
	loose bool
}

// issuers returns the formats by kind of service. Lengths are lower bounds where
// issuers have changed them or left them open.
func issuers() []issuer {
	return []issuer{
		// clouds
		{"AKIA", digit | upper, 16, 16, true},
		{"ASIA", digit | upper, 16, 16, true},
		{"ABIA", digit | upper, 16, 16, true},
		{"ACCA", digit | upper, 16, 16, true},
		{"ABSK", std64, 100, 0, true}, // Bedrock
		{"AIza", url64, 35, 0, false},
		{"GOCSPX-", url64, 24, 0, false},
		{"ya29.", dotted, 20, 0, false},
		{"1//0", url64, 30, 0, true},
		{"LTAI", alnum, 12, 30, true},
		{"dop_v1_", smallHex, 40, 0, false},
		{"doo_v1_", smallHex, 40, 0, false},
		{"dor_v1_", smallHex, 40, 0, false},
		{"HRKU-", url64, 30, 0, false},
		{"nfp_", alnum, 30, 0, false},
		{"vcp_", alnum, 20, 0, true},
		{"vca_", alnum, 20, 0, true},
		{"vck_", alnum, 20, 0, true},
		{"cfut_", word, 30, 0, true},
		{"cfat_", word, 30, 0, true},
		{"cfk_", word, 30, 0, true},
		{"v1.0-", smallHex | dash, 100, 0, true}, // Cloudflare origin CA
		{"fm1_", std64, 40, 0, true},
		{"fm1r_", std64, 40, 0, true},
		{"fm2_", std64, 40, 0, true},
		{"fo1_", std64 | under | dash, 30, 0, true},
		{"rnd_", alnum, 24, 0, true},
		{"pscale_tkn_", dotted, 30, 0, false},
		{"pscale_pw_", dotted, 30, 0, false},
		{"pscale_oauth_", dotted, 30, 0, false},
		{"sbp_", smallHex, 40, 0, false},
		{"sb_secret_", url64, 20, 0, false},
		{"napi_", alnum, 40, 0, true},

		// code, packages, builds
		{"ghp_", alnum, 20, 0, false},
		{"gho_", alnum, 20, 0, false},
		{"ghu_", alnum, 20, 0, false},
		{"ghs_", dotted, 20, 0, false},
		{"ghr_", alnum, 20, 0, false},
		{"github_pat_", word, 20, 0, false},
		{"glpat-", dotted, 20, 0, false},
		{"gldt-", dotted, 20, 0, false},
		{"glrt-", dotted, 20, 0, false},
		{"glrtr-", dotted, 20, 0, false},
		{"glptt-", url64, 20, 0, false},
		{"glcbt-", url64, 20, 0, false},
		{"glsoat-", url64, 20, 0, false},
		{"glft-", url64, 20, 0, false},
		{"glimt-", url64, 20, 0, false},
		{"glagent-", url64, 20, 0, false},
		{"glffct-", url64, 20, 0, false},
		{"gloas-", url64, 40, 0, false},
		{"GR1348941", url64, 20, 0, false},
		{"ATBB", alnum, 24, 0, true},
		{"ATCTT3", any64, 40, 0, false},
		{"ATATT3", any64, 40, 0, false},
		{"ATSTT3", any64, 40, 0, false},
		{"npm_", alnum, 30, 0, false},
		{"pypi-", url64, 30, 0, true},
		{"rubygems_", smallHex, 40, 0, false},
		{"cio", alnum, 32, 32, true},
		{"dckr_pat_", url64, 20, 0, false},
		{"dckr_oat_", url64, 20, 0, false},
		{"oy2", lower | digit, 43, 43, true},
		{"CLOJARS_", lower | digit, 50, 0, false},
		{"AKCp", alnum, 60, 0, true},
		{"CCIPAT_", word, 30, 0, false},
		{"bkua_", smallHex, 40, 0, false},
		{"sqp_", smallHex, 40, 0, false},
		{"squ_", smallHex, 40, 0, false},
		{"sqa_", smallHex, 40, 0, false},
		{"sgp_", word, 40, 0, true},
		{"PMAK-", hexAny | dash, 40, 0, false},

		// models
		{"sk-", url64, 16, 0, true}, // OpenAI, Anthropic and compatible services
		{"sess-", alnum, 40, 40, true},
		{"hf_", alnum, 30, 0, false},
		{"api_org_", alnum, 30, 0, false},
		{"r8_", alnum, 37, 0, false},
		{"gsk_", alnum, 40, 0, true},
		{"xai-", word, 60, 0, true},
		{"pplx-", alnum, 40, 0, true},
		{"nvapi-", url64, 50, 0, false},
		{"tgp_v1_", url64, 30, 0, false},
		{"lsv2_pt_", smallHex | under, 40, 0, false},
		{"lsv2_sk_", smallHex | under, 40, 0, false},
		{"pcsk_", word, 40, 0, true},
		{"tvly-", url64, 24, 0, true},
		{"csk-", alnum, 40, 0, true},
		{"e2b_", smallHex, 40, 0, false},
		{"sk_", smallHex, 48, 48, true}, // ElevenLabs

		// chat and mail
		{"xoxb-", alnum | dash, 10, 0, false},
		{"xoxp-", alnum | dash, 10, 0, false},
		{"xoxa-", alnum | dash, 10, 0, false},
		{"xoxr-", alnum | dash, 10, 0, false},
		{"xoxs-", alnum | dash, 10, 0, false},
		{"xoxo-", alnum | dash, 10, 0, true},
		{"xoxc-", alnum | dash, 10, 0, false},
		{"xoxd-", any64 | percent, 10, 0, false},
		{"xoxe-", alnum | dash, 10, 0, false},
		{"xoxe.", alnum | dash | dot, 20, 0, false},
		{"xapp-", alnum | dash, 10, 0, false},
		{"xwfp-", alnum | dash, 10, 0, false},
		{"SG.", dotted, 40, 0, true},
		{"key-", smallHex, 32, 32, true}, // Mailgun
		{"xkeysib-", alnum | dash, 60, 0, false},
		{"EAA", alnum, 80, 0, true}, // Facebook

		// payment and shops
		{"sk_live_", alnum, 16, 0, false},
		{"sk_test_", alnum, 16, 0, false},
		{"rk_live_", alnum, 16, 0, false},
		{"rk_test_", alnum, 16, 0, false},
		{"pk_live_", alnum, 16, 0, false},
		{"pk_test_", alnum, 16, 0, false},
		{"whsec_", std64, 24, 0, false},
		{"sq0atp-", url64, 22, 0, false},
		{"sq0csp-", url64, 40, 0, false},
		{"sq0idp-", url64, 22, 0, false},
		{"EAAA", url64, 56, 0, true},
		{"access_token$production$", alnum | dollar, 40, 0, false},
		{"access_token$sandbox$", alnum | dollar, 40, 0, false},
		{"A21AA", url64, 60, 0, true},
		{"shpat_", hexAny, 32, 0, false},
		{"shpss_", hexAny, 32, 0, false},
		{"shpca_", hexAny, 32, 0, false},
		{"shppa_", hexAny, 32, 0, false},
		{"shpua_", hexAny, 32, 0, false},
		{"SK", smallHex, 32, 32, true}, // Twilio
		{"FLWSECK", alnum | dash | under, 24, 0, true},
		{"EZAK", alnum, 54, 0, true},
		{"EZTK", alnum, 54, 0, true},
		{"access-production-", smallHex | dash, 36, 36, false},
		{"access-sandbox-", smallHex | dash, 36, 36, false},
		{"shippo_live_", smallHex, 40, 0, false},
		{"duffel_live_", url64, 40, 0, false},

		// monitoring
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

		// office and collaboration
		{"lin_api_", alnum, 30, 0, false},
		{"lin_oauth_", alnum, 30, 0, false},
		{"secret_", alnum, 43, 0, true},
		{"ntn_", alnum, 40, 0, true},
		{"figd_", url64, 30, 0, true},
		{"pat-na1-", smallHex | dash, 36, 0, false},
		{"pat-eu1-", smallHex | dash, 36, 0, false},
		{"CFPAT-", url64, 40, 0, false},
		{"rdme_", alnum, 60, 0, true},
		{"tskey-", alnum | dash, 20, 0, true},
		{"ops_eyJ", url64, 100, 0, false},
		{"sl.", url64, 100, 0, true},

		// databases and secret stores
		{"dapi", smallHex | dash, 32, 34, true},
		{"hvs.", url64, 24, 0, true},
		{"hvb.", url64, 24, 0, true},
		{"hvr.", url64, 24, 0, true},
		{"s.", alnum, 24, 24, true}, // Vault before 1.10
		{"b.", alnum, 24, 0, true},
		{"dp.pt.", alnum, 40, 0, false},
		{"dp.ct.", alnum, 40, 0, false},
		{"dp.sa.", alnum, 40, 0, false},
		{"dp.st.", dotted, 40, 0, false},
		{"dp.scim.", alnum, 40, 0, false},
		{"dp.audit.", alnum, 40, 0, false},
		{"pul-", smallHex, 40, 0, false},
		{"AGE-SECRET-KEY-", alnum | dash, 50, 0, false},
		{"AAAAAAAAAAAAAAAAAAAAA", alnum | percent, 40, 0, true}, // X
	}
}
