/**
 * The kinds of metric and how each is written: counters only rise, gauges go up and down, histograms count into fixed
 * buckets. One series is one set of label values; making it is what makes it appear, at zero.
 */
import { ApiError } from '../api/errors.ts';

export interface Counter {
  /** By 1 if not said. A counter cannot fall. */
  increment(by?: number): void;
}

export interface Gauge {
  set(value: number): void;
  add(by: number): void;
  /** From now on the value is asked for at each scrape. A failing question reads as NaN and spoils nothing else. */
  read(ask: () => number): void;
}

export interface Histogram {
  observe(value: number): void;
}

/** One line of the exposition: what is appended to the metric's name, one more label, the value. */
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

  increment(by = 1): void {
    if (!(by >= 0)) throw new ApiError('Internal', { reason: `a counter cannot go up by ${by}` });
    this.#value += by;
  }

  samples(): readonly Sample[] {
    return [{ suffix: '', value: this.#value }];
  }
}

export class GaugeSeries implements Gauge, Series {
  #value = 0;
  #ask: (() => number) | undefined;

  set(value: number): void {
    this.#value = value;
  }

  add(by: number): void {
    this.#value += by;
  }

  read(ask: () => number): void {
    this.#ask = ask;
  }

  samples(): readonly Sample[] {
    return [{ suffix: '', value: this.#ask === undefined ? this.#value : answerOf(this.#ask) }];
  }
}

export class HistogramSeries implements Histogram, Series {
  readonly #bounds: readonly number[];
  /** One more than there are bounds: the last is for what is above them all. */
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

/** A number as Prometheus writes it. */
export function numberText(value: number): string {
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}

function answerOf(ask: () => number): number {
  try {
    return ask();
  } catch {
    return Number.NaN;
  }
}
