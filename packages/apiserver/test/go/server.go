// ecsm-apiserver as a process that can be killed and started again on the same port and registry.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const startTimeout = 30 * time.Second

var serving = regexp.MustCompile(`serving the Kubernetes API url=https://(\S+) kubeconfig=(\S+)`)

type server struct {
	launcher   string
	directory  string
	address    string
	kubeconfig string
	process    *exec.Cmd
}

func startServer(launcher, directory string) (*server, error) {
	s := &server{launcher: launcher, directory: directory, address: "127.0.0.1:0"}
	return s, s.start()
}

func (s *server) start() error {
	command := exec.Command(s.launcher, "--serve", s.address)
	command.Dir = s.directory
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.directory, "NO_COLOR=1"}
	output, err := command.StderrPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	s.process = command
	found := make(chan []string, 1)
	go func() {
		defer close(found)
		lines := bufio.NewScanner(output)
		for lines.Scan() {
			if match := serving.FindStringSubmatch(lines.Text()); match != nil {
				found <- match
				break
			}
		}
		// A full pipe would stop the server.
		_, _ = io.Copy(io.Discard, output)
	}()
	select {
	case match, ok := <-found:
		if !ok {
			return fmt.Errorf("%s ended before it was serving", s.launcher)
		}
		s.address, s.kubeconfig = match[1], match[2]
		return nil
	case <-time.After(startTimeout):
		s.kill()
		return fmt.Errorf("%s is not serving after %s", s.launcher, startTimeout)
	}
}

// Without a chance to close its connections.
func (s *server) kill() {
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
}

func (s *server) config() (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", s.kubeconfig)
	if err != nil {
		return nil, err
	}
	// Checks are not to be slowed down by the client.
	config.QPS, config.Burst = -1, 0
	return config, nil
}
