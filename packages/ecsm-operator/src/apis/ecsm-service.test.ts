/** The kind as users see it: optional fields, errors and columns. */
import { isApiError, readManifests } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { ECSMService, type ECSMServiceInput } from './ecsm-service.ts';
import { fullService, smallService } from './service.kit.ts';

type SpecInput = ECSMServiceInput['spec'];

const defaulted = (spec: Partial<SpecInput> = {}) => ECSMService.default(smallService(spec));

/** What is wrong with a spec, as `path: type: message`. */
function validationErrors(spec: unknown): string[] {
  const value = { apiVersion: 'ecsm.sh/v1', kind: 'ECSMService', metadata: { name: 'a', namespace: 'default' }, spec };
  try {
    ECSMService.parse(value);
    return [];
  } catch (error) {
    if (!isApiError(error, 'Invalid')) throw error;
    return error.details.errors.map(({ path, type, message }) => `${path}: ${type}: ${message}`);
  }
}

const small = smallService().spec;
const withTemplate = (template: object) => ({ ...small, template: { image: 'worker@1.0.0', ...template } });

describe('defaults', () => {
  it('complete a small service', () => {
    expect(defaulted().spec).toEqual({
      deploymentStrategy: { type: 'Dynamic', replicas: 2, nodePool: ['node-1', 'node-2'] },
      upgradeStrategy: { type: 'Never' },
      updateStrategy: { type: 'InPlace', progressDeadlineSeconds: 600 },
      paused: false,
      revisionHistoryLimit: 10,
      template: { image: 'worker@1.0.0', prepull: false, platformSpecific: { action: 'Run' } },
    });
    expect(validationErrors(defaulted().spec)).toEqual([]);
  });

  it('complete existing parts, and add no optional ones', () => {
    const { spec } = defaulted({
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: {} },
      template: {
        image: 'worker@1.0.0',
        env: [{ name: 'EMPTY' }],
        volumeMounts: [{ name: 'a', hostPath: '/a', containerPath: '/b' }],
        vsoa: { healthCheck: { path: '/health' } },
        platformSpecific: { root: {}, sylixos: { network: {}, devices: [{ path: '/dev/a' }] } },
      },
    });
    expect(spec.updateStrategy.rollingUpdate).toEqual({ maxUnavailable: 1, maxSurge: 1 });
    expect(spec.template).toEqual({
      image: 'worker@1.0.0',
      prepull: false,
      env: [{ name: 'EMPTY', value: '' }],
      volumeMounts: [{ name: 'a', hostPath: '/a', containerPath: '/b', readOnly: false }],
      vsoa: {
        port: 0,
        healthCheck: {
          path: '/health',
          initialDelaySeconds: 5,
          timeoutSeconds: 3,
          periodSeconds: 5,
          failureThreshold: 3,
        },
      },
      platformSpecific: {
        action: 'Run',
        root: { path: 'rootfs', readOnly: false },
        sylixos: { network: { ftpd: false, telnetd: false }, devices: [{ path: '/dev/a', access: 'rw' }] },
      },
    });
  });

  it('change nothing in the full example, which is valid', () => {
    expect(ECSMService.default(fullService)).toBe(fullService);
    expect(ECSMService.validate(fullService)).toEqual([]);
  });

  it('are the same for YAML and for objects', async () => {
    const yaml = `
apiVersion: ecsm.sh/v1
kind: ECSMService
metadata: { name: worker }
spec:
  deploymentStrategy: { type: Dynamic, replicas: 2, nodePool: [node-1, node-2] }
  template:
    image: worker@1.0.0
    hostname:
`;
    const [manifest] = await readManifests(new TextEncoder().encode(yaml), { file: 'worker.yaml' });
    expect(ECSMService.parse(manifest?.object).spec).toEqual(defaulted().spec);
  });
});

