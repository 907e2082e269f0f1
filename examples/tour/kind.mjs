/** The kind of the tour: an instrument on a spacecraft. One definition provides validation, defaults and columns. */
import { defineKind, schema } from '@ecsm/runtime';

const { integer, object, optional, string, withDefault } = schema;

export const Instrument = defineKind({
  group: 'tour.ecsm.sh',
  version: 'v1',
  kind: 'Instrument',
  plural: 'instruments',
  description: 'An instrument and its measurement rate.',
  spec: object({
    mode: withDefault(string({ enum: ['Off', 'Standby', 'Science'], description: 'Operating mode.' }), 'Standby'),
    ratePerMinute: integer({ minimum: 1, maximum: 600, description: 'Measurements per minute.' }),
    target: optional(string({ maxLength: 63, description: 'Object that it points at.' })),
  }),
  status: object({}),
  validate: ({ spec }) =>
    spec.mode === 'Science' && spec.target === undefined
      ? [{ path: 'spec.target', type: 'Required value', message: 'must be set when mode is Science' }]
      : [],
  columns: [
    { name: 'MODE', path: 'spec.mode' },
    { name: 'RATE', path: 'spec.ratePerMinute' },
  ],
});
