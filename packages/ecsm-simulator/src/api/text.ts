/** Common functions for names, references and paths. */
import { cleanPath } from '../platform/templates.ts';

/** The platform's fuzzy search: a case-insensitive substring. Undefined matches everything. */
export function searchFor(part: string | undefined): (text: string) => boolean {
  if (part === undefined) return () => true;
  const lower = part.toLowerCase();
  return (text) => text.toLowerCase().includes(lower);
}

interface ImageName {
  readonly name: string;
  readonly tag: string;
  readonly os: string;
}

/** Splits `name@tag#os`; missing parts are empty. */
export function imageNameOf(ref: string): ImageName {
  const [named = '', os = ''] = split(ref, '#');
  const [name = '', tag = ''] = split(named, '@');
  return { name, tag, os };
}

/** `latest` is always pulled, because its content changes; other tags are not expected to change. */
export function defaultPullPolicy(ref: string): 'Always' | 'IfNotPresent' {
  return imageNameOf(ref).tag === 'latest' ? 'Always' : 'IfNotPresent';
}

export function joinPath(folder: string, name: string): string {
  return cleanPath(`${folder}/${name}`);
}

/** Whether a path is `folder` or below it; both must be normalized. */
export function isWithin(path: string, folder: string): boolean {
  return folder === '/' || path === folder || path.startsWith(`${folder}/`);
}

function split(text: string, mark: string): readonly string[] {
  const at = text.lastIndexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
