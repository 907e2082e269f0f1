/** Errors about missing objects, with a suggestion of a similar name. */

import { didYouMean, Failure, nearest } from '@ecsm/command-line';
import { isApiError } from '@ecsm/runtime';
import { type Kind, kindNames } from './kinds.ts';
import type { Context } from './resource.ts';

/** Names that are read for a suggestion at most. */
const candidatesMax = 1000;
/** Names that are listed at most if none is similar. */
const listedMax = 12;

export async function notFound(
  { platform }: Context,
  kind: Kind,
  word: string,
  all: AsyncIterable<{ readonly name: string }>,
): Promise<Failure> {
  const known: string[] = [];
  try {
    for await (const { name } of all) {
      known.push(name);
      if (known.length >= candidatesMax) break;
    }
  } catch {
    // The suggestion is optional.
  }
  const near = nearest(word, known);
  const isShort = near !== undefined || known.length <= listedMax;
  const remedy = isShort ? didYouMean(word, known) : ` "ecsm-cli get ${kindNames[kind].plural}" lists them.`;
  return new Failure(`there is no ${kind} "${word}" on ${platform.url}.${remedy}`);
}

/** Returns undefined if the platform reports, in one of its ways, that the object does not exist. */
export async function undefinedIfNotFound<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    // An unknown path is not a missing object.
    const isMissing = isApiError(error, 'NotFound') && error.details.kind !== 'path';
    // `Rejected`: an error code of the platform. `BadRequest`: the id is malformed.
    if (isMissing || isApiError(error, 'Rejected') || isApiError(error, 'BadRequest')) return undefined;
    throw error;
  }
}
