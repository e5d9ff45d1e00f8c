# One run of irace, driven over lines: "@ ask INSTANCE VALUES" asks for a score, VALUES
# being one number by dimension ("-" where inactive); "@ best VALUES" ends it.
suppressPackageStartupMessages({library(irace); library(jsonlite)})
input <- file("stdin", "r")
job <- fromJSON(readLines(input, 1), simplifyVector = FALSE)
names <- paste0("d", seq_along(job$dimensions) - 1)
lines <- character()
for (k in seq_along(job$dimensions)) {
  d <- job$dimensions[[k]]
  if (d$type == "list") {
    type <- "c"
    domain <- paste0("(", paste0('"', seq_len(d$size) - 1, '"', collapse = ","), ")")
  } else {
    type <- paste0(if (d$type == "int") "i" else "r", if (d$log) ",log" else "")
    domain <- sprintf("(%s,%s)", format(d$low, digits = 15, scientific = FALSE), format(d$high, digits = 15, scientific = FALSE))
  }
  needs <- vapply(d$needs, function(n) sprintf("%s %%in%% c(%s)", names[n$dimension + 1], paste0('"', unlist(n$values), '"', collapse = ",")), "")
  lines[k] <- paste(names[k], '""', type, domain, if (length(needs)) paste("|", paste(needs, collapse = " & ")) else "")
}
values <- function(configuration) {
  v <- vapply(names, function(n) if (is.na(configuration[[n]])) "-" else format(as.numeric(as.character(configuration[[n]])), digits = 15), "")
  paste(v, collapse = " ")
}
ask <- function(experiment, scenario) {
  cat("@ ask", experiment$id.instance, values(experiment$configuration), "\n")
  flush(stdout())
  answer <- as.numeric(strsplit(readLines(input, 1), " ")[[1]])
  list(cost = 1 - answer[1], time = answer[2])
}
parameters <- readParameters(text = paste(lines, collapse = "\n"), digits = 6)
first <- as.data.frame(setNames(lapply(seq_along(names), function(k) {
  v <- job$default[[k]]
  if (is.null(v)) NA else if (job$dimensions[[k]]$type == "list") as.character(v) else v
}), names), stringsAsFactors = FALSE)
scenario <- list(targetRunner = ask, instances = as.character(seq_len(job$instances)), sampleInstances = 0,
  maxExperiments = if (job$money) 0 else job$budget, maxTime = if (job$money) job$budget else 0, seed = job$seed, digits = 6, logFile = "", deterministic = job$deterministic,
  testType = job$test, firstTest = job$first, initConfigurations = first, quiet = 1)
scenario <- checkScenario(c(scenario, defaultScenario()[setdiff(names(defaultScenario()), names(scenario))]))
# Its own number of iterations, or as many as a small budget allows.
best <- NULL
for (iterations in c(0, 5, 4, 3, 2, 1)) {
  scenario$nbIterations <- iterations
  best <- tryCatch(irace(scenario, parameters), error = function(e) {
    if (grepl("Insufficient budget", conditionMessage(e))) NULL else stop(e)
  })
  if (!is.null(best)) break
}
cat("@ best", values(best[1, ]), "\n")
