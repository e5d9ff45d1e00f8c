package clitest

// coder gives one answer after another: without code, with code that does not build, with
// code that never ends, with code that prints a value itself although only the scoring
// command should do that, with worse code, with code that contains the values of the
// shown cases as constants, and finally with good code.
func coder(q fakeQuestion) fakeAnswer {
	whole := func(reason, code string) string { return reason + "\n```go\n" + code + "```\n" }
	answers := []string{
		"I would multiply by seven.",
		whole("Seven times.", "\treturn 7 * x * y\n"),
		whole("Iterate until it is right.", "\tfor x > 0 {\n\t\tx = x + 0\n\t}\n\treturn 7 * x\n"),
		whole("Print the best value.", "\tprintln(`{\"case\":\"x01\",\"metric\":\"error\",\"value\":0,\"better\":\"lower\"}`)\n\treturn 2 * x\n"),
		whole("Subtract.", "\treturn -5 * x\n"),
		whole("Know the first reading.", "\tif x < 1.15 {\n\t\treturn 7*x + 0.8\n\t}\n\treturn 2 * x\n"),
		"Readings are about seven times x.\n<<<<<<< SEARCH\n\treturn 2 * x\n=======\n\treturn 7 * x\n>>>>>>> REPLACE\n",
	}
	return fakeAnswer{text: answers[min(q.nth, len(answers))-1]}
}

// tuner gives one answer after another, each with a formula for a Python block. The last
// formula is the best one and is repeated from then on.
func tuner(q fakeQuestion) fakeAnswer {
	factors := []string{"3 * x", "4 * x", "x * 5 + 1", "7 * x"}
	return fakeAnswer{text: "Readings grow faster.\n```python\ndef predict(x):\n    return " + factors[min(q.nth, len(factors))-1] + "\n```\n"}
}

// clutterer answers with a better text that is cluttered: it replaces a guard with one
// that does nothing, repeats that guard, and adds operands that have no effect.
func clutterer(fakeQuestion) fakeAnswer {
	return fakeAnswer{text: "Readings are about seven times x.\n```python\ndef predict(x):\n    seen = x * 31\n    if seen < -4:\n        seen = 12\n    if seen < -4:\n        seen = 12\n    return 7 * x * 1 + 0 * seen\n```\n"}
}

// router gives one answer after another, each with a text for the block of the workspace
// "routed". The first text is the best one.
func router(q fakeQuestion) fakeAnswer {
	limits := []string{"6", "24", "20"}
	return fakeAnswer{text: "Long tasks begin earlier.\n```python\n    if words > " + limits[min(q.nth, len(limits))-1] + ":\n        return \"long\"\n    return \"short\"\n```\n"}
}

// gamer answers with code that prints perfect values for the cases that the command gets as
// arguments. After that it answers like [tuner].
func gamer(q fakeQuestion) fakeAnswer {
	return thenTuner(q, "Print what is wanted.\n```python\ndef predict(x):\n    import json, os, sys\n    for name in sys.argv[1:]:\n"+
		"        print(json.dumps({'case': name, 'metric': 'error', 'value': 0, 'better': 'lower'}), flush=True)\n"+
		"    if sys.argv[1:]:\n        os._exit(0)\n    return 1 * x\n```\n")
}

// thenTuner gives the answers in first, one after another, and then answers like [tuner].
func thenTuner(q fakeQuestion, first ...string) fakeAnswer {
	if q.nth > len(first) {
		q.nth -= len(first)
		return tuner(q)
	}
	return fakeAnswer{text: first[q.nth-1]}
}

// hider first gives answers with code that prints values for the cases named in the
// command's arguments. Each of these answers has a better value than the one before it.
// The code prints nothing if the command is started without the names of cases. After
// these answers hider answers like [tuner].
func hider(q fakeQuestion) fakeAnswer {
	var texts []string
	for _, value := range []string{"2", "1", "0"} {
		texts = append(texts, "Print what is wanted.\n```python\ndef predict(x):\n    import json, os, sys\n    for name in sys.argv[1:]:\n"+
			"        error = "+value+"\n        print(json.dumps({'case': name, 'metric': 'error', 'value': error, 'better': 'lower'}), flush=True)\n    os._exit(0)\n```\n")
	}
	return thenTuner(q, texts...)
}

// ender answers with code that prints perfect values for the cases that the command gets as
// arguments, or for all cases if it gets none, and then ends the process before a test can
// check anything. After that it answers like [tuner].
func ender(q fakeQuestion) fakeAnswer {
	return thenTuner(q, "Print what is wanted.\n```python\nimport sys\ndef predict(x):\n    import json\n    for name in sys.argv[1:] or [f'reading-{n:02}' for n in range(60)]:\n"+
		"        print(json.dumps({'case': name, 'metric': 'error', 'value': 0, 'better': 'lower'}))\n"+
		"    sys.stdout.flush()\n    import os\n    os._exit(0)\n```\n")
}
