// The etcd server, for tests. ETCD_DNS=address:port sends the DNS queries of the process there, which needs no privileges.
package main

import (
	"context"
	"net"
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() {
	if server := os.Getenv("ETCD_DNS"); server != "" {
		dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "udp", server)
		}
		net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: dial}
	}
	etcdmain.Main(os.Args)
}
