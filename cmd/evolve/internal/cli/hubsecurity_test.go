package cli

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"evolve/cmd/evolve/internal/cli/clitest/fixture"
	"evolve/cmd/evolve/internal/hub/hubtest"
	"evolve/cmd/evolve/internal/workspace"
)

// startServer starts a server that runs for the duration of a test.
func startServer(t *testing.T, opts *server.Options) *server.Server {
	t.Helper()
	srv, err := hubtest.Start(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { hubtest.Stop(srv) })
	return srv
}

// authority makes certificates.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	// file is the path of the authority's certificate.
	file string
}

func newAuthority(t *testing.T, dir, name string) *authority {
	t.Helper()
	a := &authority{t: t, file: filepath.Join(dir, name+".pem")}
	a.cert, a.key = a.make(&x509.Certificate{
		Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	})
	a.write(a.file, "CERTIFICATE", a.cert.Raw)
	return a
}

// make signs a certificate. The first certificate is self-signed.
func (a *authority) make(c *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	c.SerialNumber, c.NotBefore, c.NotAfter = big.NewInt(time.Now().UnixNano()), time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, by := a.cert, a.key
	if parent == nil {
		parent, by = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, by)
	if err != nil {
		a.t.Fatal(err)
	}
	made, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return made, key
}

func (a *authority) write(file, kind string, der []byte) {
	a.t.Helper()
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// pair writes NAME.pem and NAME-key.pem next to the authority's certificate.
func (a *authority) pair(name string) (cert, key string) {
	a.t.Helper()
	c, k := a.make(&x509.Certificate{
		Subject: pkix.Name{CommonName: name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	})
	der, err := x509.MarshalECPrivateKey(k)
	if err != nil {
		a.t.Fatal(err)
	}
	dir := filepath.Dir(a.file)
	cert, key = filepath.Join(dir, name+".pem"), filepath.Join(dir, name+"-key.pem")
	a.write(cert, "CERTIFICATE", c.Raw)
	a.write(key, "EC PRIVATE KEY", der)
	return cert, key
}

// commandRun is an evolve command that runs in this process.
type commandRun struct {
	args           []string
	stdout, stderr locked
	signals        chan os.Signal
	code           chan int
}

// locked is a buffer that a test reads while a command writes to it.
type locked struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// begin starts a command in a folder and interrupts it at the end of the test.
func begin(t *testing.T, dir string, env []string, args ...string) *commandRun {
	t.Helper()
	c := &commandRun{args: args, signals: make(chan os.Signal, 2), code: make(chan int, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() {
		defer close(over)
		c.code <- Run(ctx, Process{
			Args: args, Stdin: strings.NewReader(""), Stdout: &c.stdout, Stderr: &c.stderr, Dir: dir, Now: time.Now, Sleep: func(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) }, Signals: c.signals, Release: func() {},
			Env: append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1"}, env...),
		})
	}()
	t.Cleanup(func() { cancel(); <-over })
	return c
}

// expect waits for the end of the command and checks its exit code and standard error.
func (c *commandRun) expect(t *testing.T, code int, stderr string) {
	t.Helper()
	select {
	case got := <-c.code:
		if got != code || !strings.Contains(c.stderr.String(), stderr) {
			t.Errorf("%q ended with %d, want %d and %q: %s", c.args, got, code, stderr, c.stderr.String())
		}
	case <-time.After(time.Minute):
		t.Fatalf("%q does not end: %s", c.args, c.stderr.String())
	}
}

// hubPlace writes a workspace with the given settings for workers.
func hubPlace(t *testing.T, workers string) string {
	t.Helper()
	dir := t.TempDir()
	if err := fixture.Workspace(dir, "tiny"); err != nil {
		t.Fatal(err)
	}
	settings := "budget: {evaluations: 50}\nworkers: " + workers + "\n"
	if err := os.WriteFile(filepath.Join(dir, workspace.SettingsFile), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestHubTLS tests a server that demands certificates. It uses a run and a worker that
// have certificates, and also checks the errors that clients without valid certificates
// get.
func TestHubTLS(t *testing.T) {
	keys := t.TempDir()
	ca, other := newAuthority(t, keys, "ca"), newAuthority(t, keys, "other")
	serverCert, serverKey := ca.pair("server")
	pair, err := tls.LoadX509KeyPair(serverCert, serverKey)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(ca.cert)
	srv := startServer(t, &server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), TLS: true, TLSVerify: true, TLSTimeout: 10,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS12},
	})
	url := "tls://" + srv.Addr().String()
	cert, key := ca.pair("run")
	workerCert, workerKey := ca.pair("worker")
	stranger, strangerKey := other.pair("stranger")
	settings := func(ca, cert, key string) string {
		return fmt.Sprintf("{hub: %q, tls: {ca: %q, cert: %q, key: %q}}", url, ca, cert, key)
	}
	dir := hubPlace(t, settings(ca.file, cert, key))
	worker := begin(t, t.TempDir(), nil, "worker", "--hub", url, "--name", "w1", "--slots", "2", "--tls-ca", ca.file, "--tls-cert", workerCert, "--tls-key", workerKey)
	begin(t, dir, nil, "run", "--quiet").expect(t, 0, "")
	check := begin(t, dir, nil, "hub", "check")
	check.expect(t, 0, "")
	for _, want := range []string{"with TLS", "  0 jobs are waiting, 0 answers are waiting\n", "\n  w1  ", "0 of 2 slots busy\n"} {
		if !strings.Contains(check.stdout.String(), want) {
			t.Errorf("hub check lacks %q:\n%s", want, check.stdout.String())
		}
	}
	elsewhere := begin(t, t.TempDir(), nil, "hub", "check", "--hub", url, "--tls-ca", ca.file, "--tls-cert", cert, "--tls-key", key)
	elsewhere.expect(t, 0, "")
	if !strings.Contains(elsewhere.stdout.String(), "\n  w1  ") {
		t.Errorf("hub check outside a workspace lacks the worker:\n%s", elsewhere.stdout.String())
	}
	begin(t, t.TempDir(), nil, "hub", "check").expect(t, 2, "evolve init")
	doctor := func(code int, want string) {
		t.Helper()
		c := begin(t, dir, nil, "doctor", "--trial", "0")
		c.expect(t, code, "")
		if !regexp.MustCompile(want).MatchString(c.stdout.String()) {
			t.Errorf("doctor lacks %s:\n%s", want, c.stdout.String())
		}
	}
	doctor(0, `✓ hub +nats-server \S+ answers; 1 worker with 2 slots\n`)
	worker.signals <- os.Interrupt
	worker.expect(t, 0, "")
	doctor(0, `! hub +nats-server \S+ answers; no worker is connected\n +→ start workers`)
	defer func() {
		srv.Shutdown()
		doctor(7, `✗ hub +tls://\S+: the hub cannot be used: nats: no servers available for connection\n +→ `)
	}()
	for _, c := range []struct {
		name, want, settings string
		flags                []string
	}{
		{"wrong authority", "certificate signed by unknown authority", settings(other.file, cert, key), []string{"--tls-ca", other.file, "--tls-cert", workerCert, "--tls-key", workerKey}},
		{"no certificate", "certificate", fmt.Sprintf("{hub: %q, tls: {ca: %q}}", url, ca.file), []string{"--tls-ca", ca.file}},
		{"certificate of another authority", "certificate", settings(ca.file, stranger, strangerKey), []string{"--tls-ca", ca.file, "--tls-cert", stranger, "--tls-key", strangerKey}},
	} {
		place := hubPlace(t, c.settings)
		for _, got := range []*commandRun{
			begin(t, place, nil, "run", "--quiet"), begin(t, place, nil, "hub", "check"), begin(t, t.TempDir(), nil, append([]string{"worker", "--hub", url}, c.flags...)...),
		} {
			got.expect(t, 7, "error: "+url+": the hub cannot be used: ")
			if said := strings.TrimSpace(got.stderr.String()); !strings.Contains(said, c.want) || strings.Count(said, "\n") > 1 { // the error and its hint are the only lines
				t.Errorf("%s: %q tells %s", c.name, got.args, said)
			}
		}
	}
}

// operator issues credentials for a server that trusts the operator.
type operator struct {
	t       *testing.T
	account nkeys.KeyPair
	url     string
}

func newOperator(t *testing.T) *operator {
	t.Helper()
	must := func(kp nkeys.KeyPair, err error) (nkeys.KeyPair, string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		public, err := kp.PublicKey()
		if err != nil {
			t.Fatal(err)
		}
		return kp, public
	}
	key, public := must(nkeys.CreateOperator())
	account, accountPublic := must(nkeys.CreateAccount())
	_, system := must(nkeys.CreateAccount())
	claims := jwt.NewAccountClaims(accountPublic)
	claims.Limits.JetStreamLimits = jwt.JetStreamLimits{DiskStorage: -1, MemoryStorage: -1, Streams: -1, Consumer: -1}
	resolver := &server.MemAccResolver{}
	for public, c := range map[string]*jwt.AccountClaims{accountPublic: claims, system: jwt.NewAccountClaims(system)} {
		signed, err := c.Encode(key)
		if err != nil {
			t.Fatal(err)
		}
		if err := resolver.Store(public, signed); err != nil {
			t.Fatal(err)
		}
	}
	trusted := jwt.NewOperatorClaims(public)
	trusted.SystemAccount = system
	srv := startServer(t, &server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(),
		TrustedOperators: []*jwt.OperatorClaims{trusted}, SystemAccount: system, AccountResolver: resolver,
	})
	return &operator{t, account, "nats://" + srv.Addr().String()}
}

// creds writes a credentials file that is valid for the given time; 0 means for ever.
func (o *operator) creds(life time.Duration) string {
	o.t.Helper()
	user, err := nkeys.CreateUser()
	if err != nil {
		o.t.Fatal(err)
	}
	public, err := user.PublicKey()
	if err != nil {
		o.t.Fatal(err)
	}
	seed, err := user.Seed()
	if err != nil {
		o.t.Fatal(err)
	}
	claims := jwt.NewUserClaims(public)
	if life > 0 {
		claims.Expires = time.Now().Add(life).Unix()
	}
	signed, err := claims.Encode(o.account)
	if err != nil {
		o.t.Fatal(err)
	}
	text, err := jwt.FormatUserConfig(signed, seed)
	if err != nil {
		o.t.Fatal(err)
	}
	file := filepath.Join(o.t.TempDir(), "user.creds")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		o.t.Fatal(err)
	}
	return file
}

