package model

import "evolve/runtime/text"

// ellipsis marks truncated text.
const ellipsis = "…"

// clip truncates s to at most n characters, including the ellipsis.
func clip(s string, n int) string { return text.Clip(s, n, text.Runes, text.Ellipsis) }
