package esdstest

import (
	"net/http"
	"strings"
)

// action does what a request asks.
type action func(c *cluster, req Request) (reply, *failure)

// route finds the action for a request.
func (f Flavour) route(req Request) (action, Kind) {
	parts := strings.Split(strings.Trim(req.Path, "/"), "/")
	if parts[0] == "" {
		return root, Root
	}
	if strings.HasPrefix(parts[0], "_") && parts[0] != "_all" {
		return f.routeCluster(req, parts)
	}
	if len(parts) == 1 {
		return routeIndex(req)
	}
	return f.routeInIndex(req, parts)
}

// routeCluster finds requests that begin with an API, not an index.
func (f Flavour) routeCluster(req Request, parts []string) (action, Kind) {
	switch parts[0] {
	case "_bulk":
		return bulk, Bulk
	case "_mget":
		return getDocuments, GetDocument
	case "_search":
		return f.routeSearch(req, parts[1:])
	case "_pit":
		if req.Method == http.MethodDelete && !f.openSearch {
			return closePIT, ClosePIT
		}
	case "_count":
		return count, Count
	case "_refresh":
		return refresh, Refresh
	case "_mapping":
		return getMapping, Mapping
	case "_field_caps":
		return fieldCaps, FieldCaps
	case "_search_shards":
		return searchShards, SearchShards
	case "_aliases":
		return updateAliases, UpdateAliases
	case "_alias":
		return getAlias, Alias
	case "_resolve":
		return resolve, Resolve
	case "_cluster":
		if len(parts) > 1 && parts[1] == "health" {
			return health, Health
		}
		if len(parts) > 1 && parts[1] == "settings" {
			return clusterSettings, ClusterState
		}
	case "_cat":
		return cat, Cat
	case "_index_template", "_data_stream":
		return routeStream(req, parts[0])
	case "_close", "_open":
		return setClosed, PutSettings
	case "_rollover":
		return rollover, DataStream
	}
	return unknown, Unknown
}

func routeStream(req Request, api string) (action, Kind) {
	switch {
	case api == "_data_stream" && req.Method == http.MethodGet:
		return getDataStream, DataStream
	case api == "_data_stream" && req.Method == http.MethodPut:
		return putDataStream, DataStream
	case api == "_data_stream" && req.Method == http.MethodDelete:
		return deleteDataStream, DataStream
	case api == "_index_template" && req.Method == http.MethodDelete:
		return deleteIndexTemplate, Template
	case api == "_index_template":
		return putIndexTemplate, Template
	}
	return unknown, Unknown
}

func (f Flavour) routeSearch(req Request, rest []string) (action, Kind) {
	switch {
	case len(rest) == 0:
		return search, Search
	case rest[0] == "scroll" && req.Method == http.MethodDelete:
		return clearScroll, ClearScroll
	case rest[0] == "scroll":
		return scroll, Scroll
	case rest[0] == "point_in_time" && req.Method == http.MethodDelete && f.openSearch:
		return closePIT, ClosePIT
	case rest[0] == "point_in_time" && req.Method == http.MethodPost && f.openSearch:
		return openPIT, OpenPIT
	}
	return unknown, Unknown
}

func routeIndex(req Request) (action, Kind) {
	switch req.Method {
	case http.MethodHead:
		return exists, Exists
	case http.MethodPut:
		return createIndex, CreateIndex
	case http.MethodDelete:
		return deleteIndex, DeleteIndex
	default:
		return getIndex, GetIndex
	}
}

func (f Flavour) routeInIndex(req Request, parts []string) (action, Kind) {
	put := req.Method == http.MethodPut || req.Method == http.MethodPost
	switch api := parts[1]; {
	case api == "_pit" && !f.openSearch:
		return openPIT, OpenPIT
	case api == "_search":
		return f.routeSearch(req, parts[2:])
	case api == "_mapping" && put:
		return putMapping, PutMapping
	case api == "_settings" && put:
		return putSettings, PutSettings
	case api == "_block" && req.Method == http.MethodPut:
		return putBlock, PutSettings
	case api == "_settings":
		return getSettings, Settings
	case (api == "_alias" || api == "_aliases") && (put || req.Method == http.MethodDelete):
		return putAlias, PutAlias
	case api == "_delete_by_query" && req.Method == http.MethodPost:
		return deleteByQuery, DeleteByQuery
	case api == "_stats" && len(parts) == 3 && parts[2] == "search" && req.Method == http.MethodGet:
		return searchStats, Settings
	case api == "_clone" && put:
		return clone, Clone
	case api == "_doc" && len(parts) == 3 && (req.Method == http.MethodGet || req.Method == http.MethodHead):
		return getDocument, GetDocument
	case api == "_doc" || api == "_create" || api == "_update":
		return unknown, Unknown
	}
	return f.routeCluster(req, parts[1:])
}

// target returns the index expression in the path, "" for none.
func target(req Request) string {
	first, _, _ := strings.Cut(strings.Trim(req.Path, "/"), "/")
	if strings.HasPrefix(first, "_") && first != "_all" {
		return ""
	}
	return first
}

// last returns the part of the path behind an API's name, "" for none.
func last(req Request, api string) string {
	_, rest, _ := strings.Cut(req.Path, "/"+api+"/")
	return strings.Trim(rest, "/")
}

func unknown(_ *cluster, req Request) (reply, *failure) {
	return reply{}, fail(400, "illegal_argument_exception", "the fake does not know %s", req)
}

func root(c *cluster, _ Request) (reply, *failure) {
	version := object{"number": c.flavour.Version, "build_flavor": "default", "lucene_version": "9.12.2"}
	body := object{"name": "node", "cluster_name": "fake", "cluster_uuid": "AAAAAAAAAAAAAAAAAAAAAA", "version": version, "tagline": "You Know, for Search"}
	if c.flavour.openSearch {
		delete(version, "build_flavor")
		version["distribution"] = "opensearch"
		body["tagline"] = "The OpenSearch Project: https://opensearch.org/"
	}
	return ok(body), nil
}
