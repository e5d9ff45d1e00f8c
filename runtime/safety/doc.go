// Package safety implements the safeguards that no config can change: patterns that no
// answer may match ([Never]), checks of a response ([Check]), the loop detector ([Loop]),
// the classification of what only a person may change ([Classify]), the change request
// that is made instead of such a change ([Request]), the detection of writes by foreign
// tools that are declared as read-only ([DisguisedWrite]), and the detection of phrases
// that address the model ([Marks]). It writes nothing and executes nothing. Its inputs
// are treated as data: their size is limited before they are parsed, and they are never
// used as paths.
package safety
