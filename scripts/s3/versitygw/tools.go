//go:build tools

// The import keeps the module of the program in go.mod.
package main

import _ "github.com/versity/versitygw/cmd/versitygw"
