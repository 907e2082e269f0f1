/** The names of a server: DNS names and IP addresses, as certificates contain them. */
import { ApiError } from '@ecsm/runtime';

const dnsName = /^(?=.{1,253}$)(\*\.)?[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** The bytes of an IPv4 or IPv6 address. Returns undefined if it is not an address. */
export function addressBytes(text: string): Buffer | undefined {
  return ipv4Bytes(text) ?? ipv6Bytes(text);
}

function ipv4Bytes(text: string): Buffer | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)) {
    return undefined;
  }
  return Buffer.from(parts.map(Number));
}

function ipv6Bytes(text: string): Buffer | undefined {
  if (!text.includes(':')) return undefined;
  // The last 32 bits may be written as an IPv4 address.
  const tail = text.slice(text.lastIndexOf(':') + 1);
  const embedded = ipv4Bytes(tail);
  const plain = embedded
    ? `${text.slice(0, -tail.length)}${embedded.readUInt16BE(0).toString(16)}:${embedded.readUInt16BE(2).toString(16)}`
    : text;
  const halves = plain.split('::');
  if (halves.length > 2) return undefined;
  const [head = [], rest] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - head.length - (rest?.length ?? 0);
  if (rest === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = rest === undefined ? head : [...head, ...Array<string>(missing).fill('0'), ...rest];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  const bytes = Buffer.alloc(16);
  for (const [index, group] of groups.entries()) bytes.writeUInt16BE(Number.parseInt(group, 16), index * 2);
  return bytes;
}

/** In lower case and without duplicates. Throws `BadRequest` for what is neither a DNS name nor an address. */
export function serverNames(names: readonly string[]): string[] {
  const all = names.map((name) => name.toLowerCase());
  const wrong = all.find((name) => addressBytes(name) === undefined && !dnsName.test(name));
  if (wrong !== undefined) {
    throw new ApiError('BadRequest', { reason: `"${wrong}" is neither a DNS name nor an IP address` });
  }
  return [...new Set(all)];
}
