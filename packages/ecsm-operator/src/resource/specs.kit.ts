/** Any valid service that the simulated fleet can run, with every field of the kind set sometimes. */
import type { JsonObject } from '@ecsm/runtime';
import fc from 'fast-check';
import type { ECSMServiceInput } from '../apis/ecsm-service.ts';

type SpecInput = ECSMServiceInput['spec'];
type TemplateInput = SpecInput['template'];
type Specific = NonNullable<TemplateInput['platformSpecific']>;
type Sylixos = NonNullable<Specific['sylixos']>;

/** A record in which any field may be missing. */
const some = <T extends object>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>;

const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.constantFrom('a=b', '=', ' ', '"', '\n', '%41'));
const path = fc.string().map((rest) => `/${rest.replaceAll('\0', '')}`);
const quantity = fc
  .tuple(fc.integer({ min: 1, max: 4000 }), fc.constantFrom('k', 'M', 'Ki', 'Mi', 'Gi'))
  .map(([amount, unit]) => `${amount}${unit}`);
const priority = fc.integer({ min: 0, max: 255 });
const variable = fc.record({ name: fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,9}$/), value: text });

const strategy = (nodes: readonly string[]): fc.Arbitrary<SpecInput['deploymentStrategy']> => {
  const names = fc.subarray([...nodes], { minLength: 1 });
  return fc.oneof(
    fc.record({ type: fc.constant('Dynamic' as const), replicas: fc.integer({ min: 1, max: 5 }), nodePool: names }),
    fc.record({ type: fc.constant('Static' as const), nodes: names }),
  );
};

const healthCheck = fc
  .tuple(
    path,
    some({
      initialDelaySeconds: fc.integer({ min: 0, max: 100 }),
      timeoutSeconds: fc.integer({ min: 1, max: 100 }),
      periodSeconds: fc.integer({ min: 1, max: 100 }),
      failureThreshold: fc.integer({ min: 1, max: 100 }),
    }),
  )
  .map(([where, numbers]) => ({ path: where, ...numbers }));

const vsoa = some({
  port: fc.integer({ min: 0, max: 65_535 }),
  password: fc.string({ minLength: 1, maxLength: 256 }),
  healthCheck,
});

const sylixos: fc.Arbitrary<Sylixos> = some({
  devices: fc.uniqueArray(fc.record({ path, access: fc.constantFrom('r', 'w', 'rw') }), {
    selector: (one) => one.path,
  }),
  network: some({ ftpd: fc.boolean(), telnetd: fc.boolean(), sshd: fc.boolean() }),
  cpu: some({
    highestPrio: priority,
    lowestPrio: priority,
    defaultPrio: priority,
    affinity: fc.uniqueArray(fc.integer({ min: 0, max: 1023 }), { maxLength: 5 }),
  }),
  memory: some({ kheapLimit: fc.integer({ min: 1 }) }),
  commands: fc.uniqueArray(fc.string({ minLength: 1 })),
  kernelObject: fc.dictionary(fc.stringMatching(/^[a-zA-Z]{1,8}Limit$/), fc.nat()),
});

/** What both systems have. */
const common = {
  imagePullPolicy: fc.constantFrom('Always' as const, 'IfNotPresent' as const, 'Never' as const),
  prepull: fc.boolean(),
  hostname: fc.stringMatching(/^[a-z0-9]([a-z0-9_.-]{0,60}[a-z0-9])?$/),
  command: fc.array(text, { minLength: 1 }),
  env: fc.uniqueArray(variable, { selector: (one) => one.name }),
  volumeMounts: fc.uniqueArray(
    fc.record({ name: fc.constant('m'), hostPath: path, containerPath: path, readOnly: fc.boolean() }),
    { selector: (one) => one.containerPath },
  ),
  vsoa,
};
const action = fc.constantFrom('Run' as const, 'Load' as const);

const sylixosTemplate: fc.Arbitrary<TemplateInput> = fc
  .tuple(
    fc.constantFrom('telemetry@1.0.0', 'camera@1.0.1#sylixos', 'worker@latest'),
    some({
      ...common,
      resources: some({ limits: some({ memory: quantity, disk: quantity }) }),
      platformSpecific: some({
        action,
        root: some({ path: fc.string({ minLength: 1 }), readOnly: fc.boolean() }),
        platform: some({ os: fc.constant('sylixos' as const), arch: fc.constantFrom('arm64', 'x86-64') }),
        sylixos,
      }),
    }),
  )
  .map(([image, rest]) => ({ image, ...rest }));

const linuxTemplate: fc.Arbitrary<TemplateInput> = fc
  .tuple(
    fc.constantFrom('gateway@1.1.0#linux', 'nginx@1.0.0#linux'),
    some({
      ...common,
      resources: some({ limits: some({ memory: quantity }) }),
      platformSpecific: some({
        action,
        platform: some({ os: fc.constant('linux' as const) }),
        linux: some({
          restart: fc.constantFrom('no', 'always'),
          network: fc.string(),
          healthCmd: fc.array(fc.string()),
          env: fc.array(variable.map(({ name, value }) => `${name}=${value}`)),
          publish: fc.array(fc.record({ netType: fc.constant('tcp'), hostPort: fc.nat(), containerPort: fc.nat() })),
          other: fc.jsonValue({ maxDepth: 2 }),
        }).map((fields): JsonObject => JSON.parse(JSON.stringify(fields))),
      }),
    }),
  )
  .map(([image, rest]) => ({ image, ...rest }));

const upgradeStrategy = fc.record({ type: fc.constantFrom('Never' as const, 'Larger' as const, 'Always' as const) });
const withTemplate = (nodes: readonly string[], template: fc.Arbitrary<TemplateInput>) =>
  fc.record({ deploymentStrategy: strategy(nodes), upgradeStrategy, template });

/** For a fleet of 8 nodes. */
export const anySpec: fc.Arbitrary<SpecInput> = fc.oneof(
  withTemplate(['node-1', 'node-2', 'node-3', 'node-5'], sylixosTemplate),
  withTemplate(['node-4', 'node-8'], linuxTemplate),
);
