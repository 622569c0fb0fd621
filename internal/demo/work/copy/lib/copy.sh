# copy <file>: write the list to another place, never over something
if [ $# -ne 1 ]; then
	echo "todo copy: where to?" >&2
	exit 2
fi
if [ -e "$1" ]; then
	echo "todo copy: $1 is there already; name another file" >&2
	exit 1
fi
cp "$TODO_FILE" "$1"
