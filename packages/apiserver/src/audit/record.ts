/**
 * One line of the audit log: who did what to which object, from where, with which response and how long it took. It has
 * the field names of Kubernetes' audit.k8s.io/v1 Event at level Metadata, so that tools for those can read it. It never
 * contains a body, a header, a credential or the values of a query.
 */
import { redactText } from '@ecsm/runtime';

interface AuditedUser {
  readonly name: string;
  readonly groups: readonly string[];
}

export interface AuditRecord {
  /** When the request was received, in milliseconds since the epoch. */
  readonly receivedMs: number;
  readonly durationMs: number;
  /** Unique; the server also returns it in the header `Audit-Id`. */
  readonly auditId: string;
  /** Who sent it. */
  readonly user: AuditedUser;
  /** On whose behalf, if it is another user. */
  readonly impersonatedUser?: AuditedUser;
  readonly verb: string;
  /** The path and query of the request, as received. */
  readonly uri: string;
  /** Undefined for paths such as `/version`. */
  readonly object?: {
    readonly apiGroup: string;
    readonly apiVersion: string;
    readonly resource: string;
    readonly subresource: string;
    readonly namespace: string;
    readonly name: string;
  };
  readonly sourceAddress: string;
  readonly userAgent?: string;
  readonly code: number;
}

const recordLimits = {
  /** Characters of a text; a longer one is cut off. */
  textLengthMax: 1_024,
  groupsMax: 64,
} as const;

/** With a line break at the end. */
export function formatRecord(record: AuditRecord, timestampOf: (timeMs: number) => string): string {
  const { receivedMs, durationMs, auditId, user, verb, object, sourceAddress, userAgent, code, uri } = record;
  const line = {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID: auditId,
    stage: 'ResponseComplete',
    requestURI: safePath(uri),
    verb: short(verb),
    user: userOf(user),
    ...(record.impersonatedUser === undefined ? {} : { impersonatedUser: userOf(record.impersonatedUser) }),
    sourceIPs: [short(sourceAddress)],
    ...(userAgent === undefined ? {} : { userAgent: redactText(short(userAgent)) }),
    ...(object === undefined ? {} : { objectRef: referenceOf(object) }),
    responseStatus: { code },
    requestReceivedTimestamp: timestampOf(receivedMs),
    stageTimestamp: timestampOf(receivedMs + durationMs),
    durationMs,
  };
  return `${JSON.stringify(line)}\n`;
}

function userOf({ name, groups }: AuditedUser): { readonly username: string; readonly groups: readonly string[] } {
  return { username: short(name), groups: groups.slice(0, recordLimits.groupsMax).map(short) };
}

/** Empty parts are left out, as in Kubernetes. */
function referenceOf(object: NonNullable<AuditRecord['object']>): Record<string, string> {
  const parts = Object.entries(object).filter(([, value]) => value !== '');
  return Object.fromEntries(parts.map(([name, value]) => [name, short(value)]));
}

/** Values of a query can be anything, a token too, and so can its names: only that there was one is kept. */
function safePath(uri: string): string {
  const end = uri.search(/[?#]/);
  return end === -1 ? redactText(short(uri)) : `${redactText(short(uri.slice(0, end)))}?…`;
}

function short(text: string): string {
  return text.length <= recordLimits.textLengthMax ? text : `${text.slice(0, recordLimits.textLengthMax)}…`;
}
