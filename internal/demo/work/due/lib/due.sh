# due: show what is due today or before, the oldest first
today=${TODO_TODAY:-$(date +%Y-%m-%d)}
sh "$here/todo" list | sed -n 's/^\([0-9]*  .*\) due:\([0-9-]*\)$/\2 \1/p' | sort |
	while read -r date rest; do
		if [ "$(printf '%s\n%s\n' "$date" "$today" | sort | head -n 1)" = "$date" ]; then
			printf '%s  %s\n' "$date" "$rest"
		fi
	done
