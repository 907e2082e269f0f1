/**
 * The series of counters, gauges and histograms. One series is one set of label values; it is exposed from its creation,
 * at zero.
 */
import { ApiError } from '../api/errors.ts';

export interface Counter {
  /** Default 1. Throws `Internal` for a negative number. */
  increment(by?: number): void;
  /** From now on the value is computed at each scrape; it must not decrease. NaN if `getValue` throws. */
  read(getValue: () => number): void;
}

export interface Gauge {
  set(value: number): void;
  add(by: number): void;
  /** From now on the value is computed at each scrape. NaN if `getValue` throws. */
  read(getValue: () => number): void;
}

export interface Histogram {
  observe(value: number): void;
}

/** One line of the exposition: the suffix of the metric's name, the label `le`, the value. */
export interface Sample {
  readonly suffix: '' | '_bucket' | '_sum' | '_count';
  readonly bucket?: string;
  readonly value: number;
}

export interface Series {
  samples(): readonly Sample[];
}

export class CounterSeries implements Counter, Series {
  #value = 0;
  #getValue: (() => number) | undefined;

  read(getValue: () => number): void {
    this.#getValue = getValue;
  }

  increment(by = 1): void {
    if (!(by >= 0)) throw new ApiError('Internal', { reason: `a counter cannot be incremented by ${by}` });
    this.#value += by;
  }

  samples(): readonly Sample[] {
    return [{ suffix: '', value: this.#getValue === undefined ? this.#value : scrape(this.#getValue) }];
  }
}

export class GaugeSeries implements Gauge, Series {
  #value = 0;
  #getValue: (() => number) | undefined;

  set(value: number): void {
    this.#value = value;
  }

  add(by: number): void {
    this.#value += by;
  }

  read(getValue: () => number): void {
    this.#getValue = getValue;
  }

  samples(): readonly Sample[] {
    return [{ suffix: '', value: this.#getValue === undefined ? this.#value : scrape(this.#getValue) }];
  }
}

export class HistogramSeries implements Histogram, Series {
  readonly #bounds: readonly number[];
  /** One more than there are bounds: the last one is `+Inf`. */
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    const found = this.#bounds.findIndex((bound) => value <= bound);
    const index = found === -1 ? this.#bounds.length : found;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#sum += value;
  }

  samples(): readonly Sample[] {
    let count = 0;
    const buckets = this.#counts.map((inBucket, index): Sample => {
      count += inBucket;
      return { suffix: '_bucket', bucket: numberText(this.#bounds[index] ?? Infinity), value: count };
    });
    return [...buckets, { suffix: '_sum', value: this.#sum }, { suffix: '_count', value: count }];
  }
}

/** A number in the format of Prometheus. */
export function numberText(value: number): string {
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}

function scrape(getValue: () => number): number {
  try {
    return getValue();
  } catch {
    return Number.NaN;
  }
}
