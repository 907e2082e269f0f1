/**
 * Reads the XML that S3 answers with: elements with text. Attributes, namespaces and declarations are skipped, and
 * nothing is fetched or expanded. Bytes that are not XML give no elements.
 */
interface XmlElement {
  readonly name: string;
  /** Decoded, of this element without its children. */
  readonly text: string;
  readonly children: readonly XmlElement[];
}

interface OpenElement extends XmlElement {
  text: string;
  readonly children: XmlElement[];
}

/** Elements within each other; S3's answers have four. */
const depthMax = 16;
/** Stops at the next `<` in any case, so that it takes linear time. */
const token = /<\/[^<>]*>|<[?!][^<>]*>|<([^\s/<>]+)([^<>]*)>|([^<]+)/g;

/** Returns the outermost element, or undefined if there is none or it is not complete. */
export function parseXml(text: string): XmlElement | undefined {
  const top: OpenElement = { name: '', text: '', children: [] };
  const open: OpenElement[] = [top];
  for (const [all, name, rest, characters] of text.matchAll(token)) {
    const current = open.at(-1) ?? top;
    if (characters !== undefined) current.text += decoded(characters);
    else if (name !== undefined) {
      const element: OpenElement = { name: name.replace(/^.*:/, ''), text: '', children: [] };
      current.children.push(element);
      if (!rest?.endsWith('/')) open.push(element);
      if (open.length > depthMax) return undefined;
    } else if (all.startsWith('</') && open.length > 1) open.pop();
  }
  return open.length === 1 ? top.children[0] : undefined;
}

export function childrenOf(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

/** The text of the first child of that name, without spaces around it; empty if there is none. */
export function textOf(element: XmlElement | undefined, name: string): string {
  return rawTextOf(element, name).trim();
}

/** With spaces around it: keys may start or end with one. */
export function rawTextOf(element: XmlElement | undefined, name: string): string {
  return childrenOf(element, name)[0]?.text ?? '';
}

/** For the body of a request. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decoded(text: string): string {
  return text.replace(/&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|([a-z]+));/g, (all, hexadecimal, decimal, name) => {
    if (name !== undefined) return entities[name] ?? all;
    const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}
