package exec

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/eslake/eslake/sql/row"
)

// Directory is a folder of files that a query's rows replace as a whole.
type Directory struct {
	Path    string
	Format  string            // csv or json for Write
	Names   []string          // of the columns, for the header of CSV
	Options map[string]string // of the format, keys in lower case
}

// Write replaces the folder by one file of the rows: for CSV their text columns,
// for JSON their one text column as lines. It closes the reader.
func (d *Directory) Write(ctx context.Context, rows row.Reader) (int64, error) {
	defer rows.Close()
	return d.Replace(func(folder string) (n int64, err error) {
		zip := compressions[strings.ToLower(d.Options["compression"])]
		f, err := os.Create(filepath.Join(folder, "part-00000."+d.Format+zip.ending))
		if err != nil {
			return 0, err
		}
		out, err := zip.open(f)
		if err != nil {
			return 0, errors.Join(err, f.Close())
		}
		w := bufio.NewWriterSize(out, 1<<20)
		if d.Format == "json" {
			n, err = writeLines(ctx, w, rows, d.lineEnd())
		} else {
			n, err = d.writeCSV(ctx, w, rows)
		}
		err = errors.Join(err, w.Flush())
		if c, ok := out.(io.Closer); ok {
			err = errors.Join(err, c.Close())
		}
		return n, errors.Join(err, f.Sync(), f.Close())
	})
}

// Replace calls f for a folder beside the path, and puts it in the path's place
// once f has succeeded. What was there before stays until then, and is put back
// when the new one cannot take its place.
func (d *Directory) Replace(f func(folder string) (int64, error)) (int64, error) {
	if err := replaceable(d.Path); err != nil {
		return 0, err
	}
	if err := os.MkdirAll(filepath.Dir(d.Path), 0o755); err != nil {
		return 0, err
	}
	folder, err := os.MkdirTemp(filepath.Dir(d.Path), "."+filepath.Base(d.Path)+"-eslake-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	next := filepath.Join(folder, "new")
	if err := os.Mkdir(next, 0o755); err != nil {
		return 0, err
	}
	n, err := f(next)
	if err != nil {
		return n, err
	}
	if err := os.WriteFile(filepath.Join(next, "_SUCCESS"), nil, 0o644); err != nil {
		return n, err
	}
	old := filepath.Join(folder, "old")
	err = os.Rename(d.Path, old)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return n, err
	}
	if err := os.Rename(next, d.Path); err != nil {
		return n, errors.Join(err, os.Rename(old, d.Path))
	}
	return n, nil
}

// replaceable refuses a path that holds what no such statement wrote: the whole
// folder would be lost.
func replaceable(path string) error {
	entries, err := os.ReadDir(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("overwrite %s: %w", path, err)
	}
	for _, e := range entries {
		if name := e.Name(); e.IsDir() || !strings.HasPrefix(name, "part-") && !strings.HasPrefix(name, "_") && !strings.HasPrefix(name, ".part-") && !strings.HasPrefix(name, "._") {
			return fmt.Errorf("overwrite %s: it holds %s, which no INSERT OVERWRITE DIRECTORY wrote; remove it, or name another directory", path, name)
		}
	}
	return nil
}

// eachBatch calls f for the batches of a reader and counts their rows.
func eachBatch(ctx context.Context, rows row.Reader, f func(b *row.Batch) error) (n int64, err error) {
	for {
		b, err := rows.Next(ctx)
		if row.Ended(err) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		if err := f(b); err != nil {
			return n, err
		}
		n += int64(b.Len)
	}
}

// lineEnd is what ends each line.
func (d *Directory) lineEnd() string {
	if end := d.Options["linesep"]; end != "" {
		return strings.NewReplacer(`\r`, "\r", `\n`, "\n").Replace(end)
	}
	return "\n"
}

func writeLines(ctx context.Context, w *bufio.Writer, rows row.Reader, end string) (int64, error) {
	return eachBatch(ctx, rows, func(b *row.Batch) error {
		for i := range b.Len {
			_, _ = w.Write(b.Columns[0].Text(i)) // an error stays until the next call
			if _, err := w.WriteString(end); err != nil {
				return err
			}
		}
		return nil
	})
}

// csvForm is how cells are written.
type csvForm struct {
	sep, quote, escape, null, empty string
	all                             bool // quotes around every value
}

func (d *Directory) csvForm() csvForm {
	f := csvForm{sep: ",", quote: `"`, escape: `\`, empty: `""`}
	for _, o := range []struct {
		key  string
		into *string
	}{{"delimiter", &f.sep}, {"sep", &f.sep}, {"quote", &f.quote}, {"escape", &f.escape}, {"nullvalue", &f.null}, {"emptyvalue", &f.empty}} {
		if v, ok := d.Options[o.key]; ok {
			*o.into = v
		}
	}
	f.all = strings.EqualFold(d.Options["quoteall"], "true")
	if f.sep == `\t` {
		f.sep = "\t"
	}
	return f
}

func (d *Directory) writeCSV(ctx context.Context, w *bufio.Writer, rows row.Reader) (int64, error) {
	form, end := d.csvForm(), d.lineEnd()
	if strings.EqualFold(d.Options["header"], "true") {
		for i, name := range d.Names {
			form.cell(w, i, name)
		}
		if _, err := w.WriteString(end); err != nil {
			return 0, err
		}
	}
	return eachBatch(ctx, rows, func(b *row.Batch) error {
		for i := range b.Len {
			for k, c := range b.Columns {
				if c.IsNull(i) {
					form.raw(w, k, form.null)
				} else {
					form.cell(w, k, string(c.Text(i)))
				}
			}
			if _, err := w.WriteString(end); err != nil {
				return err
			}
		}
		return nil
	})
}

func (f csvForm) raw(w *bufio.Writer, k int, text string) {
	if k > 0 {
		_, _ = w.WriteString(f.sep)
	}
	_, _ = w.WriteString(text)
}

// cell writes a text, between quotes where it needs them.
func (f csvForm) cell(w *bufio.Writer, k int, text string) {
	switch {
	case text == "":
		f.raw(w, k, f.empty)
		return
	case f.all && f.quote != "":
	case f.quote == "" || !strings.Contains(text, f.sep) && !strings.ContainsAny(text, f.quote+"\n\r") && text == strings.TrimSpace(text) && text != f.null:
		f.raw(w, k, text)
		return
	}
	if f.escape != f.quote {
		text = strings.ReplaceAll(text, f.escape, f.escape+f.escape)
	}
	f.raw(w, k, f.quote+strings.ReplaceAll(text, f.quote, f.escape+f.quote)+f.quote)
}
