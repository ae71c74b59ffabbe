package esds

import (
	"slices"
	"strings"
)

// Option is an entry of the catalogue.
type Option struct {
	Key     string // full name; a final * stands for any rest
	Type    OptionType
	Default string // "" for none
	Side    Side
	Status  Status
	Secret  bool   // never shown, never stored in clear
	Help    string // one line: what it does
	Reason  string // Note: why it has no effect; Refused: why; Later: what to do instead, "" for nothing

	Values      []string // of Enum
	LaterValues []string // values that are not supported yet, of an option that works
	Min, Max    int64    // of Int and Size; Max 0 for no limit. Of Char: Max is the length
}

// Status says what eslake does with an option.
type Status uint8

// What eslake does with an option.
const (
	Works   Status = iota
	Later          // refused by name: not supported yet
	Note           // taken with a note that it has no effect
	Refused        // refused for good, with the reason
)

// String returns the word for lists of options.
func (s Status) String() string { return [...]string{"works", "later", "no effect", "refused"}[s] }

// Catalogue returns every option of provider "es", in order of the keys.
func Catalogue() []Option { return slices.Clone(catalogue) }

// find returns the entry of a full name, of the option itself or of the pattern
// that it falls under, in any catalogue.
func find(key string) (Option, bool) {
	if i, ok := slices.BinarySearchFunc(catalogue, key, func(o Option, k string) int { return strings.Compare(o.Key, k) }); ok {
		return catalogue[i], true
	}
	for _, opt := range catalogue {
		if prefix, ok := strings.CutSuffix(opt.Key, "*"); ok && len(key) > len(prefix) && strings.HasPrefix(key, prefix) {
			return opt, true
		}
	}
	return findFileOption(key)
}

// optionKeys returns the names that a misspelled one may have meant.
func optionKeys() []string {
	var keys []string
	for _, opt := range catalogue {
		if !strings.HasSuffix(opt.Key, "*") && opt.Status != Refused {
			keys = append(keys, opt.Key)
		}
	}
	return keys
}

// Reasons that several options share.
const (
	jvm      = "it names a Java class or serves another engine"
	oneNode  = "eslake talks to the given nodes only"
	metadata = "_id, _index, _score, _version, _seq_no, _primary_term and _routing can always be selected"
	store    = "convert it to PEM and give it as eslake.net.ssl.ca.file"
	kerberos = "Kerberos is not supported: use a password, an API key or a certificate"
	// dropsRows: what handlers of elasticsearch-hadoop do is leaving rows out.
	dropsRows = "it leaves rows out; a document that does not fit is an error that names it, eslake.read.lenient reads the value as NULL"
	typed     = "Elasticsearch 6 and later have no such field"
)

var catalogue = sorted(slices.Concat(
	optionsOfResource, optionsOfNetwork, optionsOfRead, optionsOfWrite, optionsOfAuth, optionsOfOthers, optionsOfEslake,
))

func sorted(opts []Option) []Option {
	slices.SortFunc(opts, func(a, b Option) int { return strings.Compare(a.Key, b.Key) })
	return opts
}

var optionsOfResource = []Option{
	{Key: "es.resource", Type: Text, Help: "index, alias, list or wildcard that the table is bound to"},
	{Key: "es.resource.read", Type: Text, Side: ReadSide, Help: "what SELECT reads, when it differs from es.resource"},
	{Key: "es.resource.write", Type: Text, Side: WriteSide, Help: "what INSERT writes, when it differs from es.resource"},
	{Key: "es.query", Type: Text, Side: ReadSide, Help: "base query of every read, count and aggregation: ?q=…, JSON, or the path of a local file with either"},
}

