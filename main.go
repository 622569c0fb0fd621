// Command dispatcher is a terminal control room for a human-supervised loop of
// coding agents.
package main

import (
	"context"
	"os"

	"github.com/backside4charter/dispatcher/internal/cli"
)

// version is set by the release build.
var version = "dev"

func main() {
	os.Exit(cli.Run(context.Background(), version, os.Args[1:]))
}
