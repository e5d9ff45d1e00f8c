package render

import (
	"strings"
	"testing"
)

func TestLongNamesBreakAtTheirSeparators(t *testing.T) {
	for in, want := range map[string]string{
		"temperature.operations":       "temperature.<wbr>operations",
		"agents/aide/config.yaml":      "agents/<wbr>aide/<wbr>config.<wbr>yaml",
		"short.name":                   "short.name",
		"a sentence ends. Another one": "a sentence ends. Another one",
		"<b>.onclick=alert(1)</b>":     "&lt;b&gt;.<wbr>onclick=alert(1)&lt;/<wbr>b&gt;",
		"&amp;.&lt;script&gt;.x":       "&amp;amp;.<wbr>&amp;lt;script&amp;gt;.<wbr>x",
		`"quoted_name_of_a_task"`:      "&#34;quoted_<wbr>name_<wbr>of_<wbr>a_<wbr>task&#34;",
	} {
		if got := string(breaks(in)); got != want {
			t.Errorf("%q becomes %s, want %s", in, got, want)
		}
	}
	page := rendered(t, HTML, adoptWorld(t, 0).report())
	if !strings.Contains(page, "recall.<wbr>min_<wbr>score") {
		t.Error("a parameter's name has no place to break")
	}
}
