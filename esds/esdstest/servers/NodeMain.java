import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.opensearch.Version;
import org.opensearch.cluster.service.ClusterService;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.plugins.PluginInfo;

/**
 * Runs one OpenSearch node, 1.x to 3.x, from jars on the class path: NodeMain HOME.
 *
 * HOME/config/opensearch.yml holds its settings. SIGTERM closes the node and ends the process with 0. Of 1.x not all
 * modules are published: those that are not there are left out.
 */
public final class NodeMain {

    /** A plugin that a distribution would load from a folder; its class ends in Plugin (2.x) or ModulePlugin (3.x). */
    private record Module(String name, String type, String... parents) {
        Class<?> load() throws ClassNotFoundException {
            try {
                return Class.forName("org.opensearch." + type + "Plugin");
            } catch (ClassNotFoundException e) {
                return Class.forName("org.opensearch." + type + "ModulePlugin");
            }
        }
    }

    private static final List<Module> MODULES = List.of(
        new Module("transport-netty4", "transport.Netty4"),
        new Module("lang-painless", "painless.Painless"),
        new Module("lang-expression", "script.expression.Expression"),
        new Module("lang-mustache", "script.mustache.Mustache"),
        new Module("analysis-common", "analysis.common.CommonAnalysis", "lang-painless"),
        new Module("ingest-common", "ingest.common.IngestCommon", "lang-painless"),
        new Module("mapper-extras", "index.mapper.MapperExtras"),
        new Module("parent-join", "join.ParentJoin"),
        new Module("percolator", "percolator.Percolator"),
        new Module("reindex", "index.reindex.Reindex"),
        new Module("rank-eval", "index.rankeval.RankEval"),
        new Module("aggs-matrix-stats", "search.aggregations.matrix.MatrixAggregation"),
        new Module("geo", "geo.Geo")
    );

    /** Node's constructor with plugins is protected; its second parameter erases to Collection in every version. */
    private static final class OpenNode extends Node {
        @SuppressWarnings({ "unchecked", "rawtypes" })
        OpenNode(Environment env, Collection plugins) {
            super(env, plugins, true);
        }

        @Override
        protected void configureNodeAndClusterIdStateListener(ClusterService service) {
            // feeds a log layout that only a distribution has
        }
    }

    public static void main(String[] args) {
        Path home = Path.of(args[0]).toAbsolutePath();
        try {
            Settings base = Settings.builder().put("path.home", home.toString()).build();
            Environment env = InternalSettingsPreparer.prepareEnvironment(base, Map.of(), home.resolve("config"), () -> "test");
            Node node = new OpenNode(env, plugins());
            Runtime.getRuntime().addShutdownHook(new Thread(() -> Runtime.getRuntime().halt(close(node))));
            node.start();
            new CountDownLatch(1).await(); // the hook ends the process
        } catch (Throwable t) {
            t.printStackTrace();
            Runtime.getRuntime().halt(1); // the node's own threads would keep a failed process alive
        }
    }

    private static int close(Node node) {
        try {
            node.close();
            return node.awaitClose(20, TimeUnit.SECONDS) ? 0 : 1;
        } catch (Exception e) {
            e.printStackTrace();
            return 1;
        }
    }

    /** Classes for a server whose Node takes classes, descriptions for one that takes those. */
    private static Collection<Object> plugins() throws Exception {
        boolean described = Node.class.getDeclaredConstructor(Environment.class, Collection.class, boolean.class)
            .getGenericParameterTypes()[1].getTypeName().contains(PluginInfo.class.getName());
        List<Object> out = new ArrayList<>();
        for (Module m : MODULES) {
            try {
                Class<?> type = m.load();
                out.add(described ? description(m, type) : type);
            } catch (ClassNotFoundException e) {
                if (Version.CURRENT.major > 1) {
                    throw e;
                }
            }
        }
        return out;
    }

    /** By reflection, since this constructor is not in every version. */
    private static Object description(Module m, Class<?> type) throws Exception {
        String java = Integer.toString(Runtime.version().feature());
        return PluginInfo.class.getConstructor(String.class, String.class, String.class, Version.class, String.class, String.class,
            List.class, boolean.class).newInstance(m.name(), m.name(), Version.CURRENT.toString(), Version.CURRENT, java,
            type.getName(), List.of(m.parents()), false);
    }
}
