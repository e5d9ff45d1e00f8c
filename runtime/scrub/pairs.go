package scrub

// pairTriggers returns triggers for credentials that consist of two parts.
func pairTriggers() []trigger {
	all := []trigger{{"sg.", sendGrid}}
	for _, near := range []string{"aws", "amazon", "secret", "akia", "asia"} {
		all = append(all, trigger{near, awsSecret})
	}
	return all
}

// awsKey is the length of an AWS secret key. awsReach is the maximum distance, in bytes,
// between the secret key and the word or access key that indicates it.
const awsKey, awsReach = 40, 80

// awsSecret removes an AWS secret key, which has no prefix, near a word or an access key
// that indicates one.
func awsSecret(s *scan, start, end int) {
	const of = alnum | plus | slash
	for i := max(0, start-awsReach); i < min(len(s.text), end+awsReach); i++ {
		if !of.has(s.text[i]) || i > 0 && any64.has(s.text[i-1]) && s.text[i-1] != '=' {
			continue
		}
		stop := s.runFrom(i, of)
		if stop-i == awsKey && (stop == len(s.text) || !url64.has(s.text[stop])) && ofThree(s.text[i:stop]) {
			s.remove(i, stop)
		}
	}
}

// ofThree reports whether a text has at least one digit, five lower-case letters and five
// capitals, as a random key of this length does.
func ofThree(text string) bool {
	var digits, small, large int
	for i := range len(text) {
		switch k := kind(text[i]); {
		case k&digit != 0:
			digits++
		case k&lower != 0:
			small++
		case k&upper != 0:
			large++
		}
	}
	return digits >= 1 && small >= 5 && large >= 5
}

// sendGrid removes a SendGrid key of any length: two random parts after the prefix.
func sendGrid(s *scan, start, end int) {
	if s.text[start:end] != "SG." || !s.starts(start) {
		return
	}
	middle := s.runFrom(end, url64)
	if middle-end < 8 || middle == len(s.text) || s.text[middle] != '.' || !mixed(s.text[end:middle]) {
		return
	}
	if stop := s.runFrom(middle+1, url64); stop-middle > 8 && mixed(s.text[middle+1:stop]) {
		s.remove(start, stop)
	}
}
