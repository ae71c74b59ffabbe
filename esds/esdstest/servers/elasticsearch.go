package servers

import (
	"os"
	"path/filepath"
)

// elasticsearch8 starts Elasticsearch 8 by its own command line. It uses
// bin/elasticsearch-cli, which every packaging has; bin/elasticsearch is
// missing in some and does no more.
func elasticsearch8(s Spec, home, run string, jdk jdk) (command, error) {
	security := "xpack.security.enabled: false"
	if s.secure {
		security = "xpack.security.enabled: true"
	}
	if err := elasticsearchConfig(s, home, run, security); err != nil {
		return command{}, err
	}
	env := append(elasticsearchEnv(run, jdk), "CLI_NAME=server", "CLI_LIBS=lib/tools/server-cli")
	return command{args: []string{filepath.Join(home, "bin", "elasticsearch-cli")}, env: env, dir: run}, nil
}

// elasticsearch7 starts Elasticsearch 7 by its main class: the packaging that
// holds it lacks bin/elasticsearch. That packaging knows no xpack setting.
func elasticsearch7(s Spec, home, run string, jdk jdk) (command, error) {
	if err := elasticsearchConfig(s, home, run); err != nil {
		return command{}, err
	}
	tmp := filepath.Join(run, "tmp")
	args := append(jdk.args(s),
		"-Xms"+s.heap, "-Djava.security.manager=allow", "-Djava.io.tmpdir="+tmp,
		"--add-opens=java.base/java.io=ALL-UNNAMED",
		"-Des.path.home="+home, "-Des.path.conf="+filepath.Join(run, "config"),
		"-Des.distribution.flavor=default", "-Des.distribution.type=tar",
		"-cp", filepath.Join(home, "lib", "*"), "org.elasticsearch.bootstrap.Elasticsearch")
	env := append(elasticsearchEnv(run, jdk), "LIBFFI_TMPDIR="+tmp)
	return command{args: args, env: env, dir: run}, nil
}

func elasticsearchEnv(run string, jdk jdk) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + run,
		"ES_JAVA_HOME=" + jdk.home,
		"ES_PATH_CONF=" + filepath.Join(run, "config"),
		"ES_TMPDIR=" + filepath.Join(run, "tmp"),
	}
}

// elasticsearchConfig copies the packaging's configuration, which the server
// may add to, and replaces its settings. Those of the JVM say no more than is
// needed: the packaging's own write into its folder.
func elasticsearchConfig(s Spec, home, run string, more ...string) error {
	config := filepath.Join(run, "config")
	if err := os.CopyFS(config, os.DirFS(filepath.Join(home, "config"))); err != nil {
		return err
	}
	jvm := "-Xms" + s.heap + "\n-Xmx" + s.heap + "\n-XX:+UseG1GC\n-Djava.io.tmpdir=${ES_TMPDIR}\n"
	if err := os.WriteFile(filepath.Join(config, "jvm.options"), []byte(jvm), 0o644); err != nil {
		return err
	}
	return settings(filepath.Join(config, "elasticsearch.yml"), s, run, more...)
}
