package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStated(t *testing.T) {
	review := "Is this review good or bad? The zip tore on the first morning"
	for name, c := range map[string]struct {
		messages []string
		// corrects lists the messages that the signal rules classify as corrections.
		corrects []int
		want     []string
	}{
		"nothing":                     {[]string{"What is the quota of billing?", "500", "Thanks, and who owns it?", "Anna"}, nil, nil},
		"asked to remember":           {[]string{"Remember that the door code is 4711.", "I will."}, nil, []string{"0 the door code is 4711."}},
		"a correction of one word":    {[]string{review, "It is good.", "No, bad."}, nil, []string{"2 " + review + " bad."}},
		"a denial and a sentence":     {[]string{review, "Good.", "No, that is wrong. The review is bad."}, nil, []string{"2 " + review + " The review is bad."}},
		"a denial in other words":     {[]string{review, "Good.", "That's not right: the review is bad."}, nil, []string{"2 " + review + " the review is bad."}},
		"a denial alone":              {[]string{review, "Good.", "No, that is wrong."}, nil, nil},
		"a request that is none":      {[]string{"Label, weather or translate: how hot is it in Rome", "translate", "Wrong, it is weather."}, nil, []string{"2 Label, weather or translate: how hot is it in Rome it is weather."}},
		"it names its subject":        {[]string{"When does the depot in Oslo open?", "At 8.", "No, the depot in Oslo opens at 7."}, nil, []string{"2 the depot in Oslo opens at 7."}},
		"corrected twice":             {[]string{"What is the timeout of billing?", "30 seconds.", "No, it's 45 seconds.", "46 seconds.", "No, it's 47 seconds."}, nil, []string{"4 What is the timeout of billing? it's 47 seconds."}},
		"after a correction":          {[]string{review, "Good.", "No, bad.", "Bad.", "What is the capital of Norway?", "Bergen.", "No, Oslo."}, nil, []string{"2 " + review + " bad.", "6 What is the capital of Norway? Oslo."}},
		"without a cue":               {[]string{review, "Good.", "The right answer is bad, not good."}, []int{2}, []string{"2 " + review + " The right answer is bad, not good."}},
		"without a cue or a signal":   {[]string{review, "Good.", "The zip is blue."}, nil, nil},
		"a reproach is no fact":       {[]string{review, "Good.", "You misread the text."}, []int{2}, nil},
		"wrong with is no denial":     {[]string{"Why does the build of the depot fail?", "It does not.", "That's wrong with two files."}, nil, nil},
		"an assistant states no fact": {[]string{"Hello there, good friend", "No, remember that the code is 12."}, nil, nil},
	} {
		var got []string
		messages := talk(c.messages...)
		for _, s := range distiller().Stated(messages, func(i int) bool { return slices.Contains(c.corrects, i) }) {
			got = append(got, fmt.Sprint(s.Message, " ", s.Fact.Text))
			if s.Fact.Source != Distilled || s.Fact.ID == "" || s.Fact.Confidence != 1 {
				t.Errorf("%s: %+v", name, s.Fact)
			}
			if rest, ok := strings.CutPrefix(s.Fact.Text, s.Fact.About); !ok || s.Fact.About == "" == strings.Contains(s.Fact.Text, "?") && !strings.HasPrefix(rest, " ") {
				t.Errorf("%s: it is about %q", name, s.Fact.About)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestStatedOfLongConversations checks that the messages keep their numbers even if the
// oldest messages are not read, and that a long request is not repeated in a fact.
func TestStatedOfLongConversations(t *testing.T) {
	messages := talk(strings.Repeat("word ", maxReadBytes/5), "Noted.", "What is the capital of Norway?", "Bergen.", "No, Oslo.")
	got := distiller().Stated(messages, func(int) bool { return false })
	if len(got) != 1 || got[0].Message != 4 || got[0].Fact.Text != "What is the capital of Norway? Oslo." {
		t.Errorf("%+v", got)
	}
	messages = talk(strings.Repeat("Tell me about the depot in Oslo. ", 20), "It is red.", "No, green.")
	if got := distiller().Stated(messages, func(int) bool { return false }); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}
