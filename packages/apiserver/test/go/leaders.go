// Leader election with a Lease between two candidates.
package main

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

var electionChecks = []check{
	{"another candidate leads after a leader released its Lease", electionAfterRelease},
}

type candidate struct {
	leads chan struct{}
	stop  context.CancelFunc
	ended chan struct{}
}

func stand(ctx context.Context, c *clients, identity string) (*candidate, error) {
	ctx, stop := context.WithCancel(ctx)
	result := &candidate{leads: make(chan struct{}), stop: stop, ended: make(chan struct{})}
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Name: "election", Namespace: namespace},
			Client:     c.typed.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
		},
		// Far above the time that the check waits: only a release lets the other candidate lead.
		LeaseDuration:   5 * checkTimeout,
		RenewDeadline:   checkTimeout,
		RetryPeriod:     200 * time.Millisecond,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { close(result.leads) },
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		stop()
		return nil, err
	}
	go func() {
		defer close(result.ended)
		elector.Run(ctx)
	}()
	return result, nil
}

func (c *candidate) waitLeading(ctx context.Context) error {
	select {
	case <-c.leads:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func electionAfterRelease(ctx context.Context, c *clients) error {
	first, err := stand(ctx, c, "first")
	if err != nil {
		return err
	}
	defer first.stop()
	if err := first.waitLeading(ctx); err != nil {
		return err
	}
	second, err := stand(ctx, c, "second")
	if err != nil {
		return err
	}
	defer second.stop()
	select {
	case <-second.leads:
		return expect("leaders", 2, 1)
	case <-time.After(time.Second):
	}
	first.stop()
	<-first.ended
	if err := second.waitLeading(ctx); err != nil {
		return err
	}
	lease, err := c.typed.CoordinationV1().Leases(namespace).Get(ctx, "election", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if err := expect("transitions", *lease.Spec.LeaseTransitions, 1); err != nil {
		return err
	}
	return expect("holder", *lease.Spec.HolderIdentity, "second")
}
