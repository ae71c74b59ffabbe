package elastic

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"

	"github.com/eslake/eslake/esds"
)

// ProxyFromEnvironment stands for the proxy that HTTP_PROXY, HTTPS_PROXY and
// NO_PROXY name.
const ProxyFromEnvironment = "environment"

// proxyFrom returns the proxy that the options name for a scheme. A SOCKS proxy
// serves both, unless there is one for the scheme.
func proxyFrom(opts esds.Options, scheme string) string {
	for _, p := range []struct{ kind, scheme, port string }{{scheme, "http", "80"}, {"socks", "socks5", "1080"}} {
		key := "es.net.proxy." + p.kind + "."
		host := opts.String(key + "host")
		if host == "" {
			continue
		}
		port := p.port
		if n := opts.Int(key + "port"); n > 0 {
			port = strconv.Itoa(n)
		}
		u := url.URL{Scheme: p.scheme, Host: net.JoinHostPort(host, port)}
		if user := opts.String(key + "user"); user != "" {
			u.User = url.UserPassword(user, opts.String(key+"pass"))
		}
		return u.String()
	}
	if opts.Bool("es.net.proxy." + scheme + ".use.system.props") {
		return ProxyFromEnvironment
	}
	return ""
}

// proxy returns the proxy for a request, nil for none.
func (c Config) proxy(req *http.Request) (*url.URL, error) {
	which := c.HTTPProxy
	if req.URL.Scheme == "https" {
		which = c.HTTPSProxy
	}
	switch which {
	case "":
		return nil, nil
	case ProxyFromEnvironment:
		return http.ProxyFromEnvironment(req)
	}
	u, err := url.Parse(which)
	if err != nil { // which may hold a password
		return nil, fmt.Errorf("the address of the proxy for %s cannot be read", req.URL.Scheme)
	}
	return u, nil
}
