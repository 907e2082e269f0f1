/** A platform with three nodes and a few images, its API, and a clock that a test moves. */
import type { JsonValue } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { VirtualClock } from '@ecsm/runtime/testing';
import { type Behaviour, profiles } from '../platform/behaviour.ts';
import type { Platform } from '../platform/contract.ts';
import type { Container, Image, Node } from '../platform/model.ts';
import { createPlatform } from '../platform/platform.ts';
import { type ApiOptions, createApi } from './api.ts';
import type { Handler } from './exchange.ts';

export const startMs = Date.UTC(2024, 5, 3, 23, 28, 20);

interface Reply {
  readonly http: number;
  readonly body: JsonValue;
}

export class Bench {
  readonly clock = new VirtualClock(startMs);
  readonly platform: Platform;
  readonly handler: Handler;
  readonly sat1: Node;
  readonly sat2: Node;
  readonly ground: Node;
  readonly telemetry: Image;
  readonly gateway: Image;

  /** Nothing takes time unless a test says so. */
  constructor(change: Partial<Behaviour> = {}, options: ApiOptions = {}) {
    this.platform = createPlatform({
      clock: this.clock,
      random: new SeededRandom(1),
      behaviour: { ...profiles.instant, ...change },
    });
    this.handler = createApi(this.platform, options);
    const password = 'secret';
    this.sat1 = this.platform.addNode({ name: 'sat-1', ip: '10.0.0.1', port: 1112, password });
    this.sat2 = this.platform.addNode({ name: 'sat-2', ip: '10.0.0.2', port: 1112, password, tls: true });
    this.ground = this.platform.addNode({ name: 'Ground', ip: '10.0.0.9', port: 1112, password, type: 'linux' });
    this.telemetry = this.platform.pushImage({
      name: 'telemetry',
      tag: '1.0.0',
      os: 'sylixos',
      sizeBytes: 3 * 2 ** 20,
    });
    this.gateway = this.platform.pushImage({
      name: 'gateway',
      tag: 'latest',
      os: 'linux',
      sizeBytes: 100,
      author: 'Ada',
      description: 'to the ground',
    });
  }

  get nowMs(): number {
    return this.clock.now();
  }

  pass(ms: number): void {
    this.clock.advanceSync(ms);
  }

  /** `path` is below the base path; a body that is not bytes is sent as JSON. */
  call(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
    const bytes =
      body instanceof Uint8Array ? body : new TextEncoder().encode(body === undefined ? '' : JSON.stringify(body));
    const answer = this.handler({ method, target: `/api/v1${path}`, headers, body: bytes });
    return { http: answer.status, body: JSON.parse(new TextDecoder().decode(answer.body)) };
  }

  /** The data of a call that has to succeed. */
  data(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): JsonValue {
    const reply = this.call(method, path, body, headers);
    const status = field(reply.body, 'status');
    if (status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(reply)}`);
    return field(reply.body, 'data');
  }

  /** The business code of a call that has to fail. */
  code(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): JsonValue {
    const reply = this.call(method, path, body, headers);
    const status = field(reply.body, 'status');
    if (status === 200) throw new Error(`${method} ${path} succeeded: ${JSON.stringify(reply)}`);
    return status;
  }

  /** Creates a service through the API, lets it come up, and gives its id. */
  deploy(change: Readonly<Record<string, unknown>> = {}): string {
    const id = field(this.data('POST', '/service', serviceBody(change)), 'id');
    this.pass(1);
    return String(id);
  }

  containers(serviceId: string): readonly Container[] {
    return this.platform.containersOfService(serviceId);
  }

  onlyContainer(serviceId: string): Container {
    const [container, ...more] = this.containers(serviceId);
    if (!container || more.length > 0) throw new Error(`there are ${more.length + 1} containers`);
    return container;
  }
}

export const vsoa = { port: 0, password: 'x', healthPath: '/health', livenessProbe: false };

export function serviceBody(change: Readonly<Record<string, unknown>> = {}) {
  return {
    name: 'telemetry',
    image: {
      ref: 'telemetry@1.0.0#sylixos',
      action: 'run',
      config: { process: { args: ['/apps/telemetry', '-v'], env: ['A=b'], cwd: '/' } },
    },
    node: { names: ['sat-1'] },
    policy: 'static',
    ...change,
  };
}

export function field(value: JsonValue, name: string): JsonValue {
  if (typeof value !== 'object' || value === null || !(name in value)) {
    throw new Error(`there is no ${name} in ${JSON.stringify(value)}`);
  }
  return (value as Readonly<Record<string, JsonValue>>)[name] ?? null;
}

/** The whole body of a success. */
export function succeeded(data: unknown): Reply {
  return { http: 200, body: { status: 200, message: 'success', data: data as JsonValue, fieldErrors: null } };
}

export function failed(status: number, message: string): Reply {
  return { http: 200, body: { status, message, data: null, fieldErrors: null } };
}
