// Package safety implements the safeguards that no config can change: patterns that no
// answer may match ([Never]), checks of a response ([Check]), the loop detector
// ([Loop]), the classification of what only a person may change ([Classify]) with the
// change request that is left instead ([Request]), calls of foreign tools that write
// although they are declared to read ([DisguisedWrite]), and phrases that address the model
// ([Marks]). It writes nothing and executes nothing. Its inputs are data: bounded
// before they are parsed, and never used as paths.
package safety
