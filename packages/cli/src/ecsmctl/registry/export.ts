/**
 * `ecsmctl export [FILE]`: user-written fields of all objects, as manifests for `apply`. Fields that the registry and the
 * operator set are omitted, because they are wrong in another registry.
 */

import { type Call, type Progress, plural, type Run, UsageError, visible } from '@ecsm/command-line';
import type { ApiObject } from '@ecsm/runtime';
import { formatJson, formatYaml, listOf } from '../../print/documents.ts';
import { formatOf } from '../shared/printing.ts';
import type { Session } from '../shared/session.ts';
import { isOn, selectionOf } from '../shared/targets.ts';
import { type UserFields, userFieldsOf } from '../shared/user-fields.ts';
import { secretFileText, withAwaitedSession, withTransfer } from './transfer.ts';

/** Kinds that programs create for their own use. */
const ownKinds = new Set(['Lease', 'Event', 'OperatorIdentity', 'ServiceRevision']);
const pageObjects = 500;

interface Count {
  objects: number;
  /** Objects that are being deleted or owned by other objects. */
  leftOut: number;
}

export const run: Run = async (call) => {
  const { terminal, words } = call;
  const [file = '-'] = words;
  const format = formatOf(call, ['yaml', 'json']).kind === 'json' ? 'json' : 'yaml';
  const isStream = file === '-';
  if (isStream && isOn(call, 'overwrite')) throw new UsageError('--overwrite cannot be used with standard output (-)');
  const count: Count = { objects: 0, leftOut: 0 };
  await withAwaitedSession(call, (session) =>
    withTransfer(call, `the objects of ${session.url}`, async ({ onProgress, above, signal }) => {
      const manifests = manifestsOf(call, session, count, () => {
        signal.throwIfAborted();
        onProgress({ phase: 'reading', objects: count.objects, bytes: 0 });
      });
      const pieces = documentsOf(manifests, format);
      if (isStream) await print(call, pieces, above);
      else await terminal.files.write(file, encoded(pieces), { exclusive: !isOn(call, 'overwrite'), secret: true });
    }),
  );
  report(call, file, count);
};

function report({ terminal: { out, err } }: Call, file: string, { objects, leftOut }: Count): void {
  if (leftOut > 0) err.write(`skipped ${plural(leftOut, 'object')}: being deleted, or owned by other objects\n`);
  if (file !== '-') out.write(`exported ${plural(objects, 'object')} to ${visible(file)}\n`);
  if (objects === 0) {
    if (file === '-') err.write('nothing to export\n');
  } else err.write(file === '-' ? 'the output contains passwords in plain text: protect it\n' : secretFileText(file));
}

/** Reads all namespaces unless `-n` is given. A namespace from a variable or the config file is ignored. */
async function* manifestsOf(
  call: Call,
  { registry, namespace, namespaceFrom, warn }: Session,
  count: Count,
  onPage: () => void,
): AsyncGenerator<unknown, void> {
  const space = namespaceFrom === '--namespace' ? { namespace } : {};
  const kinds = registry.kinds.kinds.filter((one) => !ownKinds.has(one.kind));
  const selection = { ...space, ...selectionOf(call, kinds), limit: pageObjects };
  for (const kind of kinds) {
    let next: { readonly continue?: string } = {};
    do {
      const page = await registry.resource(kind).list({ ...selection, ...next });
      for (const { key, reason } of page.problems) warn(`${key} cannot be read: ${reason}`);
      for (const object of page.items) {
        if (isKept(object)) {
          count.objects++;
          yield manifestOf(object);
        } else count.leftOut++;
      }
      onPage();
      next = page.continue === undefined ? {} : { continue: page.continue };
    } while (next.continue !== undefined);
  }
}

function isKept({ metadata }: ApiObject<unknown, unknown>): boolean {
  return metadata.deletionTimestamp === undefined && (metadata.ownerReferences ?? []).length === 0;
}

/** Omits the finalizers of the operator, which sets them again, and keeps all others. */
function manifestOf(object: ApiObject<unknown, unknown>): UserFields {
  const others = (object.metadata.finalizers ?? []).filter((finalizer) => !finalizer.startsWith('ecsm.sh/'));
  return userFieldsOf(object, others);
}

async function* documentsOf(manifests: AsyncIterable<unknown>, format: 'yaml' | 'json'): AsyncGenerator<string, void> {
  if (format === 'json') {
    const items: unknown[] = [];
    for await (const manifest of manifests) items.push(manifest);
    yield formatJson(listOf(items));
    return;
  }
  let separator = '';
  for await (const manifest of manifests) {
    yield `${separator}${await formatYaml(manifest)}`;
    separator = '---\n';
  }
}

async function print(
  { terminal: { out } }: Call,
  pieces: AsyncIterable<string>,
  above: Progress['above'],
): Promise<void> {
  for await (const piece of pieces) {
    above(() => out.write(piece));
    await out.drained();
  }
}

async function* encoded(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder();
  for await (const piece of pieces) yield encoder.encode(piece);
}
