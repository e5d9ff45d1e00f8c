#compdef evolve
# zsh completion for evolve. The program itself knows the candidates.

_evolve() {
	local line about
	local -a shown
	for line in "${(@f)$(command evolve __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
		case $line in
		:*) about=${line#:} ;;
		*$'\t'*) shown+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
		?*) shown+=("${line//:/\\:}") ;;
		esac
	done
	(( $#shown )) && _describe -V evolve shown
	case $about in
	files) compset -P '--*='; _files ;;
	folders) compset -P '--*='; _files -/ ;;
	esac
}

# Read from a folder of $fpath, or sourced.
if [[ $funcstack[1] == _evolve ]]; then
	_evolve "$@"
else
	compdef _evolve evolve
fi
