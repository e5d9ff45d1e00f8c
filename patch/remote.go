package patch

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"evolve/runtime/text"
)

// Remote is a remote of a repository. Native git contacts it with the operator's own
// credentials and without prompts or hooks. Errors do not contain credentials from its
// address.
type Remote struct {
	repo *Repository
	name string
}

// NoRemoteError reports that the settings of a repository have no remote with the given
// name.
type NoRemoteError struct{ Name, Folder string }

func (e *NoRemoteError) Error() string {
	return fmt.Sprintf("the repository in %s has no remote %s", e.Folder, e.Name)
}

// mostTips and mostRemarks limit the number of bytes that git prints about a remote, and
// remoteDrain limits the wait for the end of output that a leftover process may hold
// open.
const (
	mostTips    = 4 << 20
	mostRemarks = 2 << 10
	remoteDrain = time.Second
)

// remoteName matches the name of a remote. It does not match an address, because git would
// contact that address.
var remoteName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// Remote returns the remote with the given name. It fails with a *NoRemoteError or
// ErrNoGit.
func (r *Repository) Remote(ctx context.Context, name string) (*Remote, error) {
	none := &NoRemoteError{Name: name, Folder: r.root(r.dir)}
	if !remoteName.MatchString(name) {
		return nil, none
	}
	url, err := r.config(ctx, r.dir, "--get-all", "remote."+name+".url")
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(url) == "" {
		return nil, none
	}
	return &Remote{r, name}, nil
}

// Tips holds branches of a remote with their commits.
type Tips struct {
	// Default is the default branch; it is "" if the remote does not name one.
	Default string
	// Branches maps the names of branches, without refs/heads/, to commits.
	Branches map[string]string
}

// Tips asks the remote for the commits of the named branches and of all branches that
// have the prefix, and for the name of the default branch.
func (m *Remote) Tips(ctx context.Context, prefix string, names ...string) (Tips, error) {
	args := []string{"ls-remote", "--symref", "--end-of-options", m.name, "HEAD", "refs/heads/" + prefix + "*"}
	for _, name := range names {
		args = append(args, "refs/heads/"+name)
	}
	out, err := m.git(ctx, args...)
	if err != nil {
		return Tips{}, fmt.Errorf("asking %s for its branches: %w", m.name, err)
	}
	tips := Tips{Branches: map[string]string{}}
	head := ""
	for line := range strings.Lines(out) {
		value, ref, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		target, symbolic := strings.CutPrefix(value, "ref: refs/heads/")
		branch, isBranch := strings.CutPrefix(ref, "refs/heads/")
		switch {
		case !ok:
		case ref == "HEAD" && symbolic && checkRef("refs/heads/"+target) == nil:
			tips.Default = target
		case !hashForm.MatchString(value):
		case ref == "HEAD":
			head = value
		case isBranch && checkRef(ref) == nil && (strings.HasPrefix(branch, prefix) || slices.Contains(names, branch)):
			tips.Branches[branch] = value
		}
	}
	if tips.Default != "" && head != "" {
		tips.Branches[tips.Default] = head
	}
	return tips, nil
}

// Tracking returns the local ref at which [Remote.Fetch] stores a branch.
func (m *Remote) Tracking(branch string) string {
	return "refs/evolve/remotes/" + m.name + "/" + branch
}

// Fetch copies the commits of branches from the remote to this repository, unless it
// already has them, and returns the present commits of the branches. It changes no refs
// other than those of [Remote.Tracking].
func (m *Remote) Fetch(ctx context.Context, tips Tips, branches ...string) (map[string]string, error) {
	args := []string{
		"fetch", "--quiet", "--no-tags", "--no-prune", "--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-maintenance",
		"--refmap=", "--end-of-options", m.name,
	}
	named := len(args)
	for _, b := range branches {
		now, err := m.repo.Ref(m.Tracking(b))
		if err != nil {
			return nil, err
		}
		if _, there := m.repo.MessageOf(tips.Branches[b]); !there || now != tips.Branches[b] {
			args = append(args, "+refs/heads/"+b+":"+m.Tracking(b))
		}
	}
	if len(args) > named {
		if _, err := m.git(ctx, args...); err != nil {
			return nil, fmt.Errorf("fetching from %s: %w", m.name, err)
		}
	}
	out := map[string]string{}
	for _, b := range branches {
		now, err := m.repo.Ref(m.Tracking(b))
		if err != nil {
			return nil, err
		}
		out[b] = now
	}
	return out, nil
}

// Push moves a branch of the remote to a commit if the branch is still at the given old
// commit (was). If was is empty, the branch must not exist; if commit is empty, Push
// deletes the branch. A branch that is at another commit is never overwritten.
func (m *Remote) Push(ctx context.Context, branch, commit, was string) error {
	return m.push(ctx, branch, commit, was)
}

// MayPush returns an error if the remote does not accept a new branch from this user, as
// far as this can be determined before anything is sent; a hook on the remote may still
// refuse the branch later. MayPush changes nothing.
func (m *Remote) MayPush(ctx context.Context, branch, commit string) error {
	return m.push(ctx, branch, commit, "", "--dry-run")
}

func (m *Remote) push(ctx context.Context, branch, commit, was string, flags ...string) error {
	ref := "refs/heads/" + branch
	args := append([]string{"push", "--quiet", "--no-verify", "--no-follow-tags", "--recurse-submodules=no", "--no-signed"}, flags...)
	_, err := m.git(ctx, append(args, "--force-with-lease="+ref+":"+was, "--end-of-options", m.name, commit+":"+ref)...)
	if err != nil {
		return fmt.Errorf("pushing to %s: %w", m.name, err)
	}
	return nil
}

// git runs native git against the remote, without a terminal. Its processes are ended when
// ctx ends.
func (m *Remote) git(ctx context.Context, args ...string) (string, error) {
	cmd, err := Command(ctx, m.repo.dir, m.repo.env, append([]string{"-c", "push.pushOption=", "-c", "transfer.bundleURI=false"}, args...)...)
	if err != nil {
		return "", err
	}
	cmd.Env, cmd.WaitDelay = remoteEnv(m.repo.env), remoteDrain
	inSession(cmd)
	out, errs := &text.Head{Most: mostTips}, &text.Tail{Most: mostRemarks}
	cmd.Stdout, cmd.Stderr = out, errs
	err = cmd.Run()
	switch {
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
		return out.String(), nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", errors.New("it did not answer in time")
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	}
	if remarks := strings.Fields(errs.String()); len(remarks) > 0 {
		err = errors.New(WithoutUser(strings.Join(remarks, " ")))
	}
	return "", err
}

// userInfo matches the user and password in an address.
var userInfo = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^\s'"<>]*@`)

// WithoutUser removes users and passwords from the addresses in a text.
func WithoutUser(s string) string { return userInfo.ReplaceAllString(s, "$1") }

// credentialVariables are the git variables with which the operator configures access to a
// remote.
var credentialVariables = []string{
	"GIT_ASKPASS", "SSH_ASKPASS", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_SSL_CERT", "GIT_SSL_KEY",
}

// remoteEnv does what [nativeEnv] does, for commands that contact a remote.
func remoteEnv(env []string) []string {
	out := append(nativeEnv(env), "GIT_ALLOW_PROTOCOL=file:git:http:https:ssh")
	for _, kv := range env {
		if name, _, _ := strings.Cut(kv, "="); slices.Contains(credentialVariables, name) {
			out = append(out, kv)
		}
	}
	return out
}
