package command

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/sandbox"
)

// dial connects to the address in its goal, and handles a failure in the way that the first
// word of the goal names.
func dial(id string, r request) {
	words := strings.Fields(r.Task.Goal)
	if words[1] == "itself" {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			fmt.Printf(`{"id":%q,"outcome":"execution","error":"listening: %s"}`+"\n", id, err)
			return
		}
		defer func() { _ = l.Close() }()
		words = append(words[:1], "tcp", l.Addr().String())
	}
	c, err := net.DialTimeout(words[1], words[2], 5*time.Second)
	if err == nil {
		_ = c.Close()
		fmt.Printf(`{"id":%q,"answer":"connected"}`+"\n", id)
		return
	}
	switch words[0] {
	case "crash":
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	case "tell":
		fmt.Printf(`{"id":%q,"outcome":"execution","error":"no model"}`+"\n", id)
	case "swallow":
		fmt.Printf(`{"id":%q,"answer":"something else"}`+"\n", id)
	case "hang":
		time.Sleep(time.Hour)
	}
}

// TestOffline tests that a program cannot reach anything on the host by default, and that
// the result names the key that changes this, however the program handles the refusal.
func TestOffline(t *testing.T) {
	t.Parallel()
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	abstract := "@evolve-command-" + filepath.Base(t.TempDir()) + fmt.Sprint(os.Getpid())
	unix, err := net.Listen("unix", abstract)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close()
	path := filepath.Join(t.TempDir(), "s")
	file, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	kernelCounts := detect().Name() == "namespaces"
	for _, protocol := range []string{Once, JSONL} {
		for _, network := range []bool{false, true} {
			a := newAgent(t, Options{Argv: itself(t, "dial"), Protocol: protocol, Sandbox: detect(), Network: network})
			for _, c := range []struct {
				goal    string
				reached bool // with the host's network
				counted bool // counted by the kernel, so the access is detected even if the program does not report it
			}{
				{"crash tcp " + tcp.Addr().String(), true, true},
				{"tell tcp " + tcp.Addr().String(), true, true},
				{"swallow tcp " + tcp.Addr().String(), true, true},
				{"hang tcp " + tcp.Addr().String(), true, true},
				{"crash tcp 192.0.2.1:9", false, true},
				{"swallow tcp 192.0.2.1:9", false, true},
				{"swallow unix " + abstract, false, false},
				{"swallow unix " + path, false, false},
			} {
				if network && !c.reached && strings.Contains(c.goal, "192.0.2.1") {
					continue // the result depends on the real network
				}
				req := ask("e", c.goal)
				if strings.HasPrefix(c.goal, "hang") && !network {
					req.Limits.Timeout = 500 * time.Millisecond
				}
				r := a.Run(t.Context(), req)
				if got := answerOf(r) == "connected"; got != (network && c.reached) && detect().Err() == nil {
					t.Errorf("%s, network %t, %s: %s", protocol, network, c.goal, answerOf(r))
				}
				noted := false
				for _, e := range r.Transcript.Events {
					noted = noted || e.Kind == agent.EventStderr && e.Text == Offline
				}
				told := strings.Contains(r.Error, "network: host")
				want := !network && (c.counted && kernelCounts || strings.HasPrefix(c.goal, "crash")) && detect().Err() == nil
				if noted != want || told != (want && r.Outcome != agent.OK) {
					t.Errorf("%s, network %t, %s: noted %t, told %t, want %t: %s", protocol, network, c.goal, noted, told, want, answerOf(r))
				}
			}
			// A separate loopback interface is always available, and needs no hint.
			if r := a.Run(t.Context(), ask("e", "crash itself")); detect().Name() != "landlock" && (answerOf(r) != "connected" || len(r.Transcript.Events) > 0) {
				t.Errorf("%s, network %t: %s, %v", protocol, network, answerOf(r), r.Transcript.Events)
			}
		}
	}
}

// TestRefusals tests the messages of programs without a network on systems where no counter
// is available.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"requests.exceptions.ConnectionError: HTTPSConnectionPool(host='api.example.com', port=443): Max retries exceeded with url: /v1",
		"socket.gaierror: [Errno -3] Temporary failure in name resolution",
		"ConnectionRefusedError: [Errno 111] Connection refused",
		"OSError: [Errno 101] Network is unreachable",
		"openai.APIConnectionError: Connection error.",
		"httpx.ConnectError: [Errno -2] Name or service not known",
		"Error: getaddrinfo EAI_AGAIN api.example.com",
		"Error: connect ECONNREFUSED 127.0.0.1:8080",
		"TypeError: fetch failed",
		"dial tcp: lookup api.example.com on 10.0.0.1:53: dial udp 10.0.0.1:53: connect: network is unreachable",
		"OSError: [Errno 38] Function not implemented",
		"curl: (6) Could not resolve host: api.example.com",
		"curl: (7) Failed to connect to 127.0.0.1 port 80 after 0 ms: Couldn't connect to server",
		"wget: unable to resolve host address: Temporary failure in name resolution",
		"java.net.ConnectException: Connection refused",
		"java.net.UnknownHostException: api.example.com",
		"Failed to open TCP connection to api.example.com:443 (getaddrinfo: Name or service not known) (SocketError)",
		"error sending request: client error (Connect): dns error: failed to lookup address information: Temporary failure in name resolution",
	} {
		if !refusals.MatchString(text) {
			t.Errorf("not known: %s", text)
		}
	}
	for _, text := range []string{"KeyError: 'answer'", "SyntaxError: invalid syntax", "the network of friends", "connect the dots"} {
		if refusals.MatchString(text) {
			t.Errorf("taken for a refusal: %s", text)
		}
	}
	off := newAgent(t, Options{Argv: itself(t, "dial"), Sandbox: sandbox.None("a test")})
	if r := off.Run(t.Context(), ask("e", "crash tcp 127.0.0.1:1")); strings.Contains(r.Error, "network: host") {
		t.Errorf("without a sandbox the network is open: %s", r.Error)
	}
}
