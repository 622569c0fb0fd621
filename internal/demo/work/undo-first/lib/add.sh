# add <text>: put something on the list
if [ $# -eq 0 ]; then
	echo "todo add: what?" >&2
	exit 2
fi
touch "$TODO_FILE"
cp "$TODO_FILE" "$TODO_FILE.undo"
printf '%s\n' "$*" >>"$TODO_FILE"
