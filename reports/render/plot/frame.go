package plot

import (
	"bytes"
	"fmt"
	"html/template"
)

// Picture is a drawing with a text description, in the form that the template needs. Marks
// are in drawing order: a later mark covers an earlier one.
type Picture struct {
	ID, Title, Description string
	Width, Height          string
	Marks                  []shape
}

func newPicture(title, description string, height float64) Picture {
	return Picture{Title: title, Description: description, Width: pos(width), Height: pos(height)}
}

// shape is a line, path, circle, polygon or piece of text.
type shape struct {
	Kind, Class, Title string
	X1, Y1, X2, Y2     string
	Path, R            string
	Anchor, Text       string
	Width              string
}

var frameTemplate = template.Must(template.New("svg").Parse(
	`<svg class="plot" viewBox="0 0 {{.Width}} {{.Height}}" role="img" aria-labelledby="{{.ID}}-t {{.ID}}-d" xmlns="http://www.w3.org/2000/svg">
<title id="{{.ID}}-t">{{.Title}}</title><desc id="{{.ID}}-d">{{.Description}}</desc>
{{range .Marks}}{{if eq .Kind "line"}}<line class="{{.Class}}" x1="{{.X1}}" y1="{{.Y1}}" x2="{{.X2}}" y2="{{.Y2}}"{{with .Width}} stroke-width="{{.}}"{{end}}>{{with .Title}}<title>{{.}}</title>{{end}}</line>
{{else if eq .Kind "path"}}<path class="{{.Class}}" d="{{.Path}}">{{with .Title}}<title>{{.}}</title>{{end}}</path>
{{else if eq .Kind "circle"}}<circle class="{{.Class}}" cx="{{.X1}}" cy="{{.Y1}}" r="{{.R}}">{{with .Title}}<title>{{.}}</title>{{end}}</circle>
{{else}}<text class="{{.Class}}" x="{{.X1}}" y="{{.Y1}}"{{with .Anchor}} text-anchor="{{.}}"{{end}}>{{.Text}}{{with .Title}}<title>{{.}}</title>{{end}}</text>
{{end}}{{end}}</svg>`))

func (f *Picture) line(class string, x1, y1, x2, y2 float64, title string) {
	f.Marks = append(f.Marks, shape{Kind: "line", Class: class, X1: pos(x1), Y1: pos(y1), X2: pos(x2), Y2: pos(y2), Title: title})
}

func (f *Picture) path(class, d, title string) {
	f.Marks = append(f.Marks, shape{Kind: "path", Class: class, Path: d, Title: title})
}

func (f *Picture) circle(class string, x, y, r float64, title string) {
	f.Marks = append(f.Marks, shape{Kind: "circle", Class: class, X1: pos(x), Y1: pos(y), R: pos(r), Title: title})
}

// diamond draws a diamond around a point.
func (f *Picture) diamond(class string, x, y, width, height float64, title string) {
	f.path(class, fmt.Sprintf("M%s %sL%s %sL%s %sL%s %sZ", pos(x-width), pos(y), pos(x), pos(y-height), pos(x+width), pos(y), pos(x), pos(y+height)), title)
}

// text adds words to the picture; anchor is "", "middle" or "end".
func (f *Picture) text(class, anchor string, x, y float64, words string) {
	f.Marks = append(f.Marks, shape{Kind: "text", Class: class, Anchor: anchor, X1: pos(x), Y1: pos(y), Text: words})
}

// SVG renders the picture; id must be unique on the page.
func (f Picture) SVG(id string) (template.HTML, error) {
	f.ID = id
	var b bytes.Buffer
	if err := frameTemplate.Execute(&b, f); err != nil {
		return "", fmt.Errorf("drawing %s: %w", id, err)
	}
	return template.HTML(b.String()), nil // made by html/template
}
