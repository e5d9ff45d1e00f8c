from route import route

assert route(1, 0, 0) == "short"
assert route(24, 0, 0) == "long"
