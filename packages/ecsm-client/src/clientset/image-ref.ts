/** The platform's name of an image: `name@tag#os`, such as `worker@1.0.0#sylixos`. */
import { ApiError } from '@ecsm/runtime';

export interface ImageRef {
  readonly name: string;
  readonly tag: string;
  /** `sylixos` or `linux`. A reference in a template may leave it out; one that is sent to the platform has it. */
  readonly os?: string;
}

const parts = /^([^@#\s]+)@([^@#\s]+)(?:#([^@#\s]+))?$/;
const shownLengthMax = 100;

/** `BadRequest` for a text that is no image reference; the message shows it and the form expected. */
export function parseImageRef(text: string): ImageRef {
  const match = parts.exec(text);
  const [, name, tag, os] = match ?? [];
  if (name === undefined || tag === undefined) throw refused(text);
  return os === undefined ? { name, tag } : { name, tag, os };
}

/** The inverse of `parseImageRef`; refuses parts that could not be read back. */
export function formatImageRef({ name, tag, os }: ImageRef): string {
  const text = os === undefined ? `${name}@${tag}` : `${name}@${tag}#${os}`;
  const read = parseImageRef(text);
  if (read.name !== name || read.tag !== tag || read.os !== os) throw refused(text);
  return text;
}

function refused(text: string): ApiError {
  const shown = text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}…` : text;
  return new ApiError('BadRequest', {
    reason: `"${shown}" is no image reference: expected name@tag or name@tag#os, such as worker@1.0.0#sylixos`,
  });
}
