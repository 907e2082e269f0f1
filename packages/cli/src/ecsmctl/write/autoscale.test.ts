import { ECSMHpa, ECSMService } from '@ecsm/operator';
import { beforeAll, describe, expect, it } from 'vitest';
import { serviceText, writeKit } from './write.kit.ts';

const kit = writeKit();
const service = (name: string, deploymentStrategy: ECSMService['spec']['deploymentStrategy']) => ({
  metadata: { name },
  spec: { deploymentStrategy, template: { image: `${name}@1.0.0` } },
});

beforeAll(() =>
  kit.inside(async (registry) => {
    const services = registry.resource(ECSMService);
    await services.create(service('web', { type: 'Dynamic', replicas: 2, nodePool: ['node-1'] }));
    await services.create(service('fixed', { type: 'Static', nodes: ['node-1'] }));
  }),
);

const hpa = (name: string) => kit.inside((registry) => registry.resource(ECSMHpa).get(name));

describe('autoscale', () => {
  it('creates an autoscaler for a service', async () => {
    expect(await kit.shown('autoscale service/web --min 2 --max 8 --cpu-percent 70 --dry-run')).toBe(
      'ecsmhpa/web autoscaled (dry run)\n',
    );
    expect(await kit.shown('autoscale service/web --min 2 --max 8 --cpu-percent 70')).toBe('ecsmhpa/web autoscaled\n');
    const { spec, metadata } = await hpa('web');
    expect(spec).toEqual({
      scaleTargetRef: { kind: 'ECSMService', name: 'web' },
      minReplicas: 2,
      maxReplicas: 8,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } },
      ],
    });
    expect(metadata.managedFields?.map(({ manager }) => manager)).toEqual(['ecsmctl-autoscale']);
    expect(await kit.shown('get hpa --no-headers')).toMatch(
      /^web {2,}ECSMService\/web {2,}cpu: <unknown>\/70% {2,}2 {2,}8 {2,}/,
    );
  });

  it('has defaults, and another name on request', async () => {
    expect(await kit.shown('autoscale service web --max 4 --name night -o name')).toBe('ecsmhpa/night\n');
    const { spec } = await hpa('night');
    expect([spec.minReplicas, spec.metrics[0]?.resource?.target.averageUtilization]).toEqual([1, 80]);
    await kit.inside((registry) => registry.resource(ECSMHpa).delete('night'));
  });

  it.each([
    ['autoscale service/web', 'specify the maximum number of instances: --max N'],
    ['autoscale service/web --max 0', '--max has to be a number from 1 to 10000, not "0"'],
    ['autoscale service/web --min 5 --max 4', '--min (5) must not be more than --max (4)'],
    ['autoscale services web fixed --max 4 --name x', '--name requires a single service'],
    ['autoscale hpa/web --max 4', 'ecsmhpas cannot be autoscaled: only ecsmservices can'],
    ['autoscale service/fixed --max 4', 'ecsmservice/fixed is Static: it runs one instance on each of its nodes'],
    ['autoscale service/web --max 4', 'ECSMHpa "web" already exists'],
  ])('rejects %s', async (line, message) => {
    const shown = await kit.shown(line);
    expect(shown).toContain(`! ecsmctl: ${message}\n`);
    expect(shown).toMatch(/= [12]\n$/);
  });
});

describe('scale of an autoscaled service', () => {
  it('scales it, and warns that the autoscaler may change it again', async () => {
    expect(await kit.shown('scale service/web --replicas 3')).toBe(
      'ecsmservice/web scaled\n! warning: ecsmhpa/web sets the number of instances of ecsmservice/web, from 2 to 8, and may change it again: edit or delete ecsmhpa/web instead\n',
    );
  });

  it('does not warn about a service without an autoscaler', async () => {
    await kit.inside((registry) => registry.resource(ECSMHpa).delete('web'));
    expect(await kit.shown('scale service/web --replicas 2')).toBe('ecsmservice/web scaled\n');
  });
});

describe('a file without a number of instances', () => {
  const file = (name: string) => serviceText(name).replace('replicas: 2, ', '');

  it('can be applied if the number is set by an autoscaler', async () => {
    kit.write('owned.yaml', serviceText('owned'));
    await kit.run('apply -f owned.yaml');
    const patch = { spec: { deploymentStrategy: { replicas: 5 } } };
    await kit.inside((registry) => registry.resource(ECSMService).patch('owned', patch, { manager: 'ecsm-hpa' }));
    expect(await kit.shown('apply -f owned.yaml')).toContain('.spec.deploymentStrategy.replicas (ecsm-hpa)');
    kit.write('owned.yaml', file('owned').replace('owned@1.0.0', 'owned@1.1.0'));
    expect(await kit.shown('diff -f owned.yaml')).toMatch(/\+ +image: owned@1.1.0/);
    expect(await kit.shown('apply -f owned.yaml')).toContain('ecsmservice/owned configured\n');
    const { spec } = await kit.inside((registry) => registry.resource(ECSMService).get('owned'));
    expect([spec.deploymentStrategy.replicas, spec.template.image]).toEqual([5, 'owned@1.1.0#sylixos']);
  });

  it('cannot create a service, and nothing is written', async () => {
    kit.write('new.yaml', `${file('new')}---\n${serviceText('second')}`);
    const error =
      '! ecsmctl: new.yaml:6:3: spec.deploymentStrategy.replicas: Required value: must be set when type is Dynamic';
    for (const command of ['apply', 'diff', 'create']) {
      expect(await kit.shown(`${command} -f new.yaml`)).toContain(error);
    }
    expect(await kit.shown('get services -o name')).not.toMatch(/new|second/);
  });
});

describe('describe of an autoscaler', () => {
  const able = (status: 'True' | 'False', reason: string) => ({
    type: 'AbleToScale',
    status,
    reason,
    message: 'a message',
    lastTransitionTime: '2026-11-16T12:00:00Z',
  });

  it('tells in words what was decided, and why', async () => {
    const cpu = { type: 'Resource' as const, name: 'cpu', averageUtilization: 30, counted: 3, missing: 1, unready: 0 };
    await kit.inside(async (registry) => {
      const resource = registry.resource(ECSMHpa);
      const created = await resource.create({
        metadata: { name: 'web' },
        spec: { scaleTargetRef: { kind: 'ECSMService', name: 'web' }, maxReplicas: 8 },
      });
      await resource.updateStatus({
        ...created,
        status: {
          currentReplicas: 4,
          desiredReplicas: 4,
          lastScaleTime: '2026-11-16T12:00:00Z',
          lastScaleReason: 'cpu resource utilization above target',
          currentMetrics: [{ ...cpu, desiredReplicas: 2 }],
          conditions: [able('True', 'ScaleDownStabilized')],
        },
      });
    });
    const text = await kit.shown('describe hpa/web');
    expect(text).toContain('Instances:    4 current, 4 desired, 1 to 8\n');
    expect(text).toContain('cpu: 30% of a target of 80%, 3 instances counted, 1 without a known usage: asks for 2\n');
    expect(text).toContain('4 kept: more were recommended within the stabilization window of scaleDown\n');
    expect(text).toMatch(/Last scaled: {2}.* ago: cpu resource utilization above target\n/);
  });
});
