// Package safety owns the rails that no config reaches: patterns no answer may
// match ([Never]), checks of a response ([Check]), the loop detector ([Loop]), the
// classification of what only a person may change ([Classify]) with the change request
// that is left instead ([Request]), calls of foreign tools that write although they are
// declared to read ([Dressed]), and phrases that address the model ([Marks]). It
// writes nothing and executes nothing. What it reads is data: bounded before it is
// parsed, and never a path to follow.
package safety
