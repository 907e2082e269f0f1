/** Shared by commands that change services: finding services, and converting what is read to what an update sends. */
import type { ServiceBody, ServiceDetail } from '@ecsm/client';
import { textsOf } from '@ecsm/client';
import { type Call, Failure, Interrupted, withProgress } from '@ecsm/command-line';
import type { Platform } from './platform.ts';
import { type Context, contextOf } from './resource.ts';
import { findService } from './services.ts';

/** Runs calls of the platform; slow ones are shown as progress: `waiting for URL to ${what}`. */
export function callPlatform<T>(
  call: Call,
  platform: Platform,
  what: string,
  work: (context: Context) => Promise<T>,
  flags: readonly string[] = [],
): Promise<T> {
  return withProgress(
    call.terminal,
    { what: `${platform.url} to ${what}`, timeoutMs: Number.POSITIVE_INFINITY },
    (progress) => work(contextOf(call, platform, { signal: progress.signal, flags })),
  );
}

/**
 * For commands that change several objects: a closed output (`| head`) is not a request to leave the others as they are, an
 * interruption is.
 */
export function untilInterrupted(call: Call): Call {
  const { signal: outer } = call.terminal;
  const stop = new AbortController();
  const onAbort = () => {
    const { reason } = outer;
    if (reason instanceof Interrupted || reason instanceof Failure) stop.abort(reason);
  };
  outer.addEventListener('abort', onAbort, { once: true });
  if (outer.aborted) onAbort();
  return { ...call, terminal: { ...call.terminal, signal: stop.signal } };
}

/** Services with their details, by name or id. Throws `Failure` if one does not exist. */
export function findServices(call: Call, platform: Platform, words: readonly string[]): Promise<ServiceDetail[]> {
  return findEach(call, platform, words, async (context, word) => {
    const { id } = await findService(context, word);
    return platform.ecsm.services().get(id, { signal: context.signal });
  });
}

export function findEach<T>(
  call: Call,
  platform: Platform,
  words: readonly string[],
  find: (context: Context, word: string) => Promise<T>,
): Promise<T[]> {
  return callPlatform(call, platform, 'find the named objects', async (context) => {
    const all: T[] = [];
    for (const word of words) all.push(await find(context, word));
    return all;
  });
}

/** The body of an update that changes nothing. An update replaces the whole service. */
export function bodyOf(detail: ServiceDetail): ServiceBody & { readonly id: string } {
  const { id, name, image, node, policy, factor } = detail;
  const { ref, action } = image ?? {};
  if (typeof ref !== 'string') {
    throw new Failure(`the platform did not return the image of service/${name}, so the service cannot be updated`);
  }
  return {
    id,
    name,
    image: {
      ...withoutNulls(image ?? {}),
      ref,
      action: action === 'load' ? 'load' : 'run',
      config: image?.config ?? {},
    },
    node: { names: textsOf(node?.names) },
    ...(typeof factor === 'number' && { factor }),
    policy: policy === 'dynamic' ? 'dynamic' : 'static',
  };
}

/** The platform returns null for a field that was not set. */
function withoutNulls(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}
