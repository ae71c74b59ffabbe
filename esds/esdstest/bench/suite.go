package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/eslake/eslake/esds/esdstest/gencsv"
)

// index is what the cases use of a cluster, and table is its name in SQL.
const (
	index = "eslake-bench"
	table = "bench"
)

// Suite is what the cases have in common.
type Suite struct {
	Eslake string // the program
	Self   string // this program, which runs the limits
	Dir    string // for files; what is there is overwritten
	URL    string // of the cluster; "" leaves out what needs one
	Rows   int
	Rounds int
	Say    func(format string, args ...any) // hears what is done now

	cluster  *Cluster
	mappings json.RawMessage
}

func (s *Suite) file(name string) string { return filepath.Join(s.Dir, name) }

// Setup makes the file of rows, and the tables in a catalog of its own.
func (s *Suite) Setup(ctx context.Context) error {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return err
	}
	s.Say("%d rows of CSV", s.Rows)
	if err := s.writeCSV("rows.csv", s.Rows); err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(s.file("catalog.json")), s.removeLake(ctx)); err != nil {
		return err
	}
	if s.URL != "" {
		s.cluster = NewCluster(s.URL)
	}
	_, err := s.eslake("",
		"CREATE TABLE "+table+" ("+gencsv.DDL()+") USING es OPTIONS (resource '"+index+"', es.mapping.id 'id')",
		"CREATE TABLE rows ("+gencsv.DDL()+") USING csv OPTIONS (path '"+s.file("rows.csv")+"', header 'true', multiLine 'true', escape '\"')",
	).Measure(ctx)
	return err
}

// writeCSV makes a file of rows.
func (s *Suite) writeCSV(name string, rows int) error {
	out, err := os.Create(s.file(name))
	if err != nil {
		return err
	}
	return errors.Join(gencsv.Write(out, rows, 1, gencsv.Options{}), out.Close())
}

// Close removes what the cases left at the cluster, and large files.
func (s *Suite) Close(ctx context.Context) error {
	errs := []error{s.removeLake(ctx)}
	for _, name := range []string{"rows.csv", "million.csv", "wide.csv", "out", "limit.out", "limit.lake", bulkFile} {
		errs = append(errs, os.RemoveAll(s.file(name)))
	}
	if s.cluster != nil {
		errs = append(errs, s.cluster.remove(ctx, index), s.cluster.remove(ctx, copied))
	}
	return errors.Join(errs...)
}

func (s *Suite) removeLake(context.Context) error {
	return errors.Join(os.RemoveAll(s.file("lake.db")), os.RemoveAll(s.file("lake.db.wal")))
}

// eslake runs statements, with the catalog of the suite. Without an address
// they run on the embedded lake.
func (s *Suite) eslake(url string, statements ...string) Command {
	args := []string{s.Eslake, "--quiet", "--progress=off", "--catalog", s.file("catalog.json"), "--lake", s.file("lake.db")}
	if url != "" {
		args = append(args, "--url", url)
	}
	for _, sql := range statements {
		args = append(args, "-e", sql)
	}
	return Command{Args: args, Env: []string{"HOME=" + s.Dir, "XDG_STATE_HOME=" + s.file("state"), "TMPDIR=" + s.Dir}}
}

// query is eslake with results in a file.
func (s *Suite) query(url, format, sql string) Command {
	c := s.eslake(url, sql)
	c.Args = append(c.Args, "--format", format)
	c.Stdout = s.file("out")
	return c
}

// limit runs one of the limits, which are subcommands of this program.
func (s *Suite) limit(args ...string) Command {
	return Command{Args: append([]string{s.Self}, args...), Env: []string{"HOME=" + s.Dir, "TMPDIR=" + s.Dir}}
}

// record runs a command of eslake through the recorder, which is a process of
// its own since its memory grows.
func (s *Suite) record(ctx context.Context, command func(url string) Command) (Recording, error) {
	p, err := startRecorder(ctx, s.Self, s.URL, s.Dir)
	if err != nil {
		return Recording{}, err
	}
	_, err = command(p.url).Measure(ctx)
	if err = errors.Join(err, p.stop()); err != nil {
		return Recording{}, err
	}
	return ReadRecording(s.Dir)
}

// wantLines checks how many lines eslake wrote.
func (s *Suite) wantLines(n int) func() error {
	return func() error {
		in, err := os.Open(s.file("out"))
		if err != nil {
			return err
		}
		defer in.Close()
		got, buf := 0, make([]byte, 64<<10)
		for {
			k, err := in.Read(buf)
			got += bytes.Count(buf[:k], []byte{'\n'})
			if err == io.EOF {
				return differ(got, n)
			}
			if err != nil {
				return err
			}
		}
	}
}

// wantRecords is wantLines for CSV, whose values may hold line breaks.
func (s *Suite) wantRecords(n int) func() error {
	return func() error {
		in, err := os.Open(s.file("out"))
		if err != nil {
			return err
		}
		defer in.Close()
		r := csv.NewReader(bufio.NewReader(in))
		r.ReuseRecord = true
		for got := 0; ; got++ {
			_, err := r.Read()
			if err == io.EOF {
				return differ(got, n)
			}
			if err != nil {
				return err
			}
		}
	}
}

func differ(got, want int) error {
	if got != want {
		return fmt.Errorf("eslake wrote %d records, not %d", got, want)
	}
	return nil
}
