def route(words, digits, marks):
    """Returns the solver for a task."""
    # evolve:begin route
    if words > 12:
        return "long"
    return "short"
    # evolve:end