var optionsOfNetwork = []Option{
	{Key: "es.nodes", Type: List, Help: "addresses of the cluster: host, host:port, http(s)://host:port; local or file:PATH for the embedded lake"},
	{Key: "es.port", Type: Int, Default: "9200", Min: 1, Max: 65535, Help: "port of nodes that are given without one"},
	{Key: "es.nodes.path.prefix", Type: Text, Help: "path before every request, behind a proxy"},
	{Key: "es.nodes.wan.only", Type: Bool, Default: "true", Help: "use only the given nodes; eslake always does"},
	{Key: "es.nodes.discovery", Type: Bool, Default: "false", Status: Note, Reason: oneNode, Help: "ask the cluster for its nodes"},
	{Key: "es.nodes.data.only", Type: Bool, Default: "false", Status: Note, Reason: oneNode, Help: "talk to data nodes"},
	{Key: "es.nodes.client.only", Type: Bool, Default: "false", Status: Note, Reason: oneNode, Help: "talk to coordinating nodes"},
	{Key: "es.nodes.ingest.only", Type: Bool, Default: "false", Status: Note, Reason: oneNode, Help: "talk to ingest nodes"},
	{Key: "es.nodes.resolve.hostname", Type: Bool, Default: "false", Status: Note, Reason: "names are kept, so that certificates match", Help: "replace names by addresses"},
	{Key: "es.http.timeout", Type: Duration, Default: "1m", Help: "longest wait for a connection or an answer"},
	{Key: "es.http.retries", Type: Int, Default: "3", Min: 0, Max: 1000, Help: "further tries of a request that may be repeated safely"},
	{Key: "es.scroll.keepalive", Type: Duration, Default: "5m", Side: ReadSide, Help: "how long the cluster keeps a read open between two pages"},
	{Key: "es.scroll.size", Type: Int, Default: "1000", Min: 1, Max: 10000, Side: ReadSide, Help: "documents a page; eslake chooses when it is not set"},
	{Key: "es.scroll.limit", Type: Int, Default: "-1", Min: -1, Side: ReadSide, Help: "most documents that a read returns, in all; -1 for no limit"},
	{Key: "es.input.max.docs.per.partition", Type: Int, Min: 1, Side: ReadSide, Status: Note, Reason: "eslake.read.slices sets the number of slices", Help: "documents a slice"},
	{Key: "es.read.shard.preference", Type: Text, Side: ReadSide, Help: "which copies of the shards to read: _local, _prefer_nodes:a, or any text; not _shards, which would leave rows out"},
	{Key: "es.action.heart.beat.lead", Type: Duration, Default: "15s", Status: Note, Reason: jvm, Help: "lead of the Hadoop task's heartbeat"},
	{Key: "es.net.transport.pooling.expiration.timeout", Type: Duration, Default: "5m", Status: Note, Reason: jvm, Help: "life of idle connection pools"},
}

var optionsOfRead = []Option{
	{Key: "es.read.field.include", Type: List, Side: ReadSide, Help: "fields that become columns; * at the ends"},
	{Key: "es.read.field.exclude", Type: List, Side: ReadSide, Help: "fields that do not become columns; * at the ends"},
	{Key: "es.read.field.as.array.include", Type: List, Side: ReadSide, Help: "fields that hold arrays: a.b, or a.b:2 for arrays of arrays"},
	{Key: "es.read.field.as.array.exclude", Type: List, Side: ReadSide, Help: "fields that hold no arrays"},
	{Key: "es.read.field.empty.as.null", Type: Bool, Default: "false", Side: ReadSide, Help: "read \"\" as NULL"},
	{Key: "es.read.field.validate.presence", Type: Enum, Values: []string{"strict", "warn", "ignore"}, Default: "warn", Side: ReadSide, Help: "what to do when the mapping lacks a declared column"},
	{Key: "es.read.source.filter", Type: List, Side: ReadSide, Help: "parts of the documents that exist for the table, also in _source; * for any text"},
	{Key: "es.read.metadata", Type: Bool, Default: "false", Side: ReadSide, Help: "add a column _metadata"},
	{Key: "es.read.metadata.field", Type: Text, Default: "_metadata", Side: ReadSide, Help: "name of the column _metadata"},
	{Key: "es.read.metadata.version", Type: Bool, Default: "false", Side: ReadSide, Help: "add _version to _metadata"},
	{Key: "es.read.unmapped.fields.ignore", Type: Bool, Default: "true", Side: ReadSide, Help: "false reads declared columns that the mapping lacks from the documents; they are NULL else"},
	{Key: "es.mapping.date.rich", Type: Bool, Default: "true", Side: ReadSide, Help: "read dates as TIMESTAMP; false reads them as text, as the documents spell them"},
	{Key: "es.index.read.missing.as.empty", Type: Bool, Default: "false", Side: ReadSide, Help: "an absent index reads as no rows"},
	{Key: "es.index.read.allow.red.status", Type: Bool, Default: "false", Side: ReadSide, Help: "read what is left when shards are lost; a note says how many"},
	{Key: "es.output.json", Type: Bool, Default: "false", Side: ReadSide, Help: "the table has one STRING column, which holds the whole document as JSON"},
}

