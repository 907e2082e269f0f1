/** What a test sees of a simulated platform in another process, and what it does to it: the control API over HTTP. */
import { type Shape, type Shaped, shape } from '@ecsm/runtime';

const { boolean, integer, list, nullable, number, object, optional, record, string } = shape;

const serviceShape = object({
  id: string(),
  name: string(),
  factor: integer(),
  policy: string(),
  nodeNames: list(string()),
  image: object({ ref: string(), config: shape.anything() }),
});

const containerShape = object({
  name: string(),
  serviceId: string(),
  imageRef: string(),
  status: nullable(string()),
  deployStatus: string(),
});

const stateShape = object({
  state: object({ nowMs: number(), services: record(serviceShape), containers: record(containerShape) }),
});

const callShape = object({
  number: integer(),
  timeMs: number(),
  method: string(),
  target: string(),
  endpoint: string(),
  fate: string(),
  code: nullable(integer()),
  request: string(),
});

const journalShape = object({ entries: list(callShape), last: integer(), ok: optional(boolean()) });

export type ServiceThere = Shaped<typeof serviceShape>;
export type ContainerThere = Shaped<typeof containerShape>;
export type Call = Shaped<typeof callShape>;

/** Everything of a moment. */
export interface Sight {
  readonly services: readonly ServiceThere[];
  /** In order of their names, so that "the first" of two sights is the same one. */
  readonly containers: readonly ContainerThere[];
}

const answerMsMax = 10_000;
const entriesMax = 10_000;

export class PlatformThere {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async look(): Promise<Sight> {
    const { state } = await this.#ask('GET', '/sim/state', stateShape);
    const containers = Object.values(state.containers);
    return {
      services: Object.values(state.services),
      containers: containers.sort((one, other) => (one.name < other.name ? -1 : 1)),
    };
  }

  async running(): Promise<number> {
    return (await this.look()).containers.filter(isRunning).length;
  }

  /** Of the calls since, the oldest first. Calls under way are not in it. */
  async calls(after = 0): Promise<readonly Call[]> {
    const { entries } = await this.#ask('GET', `/sim/journal?after=${after}&limit=${entriesMax}`, journalShape);
    return entries;
  }

  /** Calls that may have changed something. */
  async changes(after = 0): Promise<readonly Call[]> {
    return (await this.calls(after)).filter(({ method }) => method !== 'GET');
  }

  /** For `/sim/services/telemetry/stop` and the like. Fails with what the simulator says. */
  async control(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<void> {
    await this.#ask(method, path, object({}), body);
  }

  async #ask<T>(method: string, path: string, expected: Shape<T>, body?: object): Promise<T> {
    const answer = await fetch(`${this.#url}${path}`, {
      method,
      signal: AbortSignal.timeout(answerMsMax),
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const value: unknown = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value)}`);
    return checked(expected, value, path);
  }
}

function checked<T>(expected: Shape<T>, value: unknown, root: string): T {
  const complaint = shape.complaint(expected, value, root);
  if (complaint !== undefined) throw new Error(complaint);
  // The shape has just been checked.
  return value as T;
}

export function isRunning({ status }: Pick<ContainerThere, 'status'>): boolean {
  return status === 'running';
}

/** The name that each creation that came true gave. A lost answer does not undo one. */
export function namesMade(calls: readonly Call[]): readonly string[] {
  return calls
    .filter(({ endpoint, code }) => endpoint === 'POST /service' && code === 200)
    .map(({ request }) => /^\{"name":"([^"]+)"/u.exec(request)?.[1] ?? `unreadable: ${request}`);
}
