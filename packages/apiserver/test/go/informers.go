// Shared informers: typed ones of core kinds, and a dynamic one of a kind of ours.
package main

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

const namespace = "default"

var services = schema.GroupVersionResource{Group: "ecsm.sh", Version: "v1", Resource: "ecsmservices"}

var informerChecks = []check{
	{"typed informers see adds, updates and deletes", typedInformers},
	{"a dynamic informer sees adds, updates and deletes of an ECSMService", dynamicInformer},
	{"informers continue after the server was killed and started again", restartedInformers},
}

// What an informer reported, as "add name", "update name" and "delete name".
type journal struct {
	mutex sync.Mutex
	lines []string
}

func (j *journal) handler() cache.ResourceEventHandlerFuncs {
	note := func(verb string, object any) {
		if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = gone.Obj
		}
		accessor, err := meta.Accessor(object)
		if err != nil {
			return
		}
		j.mutex.Lock()
		defer j.mutex.Unlock()
		j.lines = append(j.lines, verb+" "+accessor.GetName())
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { note("add", object) },
		UpdateFunc: func(_, object any) { note("update", object) },
		DeleteFunc: func(object any) { note("delete", object) },
	}
}

// Waits for exactly these reports. Reports of one object are in their order; those of several objects need not be. A list
// after a lost connection reports known objects as updated, so repeated updates count once.
func (j *journal) expect(ctx context.Context, lines ...string) error {
	want := sortedByName(lines)
	return eventually(ctx, func() (bool, string) {
		j.mutex.Lock()
		defer j.mutex.Unlock()
		got := sortedByName(j.lines)
		return got == want, fmt.Sprintf("reported %s, expected %s", got, want)
	})
}

func (j *journal) clear() {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	j.lines = nil
}

func sortedByName(lines []string) string {
	sorted := append([]string{}, lines...)
	name := func(line string) string { return strings.SplitN(line, " ", 2)[1] }
	sort.SliceStable(sorted, func(i, j int) bool { return name(sorted[i]) < name(sorted[j]) })
	return strings.Join(slices.Compact(sorted), ", ")
}

func configMap(name, value string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"key": value}}
}

func ecsmService(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "ecsm.sh/v1",
		"kind":       "ECSMService",
		"metadata":   map[string]any{"name": name},
		"spec": map[string]any{
			"deploymentStrategy": map[string]any{
				"type": "Dynamic", "replicas": int64(1), "nodePool": []any{"node-1", "node-2"},
			},
			"template": map[string]any{"image": "telemetry@1.0.0#sylixos"},
		},
	}}
}

// Both informers, synchronised, of the objects of one test.
func startInformers(ctx context.Context, c *clients) (maps, secrets *journal, stored cache.Store, err error) {
	factory := informers.NewSharedInformerFactoryWithOptions(c.typed, 0, informers.WithNamespace(namespace))
	maps, secrets = &journal{}, &journal{}
	informer := factory.Core().V1().ConfigMaps().Informer()
	if _, err = informer.AddEventHandler(maps.handler()); err != nil {
		return
	}
	if _, err = factory.Core().V1().Secrets().Informer().AddEventHandler(secrets.handler()); err != nil {
		return
	}
	factory.Start(ctx.Done())
	for kind, ok := range factory.WaitForCacheSync(ctx.Done()) {
		if !ok {
			return nil, nil, nil, fmt.Errorf("%v is not synchronised", kind)
		}
	}
	return maps, secrets, informer.GetStore(), nil
}

func typedInformers(ctx context.Context, c *clients) error {
	maps := c.typed.CoreV1().ConfigMaps(namespace)
	secrets := c.typed.CoreV1().Secrets(namespace)
	if _, err := maps.Create(ctx, configMap("before", "1"), metav1.CreateOptions{}); err != nil {
		return err
	}
	seenMaps, seenSecrets, stored, err := startInformers(ctx, c)
	if err != nil {
		return err
	}
	created, err := maps.Create(ctx, configMap("after", "1"), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	created.Data["key"] = "2"
	if _, err := maps.Update(ctx, created, metav1.UpdateOptions{}); err != nil {
		return err
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "login"}, StringData: map[string]string{"a": "b"}}
	if _, err := secrets.Create(ctx, secret, metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := maps.Delete(ctx, "before", metav1.DeleteOptions{}); err != nil {
		return err
	}
	if err := seenMaps.expect(ctx, "add before", "add after", "update after", "delete before"); err != nil {
		return err
	}
	if err := seenSecrets.expect(ctx, "add login"); err != nil {
		return err
	}
	object, exists, err := stored.GetByKey(namespace + "/after")
	if err != nil || !exists {
		return fmt.Errorf("not in the store: %v", err)
	}
	if err := expect("value in the store", object.(*corev1.ConfigMap).Data["key"], "2"); err != nil {
		return err
	}
	if err := maps.Delete(ctx, "after", metav1.DeleteOptions{}); err != nil {
		return err
	}
	return secrets.Delete(ctx, "login", metav1.DeleteOptions{})
}

func dynamicInformer(ctx context.Context, c *clients) error {
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(c.dynamic, 0, namespace, nil)
	seen := &journal{}
	informer := factory.ForResource(services).Informer()
	if _, err := informer.AddEventHandler(seen.handler()); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	resource := c.dynamic.Resource(services).Namespace(namespace)
	if _, err := resource.Create(ctx, ecsmService("telemetry"), metav1.CreateOptions{}); err != nil {
		return err
	}
	patch := []byte(`{"metadata":{"labels":{"tier":"edge"}}}`)
	if _, err := resource.Patch(ctx, "telemetry", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return err
	}
	if err := resource.Delete(ctx, "telemetry", metav1.DeleteOptions{}); err != nil {
		return err
	}
	return seen.expect(ctx, "add telemetry", "update telemetry", "delete telemetry")
}

// The objects change directly after the restart, while the informers still wait for their next attempt to connect.
func restartedInformers(ctx context.Context, c *clients) error {
	maps := c.typed.CoreV1().ConfigMaps(namespace)
	for _, name := range []string{"kept", "removed"} {
		if _, err := maps.Create(ctx, configMap(name, "1"), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	seen, _, _, err := startInformers(ctx, c)
	if err != nil {
		return err
	}
	if err := seen.expect(ctx, "add kept", "add removed"); err != nil {
		return err
	}
	seen.clear()
	c.server.kill()
	if err := c.server.start(); err != nil {
		return err
	}
	if err := maps.Delete(ctx, "removed", metav1.DeleteOptions{}); err != nil {
		return err
	}
	if _, err := maps.Update(ctx, configMap("kept", "2"), metav1.UpdateOptions{}); err != nil {
		return err
	}
	if _, err := maps.Create(ctx, configMap("new", "1"), metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := seen.expect(ctx, "delete removed", "update kept", "add new"); err != nil {
		return err
	}
	if err := maps.Delete(ctx, "kept", metav1.DeleteOptions{}); err != nil {
		return err
	}
	return maps.Delete(ctx, "new", metav1.DeleteOptions{})
}
