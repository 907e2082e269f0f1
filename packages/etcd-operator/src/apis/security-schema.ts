/** `spec.security`: encryption and certificates. */
import { schema } from '@ecsm/runtime';

const { boolean, object, optional, string, withDefault } = schema;

const on = (description: string) => withDefault(boolean({ description }), true);
const secretName = (description: string) => optional(string({ minLength: 1, maxLength: 253, description }));

export const security = object(
  {
    tls: withDefault(
      object(
        {
          enabled: on('Whether connections are encrypted and authenticated. It cannot be changed.'),
          clientTLSEnabled: on('Whether those of clients are, if TLS is enabled. It cannot be changed.'),
          peerTLSEnabled: on('Whether those between members are, if TLS is enabled. It cannot be changed.'),
          autoTLS: on('Whether the operator issues and renews the certificates. It cannot be changed.'),
          certificateSecret: secretName(
            'Secret with tls.crt and tls.key for servers, peers and clients, if autoTLS is false. The operator only reads it.',
          ),
          caSecret: secretName(
            'Secret with ca.crt, the authorities that are trusted, if autoTLS is false. Default: ca.crt of certificateSecret.',
          ),
        },
        { description: 'TLS of clients and members.' },
      ),
      {},
    ),
  },
  { description: 'Encryption and certificates.' },
);
