# purge: remove what is done for good
if [ -f "$TODO_FILE" ]; then
	sed '/^x /d' "$TODO_FILE" >"$TODO_FILE.new"
	mv "$TODO_FILE.new" "$TODO_FILE"
fi
