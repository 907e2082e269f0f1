/**
 * Goal and method as in etcd-operator-docs.test.ts, for docs/etcd-backup.md: a person carries out the disaster rehearsal of
 * the page word for word, on a cluster of real etcd processes. The address of the cluster stands for a forwarded port.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MetricRegistry } from '@ecsm/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Entrance } from '../examples/etcd/entrance.mjs';
import { World } from '../examples/etcd/world.mjs';
import { findKubectl } from '../packages/apiserver/test/kubectl.kit.ts';
import { expectGolden } from '../packages/command-line/src/command/golden.kit.ts';
import {
  backupEventReasons,
  backupReasons,
  restoreEventReasons,
  restoreReasons,
} from '../packages/etcd-operator/src/apis/backup-reasons.ts';
import { EtcdBackup } from '../packages/etcd-operator/src/apis/etcd-backup.ts';
import { EtcdRestore } from '../packages/etcd-operator/src/apis/etcd-restore.ts';
import { etcdBinaries, skipWithoutRelease } from '../packages/etcd-operator/src/client/etcd/binaries.kit.ts';
import { BackupMetricsClient } from '../packages/etcd-operator/src/client/metrics/backup-client.ts';
import { startProgram } from '../packages/etcd-operator/test/program.kit.ts';
import { blocksOf, readDocument, root } from './documents.kit.ts';
import { describedMetricRows, reasonRows, shell, specRows, statusRows, withTables } from './etcd-docs.kit.ts';

const path = 'docs/etcd-backup.md';
const page = readDocument(path);

describe(path, () => {
  it('has the tables of the code', () => {
    const isTemplate = ([field = '']: readonly string[]) => field.startsWith('`spec.clusterTemplate.');
    const metrics = new MetricRegistry();
    const values = { lastSuccessMs: 1, sizeBytes: 1, durationSeconds: 1, rehearsalMs: 1, isRehearsalPassed: true };
    new BackupMetricsClient(metrics).set({ namespace: 'default', backup: 'nightly' }, values);
    const tables = {
      '## Fields of EtcdBackup': specRows(EtcdBackup.spec),
      '### Status of EtcdBackup': statusRows(EtcdBackup.status),
      '## Fields of EtcdRestore': specRows(EtcdRestore.spec).filter((row) => !isTemplate(row)),
      '### Status of EtcdRestore': statusRows(EtcdRestore.status),
      '## Reasons of EtcdBackup': reasonRows(backupReasons),
      '### Events of EtcdBackup': reasonRows(backupEventReasons),
      '## Reasons of EtcdRestore': reasonRows(restoreReasons),
      '### Events of EtcdRestore': reasonRows(restoreEventReasons),
      '## Metrics of backups': describedMetricRows(metrics),
    };
    expectGolden(pathToFileURL(join(root, path)), withTables(page, tables));
    expect(Object.values(tables).every((rows) => rows.length > 3)).toBe(true);
  });
});

const timeoutMs = 600_000;
const kubectl = findKubectl();

describe.skipIf(skipWithoutRelease('3.5') || kubectl === undefined)('the commands of docs/etcd-backup.md', () => {
  let directory: string;
  let world: World;
  let operator: ReturnType<typeof startProgram>;
  const entrance = new Entrance();
  let endpoint = '';
  const found = etcdBinaries('3.5');
  const version = found.directory === undefined ? '' : found.version;
  const onThisMachine = (text: string) => text.replace(/v3\.5\.\d+/g, `v${version}`);

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'etcd-backup-docs-'));
    const binaries = (image: string) => (image.startsWith('etcd-operator:') ? join(root, 'bin') : found.directory);
    world = await World.start({ directory, port: 0, binaries, nssWrapper: undefined });
    operator = startProgram(['--kubeconfig', world.kubeconfig, '--listen', 'off', '--health-seconds', '1']);
    const isMember = ({ name, pid }: { name: string; pid?: number }) => /^main-\d+$/.test(name) && pid !== undefined;
    const addresses = () =>
      world
        .pods()
        .filter(isMember)
        .map(({ address }: { address: string }) => address);
    endpoint = await entrance.open(0, addresses);
    const pages = [readDocument('docs/etcd-operator.md'), page];
    for (const { text } of pages.flatMap(blocksOf)) {
      const name = /^# ([\w.-]+\.yaml)\n/.exec(text)?.[1];
      if (name !== undefined) writeFileSync(join(directory, name), onThisMachine(text));
    }
  });
  afterAll(async () => {
    operator?.child.kill('SIGTERM');
    await operator?.ended;
    await entrance.close();
    await world?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('carry out the disaster rehearsal, and every key is back', { timeout: timeoutMs }, async () => {
    const volume = () => world.volumeDirectory('backups');
    const paths = [join(root, 'bin'), join(kubectl ?? '', '..'), found.directory, process.env['PATH']];
    const env = {
      PATH: paths.join(':'),
      HOME: directory,
      KUBECONFIG: world.kubeconfig,
      ETCDCTL_ENDPOINTS: endpoint,
      ETCDCTL_CACERT: 'ca.crt',
      ETCDCTL_CERT: 'tls.crt',
      ETCDCTL_KEY: 'tls.key',
    };
    const run = async (line: string) => {
      const command = onThisMachine(line).replaceAll('/mnt/backups', (await volume()) ?? '/mnt/backups');
      const { code, output } = await shell(command, directory, env);
      expect(code, `${command}\n${output}\n${operator.err().slice(-2_000)}`).toBe(0);
      return output;
    };
    // The certificates of the cluster, as the guide says.
    const secret = (key: string) =>
      `kubectl get secret main-client-tls -o jsonpath='{.data.${key.replace('.', '\\.')}}' | base64 -d > ${key}`;
    const connect = async () => {
      for (const key of ['ca.crt', 'tls.crt', 'tls.key']) await run(secret(key));
    };
    await run('kubectl apply -f main.yaml');
    await run('kubectl wait --for=condition=Ready etcd/main --timeout=5m');
    await connect();
    const lines = blocksOf(page).flatMap(({ language, text }) => (language === 'sh' ? text.trimEnd().split('\n') : []));
    expect(lines.length).toBeGreaterThan(20);
    const outputs = new Map<string, string>();
    for (const line of lines) {
      if (line.startsWith('etcdctl get')) await connect();
      outputs.set(line, await run(line));
    }
    expect(outputs.get('etcdctl get --prefix orbit/')).toBe('orbit/altitude\n547\norbit/inclination\n97.6\n');
    expect(outputs.get('etcd-operator backup list /mnt/backups')).toContain('default');
  });
});
