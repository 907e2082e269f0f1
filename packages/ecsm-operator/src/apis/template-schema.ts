/** What every instance of a service looks like. */
import { schema } from '@ecsm/runtime';
import { absolutePath, quantity, seconds } from './field-schemas.ts';
import { imageFormat } from './image.ts';
import { platformSpecific } from './platform-schema.ts';

const { boolean, integer, list, object, optional, string, withDefault } = schema;

const healthCheck = object(
  {
    path: absolutePath('The path that is asked.'),
    initialDelaySeconds: withDefault(seconds(0, 'How long a new instance is left alone.'), 5),
    timeoutSeconds: withDefault(seconds(1, 'How long one answer may take.'), 3),
    periodSeconds: withDefault(seconds(1, 'How long it is from one question to the next.'), 5),
    failureThreshold: withDefault(
      integer({ minimum: 1, maximum: 1000, description: 'So many failures in a row count.' }),
      3,
    ),
  },
  { description: 'How the platform finds out whether an instance works.' },
);

const vsoa = object(
  {
    port: withDefault(
      integer({ minimum: 0, maximum: 65_535, description: 'On the host. 0: the platform chooses.' }),
      0,
    ),
    password: optional(string({ minLength: 1, maxLength: 256, secret: true, description: 'Never printed.' })),
    healthCheck: optional(healthCheck),
  },
  { description: 'The service as others reach it over VSOA.' },
);

export const template = object(
  {
    image: string({ format: imageFormat, maxLength: 300, description: 'name@tag, or name@tag#os.' }),
    imagePullPolicy: optional(
      string({
        enum: ['Always', 'IfNotPresent', 'Never'],
        description: 'Default: Always for the tag latest, else IfNotPresent.',
      }),
    ),
    prepull: withDefault(
      boolean({ description: 'Whether every node gets the image at once, so that a move is quicker.' }),
      false,
    ),
    hostname: optional(string({ minLength: 1, maxLength: 253, description: 'What an instance is called inside.' })),
    command: optional(
      list(string({ maxLength: 32_768 }), {
        minItems: 1,
        maxItems: 1000,
        description: 'The program and its arguments.',
      }),
    ),
    env: optional(
      list(
        object({
          name: string({
            maxLength: 256,
            pattern: { expression: /^[A-Za-z_][A-Za-z0-9_.-]*$/u, hint: 'must be a name such as RATE' },
            description: "Of the variable. ECSM_OWNER and ECSM_REVISION are the operator's own.",
          }),
          value: withDefault(string({ maxLength: 32_768, description: 'What it is set to.' }), ''),
        }),
        { uniqueBy: 'name', maxItems: 1000, description: 'Environment of every instance.' },
      ),
    ),
    resources: optional(
      object(
        {
          limits: optional(
            object(
              { memory: optional(quantity('Such as 512Mi.')), disk: optional(quantity('Such as 1Gi. SylixOS only.')) },
              { description: 'The most that one instance may use.' },
            ),
          ),
        },
        { description: 'What an instance may use of its node.' },
      ),
    ),
    volumeMounts: optional(
      list(
        object({
          name: string({ minLength: 1, maxLength: 63, description: 'For people; the platform does not see it.' }),
          hostPath: absolutePath('On the node.'),
          containerPath: absolutePath('Inside.'),
          readOnly: withDefault(boolean({ description: 'Whether instances may not write there.' }), false),
        }),
        { uniqueBy: 'containerPath', maxItems: 100, description: 'Directories of the node that an instance sees.' },
      ),
    ),
    vsoa: optional(vsoa),
    platformSpecific: withDefault(platformSpecific, {}),
  },
  { description: 'What every instance looks like.' },
);
