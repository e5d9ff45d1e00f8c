// Package scrub removes credentials from text before it is stored, shown or sent back:
// known secret values, both as they are and encoded, and text that has the shape, the name
// or the context of a credential. It writes nothing.
//
// One automaton finds every word that may indicate a credential: the prefixes in the table
// of issuers, names such as password, headers, beginnings of key blocks, and the known
// values. Where a word occurs, its rule examines the surrounding text. Rules read each part
// of a text a limited number of times, so even text that consists only of beginnings takes
// linear time.
//
// Runs of base64 and hexadecimal are decoded and scanned in the same way, up to two levels
// deep: in either base64 alphabet, with or without padding, split into lines, after a path,
// and in hexadecimal with a separator between the bytes. Decoding also reads each run a
// limited number of times, and decodes only what may be ASCII text.
//
// Invisible characters, such as joiners and soft hyphens, hide nothing: the rules read the
// text both with and without them.
//
// The following is not found: a random string by itself, in no known format and without a
// name beside it; a known value that is spelled out, reversed or encoded in an unusual way;
// and a value with a line break in it if only its format is known.
package scrub
