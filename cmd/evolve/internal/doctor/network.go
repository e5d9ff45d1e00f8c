package doctor

import "context"

// networkOf describes the network access that a program with the given network and sandbox
// settings has on this machine.
func (p Probes) networkOf(ctx context.Context, network, sandbox string) string {
	if network == "host" {
		return "it has the host's network (network: host)"
	}
	if sandbox == "none" {
		return "its network access is unrestricted, because with sandbox: none there is no sandbox to restrict it"
	}
	if _, err := p.Sandbox(ctx); err != nil {
		return "its network access is unrestricted, because there is no sandbox to restrict it"
	}
	return "it has no network (network: none)"
}
