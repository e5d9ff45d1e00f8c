package view

// headerRunes is the number of characters for which a column header has room.
const headerRunes = 8

// shorten cuts all long names at the same position, either in the middle or at their common
// beginning, whichever keeps the most of them distinct.
func shorten(names []string) []string {
	out, most := names, -1
	try := func(cut func(name []rune) string) {
		list, differ := make([]string, len(names)), map[string]bool{}
		for i, name := range names {
			list[i] = name
			if r := []rune(name); len(r) > headerRunes {
				list[i] = cut(r)
			}
			differ[list[i]] = true
		}
		if len(differ) > most {
			out, most = list, len(differ)
		}
	}
	for _, head := range []int{3, 2, 1, 0, 4, 5, 6, headerRunes - 1} {
		try(func(r []rune) string { return string(r[:head]) + "…" + string(r[len(r)-(headerRunes-1-head):]) })
	}
	from := shared(names)
	try(func(r []rune) string {
		r = r[from:]
		return "…" + string(r[:min(len(r), headerRunes-1)])
	})
	return out
}

// shared returns the length of the common beginning of all long names, in characters.
func shared(names []string) int {
	var first []rune
	for _, name := range names {
		r := []rune(name)
		if len(r) <= headerRunes {
			continue
		}
		if first == nil {
			first = r
		}
		n := 0
		for n < min(len(first), len(r)) && first[n] == r[n] {
			n++
		}
		first = first[:n]
	}
	return len(first)
}
