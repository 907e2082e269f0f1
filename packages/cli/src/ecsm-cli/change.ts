/** What commands that change services share: finding them, and reading and writing them as a whole. */
import type { ServiceBody, ServiceDetail } from '@ecsm/client';
import { textsOf } from '@ecsm/client';
import { type Call, Failure, withProgress } from '@ecsm/command-line';
import { type Context, contextOf } from './noun.ts';
import type { Platform } from './platform.ts';
import { findService } from './services.ts';

/** Calls that belong together and take a moment; a slow link shows. */
export function during<T>(
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

/** Services by their names, with all that the platform knows of them. */
export function found(call: Call, platform: Platform, wanted: readonly string[]): Promise<readonly ServiceDetail[]> {
  return during(call, platform, 'find the named objects', async (context) => {
    const all: ServiceDetail[] = [];
    for (const word of wanted) {
      const { id } = await findService(context, word);
      all.push(await platform.ecsm.services().get(id, { signal: context.signal }));
    }
    return all;
  });
}

/** What has to be sent to leave a service as it is: an update replaces all of it. */
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

/** A field that is null when it is read is one that was not said. */
function withoutNulls(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}
