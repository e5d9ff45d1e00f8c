package scrub

import (
	"strings"
	"testing"
)

// TestCredentialsWithoutAPrefix tests AWS secret keys, SendGrid keys and payment card
// numbers, each alongside text that looks similar.
func TestCredentialsWithoutAPrefix(t *testing.T) {
	s := New(nil)
	secret := strings.Join([]string{"wJalrXUtnFEMI", "K7MDENG", "bPxRfiCYzXAMPLEKEY"}, "/")
	for _, text := range []string{
		"aws secret " + secret, secret + " is my AWS secret", "AKIAIOSFODNN7EXAMPLE " + secret, "AKIAIOSFODNN7EXAMPLE\n" + secret + "\n", "Amazon: '" + secret + "'",
		"SG." + "ngeVfQFYQlKU0ufo8x5d1A" + "." + "TwL2iGABf9DHoTf-09kqeF8tAmbihYzrnopKc-1s5cr", "mail with SG." + "abc123def456" + "." + "ghi789jkl012",
		"my card is 4111 1111 1111 1111", "4111-1111-1111-1111", "card 4111111111111111.", "Amex 3782 822463 10005", "visa 4222222222222",
		"pay with 5555 5555 5555 4444, please", "2223-0031-2200-3222", "6011 1111 1111 1117", `{"card":4111111111111111}`, "credit card: 3056 930902 5904", "6304 0000 0000 0000 is no issuer, 4012 8888 8888 1881 is",
	} {
		if out := s.String(text); !strings.Contains(out, Mark) {
			t.Errorf("%q is as it was", text)
		}
	}
	for _, text := range []string{
		"aws s3 ls s3://bucket/Some/Path/To/An/Object/That/Is/Long/Key1", "the secret garden of 0123456789abcdef0123456789abcdef01234567", "commit 9ae2e60ed2bdad1d19d0a6c7d6e8b95f2b5bd2ab by aws-bot",
		"AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCd without a word beside it",
		"SG.method.call", "SG.configuration.directory", "the list SG.a1.b2",
		"4111 1111 1111 1112", "4111111111111111 is an id", "seed 4503599627370496", "0.4111111111111111", "4111.1111111111111", "2024-01-02 03:04:05 2221", "call 4111 1111", "1,4111 1111 1111 1111 9",
		"ISBN 978-3-16-148410-0", "order 5555555555554444", "phone +49 4111 1111 1111", "4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 0", "at 12:30 4111-1111-1111-1111-1111-1111",
	} {
		if out := s.String(text); out != text {
			t.Errorf("%q became %q", text, out)
		}
	}
}
