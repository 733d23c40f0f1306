source "$1"
compopt() { :; } # only while bash completes
complete -p waymark | grep -q -- '-F _waymark' || exit 1
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_waymark
printf '%s\n' "${COMPREPLY[@]}"
