// Command eslake makes Elasticsearch and OpenSearch indices behave like the
// tables of a data lake.
package main

import (
	"os"

	"github.com/eslake/eslake/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:]))
}
