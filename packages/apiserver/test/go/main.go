// Genuine Go clients against our API server: client-go's informers, leader election, apply configurations and event
// recorder, and the client of controller-runtime. It prints one line per check, and exits with 1 if one failed.
// Usage: clients <launcher of ecsm-apiserver> <empty directory> <media type of typed objects>
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	crlog "sigs.k8s.io/controller-runtime/pkg/log"
)

// A check that takes longer hangs.
const checkTimeout = 60 * time.Second

type clients struct {
	server  *server
	config  *rest.Config
	typed   *kubernetes.Clientset
	dynamic *dynamic.DynamicClient
}

type check struct {
	name string
	run  func(ctx context.Context, c *clients) error
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: clients <launcher of ecsm-apiserver> <empty directory> <media type of typed objects>")
		os.Exit(2)
	}
	// The clients log the lost connections of the restarts.
	klog.SetLogger(logr.Discard())
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	crlog.SetLogger(logr.Discard())
	failed, err := runAll(os.Args[1], os.Args[2], os.Args[3])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if failed {
		os.Exit(1)
	}
}

func runAll(launcher, directory, mediaType string) (failed bool, err error) {
	server, err := startServer(launcher, directory)
	if err != nil {
		return false, err
	}
	defer server.kill()
	c, err := connect(server, mediaType)
	if err != nil {
		return false, err
	}
	for _, check := range allChecks() {
		ctx, cancel := context.WithTimeout(context.Background(), checkTimeout)
		err := check.run(ctx, c)
		cancel()
		if err != nil {
			failed = true
			fmt.Printf("FAILED %s: %v\n", check.name, err)
			continue
		}
		fmt.Printf("ok %s\n", check.name)
	}
	return failed, nil
}

func allChecks() []check {
	checks := append([]check{}, informerChecks...)
	checks = append(checks, electionChecks...)
	checks = append(checks, applyChecks...)
	checks = append(checks, eventChecks...)
	return append(checks, runtimeChecks...)
}

func connect(server *server, mediaType string) (*clients, error) {
	config, err := server.config()
	if err != nil {
		return nil, err
	}
	// As the components of Kubernetes are configured.
	coreConfig := rest.CopyConfig(config)
	coreConfig.ContentType = mediaType
	coreConfig.AcceptContentTypes = mediaType + ",application/json"
	typed, err := kubernetes.NewForConfig(coreConfig)
	if err != nil {
		return nil, err
	}
	custom, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return &clients{server, config, typed, custom}, nil
}

// Waits until the condition holds, and otherwise fails with the last description of the state.
func eventually(ctx context.Context, condition func() (ok bool, state string)) error {
	for {
		ok, state := condition()
		if ok {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("timed out: %s", state)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func expect(what string, got, want any) error {
	if fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Errorf("%s: %v, expected %v", what, got, want)
	}
	return nil
}
