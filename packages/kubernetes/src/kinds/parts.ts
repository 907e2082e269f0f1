/**
 * Parts that the kinds of Kubernetes share. All objects are open: fields that are not listed here are kept, because the
 * objects also come from and go to real API servers.
 */
import { type FieldError, schema, timestamp } from '@ecsm/runtime';
import { quantity } from './quantity.ts';

const { boolean, integer, list, map, object, optional, string } = schema;

type Properties = Parameters<typeof object>[0];

export function open<P extends Properties>(properties: P, description?: string) {
  return object(properties, { open: true, ...(description === undefined ? {} : { description }) });
}

export const text = (description: string) => optional(string({ description }));
export const flag = (description: string) => optional(boolean({ description }));
export const count = (description: string) => optional(integer({ minimum: 0, description }));
export const time = (description: string) => optional(timestamp({ description }));
export const texts = (description: string) => optional(list(string(), { description }));
export const labels = (description: string) => optional(map(string(), { description }));

/** Amounts by resource, such as `memory: 1Gi`: see `parseQuantity`. */
export const quantities = (description: string) => optional(map(quantity(), { description }));

export const resourceRequirements = open(
  {
    requests: quantities('What is reserved.'),
    limits: quantities('The most that may be used.'),
  },
  'Reserved and maximum resources.',
);

/** Metadata inside of a spec, such as that of a pod template. */
export const templateMetadata = open(
  {
    name: text('Name of the object.'),
    labels: labels('Keys and values to select objects by.'),
    annotations: labels('Free text for people and tools.'),
  },
  'Metadata of the objects that are created.',
);

const condition = open({
  type: string({ description: 'What the condition is about, such as Ready.' }),
  status: string({ enum: ['True', 'False', 'Unknown'], description: 'Whether the condition holds.' }),
  reason: text('Why, in one CamelCase word.'),
  message: text('Why, for people.'),
  lastTransitionTime: time('When the status last changed.'),
});

export const conditions = optional(
  list(condition, { uniqueBy: 'type', description: 'What is true of the object now, and why.' }),
);

export const none = '<none>';

export function forbidden(path: string, message: string): FieldError {
  return { path, type: 'Forbidden', message };
}

export function required(path: string, message = 'must be set'): FieldError {
  return { path, type: 'Required value', message };
}

export function invalid(path: string, value: unknown, message: string): FieldError {
  return { path, type: 'Invalid value', message: `${JSON.stringify(value)}: ${message}` };
}