// TestExpiringCredentials tests that a worker and a run end with exit code 7 if their
// credentials expire while they work.
func TestExpiringCredentials(t *testing.T) {
	o, elsewhere := newOperator(t), newOperator(t)
	dir := hubPlace(t, fmt.Sprintf("{hub: %q, creds_env: HUB}", o.url))
	// No worker serves the run, so it waits until its credentials expire.
	run := begin(t, dir, []string{"HUB=" + o.creds(3*time.Second)}, "run", "--quiet")
	worker := begin(t, t.TempDir(), nil, "worker", "--hub", elsewhere.url, "--creds", elsewhere.creds(3*time.Second), "--quiet")
	worker.expect(t, 7, "error: "+elsewhere.url+": the hub cannot be used: the credentials have expired\n")
	run.expect(t, 7, "the hub cannot be used: the credentials have expired\n")
	again := begin(t, t.TempDir(), nil, "worker", "--hub", o.url, "--creds", o.creds(0), "--quiet")
	begin(t, dir, []string{"HUB=" + o.creds(0)}, "run", "--quiet").expect(t, 0, "") // the same command continues the run
	again.signals <- os.Interrupt
	again.expect(t, 0, "")
}

// TestWrongCredentials tests the errors for credentials that are invalid, that are for
// another server, or that are missing.
func TestWrongCredentials(t *testing.T) {
	o, other := newOperator(t), newOperator(t)
	none := filepath.Join(t.TempDir(), "none")
	if err := os.WriteFile(none, []byte("-----BEGIN NATS USER JWT-----\nx\n------END NATS USER JWT------\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := hubPlace(t, fmt.Sprintf("{hub: %q, creds_env: HUB}", o.url))
	for _, c := range []struct {
		file, want string
		code       int
	}{
		{other.creds(0), "uthorization", 7},
		{none, "is not a credentials file", 2},
		{none + "x", "no such file", 2},
	} {
		for _, got := range []*commandRun{
			begin(t, dir, []string{"HUB=" + c.file}, "run", "--quiet"), begin(t, dir, []string{"HUB=" + c.file}, "hub", "check"),
			begin(t, t.TempDir(), nil, "worker", "--hub", o.url, "--creds", c.file),
		} {
			got.expect(t, c.code, c.want)
			if !strings.Contains(got.stderr.String(), "evolve help workers") {
				t.Errorf("no hint: %s", got.stderr.String())
			}
		}
	}
	begin(t, dir, nil, "hub", "check").expect(t, 2, "the environment variable HUB, which workers.creds_env names, is not set")
	begin(t, t.TempDir(), nil, "worker", "--hub", o.url).expect(t, 7, "uthorization")
}
