// Package safety owns the rails that no config reaches: patterns no answer may
// match, checks of a response (repetition, substance, sycophancy), the loop
// detector, and the classification of what only a person may change, with the
// change request that is left instead. It writes nothing.
package safety
