package schedule

import (
	"encoding/json"
	"fmt"
	"strings"
)

// CronJob renders a Kubernetes CronJob in which the names of the image and of the volume
// claim must be filled in.
func CronJob(n Night) string {
	zone := ""
	if n.Zone != "" {
		zone = "\n  timeZone: " + quoted(n.Zone)
	}
	var words []string
	for _, w := range n.words() {
		words = append(words, quoted(strings.ReplaceAll(w, "$(", "$$(")))
	}
	return fmt.Sprintf(`# The image contains evolve and the agents' programs; the claim holds the workspace.
# Replace IMAGE and CLAIM with their names.
apiVersion: batch/v1
kind: CronJob
metadata:
  name: %s
spec:
  schedule: "%d %d * * *"%s
  concurrencyPolicy: Forbid
  startingDeadlineSeconds: 43200
  jobTemplate:
    spec:
      backoffLimit: 0
      activeDeadlineSeconds: 82800
      template:
        spec:
          restartPolicy: Never
          terminationGracePeriodSeconds: 1800
          containers:
            - name: evolve
              image: IMAGE
              command: [%s]
              volumeMounts: [{name: workspace, mountPath: %s}]
          volumes: [{name: workspace, persistentVolumeClaim: {claimName: CLAIM}}]
`, Name(n.Workspace), n.At.Minute, n.At.Hour, zone, strings.Join(words, ", "), quoted(n.Workspace))
}

// quoted returns a text as a JSON string, which is also valid YAML.
func quoted(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}
