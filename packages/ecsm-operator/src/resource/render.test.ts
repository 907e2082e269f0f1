/** What is sent to the platform, in full: the whole body is the contract. */
import { describe, expect, it } from 'vitest';
import type { ECSMServiceInput } from '../apis/ecsm-service.ts';
import { fullService, smallService, wholeServices } from '../apis/service.kit.ts';
import { registryId, rendered, revisionOf, stored } from './platform.kit.ts';
import { renderService } from './render.ts';

type TemplateInput = ECSMServiceInput['spec']['template'];

const ofTemplate = (template: TemplateInput) => rendered(smallService({ template }));
const markOf = (input: ECSMServiceInput, name: string) => [
  `ECSM_OWNER=registry-1/default/${name}/uid-1`,
  `ECSM_REVISION=${revisionOf(input).hash}`,
];

describe('the body of a service', () => {
  it('contains everything that the full example sets', () => {
    expect(rendered(fullService)).toEqual({
      name: 'telemetry',
      image: {
        ref: 'telemetry@1.0.0#sylixos',
        action: 'run',
        pullPolicy: 'IfNotPresent',
        autoUpgrade: 'Never',
        config: {
          platform: { os: 'sylixos', arch: 'arm64' },
          process: { args: ['/apps/telemetry'], env: ['RATE=10', ...markOf(fullService, 'telemetry')] },
          root: { path: 'rootfs', readonly: false },
          hostname: 'telemetry',
          mounts: [{ destination: '/etc/lic', source: '/etc/lic', options: ['ro'] }],
          sylixos: {
            devices: [],
            resources: {
              cpu: { highestPrio: 160, lowestPrio: 250 },
              memory: { kheapLimit: 2_097_152, memoryLimitMB: 512 },
              disk: { limitMB: 1024 },
              kernelObject: { threadLimit: 4096 },
            },
            network: { ftpdEnable: false, telnetdEnable: false },
            commands: [],
          },
        },
        vsoa: {
          port: 0,
          password: 'hunter2',
          healthPath: '/health',
          healthTimeout: 3000,
          healthRetries: 3,
          healthStartPeriod: 5000,
          healthInterval: 5000,
        },
      },
      node: { names: ['node-1', 'node-2', 'node-3'] },
      policy: 'dynamic',
      factor: 3,
    });
  });

  it('contains everything that an example for Linux sets', () => {
    const input: ECSMServiceInput = {
      metadata: { name: 'gateway', namespace: 'ground' },
      spec: {
        deploymentStrategy: { type: 'Static', nodes: ['node-4', 'node-8'] },
        upgradeStrategy: { type: 'Larger' },
        template: {
          image: 'gateway@latest#linux',
          prepull: true,
          hostname: 'auto',
          command: ['gateway', '-v'],
          env: [{ name: 'RATE', value: '10' }],
          resources: { limits: { memory: '1.5Mi' } },
          volumeMounts: [{ name: 'data', hostPath: '/data', containerPath: '/var/data' }],
          platformSpecific: {
            action: 'Load',
            linux: { restart: 'no', hostname: 'own', publish: [{ netType: 'tcp', hostPort: 80, containerPort: 8080 }] },
          },
        },
      },
    };
    expect(rendered(input)).toEqual({
      name: 'ground.gateway',
      image: {
        ref: 'gateway@latest#linux',
        action: 'load',
        pullPolicy: 'Always',
        autoUpgrade: 'Larger',
        config: {
          hostname: 'own',
          cmd: ['gateway', '-v'],
          memory: 1_572_864,
          mounts: [{ destination: '/var/data', source: '/data', options: ['rw'] }],
          restart: 'no',
          publish: [{ netType: 'tcp', hostPort: 80, containerPort: 8080 }],
          env: ['RATE=10', 'ECSM_OWNER=registry-1/ground/gateway/uid-1', `ECSM_REVISION=${revisionOf(input).hash}`],
        },
      },
      node: { names: ['node-4', 'node-8'] },
      policy: 'static',
      prepull: true,
    });
  });

  it('contains nothing that the spec does not set', () => {
    expect(rendered(smallService())).toEqual({
      name: 'worker',
      image: {
        ref: 'worker@1.0.0#sylixos',
        action: 'run',
        pullPolicy: 'IfNotPresent',
        autoUpgrade: 'Never',
        config: { process: { env: markOf(smallService(), 'worker') } },
      },
      node: { names: ['node-1', 'node-2'] },
      policy: 'dynamic',
      factor: 2,
    });
  });

  it('is plain JSON, without undefined', () => {
    for (const body of [rendered(fullService), rendered(smallService())]) {
      expect(JSON.parse(JSON.stringify(body))).toStrictEqual(body);
    }
  });
});

