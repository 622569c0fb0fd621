# help: show this
echo "todo: things to do, one line each"
for f in "$here"/lib/*.sh; do
	sed -n '1s/^# /  todo /p' "$f"
done