var optionsOfWrite = []Option{
	{
		Key: "es.write.operation", Type: Enum, Values: []string{"index", "create", "update", "upsert", "delete"}, Default: "index", Side: WriteSide,
		Help: "what INSERT INTO does with each row",
	},
	{Key: "es.input.json", Type: Bool, Default: "false", Side: WriteSide, Help: "the one column is the whole document as JSON; es.mapping.* then name fields of it"},
	{Key: "es.index.auto.create", Type: Bool, Default: "true", Side: WriteSide, Help: "make the index when it is absent"},
	{Key: "es.ingest.pipeline", Type: Text, Side: WriteSide, Help: "ingest pipeline that documents go through; not with update and upsert"},
	{Key: "es.mapping.id", Type: Text, Side: WriteSide, Help: "where the document's id is: a column, a path into a struct, or <text>; the same id is the same document"},
	{Key: "es.mapping.routing", Type: Text, Side: WriteSide, Help: "where the routing is: a column, a path into a struct, or <text>; NULL for none"},
	{Key: "es.mapping.version", Type: Text, Side: WriteSide, Help: "where the external version is: a whole number; a row that is no newer than the document is rejected with 409"},
	{Key: "es.mapping.version.type", Type: Enum, Values: []string{"internal", "external", "external_gt", "external_gte"}, Default: "external", Side: WriteSide, Help: "how versions compare; internal is refused with es.mapping.version"},
	{Key: "es.mapping.join", Type: Text, Side: WriteSide, Help: "column that holds the join field: a child is routed by its parent, unless es.mapping.routing says otherwise"},
	{Key: "es.mapping.parent", Type: Text, Side: WriteSide, Status: Refused, Reason: typed + "; a join field takes its place", Help: "parent of Elasticsearch 5"},
	{Key: "es.mapping.ttl", Type: Text, Side: WriteSide, Status: Refused, Reason: typed, Help: "life time of Elasticsearch 5"},
	{Key: "es.mapping.timestamp", Type: Text, Side: WriteSide, Status: Refused, Reason: typed, Help: "timestamp of Elasticsearch 5"},
	{Key: "es.mapping.include", Type: List, Side: WriteSide, Help: "columns that go into the document; * at the ends"},
	{Key: "es.mapping.exclude", Type: List, Side: WriteSide, Help: "columns that stay out of the document, after the id is taken; * at the ends"},
	{Key: "es.mapping.constant.auto.quote", Type: Bool, Default: "true", Side: WriteSide, Status: Note, Reason: "constants are always quoted as JSON asks", Help: "quote constants"},
	{Key: "es.spark.dataframe.write.null", Type: Bool, Default: "false", Side: WriteSide, Help: "write NULL as null instead of leaving the field out"},
	{Key: "es.update.retry.on.conflict", Type: Int, Default: "0", Min: 0, Max: 1000, Side: WriteSide, Help: "further tries at the server of an update that meets another"},
	{Key: "es.update.script.file", Type: Text, Side: WriteSide, Status: Refused, Reason: "Elasticsearch 6 and later keep no scripts in files: use es.update.script.stored or .inline", Help: "script in a file of the server"},
	{Key: "es.update.script.inline", Type: Text, Side: WriteSide, Help: "script that update and upsert run"},
	{Key: "es.update.script.stored", Type: Text, Side: WriteSide, Help: "name of a stored script that update and upsert run"},
	{Key: "es.update.script.lang", Type: Text, Default: "painless", Side: WriteSide, Help: "language of the inline script"},
	{Key: "es.update.script.params", Type: Text, Side: WriteSide, Help: "parameters of the script: name:column,name:<text>"},
	{Key: "es.update.script.params.json", Type: Text, Side: WriteSide, Help: "parameters of the script as a JSON object, the same for each row"},
	{Key: "es.update.script.upsert", Type: Bool, Default: "false", Side: WriteSide, Help: "upsert runs the script on an absent document too, which is {} then; else the row is the document"},
	{Key: "es.batch.size.bytes", Type: Size, Default: "5mb", Min: 1, Side: WriteSide, Help: "bytes a bulk request"},
	{Key: "es.batch.size.entries", Type: Int, Default: "5000", Min: 0, Max: 1000000, Side: WriteSide, Help: "documents a bulk request; 0 for no limit"},
	{Key: "es.batch.flush.manual", Type: Bool, Default: "false", Side: WriteSide, Status: Note, Reason: jvm, Help: "flush by hand"},
	{Key: "es.batch.write.refresh", Type: Bool, Default: "true", Side: WriteSide, Help: "make rows visible when the statement ends"},
	{Key: "es.batch.write.retry.count", Type: Int, Default: "3", Min: -1, Max: 1000000, Side: WriteSide, Help: "further tries of a document when the cluster is busy; -1 for as long as eslake.retry.budget lasts"},
	{Key: "es.batch.write.retry.limit", Type: Int, Default: "50", Side: WriteSide, Status: Note, Min: -1, Reason: "eslake.retry.budget bounds retries by time", Help: "bulk requests a flush"},
	{Key: "es.batch.write.retry.wait", Type: Duration, Default: "1s", Side: WriteSide, Help: "first wait before a retry; each next one is longer"},
	{Key: "es.batch.write.retry.policy", Type: Enum, Values: []string{"simple", "none"}, Default: "simple", Side: WriteSide, Help: "whether documents are retried when the cluster is busy"},
	{Key: "es.write.rest.error.handlers", Type: List, Side: WriteSide, Help: "what happens to rejected documents: fail, log, drop or es; the first name decides"},
	{Key: "es.write.rest.error.handler.*", Type: Text, Side: WriteSide, Help: "settings of the handler es: es.client.resource, es.label.NAME, es.tags"},
	{Key: "es.write.data.error.handlers", Type: List, Side: WriteSide, Help: "what happens to rows that cannot be written as JSON: fail, log, drop or es; the first name decides"},
	{Key: "es.write.data.error.handler.*", Type: Text, Side: WriteSide, Help: "settings of the handler es: es.client.resource, es.label.NAME, es.tags"},
	{Key: "es.read.data.error.handlers", Type: List, Side: ReadSide, Status: Refused, Reason: dropsRows, Help: "handlers of documents that cannot be read"},
	{Key: "es.read.data.error.handler.*", Type: Text, Side: ReadSide, Status: Refused, Reason: dropsRows, Help: "settings of a handler"},
}

