# undo: take the last change back
if [ ! -f "$TODO_FILE.undo" ]; then
	echo "todo undo: there is nothing to take back" >&2
	exit 1
fi
mv "$TODO_FILE.undo" "$TODO_FILE"
