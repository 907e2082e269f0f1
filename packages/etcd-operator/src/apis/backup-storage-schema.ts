/** Where backups are stored: a bucket of an S3-compatible store, or a volume; and how they are encrypted. */
import { quantity } from '@ecsm/kubernetes';
import { schema } from '@ecsm/runtime';

const { boolean, map, object, optional, string, withDefault } = schema;

const storageTypes = ['S3', 'Volume'] as const;

export const objectName = (description: string) => string({ minLength: 1, maxLength: 253, description });

const secretKey = (description: string, value: string) =>
  withDefault(string({ minLength: 1, maxLength: 253, description }), value);

const path = optional(
  string({
    maxLength: 512,
    pattern: {
      expression: /^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/u,
      hint: 'must be a relative path of letters, digits and ". _ -", such as backups/etcd',
    },
    description: 'Prepended to the names of all objects. Default: none.',
  }),
);

const s3 = object(
  {
    bucket: string({ minLength: 3, maxLength: 63, description: 'Name of the bucket. It has to exist.' }),
    region: optional(string({ minLength: 1, maxLength: 64, description: 'Region. Default: us-east-1.' })),
    endpoint: optional(
      string({
        maxLength: 512,
        pattern: {
          expression: /^https?:\/\/[^\s/]+\/?$/u,
          hint: 'must be http:// or https:// with a host and perhaps a port, such as https://minio.example:9000',
        },
        description: 'Address of the store. Default: that of Amazon for the region.',
      }),
    ),
    path,
    forcePathStyle: optional(
      boolean({
        description:
          'Whether the bucket is a part of the path, and not of the host name. Default: true if there is an endpoint.',
      }),
    ),
    credentialsSecret: object(
      {
        name: objectName('Name of the Secret, in the namespace of this object.'),
        accessKeyIdKey: secretKey('Its key with the access key id.', 'accessKeyId'),
        secretAccessKeyKey: secretKey('Its key with the secret access key.', 'secretAccessKey'),
        sessionTokenKey: optional(
          string({
            minLength: 1,
            maxLength: 253,
            description: 'Its key with the session token, for temporary credentials. Default: none.',
          }),
        ),
      },
      { description: 'Secret with the credentials. The operator never reads it: only the pods that do the work.' },
    ),
    caSecret: optional(
      object(
        {
          name: objectName('Name of the Secret, in the namespace of this object.'),
          key: secretKey('Its key with the authorities, in PEM.', 'ca.crt'),
        },
        { description: 'Authorities that the endpoint is trusted by. Default: the public ones.' },
      ),
    ),
  },
  { description: 'A bucket. For S3.' },
);

const volume = object(
  {
    claimName: objectName('PersistentVolumeClaim in the namespace of this object. It has to exist.'),
    path,
  },
  { description: 'A volume. For Volume.' },
);

/** The fields of a destination, in backups and in restores from a location. */
export const destinationFields = {
  storageType: string({ enum: storageTypes, description: 'Where backups are stored: S3 or Volume.' }),
  s3: optional(s3),
  volume: optional(volume),
};

export const encryption = optional(
  object(
    {
      keySecret: object(
        {
          name: objectName('Name of the Secret, in the namespace of this object.'),
          key: secretKey('Its key with the encryption key: 32 bytes, also in hexadecimal or base64.', 'key'),
        },
        { description: 'Secret with the encryption key. Without the key a backup cannot be restored.' },
      ),
    },
    { description: 'Encryption with AES-256-GCM, in addition to what the store does. Default: none.' },
  ),
);

const RESOURCES_MAX = 16;
const quantities = (description: string) => optional(map(quantity(), { maxProperties: RESOURCES_MAX, description }));

export const worker = withDefault(
  object(
    {
      resources: optional(
        object(
          {
            requests: quantities('What is reserved. Default: cpu 100m and memory 128Mi.'),
            limits: quantities('The most that it may use. Default: memory 256Mi.'),
          },
          { description: 'Resources of the pod.' },
        ),
      ),
      scratchSize: optional(
        quantity('The most temporary disk space: about twice the size of the database. Default: no limit.'),
      ),
    },
    { description: 'The pod that does the work.' },
  ),
  {},
);
