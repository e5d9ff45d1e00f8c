//go:build !unix

package patch

// foreign always returns false, because the owner cannot be checked on this system; native
// git checks the owner itself.
func (layout) foreign() bool { return false }
