import { isApiError } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { ECSMHpa } from './hpa.ts';

const scaleTargetRef = { kind: 'ECSMService', name: 'telemetry' };
const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } };
const window = { type: 'Schedule', schedule: { start: '0 6 * * *', end: '30 6 * * *', replicas: 5 } };
const server = 'http://prometheus:9090';
const queue = {
  type: 'Prometheus',
  prometheus: { server, query: 'sum(queue)', target: { type: 'AverageValue', averageValue: '100' } },
};

function parsed(spec: object, status?: object) {
  return ECSMHpa.parse({
    apiVersion: ECSMHpa.apiVersion,
    kind: ECSMHpa.kind,
    metadata: { name: 'telemetry', namespace: 'default' },
    spec: { scaleTargetRef, maxReplicas: 8, ...spec },
    ...(status && { status }),
  });
}

function errorsOf(spec: object): readonly string[] {
  try {
    parsed(spec);
    return [];
  } catch (error) {
    if (!isApiError(error, 'Invalid')) throw error;
    return error.details.errors.map(({ path, type }) => `${path}: ${type}`);
  }
}

const metric = (change: object) => ({ metrics: [{ ...cpu, ...change }] });

describe('ECSMHpa', () => {
  it('has the defaults of autoscaling/v2', () => {
    const { spec } = parsed({});
    expect(spec.minReplicas).toBe(1);
    expect(spec.metrics).toEqual([
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
    ]);
    expect(spec.behavior).toBeUndefined();
    expect(parsed({ metrics: [window] }).spec.metrics[0]?.schedule?.timezone).toBe('UTC');
  });

  it.each<[string, object, readonly string[]]>([
    ['a minimum above the maximum', { minReplicas: 9 }, ['spec.maxReplicas: Invalid value']],
    ['a minimum equal to the maximum', { minReplicas: 8 }, []],
    ['a minimum of 0 without a schedule', { minReplicas: 0, metrics: [cpu] }, ['spec.minReplicas: Invalid value']],
    ['a minimum of 0 with a schedule', { minReplicas: 0, metrics: [cpu, window] }, []],
    ['a maximum of 0', { maxReplicas: 0 }, ['spec.maxReplicas: Invalid value']],
    ['no metrics', { metrics: [] }, ['spec.metrics: Invalid value']],
    [
      'a metric without its field',
      { metrics: [{ type: 'Prometheus' }] },
      ['spec.metrics[0].prometheus: Required value'],
    ],
    [
      'a metric with the field of another type',
      metric({ schedule: window.schedule }),
      ['spec.metrics[0].schedule: Forbidden'],
    ],
    [
      'a target without its amount',
      metric({ resource: { name: 'cpu', target: { type: 'AverageValue', averageUtilization: 5 } } }),
      [
        'spec.metrics[0].resource.target.averageUtilization: Forbidden',
        'spec.metrics[0].resource.target.averageValue: Required value',
      ],
    ],
    [
      'a schedule above the maximum',
      { metrics: [window], maxReplicas: 4 },
      ['spec.metrics[0].schedule.replicas: Invalid value'],
    ],
    [
      'a schedule that ends when it starts',
      { metrics: [{ ...window, schedule: { ...window.schedule, end: '0 6 * * *' } }] },
      ['spec.metrics[0].schedule.end: Invalid value'],
    ],
    [
      'a server with a password',
      { metrics: [{ ...queue, prometheus: { ...queue.prometheus, server: 'http://a:b@host' } }] },
      ['spec.metrics[0].prometheus.server: Invalid value'],
    ],
    [
      'a target of another kind',
      { scaleTargetRef: { kind: 'Deployment', name: 'x' } },
      ['spec.scaleTargetRef.kind: Unsupported value'],
    ],
    [
      'a window of more than an hour',
      { behavior: { scaleDown: { stabilizationWindowSeconds: 3_601 } } },
      ['spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value'],
    ],
  ])('checks %s', (_, spec, errors) => {
    expect(errorsOf(spec)).toEqual(errors);
  });
});

describe('the columns of an ECSMHpa', () => {
  const shown = (spec: object, currentMetrics?: readonly object[]) => {
    const object = parsed(spec, currentMetrics && { currentReplicas: 3, desiredReplicas: 3, currentMetrics });
    // What the registry adds to an object is not shown.
    const stored = object as Parameters<(typeof ECSMHpa.columns)[number]['value']>[0];
    return ECSMHpa.columns.map((column) => column.value(stored));
  };

  it('are those of kubectl', () => {
    expect(ECSMHpa.columns.map(({ name }) => name)).toEqual(['REFERENCE', 'TARGETS', 'MINPODS', 'MAXPODS', 'REPLICAS']);
  });

  it('show metrics beside their targets', () => {
    const current = [
      { type: 'Resource', name: 'cpu', averageUtilization: 45 },
      { type: 'Schedule', name: 'schedule', active: true },
    ];
    expect(shown({ metrics: [cpu, window] }, current)).toEqual([
      'ECSMService/telemetry',
      'cpu: 45%/70%, schedule: 5',
      '1',
      '8',
      '3',
    ]);
  });

  it('show what is not known yet', () => {
    expect(shown({ metrics: [cpu, window] })[1]).toBe('cpu: <unknown>/70%, schedule: <unknown>');
    const failed = [{ type: 'Resource', name: 'cpu', error: 'no instances' }];
    expect(shown({ metrics: [cpu] }, failed)[1]).toBe('cpu: <unknown>/70%');
  });

  it('ignore the value of a metric that is no longer there', () => {
    const before = [{ type: 'Resource', name: 'memory', averageUtilization: 45 }];
    expect(shown({ metrics: [cpu] }, before)[1]).toBe('cpu: <unknown>/70%');
  });

  it('show amounts, and count further metrics', () => {
    const current = [
      { type: 'Prometheus', name: 'prometheus', averageValue: '120' },
      { type: 'Schedule', name: 'schedule', active: false },
      { type: 'Resource', name: 'cpu', averageUtilization: 1 },
    ];
    expect(shown({ metrics: [queue, window, cpu] }, current)[1]).toBe(
      'prometheus: 120/100 (avg), schedule: inactive + 1 more...',
    );
  });
});
