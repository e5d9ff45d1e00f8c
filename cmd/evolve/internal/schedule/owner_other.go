//go:build !unix

package schedule

// Owner returns an empty name: there are no system units here.
func Owner(string) string { return "" }

// CurrentUser returns an empty name: there are no units of a user here.
func CurrentUser() string { return "" }
