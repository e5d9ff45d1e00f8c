package view

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"evolve/runtime/text"
)

func (s *Server) proposals(w http.ResponseWriter, r *http.Request) error {
	offset, err := wholeOf(r, "offset")
	if err != nil {
		return err
	}
	list, err := s.Source.Proposals(r.Context())
	if err != nil {
		return err
	}
	shown, offset := cut(list, offset)
	s.show(w, r, http.StatusOK, "proposals", frame{Title: "Proposals"}, struct {
		List  []Proposal
		Pager []pageLink
	}{shown, pager(func(at int) string { return link("/proposals", "offset", strconv.Itoa(at)) }, offset, len(shown), len(list))})
	return nil
}

func (s *Server) proposal(w http.ResponseWriter, r *http.Request) error {
	p, err := s.Source.Proposal(r.Context(), r.FormValue("id"))
	if err != nil {
		return err
	}
	s.show(w, r, http.StatusOK, "proposal", frame{Title: "Proposal " + text.Visible(p.ID)}, struct{ P Proposal }{p})
	return nil
}

// decidePage is the data for the page that shows the question before a decision, or the
// decision's result.
type decidePage struct {
	Action, ID, Form    string
	Asks                bool
	Question            Question
	Answer              Answer
	Refused, Hint, Done string
}

// Verb names the decision, as in the title and on the button.
func (d decidePage) Verb() string {
	switch d.Action {
	case Reject:
		return "Reject"
	case Rollback:
		return "Roll back"
	}
	return "Approve"
}

func (s *Server) question(w http.ResponseWriter, r *http.Request) error {
	action, err := actionOf(r)
	if err != nil {
		return err
	}
	s.ask(w, r, http.StatusOK, decidePage{Action: action, ID: r.FormValue("id")})
	return nil
}

func actionOf(r *http.Request) (string, error) {
	action := r.FormValue("do")
	switch action {
	case Approve, Reject, Rollback:
		return action, nil
	}
	return "", &badRequest{"a decision must be approve, reject or rollback"}
}

// ask shows the question that precedes a decision, with the answers given so far.
func (s *Server) ask(w http.ResponseWriter, r *http.Request, status int, d decidePage) {
	q, err := s.Decider.Ask(r.Context(), d.Action, d.ID, d.Answer)
	if err != nil {
		d.Refused, d.Hint = s.Decider.Refusal(err)
		status = http.StatusConflict
	} else {
		d.Asks, d.Question, d.Form = true, q, s.keys.form
	}
	s.decision(w, r, status, d)
}

// decision writes the page for a decision. The page's referrer policy lets a browser send
// the origin with the form; with no-referrer, the origin would be "null".
func (s *Server) decision(w http.ResponseWriter, r *http.Request, status int, d decidePage) {
	w.Header().Set("Referrer-Policy", "same-origin")
	s.show(w, r, status, "decide", frame{Title: d.Verb() + " " + text.Visible(d.ID)}, d)
}

// decide records a decision if the person has typed y or yes in answer to the question in
// its present form.
func (s *Server) decide(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return &badRequest{"the form cannot be read: " + err.Error()}
	}
	if !equal(r.PostForm.Get("form"), s.keys.form) {
		s.refuse(w, r, http.StatusForbidden, "The form is from a different server: open the page with the question again.")
		return nil
	}
	action, err := actionOf(r)
	if err != nil {
		return err
	}
	d := decidePage{Action: action, ID: r.PostForm.Get("id"), Answer: Answer{Reason: r.PostForm.Get("reason"), Override: r.PostForm.Get("override")}}
	q, err := s.Decider.Ask(r.Context(), action, d.ID, d.Answer)
	answer := r.PostForm.Get("yes")
	yes, known := text.YesOrNo(answer)
	switch {
	case err != nil:
		d.Refused, d.Hint = s.Decider.Refusal(err)
		s.decision(w, r, http.StatusConflict, d)
		return nil
	case !yes && known:
		d.Refused = "not confirmed; nothing was done"
	case !yes:
		d.Refused = fmt.Sprintf("%s is neither yes nor no: type y or yes to continue; nothing was done", text.Quote(text.OneLine(answer)))
	case !equal(r.PostForm.Get("shown"), q.Digest()):
		d.Refused = "what you were shown has changed; nothing was done"
	}
	if d.Refused != "" {
		d.Asks, d.Question, d.Form = true, q, s.keys.form
		s.decision(w, r, http.StatusConflict, d)
		return nil
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // the gates of a patch may take minutes
	if d.Done, err = s.Decider.Decide(r.Context(), action, d.ID, d.Answer); err != nil {
		d.Refused, d.Hint = s.Decider.Refusal(err)
		s.decision(w, r, http.StatusConflict, d)
		return nil
	}
	s.decision(w, r, http.StatusOK, d)
	return nil
}
