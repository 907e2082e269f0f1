/** Fields that only one operating system supports. */
import { schema } from '@ecsm/runtime';
import { absolutePath } from './field-schemas.ts';

const { anything, boolean, integer, list, map, object, optional, string, withDefault } = schema;

/** Environment and program may be set here instead of in the template. */
const linuxSecrets = object({
  env: optional(anything({ secret: true })),
  cmd: optional(anything({ secret: true })),
  entrypoint: optional(anything({ secret: true })),
});

export const platformSpecific = object(
  {
    action: withDefault(
      string({ enum: ['Run', 'Load'], description: 'Run: create and start. Load: only create.' }),
      'Run',
    ),
    root: optional(
      object(
        {
          path: withDefault(
            string({ minLength: 1, maxLength: 4096, description: 'Path of the root file system.' }),
            'rootfs',
          ),
          readOnly: withDefault(boolean({ description: 'Whether it is read-only.' }), false),
        },
        { description: 'The root file system of a SylixOS container.' },
      ),
    ),
    platform: optional(
      object(
        {
          os: optional(
            string({ enum: ['sylixos', 'linux'], description: 'Operating system. Default: that of the image.' }),
          ),
          arch: optional(
            string({
              minLength: 1,
              maxLength: 32,
              description: 'Architecture, such as arm64 or x86-64. SylixOS only.',
            }),
          ),
        },
        { description: 'Target of the image.' },
      ),
    ),
    sylixos: optional(
      object(
        {
          devices: optional(
            list(
              object({
                path: absolutePath('Path of the device.'),
                access: withDefault(string({ enum: ['r', 'w', 'rw'], description: 'Read, write, or both.' }), 'rw'),
              }),
              { uniqueBy: 'path', maxItems: 1000, description: 'Devices of the node that an instance may use.' },
            ),
          ),
          network: optional(
            object(
              {
                ftpd: withDefault(boolean({ description: 'Whether an FTP server runs in the container.' }), false),
                telnetd: withDefault(boolean({ description: 'Whether a telnet server runs in the container.' }), false),
                sshd: optional(boolean({ description: 'Whether an SSH server runs in the container.' })),
              },
              { description: 'System servers that run in the container.' },
            ),
          ),
          cpu: optional(
            object(
              {
                highestPrio: optional(
                  integer({
                    minimum: 0,
                    maximum: 255,
                    description: 'Highest priority of a thread. A smaller number is a higher priority.',
                  }),
                ),
                lowestPrio: optional(
                  integer({
                    minimum: 0,
                    maximum: 255,
                    description: 'Lowest priority of a thread: the largest number.',
                  }),
                ),
                defaultPrio: optional(
                  integer({ minimum: 0, maximum: 255, description: 'Priority of a thread that sets none.' }),
                ),
                affinity: optional(
                  list(integer({ minimum: 0, maximum: 1023 }), {
                    uniqueItems: true,
                    description: 'Cores that the threads may run on.',
                  }),
                ),
              },
              { description: 'Priorities and cores of the threads.' },
            ),
          ),
          memory: optional(
            object(
              { kheapLimit: optional(integer({ minimum: 1, description: 'Kernel heap, in bytes.' })) },
              { description: 'Memory beyond the common limits.' },
            ),
          ),
          commands: optional(
            list(string({ minLength: 1 }), {
              uniqueItems: true,
              description: 'Shell commands allowed in the container.',
            }),
          ),
          kernelObject: optional(
            map(integer({ minimum: 0 }), {
              keys: string({
                pattern: { expression: /^[a-zA-Z]+Limit$/u, hint: 'must be a limit such as threadLimit' },
              }),
              description: 'Limits of kernel objects, such as threadLimit.',
            }),
          ),
        },
        { description: 'Fields of a SylixOS container.' },
      ),
    ),
    linux: optional(
      anything({ like: linuxSecrets, description: 'Fields of a Linux container configuration, sent unchanged.' }),
    ),
  },
  { description: 'Fields that only one operating system supports.' },
);
