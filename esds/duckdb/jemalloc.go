package duckdb

// DuckDB's allocator keeps freed memory for ten seconds by default, which is more
// than most statements take: the process would hold twice what DuckDB uses. The
// allocator looks for this name when it starts; where DuckDB is built without it,
// nobody does.

// const char *duckdb_je_malloc_conf_2_conf_harder = "dirty_decay_ms:100,muzzy_decay_ms:0";
import "C"
