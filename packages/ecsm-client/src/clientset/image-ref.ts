/** Image references of the platform: `name@tag#os`, such as `worker@1.0.0#sylixos`. */
import { badRequest } from '../rest/options.ts';

export interface ImageRef {
  readonly name: string;
  readonly tag: string;
  /** `sylixos` or `linux`. Optional in a template; required in a reference that is sent to the platform. */
  readonly os?: string;
}

const parts = /^([^@#\s]+)@([^@#\s]+)(?:#([^@#\s]+))?$/;
const shownLengthMax = 100;

/** Throws `BadRequest` if the text is not an image reference. */
export function parseImageRef(text: string): ImageRef {
  const match = parts.exec(text);
  const [, name, tag, os] = match ?? [];
  if (name === undefined || tag === undefined) throw invalidRef(text);
  return os === undefined ? { name, tag } : { name, tag, os };
}

/** The inverse of `parseImageRef`. Throws `BadRequest` for parts that would not be parsed back. */
export function formatImageRef({ name, tag, os }: ImageRef): string {
  const text = os === undefined ? `${name}@${tag}` : `${name}@${tag}#${os}`;
  const read = parseImageRef(text);
  if (read.name !== name || read.tag !== tag || read.os !== os) throw invalidRef(text);
  return text;
}

function invalidRef(text: string): Error {
  const shown = text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}…` : text;
  return badRequest(
    `"${shown}" is not a valid image reference: expected name@tag or name@tag#os, such as worker@1.0.0#sylixos`,
  );
}
