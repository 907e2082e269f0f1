/** The containers of a pod. */
import { schema } from '@ecsm/runtime';
import { count, flag, labels, open, resourceRequirements, text, texts } from './parts.ts';
import { quantity } from './quantity.ts';

const { anything, integer, integerOrString, list, optional, string, withDefault } = schema;

const keyReference = (description: string) =>
  open(
    {
      name: text('Name of the object.'),
      key: string({ description: 'Key in its data.' }),
      optional: flag('Whether it may be absent.'),
    },
    description,
  );

const environmentVariable = open({
  name: string({ minLength: 1, description: 'Name of the variable.' }),
  value: text('Value. $(NAME) stands for the value of a variable that is listed before.'),
  valueFrom: optional(
    open(
      {
        fieldRef: optional(
          open(
            {
              apiVersion: text('Version of the path. Default: v1.'),
              fieldPath: string({ description: 'Such as metadata.name, metadata.namespace or status.podIP.' }),
            },
            'A field of the pod.',
          ),
        ),
        secretKeyRef: optional(keyReference('A key of a Secret in the namespace of the pod.')),
        configMapKeyRef: optional(keyReference('A key of a ConfigMap in the namespace of the pod.')),
      },
      'Where the value comes from.',
    ),
  ),
});

const port = open({
  name: text('Name of the port, for Services.'),
  containerPort: integer({ minimum: 1, maximum: 65535, description: 'Number of the port.' }),
  protocol: withDefault(string({ description: 'TCP, UDP or SCTP.' }), 'TCP'),
  hostPort: count('Port on the node.'),
});

const mount = open({
  name: string({ description: 'Name of the volume.' }),
  mountPath: string({ minLength: 1, description: 'Path in the container.' }),
  subPath: text('Path in the volume. Default: its root.'),
  readOnly: flag('Whether it cannot be written to.'),
});

const probe = (description: string) =>
  optional(
    open(
      {
        httpGet: optional(
          open(
            {
              path: text('Path of the request. Default: /.'),
              port: integerOrString({ description: 'Number or name of the port.' }),
              host: text('Default: the address of the pod.'),
              scheme: withDefault(string({ description: 'HTTP or HTTPS.' }), 'HTTP'),
              httpHeaders: optional(anything({ description: 'Headers of the request.' })),
            },
            'Succeeds with a status from 200 to 399.',
          ),
        ),
        tcpSocket: optional(
          open(
            {
              port: integerOrString({ description: 'Number or name of the port.' }),
              host: text('Default: the address of the pod.'),
            },
            'Succeeds if it can connect.',
          ),
        ),
        exec: optional(open({ command: texts('Program and arguments.') }, 'Succeeds with exit code 0.')),
        initialDelaySeconds: count('From the start of the container to the first probe.'),
        periodSeconds: withDefault(integer({ minimum: 1, description: 'Between two probes.' }), 10),
        timeoutSeconds: withDefault(integer({ minimum: 1, description: 'Of one probe.' }), 1),
        successThreshold: withDefault(
          integer({ minimum: 1, description: 'Successes in a row after which it has succeeded.' }),
          1,
        ),
        failureThreshold: withDefault(
          integer({ minimum: 1, description: 'Failures in a row after which it has failed.' }),
          3,
        ),
      },
      description,
    ),
  );

export const container = open({
  name: string({ minLength: 1, maxLength: 63, description: 'Name of the container in the pod.' }),
  image: text('Image reference.'),
  imagePullPolicy: text('Always, IfNotPresent or Never.'),
  command: texts('Program and arguments. Default: those of the image.'),
  args: texts('Arguments. Default: those of the image.'),
  workingDir: text('Working directory. Default: that of the image.'),
  env: optional(list(environmentVariable, { uniqueBy: 'name', description: 'Environment variables.' })),
  envFrom: optional(anything({ description: 'Objects whose keys become environment variables.' })),
  ports: optional(list(port, { description: 'Ports that the container listens on.' })),
  resources: optional(resourceRequirements),
  volumeMounts: optional(list(mount, { uniqueBy: 'mountPath', description: 'Volumes of the pod, by path.' })),
  startupProbe: probe('Other probes start after it has succeeded.'),
  livenessProbe: probe('The container is restarted when it has failed.'),
  readinessProbe: probe('The container is ready while it succeeds.'),
  lifecycle: optional(anything({ description: 'Actions after the start and before the stop.' })),
  securityContext: optional(anything({ description: 'User, group and capabilities of the container.' })),
  terminationMessagePath: text('File whose content is reported when the container ends.'),
  terminationMessagePolicy: text('File or FallbackToLogsOnError.'),
});

const item = open({
  key: string({ description: 'Key in the data.' }),
  path: string({ description: 'File in the volume.' }),
});

const items = optional(list(item, { description: 'Keys that become files. Default: all.' }));
const defaultMode = count('Permissions of the files.');

export const volume = open({
  name: string({ minLength: 1, maxLength: 63, description: 'Name of the volume in the pod.' }),
  configMap: optional(
    open({ name: text('Name of the ConfigMap.'), items, defaultMode, optional: flag('Whether it may be absent.') }),
  ),
  secret: optional(
    open({
      secretName: text('Name of the Secret.'),
      items,
      defaultMode,
      optional: flag('Whether it may be absent.'),
    }),
  ),
  persistentVolumeClaim: optional(
    open({
      claimName: string({ description: 'Name of the PersistentVolumeClaim.' }),
      readOnly: flag('Whether it cannot be written to.'),
    }),
  ),
  emptyDir: optional(
    open({
      medium: text('Memory, or empty for the disk of the node.'),
      sizeLimit: optional(quantity('The most that it may contain.')),
    }),
  ),
  hostPath: optional(open({ path: string({ description: 'Path on the node.' }), type: text('What has to exist.') })),
});

export const nodeSelector = labels('Labels that the node has to have.');
