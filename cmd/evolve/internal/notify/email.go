package notify

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/smtp"
	"strings"
	"time"
)

// mailTime limits one delivery by e-mail.
const mailTime = time.Minute

// Email sends messages by SMTP as plain text.
type Email struct {
	// Server is the mail server's host and port.
	Server string
	// Security is "starttls", "tls" or "none".
	Security string
	// User and Password are used to log in; if they are empty, there is no login. They are
	// sent only over TLS.
	User, Password string
	// From and To are e-mail addresses without the names of their owners.
	From string
	To   []string
	// Host is the name that this machine gives for itself in the SMTP greeting; it may be
	// empty.
	Host  string
	Now   func() time.Time
	Roots *x509.CertPool
	// Fault is the reason why no message can be sent; it is empty if messages can be sent.
	Fault string
}

// ID is [Channel.ID].
func (e Email) ID() string { return "email " + strings.Join(e.To, " ") + " by " + e.Server }

func (e Email) String() string { return "email to " + clip(strings.Join(e.To, ", "), 80) }

// Send delivers the message to the mail server. If the server refuses one recipient, the
// message is not sent to any of them.
func (e Email) Send(ctx context.Context, m Message) error {
	if e.Fault != "" {
		return errors.New(e.Fault)
	}
	letter, err := e.letter(m)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, mailTime)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", e.Server)
	if err != nil {
		return err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	if err := e.transfer(conn, letter); err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return fmt.Errorf("not delivered within %s", mailTime)
		}
		return err
	}
	return nil
}

func (e Email) transfer(conn net.Conn, letter []byte) error {
	host, _, err := net.SplitHostPort(e.Server)
	if err != nil {
		return fmt.Errorf("its server: %w", err)
	}
	secure := &tls.Config{ServerName: host, RootCAs: e.Roots, MinVersion: tls.VersionTLS12}
	if e.Security == "tls" {
		conn = tls.Client(conn, secure)
	}
	c, err := smtp.NewClient(conn, host)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	if err := c.Hello(hello(e.Host)); err != nil {
		return err
	}
	if e.Security == "starttls" {
		if offered, _ := c.Extension("STARTTLS"); !offered {
			return errors.New("the server offers no STARTTLS; nothing was sent")
		}
		if err := c.StartTLS(secure); err != nil {
			return err
		}
	}
	if e.Password != "" {
		if err := c.Auth(smtp.PlainAuth("", e.User, e.Password, host)); err != nil {
			return fmt.Errorf("the login failed: %w", err)
		}
	}
	if err := c.Mail(e.From); err != nil {
		return fmt.Errorf("the sender: %w", err)
	}
	for _, to := range e.To {
		if err := c.Rcpt(to); err != nil {
			return fmt.Errorf("the recipient %s: %w", to, err)
		}
	}
	w, err := c.Data()
	if err != nil {
		return err
	}
	if _, err := w.Write(letter); err != nil {
		return err
	}
	if err := w.Close(); err != nil { // only now does the server have the message
		return err
	}
	_ = c.Quit()
	return nil
}

// hello returns a host's name in a form that is allowed in the SMTP greeting.
func hello(host string) string {
	if host == "" || strings.ContainsFunc(host, func(r rune) bool {
		return r != '-' && r != '.' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) {
		return "localhost"
	}
	return host
}

// letter returns the message in the format of RFC 5322. No text in the message can add a
// header: the subject consists of one or more encoded words, which have no line breaks of
// their own.
func (e Email) letter(m Message) ([]byte, error) {
	var b bytes.Buffer
	header := func(name, value string) { fmt.Fprintf(&b, "%s: %s\r\n", name, value) }
	to := make([]string, len(e.To))
	for i, address := range e.To {
		to[i] = (&mail.Address{Address: address}).String()
	}
	subject := strings.Join(strings.Fields(strings.ToValidUTF8("evolve: "+m.Title, "�")), " ")
	header("From", (&mail.Address{Name: "evolve", Address: e.From}).String())
	header("To", strings.Join(to, ",\r\n "))
	header("Subject", strings.ReplaceAll(mime.QEncoding.Encode("utf-8", subject), "?= =?", "?=\r\n =?"))
	header("Date", e.Now().Format("Mon, 02 Jan 2006 15:04:05 -0700"))
	header("Message-ID", "<"+m.ID+"@"+hello(e.Host)+">")
	header("Auto-Submitted", "auto-generated")
	header("MIME-Version", "1.0")
	header("Content-Type", "text/plain; charset=utf-8")
	header("Content-Transfer-Encoding", "quoted-printable")
	b.WriteString("\r\n")
	w := quotedprintable.NewWriter(&b)
	if _, err := w.Write([]byte(strings.ReplaceAll(strings.ToValidUTF8(m.Text, "�"), "\n", "\r\n"))); err != nil {
		return nil, fmt.Errorf("writing the mail: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("writing the mail: %w", err)
	}
	return b.Bytes(), nil
}
