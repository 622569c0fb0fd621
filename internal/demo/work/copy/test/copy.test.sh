sh todo add buy milk
to=$(dirname "$TODO_FILE")/copy.txt
sh todo copy "$to"
cmp "$TODO_FILE" "$to"
if sh todo copy "$to" 2>/dev/null; then exit 1; fi
