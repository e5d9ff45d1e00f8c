package cli

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/cmd/evolve/internal/exit"
)

// unknownCommand refuses a name that is no command below parent ("evolve bench").
func unknownCommand(name, parent string, commands []*cli.Command) error {
	var names []string
	for _, c := range commands {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	hint := "`" + parent + " --help` lists the commands"
	if name == "version" {
		hint = "`evolve --version` tells it"
	} else if near := exit.Nearest(name, names); near != "" {
		hint = fmt.Sprintf("did you mean `%s %s`?", parent, near)
	}
	return exit.Errorf(exit.Usage, hint, "there is no command %q", strings.TrimPrefix(parent+" ", "evolve ")+name)
}

func unknownFlag(name string, flags []cli.Flag) error {
	var names []string
	for _, f := range flags {
		names = append(names, f.Names()[0])
	}
	hint := "`--help` lists the flags"
	if near := exit.Nearest(name, names); near != "" {
		hint = fmt.Sprintf("did you mean --%s?", near)
	}
	return exit.Errorf(exit.Usage, hint, "there is no flag --%s", name)
}

// invalidValue matches the flag parser's error for an invalid value.
var invalidValue = regexp.MustCompile(`^invalid (?:boolean )?value "(.*)" for (?:flag )?-+([^:]+): `)

// twoForms matches the flag parser's error for one flag under two names.
var twoForms = regexp.MustCompile(`^Cannot use two forms of the same flag: (\S+) (\S+)$`)

// badFlag returns an error that describes which values a flag accepts.
func badFlag(err error, flags []cli.Flag) error {
	if m := twoForms.FindStringSubmatch(err.Error()); m != nil {
		return exit.Errorf(exit.Usage, "give one of them", "%s and %s are the same flag", dashed(m[2]), dashed(m[1]))
	}
	m := invalidValue.FindStringSubmatch(err.Error())
	if m == nil {
		return exit.Misuse(err)
	}
	wants := "another value"
	switch findFlag(flags, m[2]).(type) {
	case *cli.IntFlag, *cli.Int64Flag:
		wants = "a whole number"
	case *cli.Float64Flag:
		wants = "a number"
	case *cli.DurationFlag:
		wants = "a length of time such as 45m or 6h"
	case *cli.BoolFlag:
		wants = "true or false, or nothing"
	}
	return exit.Misuse(fmt.Errorf("--%s takes %s, not %q", m[2], wants, m[1]))
}

// dashed returns a flag as it is typed.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}
