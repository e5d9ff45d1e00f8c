// Package scrub owns the removal of credentials from text before it is stored,
// shown or sent back: known secret values, as they are and encoded, and what has the
// shape, the name or the surroundings of one. It writes nothing.
//
// One automaton finds every word that may give a credential away: the prefixes in the
// table of issuers, names such as password, headers, beginnings of key blocks, and the
// known values. Where a word occurs, its rule looks at what stands around it. Rules
// read each part of a text a bounded number of times, so that text made of nothing but
// beginnings takes linear time as well.
//
// Runs of base64 and hexadecimal are decoded and looked at in the same way, up to twice
// in each other: in either alphabet, with or without padding, in lines, behind a path, and
// in hexadecimal with a separator between the bytes. Decoding reads each run a bounded
// number of times as well, and decodes no more than what may be ASCII text.
//
// What nothing gives away stays: a random string alone, of a form that is in no table,
// and without a name beside it; a known value that somebody spells, turns round or
// encodes in a way of their own; and one whose form is known but not its value, with a
// line break in it.
package scrub
