package notify

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"net/textproto"
	"strings"
	"testing"
)

// mailServer is a mail server on loopback: EHLO, STARTTLS, AUTH PLAIN, MAIL, RCPT, DATA and
// QUIT, for one connection at a time.
type mailServer struct {
	net.Listener
	secure *tls.Config
	roots  *x509.CertPool
	// implicit means TLS from the first byte; plain means a server without TLS.
	implicit, plain bool
	// user and password are the login that the server requires; it accepts them only over
	// TLS. If they are empty, no login is required.
	user, password string
	// refused is a recipient that the server refuses.
	refused string

	from    string
	to      []string
	letters []string
	done    chan struct{}
}

func startMail(t *testing.T, s *mailServer) *mailServer {
	t.Helper()
	certified := httptest.NewTLSServer(http.NotFoundHandler()) // for its certificate
	t.Cleanup(certified.Close)
	s.secure = &tls.Config{Certificates: certified.TLS.Certificates}
	s.roots = certified.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	var err error
	if s.Listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	s.done = make(chan struct{})
	go func() {
		defer close(s.done)
		for {
			conn, err := s.Accept()
			if err != nil {
				return
			}
			s.serve(conn)
		}
	}()
	t.Cleanup(func() { _ = s.Close(); <-s.done })
	return s
}

func (s *mailServer) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	isTLS := s.implicit
	if isTLS {
		conn = tls.Server(conn, s.secure)
	}
	in := textproto.NewReader(bufio.NewReader(conn))
	say := func(line string) { _, _ = io.WriteString(conn, line+"\r\n") }
	say("220 mail.test ESMTP")
	loggedIn := s.user == ""
	for {
		line, err := in.ReadLine()
		if err != nil {
			return
		}
		verb, rest, _ := strings.Cut(line, " ")
		switch strings.ToUpper(verb) {
		case "EHLO":
			say("250-mail.test")
			if !isTLS && !s.plain {
				say("250-STARTTLS")
			}
			if isTLS && s.user != "" {
				say("250-AUTH PLAIN")
			}
			say("250 8BITMIME")
		case "STARTTLS":
			say("220 go on")
			conn, isTLS = tls.Server(conn, s.secure), true
			in = textproto.NewReader(bufio.NewReader(conn))
		case "AUTH":
			_, encoded, _ := strings.Cut(rest, " ")
			raw, _ := base64.StdEncoding.DecodeString(encoded)
			if loggedIn = string(raw) == "\x00"+s.user+"\x00"+s.password; loggedIn {
				say("235 welcome")
			} else {
				say("535 authentication failed")
			}
		case "MAIL":
			if !loggedIn {
				say("530 authentication required")
				continue
			}
			s.from, s.to = strings.TrimSuffix(strings.TrimPrefix(rest, "FROM:<"), "> BODY=8BITMIME"), nil
			say("250 ok")
		case "RCPT":
			to := strings.TrimSuffix(strings.TrimPrefix(rest, "TO:<"), ">")
			if to == s.refused {
				say("550 no such user")
				continue
			}
			s.to = append(s.to, to)
			say("250 ok")
		case "DATA":
			say("354 go on")
			lines, err := in.ReadDotBytes()
			if err != nil {
				return
			}
			s.letters = append(s.letters, string(lines))
			say("250 queued")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("502 unknown")
		}
	}
}

// email returns a channel that uses the server.
func (s *mailServer) email() Email {
	return Email{
		Server: s.Addr().String(), Security: "starttls", From: "evolve@example.org", To: []string{"robin@example.org", "kim@example.org"},
		Host: "box.example.org", Now: at, Roots: s.roots,
	}
}

