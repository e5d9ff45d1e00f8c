package cli

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/russross/blackfriday/v2"
	"github.com/urfave/cli/v2"
)

//go:embed manualsite.css
var siteStyle []byte

//go:embed manualsite.tmpl
var siteTemplate string

// sitePage is a page of the manual website.
type sitePage struct {
	// File is the file's name, Title is the page's heading, and Usage describes the page on
	// one line.
	File, Title, Usage string
	Body               template.HTML
}

// siteLinks holds the pages of one kind, with a title, for the navigation.
type siteLinks struct {
	Title string
	Pages []sitePage
}

// manualSite renders a website from the text of the man pages: one page for each command and
// each topic, a style sheet, and index.html, which lists the commands.
func manualSite(app *cli.App, b build) (map[string][]byte, error) {
	pages, err := manPages(app, b)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, p := range pages {
		files[fmt.Sprintf("%s(%d)", p.name, p.section)] = p.siteFile()
	}
	all := []siteLinks{{Title: "topics"}, {Title: "commands"}}
	var first sitePage
	for _, p := range pages {
		page := sitePage{File: p.siteFile(), Title: p.siteTitle(), Usage: p.usage, Body: siteBody(p.body, files)}
		switch {
		case p.name == "evolve":
			first = page
		case p.section == 7:
			all[0].Pages = append(all[0].Pages, page)
		default:
			all[1].Pages = append(all[1].Pages, page)
		}
	}
	t, err := template.New("page").Parse(siteTemplate)
	if err != nil {
		return nil, fmt.Errorf("parsing the manual's template: %w", err)
	}
	out := map[string][]byte{"manual.css": siteStyle}
	for _, page := range append(append([]sitePage{first}, all[0].Pages...), all[1].Pages...) {
		var s bytes.Buffer
		err := t.Execute(&s, map[string]any{"Page": page, "All": all, "Version": b.Version, "Day": b.day()})
		if err != nil {
			return nil, fmt.Errorf("rendering %s of the manual: %w", page.File, err)
		}
		out[page.File] = s.Bytes()
	}
	return out, nil
}

// siteFile returns the name of the page's file on the website.
func (p manPage) siteFile() string {
	switch {
	case p.name == "evolve":
		return "index.html"
	case p.section == 7:
		return "about-" + strings.TrimPrefix(p.name, "evolve-") + ".html"
	}
	return p.name + ".html"
}

func (p manPage) siteTitle() string {
	if p.section == 7 {
		return strings.TrimPrefix(p.name, "evolve-")
	}
	return strings.Replace(p.name, "-", " ", 1)
}

var (
	manReference  = regexp.MustCompile(`<strong>(evolve[a-z-]*)</strong>(\([17]\))`)
	helpReference = regexp.MustCompile(`<code>evolve help ([a-z-]+)</code>`)
	heading       = regexp.MustCompile(`(?m)^# ([A-Z][A-Z ,:]+)$`)
)

// siteBody renders the Markdown of a man page as HTML. References to pages become links,
// and the headings, which are in capitals in man pages, are converted to sentence case.
func siteBody(source string, files map[string]string) template.HTML {
	source = heading.ReplaceAllStringFunc(source, func(line string) string {
		return "# " + line[2:3] + strings.ToLower(line[3:])
	})
	html := blackfriday.Run([]byte(source), blackfriday.WithExtensions((blackfriday.CommonExtensions|blackfriday.AutoHeadingIDs)&^blackfriday.Autolink),
		blackfriday.WithRenderer(blackfriday.NewHTMLRenderer(blackfriday.HTMLRendererParameters{Flags: blackfriday.SkipHTML, HeadingLevelOffset: 1})))
	html = manReference.ReplaceAllFunc(html, func(found []byte) []byte {
		m := manReference.FindSubmatch(found)
		if file, ok := files[string(m[1])+string(m[2])]; ok {
			return fmt.Appendf(nil, `<a href="%s">%s</a>`, file, strings.Replace(string(m[1]), "-", " ", 1))
		}
		return found
	})
	html = helpReference.ReplaceAllFunc(html, func(found []byte) []byte {
		name := string(helpReference.FindSubmatch(found)[1])
		for _, key := range []string{"evolve-" + name + "(7)", "evolve-" + name + "(1)"} {
			if file, ok := files[key]; ok {
				return fmt.Appendf(nil, `<a href="%s">%s</a>`, file, found)
			}
		}
		return found
	})
	return template.HTML(html) //nolint:gosec // the manual is part of the program
}

// writeManualSite writes the manual as a website into a folder, which it creates.
func writeManualSite(sh *shell, dir string) error {
	files, err := manualSite(sh.app(), ownBuild())
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("writing the manual: %w", err)
	}
	var written []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, files[name], 0o644); err != nil {
			return fmt.Errorf("writing the manual: %w", err)
		}
		written = append(written, path)
	}
	return sh.result(map[string]any{"written": written}, "%d files written; open %s\n", len(written), filepath.Join(dir, "index.html"))
}
