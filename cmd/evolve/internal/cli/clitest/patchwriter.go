package clitest

import "strings"

// patcher is asked for a patch. It first tries to change a test, and then writes a good
// patch.
func patcher(q fakeQuestion) fakeAnswer {
	if q.nth == 1 {
		return fakeAnswer{text: "The test is wrong.\n\n```diff\n" + testsGone + "```"}
	}
	return fakeAnswer{text: "A plainer loop answers the failures.\n\n```diff\n" + `--- a/cache/cache.go
+++ b/cache/cache.go
@@ -4,8 +4,8 @@
 // Sum adds the numbers up.
 func Sum(list []int) int {
 	total := 0
-	for i := 0; i < len(list); i++ {
-		total = total + list[i]
+	for _, n := range list {
+		total += n
 	}
 	return total
 }
` + "```\n"}
}

// wrecker is also asked for a patch, and tries to do harm in every way that it can.
func wrecker(q fakeQuestion) fakeAnswer {
	if q.nth == 1 {
		return fakeAnswer{text: "No test, no failure.\n\n```diff\n" + testsGone + "```"}
	}
	return fakeAnswer{text: "More.\n\n```diff\n--- /dev/null\n+++ b/cache/more.go\n@@ -0,0 +1,100000 @@\n" + strings.Repeat("+// more and more\n", 100_000) + "```"}
}

// testsGone is a patch that makes a test pass whatever the code does.
const testsGone = `--- a/cache/cache_test.go
+++ b/cache/cache_test.go
@@ -10,3 +10,3 @@
 		if got := Sum(c.list); got != c.want {
-			t.Errorf("Sum(%v) is %d, want %d", c.list, got, c.want)
+			t.Logf("Sum(%v) is %d, want %d", c.list, got, c.want)
 		}
`
