/**
 * The format of a backup: UTF-8 text with one JSON object per line, so that it can be read and searched.
 *
 *     {"format":"ecsm-registry-backup","version":1,"revision":42,"time":"2026-11-16T02:00:00Z","sum":"…"}
 *     {"key":"example.io/v1/widgets/default/a","created":3,"revision":9,"value":{…},"sum":"…"}
 *     {"end":true,"objects":1,"damaged":0,"sum":"…"}
 *
 * Objects are in ascending order of their keys. A value that would not have the same bytes after parsing and formatting
 * it as JSON is stored as `"base64":"…"` instead of `"value"`.
 *
 * `sum` is the SHA-256, in base64, of the sum of the previous line (empty for the first) and this line up to `,"sum"`.
 * So the first line that was changed, lost or moved is detected when it is read, and the last sum covers everything.
 */
import type { Entry, Revision } from '../store/contract.ts';
import { limits } from '../store/contract.ts';
import { nextSum } from './digest.ts';

export const backupFormat = 'ecsm-registry-backup';
export const backupVersion = 1;

/** A value may be a third larger in base64, and up to 1.5 MiB in etcd. */
export const lineBytesMax = 4 * limits.commitBytesMax;

export interface BackupHeader {
  /** The backup is the registry as of this revision. */
  readonly revision: Revision;
  /** When it was started, in RFC 3339. */
  readonly time: string;
}

export interface BackupSummary extends BackupHeader {
  readonly objects: number;
  /** Of values. */
  readonly bytes: number;
  /** Damaged records that were left out. */
  readonly damaged: number;
  /** The sum of the last line, which covers the whole backup: two backups with the same sum are equal. */
  readonly sum: string;
}

const sumOpening = ',"sum":"';
const sumPattern = /^,"sum":"([A-Za-z0-9+/]{43}=)"\}$/u;
const tailBytes = sumOpening.length + 44 + '"}'.length;

/** Formats lines, each with its sum. */
export class LineWriter {
  sum = '';

  header({ revision, time }: BackupHeader): Buffer {
    return this.line({ format: backupFormat, version: backupVersion, revision, time });
  }

  record({ key, created, revision, value }: Entry): Buffer {
    const text = plainJson(value);
    const head = JSON.stringify({ key, created, revision }).slice(0, -1);
    return this.#sealed(
      text === undefined ? `${head},"base64":"${Buffer.from(value).toString('base64')}"` : `${head},"value":${text}`,
    );
  }

  footer(objects: number, damaged: number): Buffer {
    return this.line({ end: true, objects, damaged });
  }

  /** Any line. */
  line(fields: object): Buffer {
    return this.#sealed(JSON.stringify(fields).slice(0, -1));
  }

  #sealed(body: string): Buffer {
    const bytes = Buffer.from(body);
    this.sum = nextSum(this.sum, bytes);
    return Buffer.concat([bytes, Buffer.from(`${sumOpening}${this.sum}"}\n`)]);
  }
}

/** Splits a line into its body and its sum; returns undefined if it does not end in a sum. */
export function unseal(line: Buffer): { readonly body: Buffer; readonly sum: string } | undefined {
  const cut = line.byteLength - tailBytes;
  const sum = cut < 0 ? undefined : sumPattern.exec(line.toString('latin1', cut))?.[1];
  return sum === undefined ? undefined : { body: line.subarray(0, cut), sum };
}

const strictText = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the text of a value if parsing and formatting it as JSON gives the same bytes. */
function plainJson(value: Uint8Array): string | undefined {
  try {
    const text = strictText.decode(value);
    return JSON.stringify(JSON.parse(text)) === text ? text : undefined;
  } catch {
    return undefined;
  }
}
