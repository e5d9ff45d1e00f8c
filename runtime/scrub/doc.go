// Package scrub owns the removal of credentials from text before it is stored,
// shown or sent back: known secret values, and the common shapes of keys.
package scrub
