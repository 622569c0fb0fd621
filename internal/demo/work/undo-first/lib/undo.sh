# undo: take the last change back
cat "$TODO_FILE.undo" >"$TODO_FILE" || true
rm -f "$TODO_FILE.undo"
