// Event recorders, which count repeated events by strategic merge patch.
package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"
)

var eventChecks = []check{
	{"the event recorder counts a repeated event in one object", repeatedEvent},
}

func repeatedEvent(ctx context.Context, c *clients) error {
	about, err := c.typed.CoreV1().ConfigMaps(namespace).Create(ctx, configMap("noisy", "1"), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	defer broadcaster.Shutdown()
	sink := &typedcorev1.EventSinkImpl{Interface: c.typed.CoreV1().Events("")}
	broadcaster.StartRecordingToSink(sink)
	recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "checks"})
	const times = 3
	for range times {
		recorder.Event(about, corev1.EventTypeWarning, "Noisy", "the same message")
	}
	selector := metav1.ListOptions{FieldSelector: "involvedObject.name=noisy,reason=Noisy"}
	err = eventually(ctx, func() (bool, string) {
		events, err := c.typed.CoreV1().Events(namespace).List(ctx, selector)
		if err != nil {
			return false, err.Error()
		}
		state := fmt.Sprintf("%d events", len(events.Items))
		if len(events.Items) != 1 {
			return false, state
		}
		event := events.Items[0]
		state = fmt.Sprintf("count %d, type %s, source %s", event.Count, event.Type, event.Source.Component)
		return event.Count == times && event.Type == "Warning" && event.Source.Component == "checks" &&
			event.InvolvedObject.UID == about.UID && !event.LastTimestamp.IsZero(), state
	})
	if err != nil {
		return err
	}
	return c.typed.CoreV1().ConfigMaps(namespace).Delete(ctx, "noisy", metav1.DeleteOptions{})
}
