/** The template of every instance of a service. */
import { schema } from '@ecsm/runtime';
import { absolutePath, quantity, seconds } from './field-schemas.ts';
import { imageFormat } from './image.ts';
import { platformSpecific } from './platform-schema.ts';

const { boolean, integer, list, object, optional, string, withDefault } = schema;

const healthCheck = object(
  {
    path: absolutePath('Path of the request.'),
    initialDelaySeconds: withDefault(seconds(0, 'Delay before the first check of a new instance.'), 5),
    timeoutSeconds: withDefault(seconds(1, 'Timeout of one check.'), 3),
    periodSeconds: withDefault(seconds(1, 'Interval between checks.'), 5),
    failureThreshold: withDefault(
      integer({
        minimum: 1,
        maximum: 1000,
        description: 'Number of consecutive failures that make an instance unhealthy.',
      }),
      3,
    ),
  },
  { description: 'How the platform checks the health of an instance.' },
);

const vsoa = object(
  {
    port: withDefault(
      integer({ minimum: 0, maximum: 65_535, description: 'On the host. 0: the platform chooses.' }),
      0,
    ),
    password: optional(string({ minLength: 1, maxLength: 256, secret: true, description: 'Password of the server.' })),
    healthCheck: optional(healthCheck),
  },
  { description: 'The VSOA server of the service.' },
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
      boolean({ description: 'Whether every node pulls the image in advance, so that a move is faster.' }),
      false,
    ),
    hostname: optional(
      string({
        minLength: 1,
        maxLength: 253,
        // Underscores are not in the rules of DNS, but in host names of SylixOS.
        pattern: {
          expression: /^[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$/u,
          hint: 'must be a host name: letters, digits, "-", "_" and ".", with a letter or digit at both ends',
        },
        description: 'Host name inside an instance.',
      }),
    ),
    command: optional(
      list(string({ maxLength: 32_768, secret: true }), {
        secret: true,
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
            description: 'Name of the variable. ECSM_OWNER and ECSM_REVISION are set by the operator.',
          }),
          value: withDefault(string({ maxLength: 32_768, secret: true, description: 'Value of the variable.' }), ''),
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
              { description: 'Limits of one instance.' },
            ),
          ),
        },
        { description: 'Resources of the node that an instance may use.' },
      ),
    ),
    volumeMounts: optional(
      list(
        object({
          name: string({ minLength: 1, maxLength: 63, description: 'For information only; not sent to the platform.' }),
          hostPath: absolutePath('On the node.'),
          containerPath: absolutePath('Inside.'),
          readOnly: withDefault(boolean({ description: 'Whether the mount is read-only.' }), false),
        }),
        {
          uniqueBy: 'containerPath',
          maxItems: 100,
          description: 'Directories of the node that are mounted into an instance.',
        },
      ),
    ),
    vsoa: optional(vsoa),
    platformSpecific: withDefault(platformSpecific, {}),
  },
  { description: 'Template of every instance.' },
);
