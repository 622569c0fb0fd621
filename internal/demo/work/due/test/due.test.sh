sh todo add "send the letter due:2026-12-24"
sh todo add "plant the bulbs due:2026-10-01"
sh todo add "no date at all"
[ "$(TODO_TODAY=2026-09-30 sh todo due)" = "" ]
[ "$(TODO_TODAY=2026-10-01 sh todo due)" = "2026-10-01  2  plant the bulbs" ]
[ "$(TODO_TODAY=2027-01-01 sh todo due | wc -l)" -eq 2 ]