var optionsOfAuth = []Option{
	{Key: "es.net.http.auth.user", Type: Text, Help: "user name"},
	{Key: "es.net.http.auth.pass", Type: Text, Secret: true, Help: "password; better ${env:NAME} or ${file:PATH}"},
	{Key: "es.net.http.header.*", Type: Text, Help: "a header of every request"},
	{Key: "es.net.http.header.Accept", Type: Text, Status: Refused, Reason: "the header is eslake's own", Help: "reserved"},
	{Key: "es.net.http.header.Content-Type", Type: Text, Status: Refused, Reason: "the header is eslake's own", Help: "reserved"},
	{
		Key: "es.security.authentication", Type: Enum, Values: []string{"simple", "basic", "pki"},
		Help: "how to log in; follows from the user name, the API key or the certificate. Kerberos is not supported",
	},
	{Key: "es.net.ssl", Type: Bool, Default: "false", Help: "use https for nodes that are given without a scheme"},
	{Key: "es.net.ssl.cert.allow.self.signed", Type: Bool, Default: "false", Help: "do not check the server's certificate: unsafe"},
	{Key: "es.net.ssl.keystore.location", Type: Text, Help: "Java store (JKS or PKCS12) with the client's certificate and key: a path or file: address"},
	{Key: "es.net.ssl.keystore.pass", Type: Text, Secret: true, Help: "password of that store"},
	{Key: "es.net.ssl.keystore.type", Type: Enum, Values: []string{"JKS", "PKCS12"}, Default: "JKS", Status: Note, Reason: "a store's own bytes say which kind it is", Help: "kind of both stores"},
	{Key: "es.net.ssl.truststore.location", Type: Text, Help: "Java store (JKS or PKCS12) of certificates to trust: a path or file: address"},
	{Key: "es.net.ssl.truststore.pass", Type: Text, Secret: true, Help: "password of that store"},
	{Key: "es.net.ssl.protocol", Type: Text, Default: "TLS", Status: Note, Reason: "TLS 1.2 or newer is used", Help: "name of a Java TLS context"},
	{Key: "es.keystore.location", Type: Text, Status: Refused, Reason: "Java stores of passwords are not read: give the password as ${env:NAME} or ${file:PATH}", Help: "Java store of passwords"},
	{Key: "es.net.spnego.*", Type: Text, Status: Refused, Reason: kerberos, Help: "Kerberos"},
	{Key: "es.security.user.provider.class", Type: Text, Status: Note, Reason: jvm, Help: "Java class"},
	{Key: "es.certificate.name", Type: Text, Status: Refused, Reason: "Huawei DLI keeps such credentials: give es.net.http.auth.user, es.net.http.auth.pass and eslake.net.ssl.ca.file", Help: "named credentials of Huawei DLI"},
	{Key: "es.net.proxy.http.host", Type: Text, Help: "proxy for nodes with http"},
	{Key: "es.net.proxy.http.port", Type: Int, Min: 1, Max: 65535, Help: "its port; 80 when it is not set"},
	{Key: "es.net.proxy.http.user", Type: Text, Help: "user of that proxy"},
	{Key: "es.net.proxy.http.pass", Type: Text, Secret: true, Help: "password of that proxy"},
	{Key: "es.net.proxy.http.use.system.props", Type: Bool, Default: "true", Help: "without a proxy of its own, take HTTP_PROXY and NO_PROXY of the environment"},
	{Key: "es.net.proxy.https.host", Type: Text, Help: "proxy for nodes with https"},
	{Key: "es.net.proxy.https.port", Type: Int, Min: 1, Max: 65535, Help: "its port; 80 when it is not set"},
	{Key: "es.net.proxy.https.user", Type: Text, Help: "user of that proxy"},
	{Key: "es.net.proxy.https.pass", Type: Text, Secret: true, Help: "password of that proxy"},
	{Key: "es.net.proxy.https.use.system.props", Type: Bool, Default: "true", Help: "without a proxy of its own, take HTTPS_PROXY and NO_PROXY of the environment"},
	{Key: "es.net.proxy.socks.host", Type: Text, Help: "SOCKS5 proxy for nodes of either kind"},
	{Key: "es.net.proxy.socks.port", Type: Int, Min: 1, Max: 65535, Help: "its port; 1080 when it is not set"},
	{Key: "es.net.proxy.socks.user", Type: Text, Help: "user of that proxy"},
	{Key: "es.net.proxy.socks.pass", Type: Text, Secret: true, Help: "password of that proxy"},
	{Key: "es.net.proxy.socks.use.system.props", Type: Bool, Default: "true", Status: Note, Reason: "the environment names no SOCKS proxy apart: HTTP_PROXY and HTTPS_PROXY may hold socks5://", Help: "take the system's SOCKS proxy"},
}

