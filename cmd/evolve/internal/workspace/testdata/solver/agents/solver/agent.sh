#!/bin/sh
# Repeats the goal in the case and with the mark that its config asks for. It
# reads flat fields only, which is enough for its own suite.
text() { printf '%s' "$1" | sed -n "s/.*\"$2\":\"\([^\"]*\)\".*/\1/p"; }
bare() { printf '%s' "$1" | sed -n "s/.*\"$2\":\([a-z0-9]*\).*/\1/p"; }
while IFS= read -r line; do
	id=$(printf '%s' "$line" | sed -n 's/^{"id":"\([^"]*\)".*/\1/p')
	answer=$(text "$line" goal)
	case $(text "$line" case) in
	upper) answer=$(printf '%s' "$answer" | tr '[:lower:]' '[:upper:]') ;;
	lower) answer=$(printf '%s' "$answer" | tr '[:upper:]' '[:lower:]') ;;
	esac
	if [ "$(bare "$line" twice)" = true ]; then
		gap=$(printf '%*s' "$(bare "$line" gap)" '')
		answer="$answer$gap$answer"
	fi
	case $(text "$line" mark) in
	dot) answer="$answer." ;;
	bang) answer="$answer!" ;;
	esac
	printf '{"id":"%s","answer":"%s"}\n' "$id" "$answer"
done
