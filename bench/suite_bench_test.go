package bench

import (
	"bytes"
	"fmt"
	"testing"
)

// BenchmarkReadSuite reads a suite of 10,000 short tasks.
func BenchmarkReadSuite(b *testing.B) {
	var text bytes.Buffer
	for i := range 10_000 {
		fmt.Fprintf(&text, `{"id":"t%d","domain":"d%d","goal":"what is %d","graders":[{"type":"exact","answer":"%d"}],"cluster":"c%d"}`+"\n", i, i%10, i, i, i/3)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, issues := ReadSuite(bytes.NewReader(text.Bytes()), "s", nil, plainRules); len(issues) > 0 {
			b.Fatal(issues)
		}
	}
}
