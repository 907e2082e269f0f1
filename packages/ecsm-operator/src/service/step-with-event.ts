/** A step together with the event that reports it. */
import type { ServiceBody } from '@ecsm/client';
import type { Difference } from '../resource/differences.ts';
import type { PlatformService } from '../resource/model.ts';
import type { PlannedEvent, Step } from './model.ts';
import { type EventReason, event } from './reasons.ts';

export interface StepWithEvent {
  readonly step: Step;
  readonly event: PlannedEvent;
}

export function creation(body: ServiceBody, why: string, message = `created ${body.name}: ${why}`): StepWithEvent {
  return { step: { do: 'create', body, why }, event: event('Normal', 'Created', message) };
}

export function change(service: PlatformService, body: ServiceBody, reason: EventReason, why: string): StepWithEvent {
  return {
    step: { do: 'update', id: service.id, body, why },
    event: event('Normal', reason, `${service.name}: ${why}`),
  };
}

/** Scales a service to 0. */
export function scalingToZero(service: PlatformService, body: ServiceBody, why: string): StepWithEvent {
  return {
    step: { do: 'update', id: service.id, body, why, ifRefused: 'delete' },
    event: event('Normal', 'Scaled', `${service.name}: ${why}`),
  };
}

export function removal({ id, name }: PlatformService, why: string): StepWithEvent {
  return {
    step: { do: 'delete', id, name, why },
    event: event('Normal', 'Removed', `deleted ${name}: ${why}`),
  };
}

/** Ids of the services that are updated or deleted. That may solve their current problems. */
export function changedIds(actions: readonly StepWithEvent[]): ReadonlySet<string> {
  return new Set(actions.flatMap(({ step }) => (step.do === 'update' || step.do === 'delete' ? [step.id] : [])));
}

const differencesMax = 5;

/** Text of a few differences. */
export function joined(found: readonly Difference[]): string {
  const more = found.length - differencesMax;
  const lines = found.slice(0, differencesMax).map(({ line }) => line);
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}
