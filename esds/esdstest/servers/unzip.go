package servers

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// unzip unpacks what lies in folder, which ends in a slash, into dir. Files
// are readable by everyone: the server may run as another user.
func unzip(file, folder, dir string) error {
	z, err := zip.OpenReader(file)
	if err != nil {
		return err
	}
	defer z.Close()
	found := false
	for _, f := range z.File {
		name, ok := strings.CutPrefix(f.Name, folder)
		if !ok {
			continue
		}
		found = true
		if name != "" && !filepath.IsLocal(name) {
			return fmt.Errorf("unzip %s: %s leads out of the folder", file, f.Name)
		}
		if err := unzipOne(f, filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("unzip %s: no folder %s", file, folder)
	}
	return nil
}

func unzipOne(f *zip.File, path string) (err error) {
	if f.FileInfo().IsDir() {
		return os.MkdirAll(path, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	mode := os.FileMode(0o644)
	if f.Mode()&0o111 != 0 {
		mode = 0o755
	}
	out, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = io.Copy(out, in)
	return err
}
