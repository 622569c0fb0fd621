#!/bin/sh
# Runs every test beside it, each on an empty list.
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
cd "$here/.." || exit 1
box=$(mktemp -d) || exit 1
trap 'rm -rf "$box"' EXIT

failed=0
for t in test/*.test.sh; do
	rm -f "$box"/*
	if TODO_FILE="$box/list.txt" sh -eu "$t"; then
		echo "ok    $t"
	else
		echo "FAIL  $t"
		failed=1
	fi
done
exit $failed
