# bash completion for evolve. The program itself knows the candidates.

_evolve() {
	local cur word line about='' IFS=$' \t\n'
	local -a words=()
	COMPREPLY=()
	# bash splits words at "="; the program takes --name=value as one.
	for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
		if [[ ${#words[@]} -gt 0 && ( $word == "=" || ${words[${#words[@]}-1]} == -*= ) ]]; then
			words[${#words[@]}-1]+=$word
		else
			words+=("$word")
		fi
	done
	cur=${COMP_WORDS[COMP_CWORD]}
	[[ $cur == "=" ]] && cur=''
	while IFS= read -r line; do
		case $line in
		:*) about=${line#:} ;;
		*)
			line=${line%%$'\t'*}
			# Only what stands behind "=" is replaced.
			[[ ${words[${#words[@]}-1]} == -*=* && $cur != -*=* ]] && line=${line#*=}
			COMPREPLY+=("$line")
			;;
		esac
	done < <(command evolve __complete "${words[@]}" 2>/dev/null)
	case $about in
	files) compopt -o filenames 2>/dev/null; while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$cur") ;;
	folders) compopt -o filenames 2>/dev/null; while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "$cur") ;;
	esac
	return 0
}

complete -F _evolve evolve
