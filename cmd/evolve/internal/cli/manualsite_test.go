package cli

import (
	"bytes"
	"html"
	"maps"
	"regexp"
	"strings"
	"testing"
)

// renderedSite renders the website for a fixed build.
func renderedSite(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := manualSite(testApp(), build{Version: "v1.2.3", Date: "2026-11-27T12:26:59Z"})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestManualSite checks that every command and topic has a page, that all links lead to
// files of the site, and that no page contains a script or loads anything from elsewhere.
func TestManualSite(t *testing.T) {
	files := renderedSite(t)
	link := regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	ids := regexp.MustCompile(`id="([^"]*)"`)
	for name, text := range files {
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		own := map[string]bool{}
		for _, m := range ids.FindAllSubmatch(text, -1) {
			own[string(m[1])] = true
		}
		for _, m := range link.FindAllSubmatch(text, -1) {
			to := string(m[1])
			if anchor, here := strings.CutPrefix(to, "#"); here && own[anchor] {
				continue
			}
			if files[to] == nil {
				t.Errorf("%s links to %q", name, to)
			}
		}
		if bytes.Contains(text, []byte("<script")) {
			t.Errorf("%s has a script", name)
		}
	}
	for _, c := range testApp().Commands {
		page := string(files["evolve-"+c.Name+".html"])
		if !strings.Contains(page, html.EscapeString(c.Usage)) {
			t.Errorf("the page of %s has no usage", c.Name)
		}
		if !strings.Contains(string(files["index.html"]), `<a href="evolve-`+c.Name+`.html">evolve `+c.Name+`</a>`) {
			t.Errorf("index.html does not describe %s", c.Name)
		}
	}
	again := renderedSite(t)
	if !maps.EqualFunc(files, again, bytes.Equal) {
		t.Error("the site is rendered differently a second time")
	}
}

// TestManualSiteKeepsTheText compares the words of each topic with those of its page.
// Anything that looks like an HTML tag must be shown as text.
func TestManualSiteKeepsTheText(t *testing.T) {
	files := renderedSite(t)
	tag := regexp.MustCompile(`<[^>]*>`)
	number := regexp.MustCompile(`(?m)^\d+\. `)
	word := regexp.MustCompile(`[\pL\pN]+`)
	for _, topic := range topics {
		source, err := helpTexts.ReadFile("help/" + topic.name + ".md")
		if err != nil {
			t.Fatal(err)
		}
		_, body, _ := strings.Cut(string(source), "\n")
		page := string(files["about-"+topic.name+".html"])
		_, page, _ = strings.Cut(page, "Description</h2>")
		page, _, _ = strings.Cut(page, `<h2 id="see-also"`)
		shown := word.FindAllString(html.UnescapeString(tag.ReplaceAllString(page, "")), -1)
		want := word.FindAllString(number.ReplaceAllString(body, ""), -1)
		for i, w := range want {
			if i >= len(shown) || shown[i] != w {
				t.Errorf("%s: the page has %q in place of %q", topic.name, shown[min(i, len(shown)):min(i+10, len(shown))], want[i:min(i+10, len(want))])
				break
			}
		}
	}
}