describe('rules between fields', () => {
  const pool = ['node-1'];
  it.each<[what: string, dependsOn: object[], errors: string[]]>([
    ['two services', [{ name: 'b' }, { name: 'c', namespace: 'time', condition: 'Exists', onLost: 'Stop' }], []],
    ['its name in another namespace', [{ name: 'a', namespace: 'time' }], []],
    ['one name in two namespaces', [{ name: 'b' }, { name: 'b', namespace: 'time' }], []],
    ['itself', [{ name: 'a' }], ['[0]: Invalid value: "default/a": a service may not depend on itself']],
    [
      'itself with its namespace',
      [{ name: 'b' }, { name: 'a', namespace: 'default' }],
      ['[1]: Invalid value: "default/a": a service may not depend on itself'],
    ],
    [
      'a service twice',
      [{ name: 'b' }, { name: 'b', namespace: 'default', condition: 'Exists' }],
      ['[1]: Duplicate value: "default/b"'],
    ],
  ])('dependsOn with %s', (_, dependsOn, errors) => {
    expect(validationErrors({ ...small, dependsOn })).toEqual(errors.map((error) => `spec.dependsOn${error}`));
  });

  it.each<[what: string, strategy: object, errors: string[]]>([
    ['Dynamic with all it needs', { type: 'Dynamic', replicas: 0, nodePool: pool }, []],
    ['Static with all it needs', { type: 'Static', nodes: pool }, []],
    [
      'Dynamic without replicas',
      { type: 'Dynamic', nodePool: pool },
      ['replicas: Required value: must be set when type is Dynamic'],
    ],
    [
      'Dynamic without a pool',
      { type: 'Dynamic', replicas: 1 },
      ['nodePool: Required value: must be set when type is Dynamic'],
    ],
    [
      'Dynamic with nodes',
      { type: 'Dynamic', replicas: 1, nodePool: pool, nodes: pool },
      ['nodes: Forbidden: may not be set when type is Dynamic: use nodePool'],
    ],
    ['Static without nodes', { type: 'Static' }, ['nodes: Required value: must be set when type is Static']],
    [
      'Static with replicas',
      { type: 'Static', nodes: pool, replicas: 1 },
      ['replicas: Forbidden: may not be set when type is Static: there is one instance on each of nodes'],
    ],
    [
      'Static with a pool',
      { type: 'Static', nodes: pool, nodePool: pool },
      ['nodePool: Forbidden: may not be set when type is Static: use nodes'],
    ],
  ])('%s', (_, deploymentStrategy, errors) => {
    expect(validationErrors({ ...small, deploymentStrategy })).toEqual(
      errors.map((error) => `spec.deploymentStrategy.${error}`),
    );
  });

  it.each<[what: string, strategy: object, errors: string[]]>([
    ['only a surge', { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } }, []],
    ['only what may be missing', { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } }, []],
    [
      'nothing that may move',
      { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } },
      ['Invalid value: maxUnavailable and maxSurge may not both be 0: no instance could be replaced'],
    ],
    [
      'bounds for an update in place',
      { type: 'InPlace', rollingUpdate: {} },
      ['Forbidden: may not be set when type is InPlace'],
    ],
    ['bounds without a type', { rollingUpdate: {} }, ['Forbidden: may not be set when type is InPlace']],
  ])('a rolling update with %s', (_, updateStrategy, errors) => {
    expect(validationErrors({ ...small, updateStrategy })).toEqual(
      errors.map((error) => `spec.updateStrategy.rollingUpdate: ${error}`),
    );
  });

  it.each<[what: string, template: object, errors: string[]]>([
    ['the system twice alike', { image: 'a@1#linux', platformSpecific: { platform: { os: 'linux' } } }, []],
    ['Linux fields on Linux', { image: 'a@1#linux', platformSpecific: { linux: { restart: 'no' } } }, []],
    ['a field with nothing behind it', { image: 'a@1', platformSpecific: { linux: null } }, []],
    [
      'two systems',
      { image: 'a@1#linux', platformSpecific: { platform: { os: 'sylixos' } } },
      ['platformSpecific.platform.os: Invalid value: "sylixos": must be linux, as in the image'],
    ],
    [
      'Linux fields on SylixOS',
      { image: 'a@1', platformSpecific: { linux: {} } },
      ['platformSpecific.linux: Forbidden: may not be set for sylixos'],
    ],
    [
      'SylixOS fields on Linux',
      {
        image: 'a@1',
        resources: { limits: { memory: '1Gi', disk: '1Gi' } },
        platformSpecific: { platform: { os: 'linux', arch: 'arm64' }, sylixos: {}, root: {} },
      },
      [
        'platformSpecific.sylixos: Forbidden: may not be set for linux',
        'platformSpecific.root: Forbidden: may not be set for linux',
        'platformSpecific.platform.arch: Forbidden: may not be set for linux',
        'resources.limits.disk: Forbidden: may not be set for linux: not supported; use platformSpecific.linux',
      ],
    ],
    [
      'a list of Linux fields',
      { image: 'a@1#linux', platformSpecific: { linux: [] } },
      ['platformSpecific.linux: Invalid value: must be an object'],
    ],
  ])('a template with %s', (_, template, errors) => {
    expect(validationErrors(withTemplate(template))).toEqual(errors.map((error) => `spec.template.${error}`));
  });
});