describe('the environment', () => {
  const envOf = (template: TemplateInput) => {
    const { config } = ofTemplate(template).image;
    return config.process === undefined ? config.env : Reflect.get(Object(config.process), 'env');
  };

  it.each(['#sylixos', '#linux'])('replaces variables of the same name by the mark (%s)', (os) => {
    const env = [
      { name: 'ECSM_OWNER', value: 'me' },
      { name: 'A', value: 'x=y' },
      { name: 'ECSM_REVISION', value: 'mine' },
    ];
    const lines = envOf({ image: `worker@1.0.0${os}`, env });
    expect(lines).toHaveLength(3);
    expect(lines).toContain('A=x=y');
    expect(lines).toContain('ECSM_OWNER=registry-1/default/worker/uid-1');
    expect(lines).toContainEqual(expect.stringMatching(/^ECSM_REVISION=[0-9a-f]{8}$/));
  });

  it('of Linux merges both places where it may be set, and the template has precedence', () => {
    const linux = { env: ['A=1', 'B=1', 'ECSM_OWNER=me', 7] };
    const lines = envOf({ image: 'nginx@1.0.0#linux', env: [{ name: 'B', value: '2' }], platformSpecific: { linux } });
    expect(lines).toEqual([
      'A=1',
      'B=2',
      'ECSM_OWNER=registry-1/default/worker/uid-1',
      expect.stringMatching(/^ECSM_REVISION=/),
    ]);
  });
});

describe('the image', () => {
  it.each<[template: TemplateInput, ref: string, pullPolicy: string]>([
    [{ image: 'a@1' }, 'a@1#sylixos', 'IfNotPresent'],
    [{ image: 'a@latest' }, 'a@latest#sylixos', 'Always'],
    [{ image: 'latest@1#linux' }, 'latest@1#linux', 'IfNotPresent'],
    [{ image: 'a@1', platformSpecific: { platform: { os: 'linux' } } }, 'a@1#linux', 'IfNotPresent'],
    [{ image: 'a@latest', imagePullPolicy: 'Never' }, 'a@latest#sylixos', 'Never'],
  ])('%j is %s, pulled %s', (template, ref, pullPolicy) => {
    expect(ofTemplate(template).image).toMatchObject({ ref, pullPolicy });
  });
});

describe('quantities', () => {
  it.each([
    ['1', 1],
    ['1Mi', 1],
    ['1048577', 2],
    ['1M', 1],
    ['200M', 191],
    ['1Gi', 1024],
  ])('%s is %d mebibytes', (quantity, mebibytes) => {
    const limits = { memory: quantity, disk: quantity };
    expect(ofTemplate({ image: 'a@1', resources: { limits } }).image.config.sylixos).toEqual({
      resources: { memory: { memoryLimitMB: mebibytes }, disk: { limitMB: mebibytes } },
    });
  });

  it('that are invalid are rejected by the kind, and here', () => {
    const revision = revisionOf(smallService());
    const template = { ...revision.template, resources: { limits: { memory: 'much' } } };
    const input = { service: stored(smallService()), registryId, platformName: 'worker' };
    expect(() => renderService({ ...input, revision: { ...revision, template } })).toThrow(
      '"much" is not a valid quantity',
    );
  });
});

describe('the difference during a rollout', () => {
  it('is the name, the number and the nodes', () => {
    const body = rendered(fullService, { platformName: 'telemetry-0a1b2c3d', replicas: 1, nodeNames: ['node-2'] });
    expect(body).toMatchObject({ name: 'telemetry-0a1b2c3d', factor: 1, node: { names: ['node-2'] } });
    expect(rendered(fullService, { replicas: 0 }).factor).toBe(0);
  });

  it('is the template: that of the revision, not that of the spec', () => {
    const revision = revisionOf(smallService({ template: { image: 'worker@0.9.0' } }));
    const body = rendered(smallService(), { revision });
    expect(body.image.ref).toBe('worker@0.9.0#sylixos');
    expect(JSON.stringify(body)).toContain(`ECSM_REVISION=${revision.hash}`);
  });

  it('is not the factor of a static service', () => {
    const input = smallService({ deploymentStrategy: { type: 'Static', nodes: ['node-1'] } });
    expect(rendered(input, { replicas: 5, nodeNames: ['node-2'] })).not.toHaveProperty('factor');
  });
});

/** Every way to change one value. */
function* changes(value: unknown, path = ''): Generator<readonly [path: string, changed: unknown]> {
  if (typeof value === 'object' && value !== null) {
    for (const [name, field] of Object.entries(value)) {
      for (const [where, change] of changes(field, `${path}.${name}`)) {
        const isList = Array.isArray(value);
        yield [where, isList ? value.with(Number(name), change) : { ...value, [name]: change }];
      }
    }
  } else if (typeof value === 'number') yield [path, value + 1];
  else if (typeof value === 'boolean') yield [path, !value];
  else yield [path, others[path] ?? `${value}x`];
}
const others: Readonly<Record<string, string>> = {
  '.image': 'worker@2.0.0#linux',
  '.imagePullPolicy': 'Never',
  '.resources.limits.memory': '2Mi',
  '.resources.limits.disk': '2Mi',
  '.platformSpecific.action': 'Load',
};

describe.each(Object.keys(wholeServices))('a template for %s', (system) => {
  it('is sent to the platform with every field', () => {
    const input = wholeServices[system] ?? expect.fail();
    const service = stored(input);
    const { template } = revisionOf(input);
    const bodyOf = (one: object) =>
      renderService({ service, registryId, platformName: 'a', revision: { hash: '0', template: Object(one) } });
    const seen = JSON.stringify(bodyOf(template));
    const unseen = [...changes(template)].filter(([, changed]) => JSON.stringify(bodyOf(Object(changed))) === seen);
    // The name of a mount is only informative, and the image has the operating system.
    expect(unseen.map(([path]) => path)).toEqual(
      ['.volumeMounts.0.name', '.platformSpecific.platform.os'].filter(
        (path) => system === 'SylixOS' || path.startsWith('.v'),
      ),
    );
  });
});
