sh todo help | grep -q "^The list is $TODO_FILE"
