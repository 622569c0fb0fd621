# help: show this
for f in "$here"/lib/*.sh; do
	sed -n '1s/^# /  todo /p' "$f"
done