var optionsOfOthers = []Option{
	{Key: "es.strict", Type: Bool, Default: "false", Side: ReadSide, Help: "exact matching of pushed predicates; eslake's answers are always exact"},
	{Key: "es.double.filtering", Type: Bool, Default: "true", Side: ReadSide, Status: Note, Reason: "answers are always checked where the index is not exact", Help: "check pushed predicates again"},
	{Key: "es.ser.*", Type: Text, Status: Note, Reason: jvm, Help: "Java classes of serialization"},
	{Key: "es.mapping.id.extractor.class", Type: Text, Status: Note, Reason: jvm, Help: "Java class"},
	{Key: "es.mapping.routing.extractor.class", Type: Text, Status: Note, Reason: jvm, Help: "Java class"},
	{Key: "es.mapping.version.extractor.class", Type: Text, Status: Note, Reason: jvm, Help: "Java class"},
	{Key: "es.mapping.parent.extractor.class", Type: Text, Status: Note, Reason: jvm, Help: "Java class"},
	{Key: "es.mapping.join.extractor.class", Type: Text, Status: Note, Reason: jvm, Help: "Java class"},
	{Key: "es.mapping.ttl.extractor.class", Type: Text, Status: Note, Reason: jvm, Help: "Java class"},
	{Key: "es.mapping.timestamp.extractor.class", Type: Text, Status: Note, Reason: jvm, Help: "Java class"},
	{Key: "es.mapping.index.extractor.class", Type: Text, Status: Note, Reason: jvm, Help: "Java class"},
	{Key: "es.mapping.default.extractor.class", Type: Text, Status: Note, Reason: jvm, Help: "Java class"},
	{Key: "es.mapping.index.formatter.class", Type: Text, Status: Note, Reason: jvm, Help: "Java class"},
	{Key: "es.mapping.params.extractor.class", Type: Text, Status: Note, Reason: jvm, Help: "Java class"},
	{Key: "es.mapping.metadata.extractor.class", Type: Text, Status: Note, Reason: jvm, Help: "Java class"},
	{Key: "es.mapping.names", Type: Text, Status: Note, Reason: jvm, Help: "names of Hive columns"},
	{Key: "es.hive.disable.columns.comments.fix", Type: Text, Status: Note, Reason: jvm, Help: "Hive"},
	{Key: "es.spark.sql.streaming.*", Type: Text, Status: Note, Reason: jvm, Help: "Spark streaming"},
	{Key: "es.internal.*", Type: Text, Status: Refused, Reason: "the key is reserved for elasticsearch-hadoop itself", Help: "reserved"},
}

