# prompt: a short text for the shell prompt, empty when nothing is open
n=$(sh "$here/todo" count)
if [ "$n" -gt 0 ]; then
	printf '[%s]\n' "$n"
fi
