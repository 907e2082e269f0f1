// Server-side apply with typed apply configurations.
package main

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1 "k8s.io/client-go/applyconfigurations/core/v1"
)

var applyChecks = []check{
	{"server-side apply names the owner of a conflict, and takes over by force", applyConflict},
	{"a configuration that is extracted from an object can be applied again", applyExtracted},
}

func applied(name, value string) *corev1.ConfigMapApplyConfiguration {
	return corev1.ConfigMap(name, namespace).WithData(map[string]string{"shared": value})
}

func applyConflict(ctx context.Context, c *clients) error {
	maps := c.typed.CoreV1().ConfigMaps(namespace)
	if _, err := maps.Apply(ctx, applied("applied", "1"), metav1.ApplyOptions{FieldManager: "first"}); err != nil {
		return err
	}
	_, err := maps.Apply(ctx, applied("applied", "2"), metav1.ApplyOptions{FieldManager: "second"})
	if !apierrors.IsConflict(err) {
		return fmt.Errorf("expected a conflict, got %v", err)
	}
	status, isStatus := err.(apierrors.APIStatus)
	if !isStatus || status.Status().Details == nil || len(status.Status().Details.Causes) != 1 {
		return fmt.Errorf("expected one cause: %v", err)
	}
	cause := status.Status().Details.Causes[0]
	if err := expect("type of the cause", cause.Type, metav1.CauseTypeFieldManagerConflict); err != nil {
		return err
	}
	if err := expect("field of the cause", cause.Field, ".data.shared"); err != nil {
		return err
	}
	if !strings.Contains(cause.Message, `conflict with "first"`) {
		return fmt.Errorf("message of the cause: %s", cause.Message)
	}
	forced := metav1.ApplyOptions{FieldManager: "second", Force: true}
	object, err := maps.Apply(ctx, applied("applied", "2"), forced)
	if err != nil {
		return err
	}
	if err := expect("value", object.Data["shared"], "2"); err != nil {
		return err
	}
	// The first manager lost its only field.
	for _, entry := range object.ManagedFields {
		if entry.Manager == "first" && strings.Contains(entry.FieldsV1.String(), "f:shared") {
			return fmt.Errorf("the first manager still owns the field: %s", entry.FieldsV1)
		}
	}
	return maps.Delete(ctx, "applied", metav1.DeleteOptions{})
}

func applyExtracted(ctx context.Context, c *clients) error {
	maps := c.typed.CoreV1().ConfigMaps(namespace)
	options := metav1.ApplyOptions{FieldManager: "extractor"}
	object, err := maps.Apply(ctx, applied("extracted", "1").WithLabels(map[string]string{"a": "b"}), options)
	if err != nil {
		return err
	}
	configuration, err := corev1.ExtractConfigMap(object, "extractor")
	if err != nil {
		return err
	}
	if err := expect("extracted data", configuration.Data, map[string]string{"shared": "1"}); err != nil {
		return err
	}
	delete(configuration.Labels, "a")
	object, err = maps.Apply(ctx, configuration.WithData(map[string]string{"more": "2"}), options)
	if err != nil {
		return err
	}
	if err := expect("data", object.Data, map[string]string{"more": "2", "shared": "1"}); err != nil {
		return err
	}
	if err := expect("labels", len(object.Labels), 0); err != nil {
		return err
	}
	return maps.Delete(ctx, "extracted", metav1.DeleteOptions{})
}
