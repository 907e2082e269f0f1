/**
 * Metrics in the text format of Prometheus, for `/metrics`. Every declared series is exposed from the start, at zero, so
 * that alerts on absent events and rates over the first event work.
 */
import { ApiError } from '../api/errors.ts';
import {
  type Counter,
  CounterSeries,
  type Gauge,
  GaugeSeries,
  type Histogram,
  HistogramSeries,
  numberText,
  type Sample,
  type Series,
} from './series.ts';

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Detects a label with unbounded values, such as keys or times. */
export const SERIES_MAX = 1000;

interface MetricDefinition<Label extends string = never> {
  readonly name: string;
  readonly help: string;
  /** The names of the labels. Default: none. */
  readonly labels?: readonly Label[];
}

interface HistogramDefinition<Label extends string = never> extends MetricDefinition<Label> {
  /** Upper bounds, ascending; `+Inf` is added. */
  readonly buckets: readonly number[];
}

type LabelValues<Label extends string> = Readonly<Record<Label, string>>;

/** One series of a computed gauge. */
interface ComputedSeries<Label extends string> {
  readonly labels: LabelValues<Label>;
  readonly value: number;
}

/** All series of one metric. */
interface Family<Handle, Label extends string> {
  /** The series with these label values, created at zero if it is new. Keep the result: each call is a lookup. */
  with(labels: LabelValues<Label>): Handle;
  /** Stops exposing the series with these label values: what it was about does not exist any more. */
  remove(labels: LabelValues<Label>): void;
}

export class MetricRegistry {
  readonly #families = new Map<string, Exposed>();

  counter<const Label extends string = never>(definition: MetricDefinition<Label>): Family<Counter, Label> {
    return this.#declare(definition, 'counter', () => new CounterSeries());
  }

  gauge<const Label extends string = never>(definition: MetricDefinition<Label>): Family<Gauge, Label> {
    return this.#declare(definition, 'gauge', () => new GaugeSeries());
  }

  /** A gauge whose series are computed at each scrape, so that they take no memory. At most `SERIES_MAX` are exposed. */
  computedGauge<const Label extends string>(
    definition: MetricDefinition<Label>,
    compute: () => Iterable<ComputedSeries<Label>>,
  ): void {
    const { name, labels = [] } = definition;
    checkNames(name, labels, 'gauge');
    const shape = JSON.stringify(['computed', labels]);
    const known = this.#families.get(name);
    if (known && known.shape !== shape) throw invalidMetric(name, 'it is already declared with another type or labels');
    this.#families.set(name, { shape, render: () => renderComputed(definition, compute) });
  }

  histogram<const Label extends string = never>(definition: HistogramDefinition<Label>): Family<Histogram, Label> {
    const { name, buckets } = definition;
    if (buckets.some((bound, index) => !(bound > (buckets[index - 1] ?? -Infinity)) || bound === Infinity)) {
      throw invalidMetric(name, `its buckets must be ascending and finite: ${buckets.join(', ')}`);
    }
    return this.#declare(definition, 'histogram', () => new HistogramSeries(buckets), buckets);
  }

  /** All metrics in the exposition format, in the order of declaration. */
  render(): string {
    return [...this.#families.values()].map((family) => family.render()).join('');
  }

  /** An identical metric may be declared again by another part of the program; a different one of that name may not. */
  #declare<One extends Series, Label extends string>(
    { name, help, labels = [] }: MetricDefinition<Label>,
    type: MetricType,
    create: () => One,
    buckets: readonly number[] = [],
  ): SeriesFamily<One, Label> {
    const shape = JSON.stringify([type, labels, buckets]);
    const known = this.#families.get(name);
    if (known) {
      if (known.shape !== shape)
        throw invalidMetric(name, 'it is already declared with another type, labels or buckets');
      // The shape is equal, so the type is.
      return known as SeriesFamily<One, Label>;
    }
    checkNames(name, labels, type);
    const family = new SeriesFamily({ name, help, labels, type, shape, create });
    this.#families.set(name, family);
    return family;
  }
}

interface Exposed {
  readonly shape: string;
  render(): string;
}

type MetricType = 'counter' | 'gauge' | 'histogram';

interface FamilyOptions<One, Label> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
  readonly type: MetricType;
  readonly shape: string;
  readonly create: () => One;
}

class SeriesFamily<One extends Series, Label extends string> implements Family<One, Label> {
  readonly shape: string;
  readonly #options: FamilyOptions<One, Label>;
  readonly #series = new Map<string, One>();

  constructor(options: FamilyOptions<One, Label>) {
    this.shape = options.shape;
    this.#options = options;
    if (options.labels.length === 0) this.#series.set('', options.create());
  }

  with(values: LabelValues<Label>): One {
    const { name, create } = this.#options;
    const text = this.#textOf(values);
    const known = this.#series.get(text);
    if (known) return known;
    if (this.#series.size >= SERIES_MAX) {
      throw invalidMetric(name, `it already has ${SERIES_MAX} series: label values must be bounded`);
    }
    const created = create();
    this.#series.set(text, created);
    return created;
  }

  remove(values: LabelValues<Label>): void {
    this.#series.delete(this.#textOf(values));
  }

  #textOf(values: LabelValues<Label>): string {
    return labelsText(this.#options.labels, values);
  }

  render(): string {
    const { name, type } = this.#options;
    const lines = headOf(this.#options, type);
    for (const [labels, series] of this.#series) {
      for (const sample of series.samples()) lines.push(lineOf(name, labels, sample));
    }
    return `${lines.join('\n')}\n`;
  }
}

function renderComputed<Label extends string>(
  definition: MetricDefinition<Label>,
  compute: () => Iterable<ComputedSeries<Label>>,
): string {
  const { name, labels = [] } = definition;
  const lines = headOf(definition, 'gauge');
  let count = 0;
  for (const series of compute()) {
    if (++count > SERIES_MAX) break;
    lines.push(lineOf(name, labelsText(labels, series.labels), { suffix: '', value: series.value }));
  }
  return `${lines.join('\n')}\n`;
}

function headOf({ name, help }: Pick<MetricDefinition, 'name' | 'help'>, type: MetricType): string[] {
  return [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`];
}

function labelsText<Label extends string>(labels: readonly Label[], values: LabelValues<Label>): string {
  return labels.map((label) => `${label}="${escapeValue(values[label])}"`).join(',');
}

function lineOf(name: string, labels: string, { suffix, bucket, value }: Sample): string {
  const all = [labels, bucket === undefined ? '' : `le="${bucket}"`].filter((part) => part !== '').join(',');
  return `${name}${suffix}${all === '' ? '' : `{${all}}`} ${numberText(value)}`;
}

function checkNames(name: string, labels: readonly string[], type: MetricType): void {
  if (!/^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name)) throw invalidMetric(name, 'not a valid metric name');
  for (const label of labels) {
    const reserved = label.startsWith('__') || (type === 'histogram' && label === 'le');
    if (reserved || !/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(label))
      throw invalidMetric(name, `"${label}" is not a valid label name`);
  }
}

function invalidMetric(name: string, reason: string): ApiError {
  return new ApiError('Internal', { reason: `metric "${name}": ${reason}` });
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function escapeValue(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}
