/** Computed columns of an ECSMHpa, as kubectl prints those of autoscaling/v2. */

interface ShownTarget {
  readonly type: string;
  readonly averageUtilization?: number;
  readonly averageValue?: string;
  readonly value?: string;
}

interface ShownMetric {
  readonly type: string;
  readonly resource?: { readonly name: string; readonly target: ShownTarget };
  readonly schedule?: { readonly replicas: number };
  readonly prometheus?: { readonly target: ShownTarget };
}

interface ShownCurrent {
  readonly type: string;
  readonly name: string;
  readonly averageUtilization?: number;
  readonly averageValue?: string;
  readonly value?: string;
  readonly active?: boolean;
}

interface Shown {
  readonly spec: {
    readonly scaleTargetRef: { readonly kind: string; readonly name: string };
    readonly metrics: readonly ShownMetric[];
  };
  readonly status?: { readonly currentMetrics: readonly ShownCurrent[] };
}

const unknown = '<unknown>';
/** More metrics are counted, not shown, as in kubectl. */
const shownMax = 2;

/** `ECSMService/telemetry` */
export function referenceText({ spec: { scaleTargetRef } }: Pick<Shown, 'spec'>): string {
  return `${scaleTargetRef.kind}/${scaleTargetRef.name}`;
}

/** `cpu: 45%/70%, schedule: 5` */
export function targetsText({ spec, status }: Shown): string {
  const texts = spec.metrics.map((metric, index) => metricText(metric, status?.currentMetrics[index]));
  const more = texts.length - shownMax;
  return `${texts.slice(0, shownMax).join(', ')}${more > 0 ? ` + ${more} more...` : ''}`;
}

/** The name of a metric in columns, conditions and events. */
export function metricName({ type, resource }: Pick<ShownMetric, 'type' | 'resource'>): string {
  return resource?.name ?? type.toLowerCase();
}

/** One metric: `cpu: 45%/70%`. `current` is ignored if it is of another metric, as after a change of the spec. */
function metricText(metric: ShownMetric, current: ShownCurrent | undefined): string {
  const name = metricName(metric);
  const seen = current?.type === metric.type && current.name === name ? current : undefined;
  if (metric.schedule) return `${name}: ${scheduleText(metric.schedule.replicas, seen?.active)}`;
  const target = metric.resource?.target ?? metric.prometheus?.target;
  return `${name}: ${currentText(target, seen)}/${targetText(target)}${isShared(metric) ? ' (avg)' : ''}`;
}

function scheduleText(replicas: number, isActive: boolean | undefined): string {
  if (isActive === undefined) return unknown;
  return isActive ? String(replicas) : 'inactive';
}

/** kubectl marks values that are divided by the number of instances. */
function isShared({ prometheus }: ShownMetric): boolean {
  return prometheus?.target.type === 'AverageValue';
}

function currentText(target: ShownTarget | undefined, seen: ShownCurrent | undefined): string {
  const { averageUtilization, averageValue, value } = seen ?? {};
  if (target?.type === 'Utilization') return averageUtilization === undefined ? unknown : `${averageUtilization}%`;
  return (target?.type === 'Value' ? value : averageValue) ?? unknown;
}

function targetText({ averageUtilization, averageValue, value }: ShownTarget = { type: '' }): string {
  return averageUtilization === undefined ? (averageValue ?? value ?? unknown) : `${averageUtilization}%`;
}