describe('an invalid service', () => {
  const mount = (containerPath: string) => ({ name: 'a', hostPath: '/a', containerPath });
  it.each<[template: object, error: RegExp]>([
    [{ image: 'worker' }, /^spec\.template\.image: Invalid value: "worker": must be an image such as/],
    [{ imagePullPolicy: 'Sometimes' }, /^spec\.template\.imagePullPolicy: Unsupported value/],
    [{ command: [] }, /^spec\.template\.command: /],
    [{ env: [{ name: 'A' }, { name: 'A' }] }, /^spec\.template\.env\[1\]\.name: Duplicate value/],
    [{ env: [{ name: 'A=B' }] }, /^spec\.template\.env\[0\]\.name: Invalid value: .*must be a name such as RATE/],
    [
      { volumeMounts: [mount('/b'), mount('/b')] },
      /^spec\.template\.volumeMounts\[1\]\.containerPath: Duplicate value/,
    ],
    [{ volumeMounts: [mount('b')] }, /^spec\.template\.volumeMounts\[0\]\.containerPath: .*must be an absolute path/],
    [{ resources: { limits: { memory: 'much' } } }, /^spec\.template\.resources\.limits\.memory: .*must be a quantity/],
    [{ resources: { limits: { disk: '0' } } }, /^spec\.template\.resources\.limits\.disk: .*must be greater than 0/],
    [{ vsoa: { port: 65_536 } }, /^spec\.template\.vsoa\.port: Invalid value: 65536: must be .*65535/],
    [{ vsoa: { port: -1 } }, /^spec\.template\.vsoa\.port: Invalid value/],
    [{ vsoa: { healthCheck: {} } }, /^spec\.template\.vsoa\.healthCheck\.path: Required value/],
    [{ vsoa: { healthCheck: { path: '/', timeoutSeconds: 0 } } }, /healthCheck\.timeoutSeconds: Invalid value/],
    [{ platformSpecific: { action: 'Stop' } }, /platformSpecific\.action: Unsupported value/],
    [{ platformSpecific: { sylixos: { devices: [{ path: '/dev/a', access: '' }] } } }, /access: Unsupported value/],
    [{ platformSpecific: { sylixos: { kernelObject: { threads: 1 } } } }, /must be a limit such as threadLimit/],
    [{ platformSpecific: { sylixos: { cpu: { affinity: [0, 0] } } } }, /affinity\[1\]: Duplicate value/],
    [{ replicas: 1 }, /^spec\.template\.replicas: Unknown field/],
  ])('%j is refused', (template, error) => {
    expect(validationErrors(withTemplate(template))).toEqual([expect.stringMatching(error)]);
  });

  it('is rejected outside the template too', () => {
    const strategy = { type: 'Dynamic', replicas: -1, nodePool: ['a', 'a'] };
    expect(validationErrors({ ...small, deploymentStrategy: strategy })).toEqual([
      expect.stringMatching(/replicas: Invalid value: -1/),
      expect.stringMatching(/nodePool\[1\]: Duplicate value/),
    ]);
    const empty = { type: 'Static', nodes: [] };
    expect(validationErrors({ ...small, deploymentStrategy: empty })).toEqual([expect.stringMatching(/nodes: /)]);
    expect(validationErrors({ ...small, upgradeStrategy: { type: 'Smaller' } })).toHaveLength(1);
    expect(validationErrors({ ...small, revisionHistoryLimit: 1.5 })).toHaveLength(1);
  });
});

