/** Small rules about names, references and paths that several nouns share. */

/** The platform's fuzzy search: part of the text, in any case. Nothing to look for is found everywhere. */
export function searchFor(part: string | undefined): (text: string) => boolean {
  if (part === undefined) return () => true;
  const lower = part.toLowerCase();
  return (text) => text.toLowerCase().includes(lower);
}

export interface ImageName {
  readonly name: string;
  readonly tag: string;
  readonly os: string;
}

/** Takes `name@tag#os` apart; what is missing is empty. */
export function imageNameOf(ref: string): ImageName {
  const [named = '', os = ''] = split(ref, '#');
  const [name = '', tag = ''] = split(named, '@');
  return { name, tag, os };
}

/** The platform pulls `latest` every time, because its content changes; other tags are trusted to stay. */
export function defaultPullPolicy(ref: string): 'Always' | 'IfNotPresent' {
  return imageNameOf(ref).tag === 'latest' ? 'Always' : 'IfNotPresent';
}

/** `/a/b` however it was written: with or without the outer slashes. */
export function cleanPath(path: string): string {
  return `/${path
    .split('/')
    .filter((part) => part !== '')
    .join('/')}`;
}

export function joinPath(folder: string, name: string): string {
  return cleanPath(`${folder}/${name}`);
}

/** Whether a path is `folder` or lies below it; both have to be clean. */
export function isWithin(path: string, folder: string): boolean {
  return folder === '/' || path === folder || path.startsWith(`${folder}/`);
}

function split(text: string, mark: string): readonly string[] {
  const at = text.lastIndexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
