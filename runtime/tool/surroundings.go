package tool

type Surroundings struct{}
