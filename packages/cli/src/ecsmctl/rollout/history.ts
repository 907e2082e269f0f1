/** `ecsmctl rollout history`: lists the revisions of a service. */

import { type Call, Failure, type Run, UsageError, visible } from '@ecsm/command-line';
import { type ECSMService, ServiceRevision } from '@ecsm/operator/kinds';
import { formatJson, formatYaml } from '../../print/documents.ts';
import { paintOf } from '../../print/paint.ts';
import { formatTable } from '../../print/table.ts';
import { ageOf } from '../shared/columns.ts';
import { fieldAt } from '../shared/fields.ts';
import { wholeNumberOf } from '../shared/numbers.ts';
import { formatOf, printObjects } from '../shared/printing.ts';
import { redactObject, showsValues } from '../shared/secrets.ts';
import { type Session, withSession } from '../shared/session.ts';
import { isOn } from '../shared/targets.ts';
import { imageOf, isWanted, numbersText, revisionsOf, useOf } from './revisions.ts';
import { servicesOf, titleOf } from './targets.ts';

export const run: Run = async (call) => {
  const number = wholeNumberOf(call, 'revision');
  const format = formatOf(call, ['table', 'wide', 'yaml', 'json', 'name']);
  await withSession(call, async (session) => {
    const services = await servicesOf(call, session);
    if (number !== undefined) {
      const [service, second] = services;
      if (second) throw new UsageError('--revision requires a single service');
      if (service) return showOne(call, session, service, number);
    }
    if (format.kind === 'table' || format.kind === 'wide') return showTables(call, session, services);
    const found = await Promise.all(services.map((service) => revisionsOf(session, service)));
    await printObjects(
      call,
      found.flatMap((revisions) => [...revisions].reverse().map((object) => ({ kind: ServiceRevision, object }))),
      { format },
    );
  });
};

async function showTables(call: Call, session: Session, services: readonly ECSMService[]): Promise<void> {
  const { out } = call.terminal;
  let separator = '';
  for (const service of services) {
    const revisions = await revisionsOf(session, service);
    const heading = services.length > 1 ? `${separator}${titleOf(service)}\n` : '';
    if (revisions.length > 0) {
      out.write(`${heading}${tableOf(call, service, revisions)}`);
      separator = '\n';
    }
    noteMissing(call, service, revisions);
    await out.drained();
  }
}

function tableOf(call: Call, service: ECSMService, revisions: readonly ServiceRevision[]): string {
  const { out, clock } = call.terminal;
  return formatTable({
    columns: [
      { name: 'REVISION' },
      { name: 'HASH' },
      { name: 'IMAGE', shrink: true },
      { name: 'AGE' },
      { name: 'STATUS' },
      { name: 'RESTARTED', wide: true },
    ],
    // The newest last, as in kubectl.
    rows: [...revisions].reverse().map((revision) => {
      const { spec, metadata } = revision;
      const use = useOf(service, revision);
      return [
        String(spec.number),
        spec.hash,
        imageOf(revision),
        ageOf(metadata.creationTimestamp, clock.now()),
        use === 'current' ? { text: use, look: 'good' as const } : { text: use, look: 'warn' as const },
        spec.restartedAt ?? '<none>',
      ];
    }),
    columnsMax: out.columns,
    paint: paintOf(out.isColoured),
    headers: !isOn(call, 'no-headers'),
    wide: formatOf(call).kind === 'wide',
  });
}

/** Explains changes that the operator has not recorded yet. */
function noteMissing({ terminal: { err } }: Call, service: ECSMService, revisions: readonly ServiceRevision[]): void {
  const title = titleOf(service);
  if (revisions.length === 0) err.write(`${title} has no revisions yet: the operator has not recorded any\n`);
  else if (!revisions.some((revision) => isWanted(service, revision))) {
    err.write(`${title} has changes that the operator has not recorded yet\n`);
  }
}

async function showOne(call: Call, session: Session, service: ECSMService, number: number): Promise<void> {
  const { out } = call.terminal;
  const format = formatOf(call, ['table', 'yaml', 'json']);
  const revisions = await revisionsOf(session, service);
  const revision = revisions.find(({ spec }) => spec.number === number);
  if (!revision) throw noRevision(service, number, revisions);
  // YAML and JSON were asked for as objects; the default is text.
  const isText = format.kind === 'table' && !showsValues(call, session);
  const template = fieldAt(isText ? redactObject(revision) : revision, 'spec.template');
  if (format.kind === 'json') out.write(formatJson(template));
  else {
    const { hash, restartedAt } = revision.spec;
    const use = useOf(service, revision);
    const notes = [
      hash,
      ...(use === '' ? [] : [use]),
      ...(restartedAt === undefined ? [] : [`restarted ${restartedAt}`]),
    ];
    out.write(
      `# ${titleOf(service)}, revision ${number} (${visible(notes.join(', '))})\n${await formatYaml(template)}`,
    );
  }
  await out.drained();
}

export function noRevision(service: ECSMService, number: number, revisions: readonly ServiceRevision[]): Failure {
  const there = revisions.length === 0 ? 'there are none yet' : `there are ${numbersText(revisions)}`;
  return new Failure(`${titleOf(service)} has no revision ${number}: ${there}`);
}
