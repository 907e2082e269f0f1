/** The escape hatch: fields that only one operating system knows. */
import { schema } from '@ecsm/runtime';
import { absolutePath } from './field-schemas.ts';

const { anything, boolean, integer, list, map, object, optional, string, withDefault } = schema;

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
            string({ minLength: 1, maxLength: 4096, description: 'Of the root file system.' }),
            'rootfs',
          ),
          readOnly: withDefault(boolean({ description: 'Whether it may not be written to.' }), false),
        },
        { description: 'The root file system of a SylixOS container.' },
      ),
    ),
    platform: optional(
      object(
        {
          os: optional(string({ enum: ['sylixos', 'linux'], description: 'Default: that of the image.' })),
          arch: optional(
            string({ minLength: 1, maxLength: 32, description: 'Such as arm64 or x86-64. SylixOS only.' }),
          ),
        },
        { description: 'What the image was made for.' },
      ),
    ),
    sylixos: optional(
      object(
        {
          devices: optional(
            list(
              object({
                path: absolutePath('Of the device.'),
                access: withDefault(
                  string({ enum: ['r', 'w', 'rw'], description: 'Whether it may be read, written, or both.' }),
                  'rw',
                ),
              }),
              { uniqueBy: 'path', maxItems: 1000, description: 'Devices of the node that an instance may use.' },
            ),
          ),
          network: optional(
            object(
              {
                ftpd: withDefault(boolean({ description: 'Whether an FTP server runs inside.' }), false),
                telnetd: withDefault(boolean({ description: 'Whether a telnet server runs inside.' }), false),
                sshd: optional(boolean({ description: 'Whether an SSH server runs inside.' })),
              },
              { description: 'Servers of the system that run inside.' },
            ),
          ),
          cpu: optional(
            object(
              {
                highestPrio: optional(
                  integer({ minimum: 0, maximum: 255, description: 'A smaller number is a higher priority.' }),
                ),
                lowestPrio: optional(
                  integer({ minimum: 0, maximum: 255, description: 'The largest number that a thread may have.' }),
                ),
                defaultPrio: optional(
                  integer({ minimum: 0, maximum: 255, description: 'What a thread has that asks for nothing.' }),
                ),
                affinity: optional(
                  list(integer({ minimum: 0, maximum: 1023 }), {
                    uniqueItems: true,
                    description: 'Cores that it may run on.',
                  }),
                ),
              },
              { description: 'Priorities of its threads, and where these run.' },
            ),
          ),
          memory: optional(
            object(
              { kheapLimit: optional(integer({ minimum: 1, description: 'Kernel heap, in bytes.' })) },
              { description: 'Memory that the limits above do not say.' },
            ),
          ),
          commands: optional(
            list(string({ minLength: 1 }), { uniqueItems: true, description: 'Shell commands allowed inside.' }),
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
        { description: 'What only a SylixOS container has.' },
      ),
    ),
    linux: optional(anything({ description: 'Fields of a Linux container configuration, sent as they are.' })),
  },
  { description: 'The escape hatch: what only one kind of platform knows.' },
);
