package tool

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/text"
)

type getTimeArgs struct {
	Zone string `json:"zone"`
}

var offset = regexp.MustCompile(`^(?:utc|gmt)?([+-])(\d{1,2})(?::?(\d{2}))?$`)

func getTime() Tool {
	return define("get_time",
		"The present time in RFC 3339 with the weekday, in UTC or at an offset such as UTC+2.",
		`{"type":"object","additionalProperties":false,"properties":{"zone":{"type":"string","maxLength":60}}}`,
		Essential, []string{"operations"},
		func(_ context.Context, env *Env, a getTimeArgs) Result {
			at := env.Now.UTC()
			zone := strings.ToLower(strings.ReplaceAll(a.Zone, " ", ""))
			switch m := offset.FindStringSubmatch(zone); {
			case zone == "" || zone == "utc" || zone == "gmt" || zone == "z":
			case m != nil:
				hours, _ := strconv.Atoi(m[2])
				minutes, _ := strconv.Atoi(m[3]) // absent: 0
				seconds := hours*3600 + minutes*60
				if hours > 14 || minutes > 59 {
					return Failed(agent.ContractViolation, "the offset is not valid")
				}
				if m[1] == "-" {
					seconds = -seconds
				}
				at = at.In(time.FixedZone("", seconds))
			default:
				return Refer(Boundary{
					Axes:     []string{"geography", "time zones"},
					Shape:    "the local time of a place, which needs a time zone database",
					Evidence: "the requested time zone is " + text.Clip(a.Zone, 60),
				})
			}
			if env.Now.IsZero() {
				return Failed(agent.Execution, "there is no clock")
			}
			return OK(at.Format(time.RFC3339) + " " + at.Weekday().String())
		})
}
