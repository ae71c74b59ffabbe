package servers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// jdk is an installed Java, with its compiler where a server needs that.
type jdk struct {
	home    string
	version int
}

// findJDK returns a JDK between the two versions that has a tool: that of
// JAVA_HOME, of the java on the path, or the first that is installed beside it.
func findJDK(versions [2]int, tool string) (jdk, error) {
	homes := []string{os.Getenv("JAVA_HOME")}
	if java, err := exec.LookPath("java"); err == nil {
		if real, err := filepath.EvalSymlinks(java); err == nil {
			homes = append(homes, filepath.Dir(filepath.Dir(real)))
		}
	}
	for _, pattern := range []string{"/usr/lib/jvm/*", "/opt/java/*", "/Library/Java/JavaVirtualMachines/*/Contents/Home"} {
		more, _ := filepath.Glob(pattern) // only a bad pattern is an error
		homes = append(homes, more...)
	}
	for _, home := range homes {
		if v := javaVersion(home, tool); v >= versions[0] && v <= versions[1] {
			return jdk{home: home, version: v}, nil
		}
	}
	return jdk{}, fmt.Errorf("no JDK from version %d to %d found: %w", versions[0], versions[1], ErrUnavailable)
}

// javaVersion reads the feature version from a JDK's release file. It is 0
// when home holds no JDK with the tool.
func javaVersion(home, tool string) int {
	if home == "" {
		return 0
	}
	if _, err := os.Stat(filepath.Join(home, "bin", tool)); err != nil {
		return 0
	}
	text, err := os.ReadFile(filepath.Join(home, "release"))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		value, ok := strings.CutPrefix(strings.TrimSpace(line), `JAVA_VERSION="`)
		if !ok {
			continue
		}
		end := strings.IndexAny(value, `."`)
		v, _ := strconv.Atoi(value[:max(end, 0)]) // 0 for 1.8 and older, which no server takes
		return v
	}
	return 0
}

// args returns java and the options that both products' own scripts give it.
func (j jdk) args(s Spec) []string {
	return []string{
		filepath.Join(j.home, "bin", "java"), "-Xmx" + s.heap, "-XX:+UseG1GC",
		"-Djava.locale.providers=" + s.locale, "-Dfile.encoding=UTF-8", "-Djna.nosys=true",
		"-Dio.netty.noUnsafe=true", "-Dio.netty.noKeySetOptimization=true",
		"-Dio.netty.recycler.maxCapacityPerThread=0",
		"-Dlog4j.shutdownHookEnabled=false", "-Dlog4j2.disable.jmx=true",
	}
}
