//go:build tools

// The imports keep the modules of etcdctl and etcdutl in go.mod.
package main

import (
	_ "go.etcd.io/etcd/etcdctl/v3"
	_ "go.etcd.io/etcd/etcdutl/v3"
)
