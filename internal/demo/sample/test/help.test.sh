sh todo help | head -n 1 | grep -q '^todo: '
sh todo help | grep -q '^  todo add '