// TestEmail delivers to a real mail server with each kind of security.
func TestEmail(t *testing.T) {
	for _, c := range []struct {
		name   string
		server mailServer
		change func(*Email)
		want   string
	}{
		{"starttls", mailServer{}, nil, ""},
		{"starttls with login", mailServer{user: "u", password: "p"}, func(e *Email) { e.User, e.Password = "u", "p" }, ""},
		{"tls with login", mailServer{implicit: true, user: "u", password: "p"}, func(e *Email) { e.Security, e.User, e.Password = "tls", "u", "p" }, ""},
		{"without tls", mailServer{plain: true}, func(e *Email) { e.Security = "none" }, ""},
		{"no starttls", mailServer{plain: true}, nil, "offers no STARTTLS"},
		{"wrong password", mailServer{user: "u", password: "p"}, func(e *Email) { e.User, e.Password = "u", "q" }, "the login failed: 535"},
		{"no login", mailServer{user: "u", password: "p"}, nil, "the sender: 530"},
		{"unknown authority", mailServer{}, func(e *Email) { e.Roots = x509.NewCertPool() }, "certificate"},
		{"refused receiver", mailServer{refused: "kim@example.org"}, nil, "the recipient kim@example.org: 550"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := startMail(t, &c.server)
			e := s.email()
			if c.change != nil {
				c.change(&e)
			}
			err := e.Send(t.Context(), awaited())
			_ = s.Close()
			<-s.done
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) || len(s.letters) > 0 {
					t.Errorf("got %v with %d letters, want %q", err, len(s.letters), c.want)
				}
				return
			}
			if err != nil || len(s.letters) != 1 || s.from != e.From || fmt.Sprint(s.to) != fmt.Sprint(e.To) {
				t.Fatalf("%v; %d letters from %q to %q", err, len(s.letters), s.from, s.to)
			}
			letter, err := mail.ReadMessage(strings.NewReader(s.letters[0]))
			if err != nil {
				t.Fatal(err)
			}
			subject, err := new(mime.WordDecoder).DecodeHeader(letter.Header.Get("Subject"))
			if err != nil || subject != "evolve: P1 awaits a decision: größer (and 1 more)" {
				t.Errorf("the subject is %q, %v", subject, err)
			}
			body, err := io.ReadAll(quotedprintable.NewReader(letter.Body))
			if text := strings.ReplaceAll(string(body), "\r\n", "\n"); err != nil || text != awaited().Text {
				t.Errorf("the text is %q, %v", text, err)
			}
			sent, err := letter.Header.Date()
			if err != nil || !sent.Equal(at()) || letter.Header.Get("Message-Id") != "<msg_1@box.example.org>" || letter.Header.Get("Auto-Submitted") != "auto-generated" {
				t.Errorf("the headers are %v, %v", letter.Header, err)
			}
		})
	}
}

// TestEmailHeaders checks that no text in a message adds a header or ends the headers.
func TestEmailHeaders(t *testing.T) {
	for _, title := range []string{
		"x\r\nBcc: eve@example.org", "x\nBcc: eve@example.org\n\nbody", "x\rBcc: eve@example.org", "ü\r\n\r\nBcc: eve@example.org",
		"x\u2028Bcc: eve@example.org", "x\x00\x1b[31m", "\xff\xfe\r\nBcc: a@b", strings.Repeat("größer ", 40) + "\r\nBcc: a@b",
	} {
		m := awaited()
		m.Title, m.Text = title, "text\r\n.\r\nBcc: eve@example.org\n"
		raw, err := Email{From: "a@b.c", To: []string{"d@e.f", "g@h.i"}, Now: at}.letter(m)
		if err != nil {
			t.Fatal(err)
		}
		letter, err := mail.ReadMessage(strings.NewReader(string(raw)))
		if err != nil {
			t.Fatalf("%q: %v", title, err)
		}
		if len(letter.Header) != 9 || letter.Header.Get("Bcc") != "" {
			t.Errorf("%q has the headers %v", title, letter.Header)
		}
		head, _, _ := strings.Cut(string(raw), "\r\n\r\n")
		for line := range strings.SplitSeq(head, "\r\n") {
			if len(line) > 998 || strings.ContainsAny(line, "\r\n\x00\x1b") {
				t.Errorf("%q makes the line %q", title, line)
			}
		}
		if to, err := letter.Header.AddressList("To"); err != nil || len(to) != 2 {
			t.Errorf("the receivers are %v, %v", to, err)
		}
	}
}
