# sort: show what is open, in alphabetical order, umlauts beside their vowels
sh "$here/todo" list | sed 's/^\([0-9]*\)  \(.*\)$/\2	\1/' |
	while IFS='	' read -r text n; do
		key=$(printf '%s' "$text" | sed 's/Ä/A/g; s/ä/A/g; s/Ö/O/g; s/ö/O/g; s/Ü/U/g; s/ü/U/g; s/ß/ss/g' | tr '[:lower:]' '[:upper:]')
		printf '%s	%s  %s\n' "$key" "$n" "$text"
	done | LC_ALL=C sort | cut -f 2
