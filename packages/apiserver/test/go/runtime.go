// The client of controller-runtime: typed core objects, which it sends as protobuf, and kinds without Go types.
package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

var runtimeChecks = []check{
	{"controller-runtime creates, patches, lists and deletes typed objects", runtimeTyped},
	{"controller-runtime creates or updates an ECSMService", runtimeUnstructured},
}

func runtimeTyped(ctx context.Context, c *clients) error {
	own, err := client.New(c.config, client.Options{})
	if err != nil {
		return err
	}
	labels := map[string]string{"check": "runtime"}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "typed-", Namespace: namespace, Labels: labels},
		Data:       map[string][]byte{"bytes": {0, 1, 254, 255}},
	}
	if err := own.Create(ctx, secret); err != nil {
		return err
	}
	if secret.UID == "" || secret.Name == "" {
		return fmt.Errorf("no uid or name: %v", secret.ObjectMeta)
	}
	read := &corev1.Secret{}
	if err := own.Get(ctx, client.ObjectKeyFromObject(secret), read); err != nil {
		return err
	}
	if err := expect("bytes", read.Data["bytes"], []byte{0, 1, 254, 255}); err != nil {
		return err
	}
	before := read.DeepCopy()
	read.Annotations = map[string]string{"note": "patched"}
	if err := own.Patch(ctx, read, client.MergeFrom(before)); err != nil {
		return err
	}
	before = read.DeepCopy()
	read.Labels["more"] = "x"
	if err := own.Patch(ctx, read, client.StrategicMergeFrom(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return err
	}
	list := &corev1.SecretList{}
	if err := own.List(ctx, list, client.InNamespace(namespace), client.MatchingLabels(labels)); err != nil {
		return err
	}
	if err := expect("listed", len(list.Items), 1); err != nil {
		return err
	}
	if err := expect("labels", list.Items[0].Labels, map[string]string{"check": "runtime", "more": "x"}); err != nil {
		return err
	}
	if err := own.Delete(ctx, read, client.Preconditions{UID: &read.UID}); err != nil {
		return err
	}
	if err := own.Get(ctx, client.ObjectKeyFromObject(read), read); !apierrors.IsNotFound(err) {
		return fmt.Errorf("get after the deletion: %v", err)
	}
	return nil
}

func runtimeUnstructured(ctx context.Context, c *clients) error {
	own, err := client.New(c.config, client.Options{})
	if err != nil {
		return err
	}
	service := &unstructured.Unstructured{}
	service.SetGroupVersionKind(services.GroupVersion().WithKind("ECSMService"))
	service.SetNamespace(namespace)
	service.SetName("desired")
	desire := func(replicas int64) func() error {
		return func() error {
			service.Object["spec"] = ecsmService("desired").Object["spec"]
			return unstructured.SetNestedField(service.Object, replicas, "spec", "deploymentStrategy", "replicas")
		}
	}
	for replicas, want := range []controllerutil.OperationResult{
		controllerutil.OperationResultCreated, controllerutil.OperationResultUpdated,
	} {
		result, err := controllerutil.CreateOrUpdate(ctx, own, service, desire(int64(replicas+1)))
		if err != nil {
			return err
		}
		if err := expect("result", result, want); err != nil {
			return err
		}
	}
	if err := expect("generation", service.GetGeneration(), 2); err != nil {
		return err
	}
	return own.Delete(ctx, service)
}
