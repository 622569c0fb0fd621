# add <text>: put something on the list
if [ $# -eq 0 ]; then
	echo "todo add: what?" >&2
	exit 2
fi
printf '%s\n' "$*" >>"$TODO_FILE"
