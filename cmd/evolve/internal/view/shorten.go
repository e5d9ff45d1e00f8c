package view

// headerRunes is the number of characters that the header of a column has room for.
const headerRunes = 8

// shorten cuts long names, all at the same place: in the middle, or what all of them begin with,
// where the most of them still differ.
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

// shared returns the number of characters that all long names begin with.
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
