package servers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

const (
	cacheEnv = "ESLAKE_TEST_CACHE"
	mavenDep = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:"
)

// CacheDir returns the folder in which unpacked servers are kept:
// $ESLAKE_TEST_CACHE, or for root, whose home the servers' user may not enter,
// /var/cache/eslake-test, or eslake-test in the user's cache folder.
func CacheDir() (string, error) {
	if dir := os.Getenv(cacheEnv); dir != "" {
		return filepath.Abs(dir)
	}
	if os.Getuid() == 0 {
		return "/var/cache/eslake-test", nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("%w; set %s", err, cacheEnv)
	}
	return filepath.Join(dir, "eslake-test"), nil
}

// install returns the folder of the unpacked server and fetches it when it is
// not there. One process fetches at a time; the others wait for it.
func install(ctx context.Context, s Spec, say func(string, ...any)) (string, error) {
	cache, err := CacheDir()
	if err != nil {
		return "", err
	}
	home := filepath.Join(cache, strings.ToLower(s.Product)+"-"+s.Version)
	if isDir(home) {
		return home, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	if _, err := mavenPath(); err != nil {
		return "", err
	}
	lock := flock.New(filepath.Join(cache, "lock"))
	if _, err := lock.TryLockContext(ctx, 200*time.Millisecond); err != nil {
		return "", fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	defer lock.Unlock() //nolint:errcheck // closing the file frees it in any case
	if isDir(home) {    // another process was faster
		return home, nil
	}
	return home, fetch(ctx, s, cache, home, say)
}

// fetch gets the server into a folder beside home, which becomes home when it
// is complete.
func fetch(ctx context.Context, s Spec, cache, home string, say func(string, ...any)) error {
	say("%s %s: fetching it into %s", s.Product, s.Version, cache)
	begin := time.Now()
	tmp, err := os.MkdirTemp(cache, "fetch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	parts := filepath.Join(tmp, "parts")
	if s.artifact != "" {
		err = fetchZip(ctx, s, tmp, parts)
	} else {
		err = fetchJars(ctx, s, tmp, parts)
	}
	if err != nil {
		return err
	}
	if err := os.Rename(parts, home); err != nil {
		return err
	}
	say("%s %s: fetched in %.0f s", s.Product, s.Version, time.Since(begin).Seconds())
	return nil
}

func fetchZip(ctx context.Context, s Spec, tmp, parts string) error {
	args := []string{mavenDep + "copy", "-Dartifact=" + s.artifact + ":zip", "-DoutputDirectory=" + tmp}
	if s.big {
		args = append(args, "-Dmaven.repo.local="+filepath.Join(tmp, "repository"))
	}
	if err := maven(ctx, tmp, args...); err != nil {
		return err
	}
	zips, err := filepath.Glob(filepath.Join(tmp, "*.zip"))
	if err != nil || len(zips) != 1 {
		return fmt.Errorf("maven left %d zip files for %s", len(zips), s.artifact)
	}
	return unzip(zips[0], s.folder, parts)
}

func fetchJars(ctx context.Context, s Spec, tmp, parts string) error {
	pom := openSearchPOM
	if strings.HasPrefix(s.Version, "1.") {
		pom = openSearch1POM
	}
	if err := os.WriteFile(filepath.Join(tmp, "pom.xml"), pom, 0o644); err != nil {
		return err
	}
	if err := os.Mkdir(parts, 0o755); err != nil {
		return err
	}
	return maven(ctx, tmp, mavenDep+"copy-dependencies", "-DincludeScope=runtime", "-DoutputDirectory="+parts,
		"-Dopensearch.version="+s.Version, "-Dlog4j.version="+s.log4j)
}

func maven(ctx context.Context, dir string, args ...string) error {
	mvn, err := mavenPath()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, mvn, append([]string{"-q", "-B"}, args...)...)
	cmd.Dir = dir
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: maven: %w\n%s", ErrUnavailable, err, firstLines(string(out), 5))
	}
	return nil
}

func mavenPath() (string, error) {
	mvn, err := exec.LookPath("mvn")
	if err != nil {
		return "", fmt.Errorf("no mvn on the path: %w", ErrUnavailable)
	}
	return mvn, nil
}

func firstLines(text string, n int) string {
	lines := strings.SplitN(strings.TrimSpace(text), "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], "\n")
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
