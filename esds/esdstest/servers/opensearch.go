package servers

import (
	_ "embed"
	"os"
	"path/filepath"
)

// OpenSearch publishes no distribution through Maven, only its jars: the pom
// names them and NodeMain makes a node of them.
var (
	//go:embed opensearch-pom.xml
	openSearchPOM []byte
	//go:embed opensearch1-pom.xml
	openSearch1POM []byte
	//go:embed NodeMain.java
	nodeMain []byte
)

const openSearchLog = `status = error
appender.err.type = Console
appender.err.name = err
appender.err.target = SYSTEM_ERR
appender.err.layout.type = PatternLayout
appender.err.layout.pattern = %d{ISO8601} %-5p %c{1.} %m%n
rootLogger.level = warn
rootLogger.appenderRef.err.ref = err
`

// openSearch starts a node from the jars in home, by a source file that java
// compiles in memory.
func openSearch(s Spec, home, run string, jdk jdk) (command, error) {
	config := filepath.Join(run, "config")
	if err := settings(filepath.Join(config, "opensearch.yml"), s, run); err != nil {
		return command{}, err
	}
	logConfig := filepath.Join(config, "log4j2.properties")
	if err := os.WriteFile(logConfig, []byte(openSearchLog), 0o644); err != nil {
		return command{}, err
	}
	source := filepath.Join(run, "NodeMain.java")
	if err := os.WriteFile(source, nodeMain, 0o644); err != nil {
		return command{}, err
	}
	args := append(jdk.args(s),
		"-Djava.io.tmpdir="+filepath.Join(run, "tmp"),
		"-Dlog4j2.configurationFile="+logConfig,
		"-Dopensearch.distribution.type=tar",
		"-cp", filepath.Join(home, "*"), source, run)
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + run}
	return command{args: args, env: env, dir: run}, nil
}
