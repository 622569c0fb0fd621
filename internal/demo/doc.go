// Package demo makes the folder that `dispatcher demo` plays in: a small
// sample repository with a bare remote, a configuration, a board with issues
// (files, or a Linear or a GitHub of its own), and the script that the agents
// play. What happens there afterwards is the ordinary loop.
//
// It promises that everything in the folder is real except for the agents, who
// say that they are scripted; that a folder of its own is continued and any
// other folder that is not empty is refused untouched; and that --fast
// shortens pauses and timers and leaves out nothing. It writes nothing outside
// its folder. No other package but the command line knows of it.
package demo