describe('a password', () => {
  it.each([12_345_678, ['12345678'], { is: '12345678' }, '12345678'.repeat(40)])(
    'is not printed when it is wrong (%#)',
    (password) => {
      const errors = validationErrors(withTemplate({ vsoa: { password } }));
      expect(errors).toHaveLength(1);
      expect(errors[0]).toMatch(/^spec\.template\.vsoa\.password: /);
      expect(errors[0]).not.toContain('12345678');
    },
  );
});

describe('a host name', () => {
  it.each([
    ['sylixos_ecs', true],
    ['web-1.site', true],
    ['a b', false],
    ['-a', false],
  ])('"%s" is valid: %s', (hostname, isValid) => {
    const template = { image: 'a@1', hostname };
    const deploymentStrategy = { type: 'Static', nodes: ['a'] };
    const { apiVersion, kind } = ECSMService;
    const input = { apiVersion, kind, metadata: { name: 'web' }, spec: { deploymentStrategy, template } };
    const parse = () => ECSMService.parse(input);
    if (isValid) expect(parse().spec.template.hostname).toBe(hostname);
    else expect(parse).toThrow('must be a host name');
  });
});

describe('columns', () => {
  const cells = (input: object) => {
    const object = {
      ...ECSMService.parse(input),
      metadata: { ...fullMetadata, ...Object(Reflect.get(input, 'metadata')) },
    };
    return Object.fromEntries(
      ECSMService.columns.map(({ name, wide, value }) => [`${name}${wide ? '*' : ''}`, value(object)]),
    );
  };
  const fullMetadata = {
    namespace: 'default',
    uid: 'u',
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
  };

  it('show the ready and the desired number', () => {
    const status = { readyReplicas: 2, updatedReplicas: 1, currentRevision: 'abcd0123', underlyingServiceID: 'id-1' };
    expect(cells({ ...fullService, status })).toEqual({
      READY: '2/3',
      STATUS: 'Pending',
      RESTARTS: '0',
      'UP-TO-DATE': '1',
      STRATEGY: 'Dynamic',
      IMAGE: 'telemetry@1.0.0#sylixos',
      'WAITS-FOR*': '',
      'PRIORITY*': '',
      'UPDATE*': 'RollingUpdate',
      'REVISION*': 'abcd0123',
      'SERVICE-ID*': 'id-1',
    });
  });

  it('show the problem, the operation in progress, or that it is available', () => {
    const condition = (type: string, status: string, reason: string) => ({
      type,
      status,
      reason,
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    });
    const available = condition('Available', 'True', 'EnoughReady');
    const degraded = condition('Degraded', 'True', 'CrashLoop');
    const complete = condition('Progressing', 'True', 'Complete');
    const conditions = [available, complete];
    const done = { observedGeneration: 1, replicas: 3, readyReplicas: 3, updatedReplicas: 3, conditions };
    const word = (status: object, metadata: object = {}) =>
      cells({ ...fullService, metadata: { ...fullMetadata, name: 'web', ...metadata }, status })['STATUS'];
    expect(word(done)).toBe('Available');
    expect(word(done, { generation: 2 })).toBe('Pending');
    expect(word({ ...done, conditions: [available, complete, degraded] }, { generation: 2 })).toBe('CrashLoop');
    expect(word(done, { deletionTimestamp: '2026-01-01T00:00:00Z' })).toBe('Deleting');
    // Each problem while all instances are ready; the worst one names the status.
    const problems = [
      condition('DependenciesReady', 'False', 'DependencyLost'),
      condition('Unschedulable', 'True', 'Preempting'),
      condition('Preempted', 'True', 'Preempted'),
      degraded,
      condition('PlatformReachable', 'False', 'Unreachable'),
    ];
    for (const [index, { reason }] of problems.entries()) {
      expect(word({ ...done, conditions: [...conditions, ...problems.slice(0, index + 1)] })).toBe(reason);
    }
    const fine = problems.map((one) => ({ ...one, status: one.status === 'True' ? 'False' : 'True' }));
    expect(word({ ...done, conditions: [...conditions, ...fine] })).toBe('Available');
    const outage = condition('PlatformReachable', 'False', 'Unreachable');
    expect(word({ ...done, conditions: [available, outage] })).toBe('Unreachable');
    const rolling = condition('Progressing', 'True', 'RollingOut');
    expect(word({ ...done, replicas: 4, conditions: [available, rolling] })).toBe('RollingOut');
    expect(word({ ...done, replicas: 4, conditions: [available, rolling, degraded] })).toBe('CrashLoop');
    const paused = condition('Progressing', 'Unknown', 'Paused');
    expect(word({ ...done, updatedReplicas: 1, conditions: [paused] })).toBe('Paused');
  });

  it('count the restarts of all instances', () => {
    const instance = (name: string, restarts: number) => ({ name, nodeName: 'node-1', state: 'Ready', restarts });
    const status = { instances: [instance('web-1', 1_366), instance('web-2', 2)], conditions: [] };
    expect(cells({ ...fullService, status })['RESTARTS']).toBe('1368');
  });

  it('name the dependencies that are not met, two at most', () => {
    const dependency = (name: string, state = 'Waiting') => ({ name, state });
    const waitsFor = (dependencies: object[], conditions: object[] = []) =>
      cells({ ...fullService, status: { dependencies, conditions } })['WAITS-FOR*'];
    expect(waitsFor([dependency('default/bus', 'Met'), dependency('time/clock', 'Preempted')])).toBe('');
    expect(waitsFor([dependency('default/bus', 'Lost'), dependency('time/clock')])).toBe('bus (lost), time/clock');
    expect(waitsFor(['a', 'b', 'c', 'd'].map((name) => dependency(`time/${name}`)))).toBe('time/a, time/b, 2 more');
    const condition = { status: 'False', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
    const cycle = { ...condition, type: 'DependenciesReady', reason: 'DependencyCycle' };
    const deletion = { ...condition, type: 'Progressing', reason: 'DependentsRemain' };
    expect(waitsFor([dependency('default/bus', 'Met')], [cycle])).toBe('cycle');
    expect(waitsFor([], [deletion])).toBe('deletion of dependents');
  });

  it('count the nodes of a static service, and nothing before the first observation', () => {
    const deploymentStrategy = { type: 'Static', nodes: ['a', 'b'] } as const;
    const input = { ...smallService({ deploymentStrategy }), apiVersion: 'ecsm.sh/v1', kind: 'ECSMService' };
    expect(cells(input)).toMatchObject({ READY: '0/2', 'UP-TO-DATE': '', STRATEGY: 'Static' });
  });
});

describe('the JSON Schema', () => {
  it('matches the kind', () => {
    const schema = JSON.parse(JSON.stringify(ECSMService.jsonSchema()));
    const { spec, status } = schema.properties;
    expect(spec.required).toEqual(['deploymentStrategy', 'template']);
    expect(spec.properties.deploymentStrategy.properties.type.enum).toEqual(['Dynamic', 'Static']);
    expect(spec.properties.template.properties.vsoa.properties.port).toMatchObject({ minimum: 0, maximum: 65_535 });
    expect(spec.properties.updateStrategy.properties.type.default).toBe('InPlace');
    expect(status.properties.conditions.type).toBe('array');
  });
});
