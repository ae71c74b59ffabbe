// Command gencsv writes CSV for tests and benchmarks to its output:
//
//	go run ./esds/esdstest/gencsv/cmd/gencsv -rows 300000 >rows.csv
//
// With -ddl it prints the columns as CREATE TABLE takes them.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/eslake/eslake/esds/esdstest/gencsv"
)

func main() {
	rows := flag.Int("rows", 300_000, "how many rows")
	seed := flag.Int64("seed", 1, "the same seed gives the same file")
	nulls := flag.Int("null-every", 0, "one value in so many is NULL; 0 means 13, -1 none")
	noHeader := flag.Bool("no-header", false, "leave the line of names out")
	ddl := flag.Bool("ddl", false, "print the columns and their types instead")
	flag.Parse()
	if *ddl {
		fmt.Println(gencsv.DDL())
		return
	}
	err := gencsv.Write(os.Stdout, *rows, *seed, gencsv.Options{NoHeader: *noHeader, NullEvery: *nulls})
	if err != nil {
		fmt.Fprintln(os.Stderr, "gencsv:", err)
		os.Exit(1)
	}
}