var optionsOfEslake = []Option{
	{Key: "eslake.pushdown", Type: Bool, Default: "true", Side: ReadSide, Help: "let the cluster answer what it can; the rows are the same without"},
	{
		Key: "eslake.overwrite.mode", Type: Enum, Values: []string{"auto", "swap", "recreate", "truncate"}, Default: "auto", Side: WriteSide,
		Help: "how INSERT OVERWRITE puts the new rows in place; truncate deletes and then writes, and makes no index",
	},
	{
		Key: "eslake.overwrite.grace", Type: Duration, Default: "30s", Side: WriteSide,
		Help: "how long INSERT OVERWRITE of an alias keeps the old index, at most, for reads that are under way; 0 removes it at once",
	},
	{
		Key: "eslake.write.relax", Type: Enum, Values: []string{"staging", "false"}, Default: "staging", Side: WriteSide,
		Help: "load the index that an overwrite stages without refresh and replicas, and set both back",
	},
	{Key: "eslake.backup", Type: Bool, Default: "false", Side: WriteSide, Help: "INSERT OVERWRITE, TRUNCATE and DROP TABLE … PURGE save all documents first, so that UNDO JOB puts them back"},
	{Key: "eslake.index.settings.*", Type: Text, Side: WriteSide, Help: "setting of an index that eslake makes: eslake.index.settings.number_of_shards"},
	{Key: "eslake.index.string", Type: Enum, Values: []string{"keyword", "text"}, Default: "keyword", Side: WriteSide, Help: "mapping of STRING in an index that eslake makes"},
	{Key: "eslake.index.mapping", Type: Enum, Values: []string{"exact", "dynamic"}, Default: "exact", Side: WriteSide, Help: "mapping of an index that eslake makes: from the columns, or the cluster's guess"},
	{Key: "eslake.write.connections", Type: Int, Default: "2", Min: 1, Max: 64, Side: WriteSide, Help: "most bulk requests at a time; without it eslake begins with 2 and looks for the best number up to 8"},
	{Key: "eslake.write.require.alias", Type: Bool, Default: "false", Side: WriteSide, Help: "write only when the resource is an alias"},
	{
		Key: "eslake.read.fields", Type: Enum, Values: []string{"auto", "docvalues", "source"}, Default: "auto", Side: ReadSide,
		Help: "where columns are read from: the index's doc values where they are exact, or the documents; auto takes the cheaper",
	},
	{Key: "eslake.read.slices", Type: Int, Default: "0", Min: 0, Max: 1024, Side: ReadSide, Help: "parts that are read at a time; 0 lets eslake choose"},
	{Key: "eslake.read.lenient", Type: Bool, Default: "false", Side: ReadSide, Help: "a value that does not fit its column reads as NULL instead of an error"},
	{Key: "eslake.gzip", Type: Enum, Values: []string{"auto", "true", "false"}, Default: "auto", Help: "compress requests and answers; auto does on slow networks"},
	{Key: "eslake.net.ssl.ca.file", Type: Text, Help: "PEM file of the CA that signed the server's certificate"},
	{Key: "eslake.net.ssl.ca.fingerprint", Type: Text, Help: "SHA-256 of that CA's certificate in hex"},
	{Key: "eslake.net.ssl.cert.file", Type: Text, Help: "PEM file of the client's certificate"},
	{Key: "eslake.net.ssl.key.file", Type: Text, Help: "PEM file of the client's key, when it is not in eslake.net.ssl.cert.file"},
	{Key: "eslake.net.http.apikey", Type: Text, Secret: true, Help: "API key: encoded, or id:key"},
	{Key: "eslake.spool", Type: Bool, Default: "true", Side: WriteSide, Help: "keep rows that cannot be read again in a file before the first is sent, so that the job can be resumed"},
	{Key: "eslake.rejects.file", Type: Text, Side: WriteSide, Help: "file that rejected rows are added to, as NDJSON"},
	{Key: "eslake.dry.run", Type: Bool, Default: "false", Side: WriteSide, Help: "show what writing statements would do, and write nothing"},
	{Key: "eslake.max.rejects", Type: Text, Default: "1000", Side: WriteSide, Help: "rejected rows that a statement bears, a number or a part like 5%; with more it stops; 0 stops at the first"},
	{Key: "eslake.retry.budget", Type: Duration, Default: "5m", Side: WriteSide, Help: "longest time that a busy cluster is waited for without progress"},
	{Key: "eslake.connection", Type: Text, Status: Refused, Reason: "profiles are for whole sessions: start eslake with --profile NAME, or give es.nodes and the user as options", Help: "profile that holds the address and the secret"},
}
