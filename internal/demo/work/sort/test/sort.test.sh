sh todo add Öl
sh todo add Zwiebeln
sh todo add "🧀 Käse"
sh todo add Äpfel
[ "$(sh todo sort | head -n 1)" = "4  Äpfel" ]
[ "$(sh todo sort | sed -n 2p)" = "1  Öl" ]
[ "$(sh todo sort | tail -n 1)" = "3  🧀 Käse" ]
