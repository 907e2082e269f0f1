/** Parsing and validation of requests to the control API. Errors are one sentence. */
import { Buffer } from 'node:buffer';
import { type Shape, type Shaped, shape } from '@ecsm/runtime';
import type { Request } from '../api/exchange.ts';
import { didYouMean } from './did-you-mean.ts';

/** Ends a call with this HTTP status and message. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

type Fields = Readonly<Record<string, Shape<unknown>>>;
type Body<F extends Fields> = Shaped<ReturnType<typeof shape.object<F>>>;

/** Parses a JSON body with known fields. An empty body is an empty object. */
export function readBody<F extends Fields>(request: Request, fields: F): Body<F> {
  const value = parsed(request);
  const known = shape.object(fields);
  const problem = unknownField(value, Object.keys(fields)) ?? shape.complaint(known, value, 'body');
  if (problem !== undefined) throw new ControlError(400, problem);
  return value as Body<F>;
}

function parsed({ body }: Request): unknown {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ControlError(400, `the body is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function unknownField(value: unknown, known: readonly string[]): string | undefined {
  if (!shape.isObject(value)) return undefined;
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown === undefined) return undefined;
  return `there is no field "${unknown}".${didYouMean(unknown, known)}`;
}

/** A number from `min` to `max`. */
export function numberFrom(min: number, max = Number.MAX_SAFE_INTEGER): Shape<number> {
  return {
    isOptional: false,
    check: (value) =>
      typeof value === 'number' && value >= min && value <= max
        ? undefined
        : { steps: [], reason: `should be a number from ${min} to ${max}, but is ${JSON.stringify(value)}` },
  };
}

/** A whole number of the query; `fallback` if it is absent. */
export function queryNumber(query: URLSearchParams, name: string, fallback: number, max: number): number {
  const text = query.get(name);
  if (text === null) return fallback;
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= max) return value;
  throw new ControlError(400, `${name} should be a whole number from 0 to ${max}, but is "${text}"`);
}
