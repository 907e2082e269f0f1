/** Rules of an ECSMHpa that concern more than one field. */
import type { FieldError } from '@ecsm/runtime';

interface Target {
  readonly type: string;
  readonly averageUtilization?: number;
  readonly averageValue?: string;
  readonly value?: string;
}

interface CheckedMetric {
  readonly type: 'Resource' | 'Schedule' | 'Prometheus';
  readonly resource?: { readonly target: Target };
  readonly schedule?: { readonly start: string; readonly end: string; readonly replicas: number };
  readonly prometheus?: { readonly target: Target };
}

interface Checked {
  readonly spec: {
    readonly minReplicas: number;
    readonly maxReplicas: number;
    readonly metrics: readonly CheckedMetric[];
  };
}

export function checkHpa({ spec }: Checked): FieldError[] {
  return [...checkRange(spec), ...spec.metrics.flatMap((metric, index) => checkMetric(metric, index, spec))];
}

function checkRange({ minReplicas, maxReplicas, metrics }: Checked['spec']): FieldError[] {
  const errors: FieldError[] = [];
  if (minReplicas > maxReplicas) {
    const message = `${maxReplicas}: must be greater than or equal to minReplicas, which is ${minReplicas}`;
    errors.push({ path: 'spec.maxReplicas', type: 'Invalid value', message });
  }
  if (minReplicas === 0 && !metrics.some(({ type }) => type === 'Schedule')) {
    const message = '0: requires a metric of type Schedule, because usage cannot be measured without instances';
    errors.push({ path: 'spec.minReplicas', type: 'Invalid value', message });
  }
  return errors;
}

/** The field that a type of metric needs. */
const fieldOf = { Resource: 'resource', Schedule: 'schedule', Prometheus: 'prometheus' } as const;

function checkMetric(metric: CheckedMetric, index: number, { maxReplicas }: Checked['spec']): FieldError[] {
  const path = `spec.metrics[${index}]`;
  const { type, resource, schedule, prometheus } = metric;
  return [
    ...checkUnion(path, type, fieldOf[type], { resource, schedule, prometheus }),
    ...(resource ? checkTarget(`${path}.resource.target`, resource.target) : []),
    ...(schedule ? checkSchedule(`${path}.schedule`, schedule, maxReplicas) : []),
    ...(prometheus ? checkTarget(`${path}.prometheus.target`, prometheus.target) : []),
  ];
}

const amountOf: Readonly<Record<string, string>> = {
  Utilization: 'averageUtilization',
  AverageValue: 'averageValue',
  Value: 'value',
};

function checkTarget(path: string, { type, ...amounts }: Target): FieldError[] {
  return checkUnion(path, type, amountOf[type] ?? '', amounts);
}

/** Exactly the field of the type is set. */
function checkUnion(
  path: string,
  type: string,
  wanted: string,
  fields: Readonly<Record<string, unknown>>,
): FieldError[] {
  const errors = Object.entries(fields).flatMap(([name, value]): FieldError[] => {
    if (value === undefined || name === wanted) return [];
    return [{ path: `${path}.${name}`, type: 'Forbidden', message: `may not be set when type is ${type}` }];
  });
  if (fields[wanted] !== undefined) return errors;
  return [
    ...errors,
    { path: `${path}.${wanted}`, type: 'Required value', message: `must be set when type is ${type}` },
  ];
}

function checkSchedule(
  path: string,
  { start, end, replicas }: NonNullable<CheckedMetric['schedule']>,
  maxReplicas: number,
): FieldError[] {
  const errors: FieldError[] = [];
  if (start.trim() === end.trim()) {
    errors.push({ path: `${path}.end`, type: 'Invalid value', message: `"${end}": must differ from start` });
  }
  if (replicas > maxReplicas) {
    const message = `${replicas}: must be less than or equal to maxReplicas, which is ${maxReplicas}`;
    errors.push({ path: `${path}.replicas`, type: 'Invalid value', message });
  }
  return errors;
}
