# done <number>: cross something off
case ${1:-} in
'' | *[!0-9]*)
	echo "todo done: which number? see: todo list" >&2
	exit 2
	;;
esac
cp "$TODO_FILE" "$TODO_FILE.undo"
sed "$1s/^/x /" "$TODO_FILE" >"$TODO_FILE.new"
mv "$TODO_FILE.new" "$TODO_FILE"
