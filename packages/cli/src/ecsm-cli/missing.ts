/** What to say when something is not there: its name, and the one that was probably meant. */

import { didYouMean, Failure, nearest } from '@ecsm/command-line';
import { isApiError } from '@ecsm/runtime';
import { type Kind, names } from './names.ts';
import type { Context } from './noun.ts';

/** Looking for a better name is a courtesy; it does not read a whole fleet for it. */
const lookedAtMax = 1000;
/** Up to so many are listed if none is near. */
const listedMax = 12;

export async function missing(
  { platform }: Context,
  kind: Kind,
  word: string,
  all: AsyncIterable<{ readonly name: string }>,
): Promise<Failure> {
  const known: string[] = [];
  try {
    for await (const { name } of all) {
      known.push(name);
      if (known.length >= lookedAtMax) break;
    }
  } catch {
    // It is missing all the same.
  }
  const near = nearest(word, known);
  const isShort = near !== undefined || known.length <= listedMax;
  const remedy = isShort ? didYouMean(word, known) : ` "ecsm-cli get ${names[kind].plural}" lists them.`;
  return new Failure(`there is no ${kind} "${word}" on ${platform.url}.${remedy}`);
}

/** The answer; nothing if the platform says, in one of its ways, that there is no such thing. */
export async function unlessMissing<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    // A path that is unknown is no thing that is missing.
    const isMissing = isApiError(error, 'NotFound') && error.details.kind !== 'path';
    // `Rejected`: a code of the platform's own. `BadRequest`: such an id cannot be.
    if (isMissing || isApiError(error, 'Rejected') || isApiError(error, 'BadRequest')) return undefined;
    throw error;
  }
}
