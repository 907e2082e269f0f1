/**
 * Goal and method as in docs.test.ts, for docs/etcd-operator.md. Its tables are generated from the code; `GOLDEN=write`
 * updates the page. Its commands for Kubernetes are run in order, on our API server with a node that runs processes.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MetricRegistry } from '@ecsm/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { World } from '../examples/etcd/world.mjs';
import { findKubectl } from '../packages/apiserver/test/kubectl.kit.ts';
import { expectGolden } from '../packages/command-line/src/command/golden.kit.ts';
import { flagMeaningOf, flagsOf, flagUsageOf } from '../packages/command-line/src/command/usage.ts';
import { EtcdCluster } from '../packages/etcd-operator/src/apis/etcd-cluster.ts';
import { conditionReasons, conditionTypes, eventReasons } from '../packages/etcd-operator/src/apis/reasons.ts';
import { etcdBinaries, skipWithoutRelease } from '../packages/etcd-operator/src/client/etcd/binaries.kit.ts';
import { MetricsClient } from '../packages/etcd-operator/src/client/metrics/client.ts';
import { program } from '../packages/etcd-operator/src/program/program.ts';
import { startProgram } from '../packages/etcd-operator/test/program.kit.ts';
import { type Block, blocksOf, readDocument, root } from './documents.kit.ts';
import {
  code,
  describedMetricRows,
  type Rows,
  reasonRows,
  shell,
  specRows,
  statusRows,
  withTables,
} from './etcd-docs.kit.ts';
import { fieldRows } from './tables.kit.ts';

const path = 'docs/etcd-operator.md';
const page = readDocument(path);

describe(path, () => {
  it('has the tables of the code', () => {
    const tables: Readonly<Record<string, Rows>> = {
      '## Fields': specRows(EtcdCluster.spec),
      '## Status': statusRows(EtcdCluster.status),
      '## Conditions': Object.entries(conditionTypes),
      '### Reasons': reasonRows(conditionReasons),
      '### Events': reasonRows(eventReasons),
      '## Options': flagsOf(program, []).map((flag) => [
        code(flagUsageOf(flag)),
        code(flag.variable ?? ''),
        code(flag.key ?? ''),
        flagMeaningOf(flag),
      ]),
      '## Metrics': metrics(),
    };
    expectGolden(pathToFileURL(join(root, path)), withTables(page, tables));
    expect(Object.values(tables).every((rows) => rows.length > 3 && rows.every((row) => row.at(-1) !== ''))).toBe(true);
  });

  it('names only options, conditions, reasons and fields that exist', () => {
    const prose = page.replace(/^```.*?^```$/gms, '').replace(/^\|.*\n/gm, '');
    const named = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text);
    const flags = flagsOf(program, []).map(({ name }) => name);
    const options = named.flatMap((text) => /^--([a-z-]+)/.exec(text)?.[1] ?? []);
    expect(options.filter((name) => !flags.includes(name))).toEqual([]);
    const reasons = named.filter((text) => /^[A-Z][a-z]+[A-Z]\w+$/.test(text) && text !== EtcdCluster.kind);
    expect(reasons.length).toBeGreaterThan(8);
    expect(reasons.filter((reason) => !Object.hasOwn({ ...conditionTypes, ...conditionReasons }, reason))).toEqual([]);
    const fields = fieldRows(EtcdCluster.spec, '').map(([field = '']) => field.slice(1));
    const paths = named.filter((text) => /^(storage|etcd|security|retentionPolicy)\.\w+(?!.*\/)/.test(text));
    const isKnown = (text: string) => fields.some((field) => `.${field}`.endsWith(`.${text.replace(/:.*/, '')}`));
    expect(paths.filter((text) => !isKnown(text))).toEqual([]);
  });
});

function metrics(): string[][] {
  const registry = new MetricRegistry();
  const client = new MetricsClient(registry);
  const of = { namespace: 'default', cluster: 'main' };
  const sizes = { dbSizeBytes: 1, quotaUsedRatio: 0.1, certificateExpiryMs: 1 };
  client.set(of, { hasLeader: true, members: 3, membersHealthy: 3, ...sizes });
  client.acted(of, 'promote', true, 1);
  return describedMetricRows(registry);
}

const timeoutMs = 400_000;
const kubectl = findKubectl();

describe.skipIf(skipWithoutRelease('3.5') || kubectl === undefined)('the commands of docs/etcd-operator.md', () => {
  let directory: string;
  let world: World;
  let operator: ReturnType<typeof startProgram>;
  const found = etcdBinaries('3.5');
  const version = found.directory === undefined ? '' : found.version;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'etcd-docs-'));
    world = await World.start({ directory, port: 0, binaries: () => found.directory, nssWrapper: undefined });
    operator = startProgram(['--kubeconfig', world.kubeconfig, '--listen', 'off', '--health-seconds', '1']);
    for (const { text } of blocksOf(page)) {
      const name = /^# ([\w.-]+\.yaml)\n/.exec(text)?.[1];
      if (name !== undefined) writeFileSync(join(directory, name), onThisMachine(text));
    }
  });
  afterAll(async () => {
    operator?.child.kill('SIGTERM');
    await operator?.ended;
    await world?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  /** One release is there for certain, so an upgrade is one to the same version. */
  const onThisMachine = (text: string) => text.replace(/(v?)3\.[56]\.\d+/g, `$1${version}`);

  /** What deletes the cluster comes last. */
  const blocksInOrder = () => {
    const isLast = ({ line }: Block) => {
      const above = page.split('\n').slice(0, line);
      return ['### Delete', '### Volumes exist'].includes(above.findLast((text) => text.startsWith('#')) ?? '');
    };
    const blocks = blocksOf(page);
    return [...blocks.filter((block) => !isLast(block)), ...blocks.filter(isLast)];
  };

  it('work on a cluster of real etcd processes, in their order', { timeout: timeoutMs }, async () => {
    const lines = blocksInOrder().flatMap(({ language, text }) =>
      language === 'sh' ? text.trimEnd().split('\n') : [],
    );
    const others = lines.filter((line) => !line.startsWith('kubectl '));
    expect(others.filter((line) => !/^(make|docker) /.test(line))).toEqual([]);
    const commands = lines.filter((line) => line.startsWith('kubectl '));
    const path = `${join(kubectl ?? '', '..')}:${process.env['PATH']}`;
    const env = { PATH: path, HOME: directory, KUBECONFIG: world.kubeconfig };
    expect(commands.length).toBeGreaterThan(20);
    for (const command of commands) {
      const { code: exitCode, output } = await shell(onThisMachine(command), directory, env);
      expect(exitCode, `${command}\n${output}\n${operator.err().slice(-2_000)}`).toBe(0);
    }
    expect((await world.clusters.list()).items).toEqual([]);
  });
});
