// Command prose counts markers of unclear English in the comments and messages of Go
// files: personified subjects, pronouns without a referent, and sentences that open with
// a free relative clause. It fails above a rate that is close to that of golang/oscar.
//
// Usage: go run ./.ci/prose [-v] [FOLDER…]
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// mostMarkers is the highest number of markers per 1,000 comments, and per 1,000
// messages, with which the check passes. golang/oscar has about 3 in 1,000 comments.
const mostMarkers = 5

// personified matches two kinds of words that make a comment unclear: verbs that describe
// code as if it could speak or listen ("the function says"), and indefinite pronouns
// ("nobody").
var personified = regexp.MustCompile(`(?i)\b(?:says|tells|told (?:so|of)|hears|heard of|nobody|whoever|somebody|anybody|no one)\b`)

// relative matches a sentence that opens with "what", "whatever" or "who": either a free
// relative clause or a heading of the same form. markers distinguishes the two by the verbs
// that finite matches. relative does not match a question.
var (
	relative = regexp.MustCompile(`(?i)(?:^|\. )(?:what|whatever|who) ([a-z][^?.;]*)(?:[.;]|$)`)
	finite   = regexp.MustCompile(`\b(?:is|are|was|were|has|have|had|must|cannot|can|may|does|do|goes|stays|counts|ends)\b`)
)

// terms removes phrases about the ask-and-tell interface of a search, in which "tell" is a
// technical term.
var terms = strings.NewReplacer("asks and tells", "", "tells the searcher", "", "tells the next result", "", "told so far", "", "is told of an evaluation", "")

// markers returns the markers in a text. If sentences is true, as it is for comments, the
// text is also searched for free relative clauses. A message is not searched for them,
// because it can be a heading or a noun phrase that describes a setting.
func markers(text string, sentences bool) []string {
	found := personified.FindAllString(terms.Replace(text), -1)
	if !sentences {
		return found
	}
	for _, m := range relative.FindAllStringSubmatch(text, -1) {
		verbs := finite.FindAllStringIndex(m[1], -1)
		if len(verbs) > 1 || len(verbs) == 1 && verbs[0][0] > 0 {
			found = append(found, m[0])
		}
	}
	return found
}

// count holds the number of texts that were read and the number of markers in them.
type count struct{ texts, markers int }

// perThousand returns the number of markers per 1,000 texts.
func (c count) perThousand() float64 {
	if c.texts == 0 {
		return 0
	}
	return 1000 * float64(c.markers) / float64(c.texts)
}

// survey counts the markers in the comments and the messages of all source files that are
// read into it.
type survey struct {
	comments, messages count
	report             func(pos token.Position, text string)
}

// read adds the texts of a file to the survey. src has the same meaning as for
// [parser.ParseFile].
func (s *survey) read(name string, src any) error {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, name, src, parser.ParseComments)
	if err != nil {
		return err
	}
	for _, group := range f.Comments {
		s.text(&s.comments, true, files.Position(group.Pos()), strings.Join(strings.Fields(group.Text()), " "))
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.StructType: // paths and tags are not messages
			return false
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && strings.Count(text, " ") > 1 {
				s.text(&s.messages, false, files.Position(n.Pos()), strings.Join(strings.Fields(text), " "))
			}
		}
		return true
	})
	return nil
}

func (s *survey) text(c *count, sentences bool, pos token.Position, text string) {
	c.texts++
	for _, m := range markers(text, sentences) {
		c.markers++
		s.report(pos, m)
	}
}

// folder reads the Go files below root that are not tests.
func (s *survey) folder(root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_") || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		return s.read(path, nil)
	})
}

// run returns the exit code: 0 if both rates are at most mostMarkers, 1 if either is
// higher, and 2 if the arguments are wrong or a file cannot be parsed.
func run(args []string, stdout, stderr io.Writer) int {
	set := flag.NewFlagSet("prose", flag.ContinueOnError)
	set.SetOutput(stderr)
	verbose := set.Bool("v", false, "list every marker")
	if set.Parse(args) != nil {
		return 2
	}
	folders := set.Args()
	if len(folders) == 0 {
		folders = []string{"."}
	}
	var found []string
	s := survey{report: func(pos token.Position, text string) {
		found = append(found, fmt.Sprintf("%s:%d: %s", pos.Filename, pos.Line, text))
	}}
	for _, f := range folders {
		if err := s.folder(f); err != nil {
			_, _ = fmt.Fprintln(stderr, err)
			return 2
		}
	}
	failed := s.comments.perThousand() > mostMarkers || s.messages.perThousand() > mostMarkers
	if *verbose || failed {
		_, _ = fmt.Fprintln(stdout, strings.Join(found, "\n"))
	}
	_, _ = fmt.Fprintf(stdout, "markers of unclear English per 1,000 comments: %.1f, per 1,000 messages: %.1f; at most %d are allowed\n",
		s.comments.perThousand(), s.messages.perThousand(), mostMarkers)
	if failed {
		return 1
	}
	return 0
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }
