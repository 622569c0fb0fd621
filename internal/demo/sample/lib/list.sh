# list: show what is open, with its number
if [ -f "$TODO_FILE" ]; then
	n=0
	while IFS= read -r line; do
		n=$((n + 1))
		case $line in
		"x "*) ;;
		*) printf '%d  %s\n' "$n" "$line" ;;
		esac
	done <"$TODO_FILE"
fi
