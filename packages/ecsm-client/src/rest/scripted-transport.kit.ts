/** A transport that answers from a script, step by step, and records the requests. */
import { ApiError } from '@ecsm/runtime';
import type { SendOptions, Transport, WireRequest, WireResponse } from './transport.ts';

/** A response, a failure to throw, or what to do. */
export type Step = WireResponse | Error | ((request: WireRequest, options: SendOptions) => Promise<WireResponse>);

export class ScriptedTransport implements Transport {
  readonly requests: WireRequest[] = [];
  readonly #script: readonly Step[];

  /** The last step is repeated for ever. */
  constructor(...script: readonly Step[]) {
    this.#script = script;
  }

  async send(request: WireRequest, options: SendOptions): Promise<WireResponse> {
    const step = this.#script[Math.min(this.requests.length, this.#script.length - 1)];
    this.requests.push(request);
    options.meter.bytesUp += 10;
    if (typeof step === 'function') return step(request, options);
    if (step === undefined) throw new Error('the script is empty');
    if (step instanceof Error) throw step;
    options.meter.bytesDown += step.body.byteLength;
    return step;
  }

  close(): void {}
}

export function response(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): WireResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers, body: new TextEncoder().encode(text) };
}

/** A success of the platform. */
export const success = (data: unknown): WireResponse =>
  response({ status: 200, message: 'success', data, fieldErrors: null });

/** A refusal of the platform, which travels in HTTP 200. */
export const refusal = (status: number, message: string, fieldErrors: unknown = null): WireResponse =>
  response({ status, message, data: null, fieldErrors });

export const unavailable = () => new ApiError('Unavailable', { what: 'the link', reason: 'cut' });

/** Never answers, and does not listen to its signal. */
export const silence: Step = () => new Promise(() => {});

/** What a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it did not reject');
}
