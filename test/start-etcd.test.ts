/** The demonstration of the etcd operator: it shows its progress, its commands work, and nothing is left of it. */
import { type ChildProcess, execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify, stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { findReleases, upgradeFrom } from '../examples/etcd/releases.mjs';
import { activity, clusterLines, hintLines } from '../examples/etcd/view.mjs';
import { rowsOf, Screen } from '../examples/quickstart/screen.mjs';
import { painter } from '../examples/quickstart/view.mjs';
import { findKubectl } from '../packages/apiserver/test/kubectl.kit.ts';
import { type RunOptions, root, run } from './documents.kit.ts';

const start = 'examples/etcd/start.mjs';
const timeoutMs = 300_000;
const directoryIn = (output: string) => /\S*\/etcd-start-\w+/.exec(output)?.[0] ?? '';
const processesIn = (output: string) =>
  [...output.matchAll(/process (\d+)|kill -9 (\d+)/g)].map(([, one, other]) => Number(one ?? other));
const isAlive = (id: number) => existsSync(`/proc/${id}`);

function expectNothingLeft(output: string): void {
  expect(directoryIn(output)).not.toBe('');
  expect(existsSync(directoryIn(output))).toBe(false);
  expect(processesIn(output).length).toBeGreaterThanOrEqual(2);
  expect(processesIn(output).filter(isAlive)).toEqual([]);
  expect(output).toContain('Stopped. Temporary files are removed.');
}

/** Acts once, because a second signal would kill a program that is stopping. */
function after(text: string, act: (child: ChildProcess) => void): NonNullable<RunOptions['onOutput']> {
  let done = false;
  return (soFar, child) => {
    if (done || !soFar.includes(text)) return;
    done = true;
    act(child);
  };
}

const releases = await findReleases();
const isMissing = releases.length === 0 && process.env['CI'] !== 'true';
if (isMissing) process.stderr.write('skipped: there is no etcd 3.5, and make test could not fetch it\n');

describe.skipIf(isMissing)('make start-etcd', () => {
  it('creates a cluster without a terminal, repairs failures, and exits', { timeout: timeoutMs }, async () => {
    const { code, output } = await run(process.execPath, [start], { timeoutMs });
    expect(code, output).toBe(0);
    expect(output).toMatch(/^Three members serve after /m);
    expect(output).toMatch(/^It serves again after /m);
    expect(output).toMatch(/^It is replaced by a new member after /m);
    expect(output).not.toContain('\u001b');
    const directory = directoryIn(output);
    expect(output.split('\n').filter((line) => line.length > 80 && !line.includes(directory))).toEqual([]);
    expectNothingLeft(output);
  });

  it('stops cleanly when it is interrupted', { timeout: timeoutMs }, async () => {
    const onOutput = after('AddMember main-1', (child) => child.kill('SIGTERM'));
    const { code, output } = await run(process.execPath, [start], { timeoutMs, onOutput });
    expect(code, output).toBe(0);
    expect(output).not.toContain('Three members serve');
    expectNothingLeft(output);
  });

  /** See tour.test.ts, also for the `exec`. */
  const hasTerminal = spawnSync('script', ['--version']).status === 0 && findKubectl() !== undefined;

  it.skipIf(!hasTerminal)('shows a live view, and commands that work', { timeout: timeoutMs }, async () => {
    const answers: string[] = [];
    let isSent = false;
    const { code, output } = await run('script', ['-qefc', `exec ${process.execPath} ${start}`, '/dev/null'], {
      timeoutMs,
      onOutput: (soFar, child) => {
        const now = stripVTControlCharacters(soFar.slice(soFar.lastIndexOf('etcd/main  ')));
        if (isSent || !/^etcd\/main {2}Running {2}3\/3 ready.*Ctrl-C stops/s.test(now)) return;
        isSent = true;
        const shown = ['kubectl get', 'etcdctl put', 'kubectl apply', 'kubectl scale'];
        const commands = shown.map((part) => shownCommand(now, part));
        commands.push('kubectl wait --for=condition=Complete etcdbackup/quick --timeout=2m');
        void inShell(shownCommand(now, '. /'), commands)
          .then(
            (answer) => answers.push(answer),
            (error) => answers.push(String(error)),
          )
          .finally(() => child.stdin?.write('\u0003'));
      },
    });
    expect(code, output).toBe(0);
    const [answer = ''] = answers;
    expect(answer, output).toMatch(/^etcdcluster\.etcd\.ecsm\.sh\/main +Running +3 +3 /m);
    expect(answer).toMatch(/^pod\/main-2 +1\/1 +Running/m);
    expect(answer).toMatch(/^persistentvolumeclaim\/data-main-2 +Bound/m);
    expect(answer).toContain('OK\ngreeting\nhello\n');
    expect(answer).toContain('etcdbackup.etcd.ecsm.sh/quick condition met');
    expect(answer).toContain('etcdcluster.etcd.ecsm.sh/main scaled');
    expectNothingLeft(stripVTControlCharacters(output));
  });
});

it('says what is missing without etcd', async () => {
  const env = { PATH: '/nonexistent', HOME: '/nonexistent', ETCD_START_TOOLS: '/nonexistent' };
  const { code, output } = await run(process.execPath, [start], { env });
  expect(output).toMatch(/^There is no etcd 3\.5 or newer on this machine.*\n.*\.tools\/etcd-3\.5/);
  expect(code).toBe(1);
});

function shownCommand(screen: string, part: string): string {
  const lines = screen.split(/\r?\n/).map((line) => line.trim());
  return lines.find((line) => line.startsWith(part)) ?? 'false';
}

async function inShell(first: string, commands: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('/bin/sh', ['-ec', [first, ...commands].join('\n')], { cwd: root });
  return stdout;
}

describe('the view', () => {
  const plain = painter(false);
  const members = [
    { name: 'main-0', id: 'a', ready: true, role: 'leader', version: '3.5.16', dbSizeBytes: 20_480 },
    { name: 'main-1', id: 'b', ready: false, message: `etcd ${'x'.repeat(100)}` },
  ];
  const cluster = {
    metadata: { name: 'main', generation: 1 },
    spec: { size: 3, version: 'v3.5.16' },
    status: {
      observedGeneration: 1,
      phase: 'Creating',
      readyReplicas: 1,
      currentVersion: '3.5.16',
      members,
      operation: { type: 'AddMember', slot: 1 },
      conditions: [{ type: 'Progressing', status: 'True', reason: 'Scaling', message: 'promote: main-1 is in sync' }],
    },
  };
  const pods = [{ name: 'main-0', pid: 17, restartCount: 2 }];

  it('shows members with their processes and what the operator is doing', () => {
    const lines = clusterLines(cluster, pods, plain);
    expect(lines.slice(0, 5)).toEqual([
      'etcd/main  Creating  1/3 ready  etcd 3.5.16',
      '  AddMember main-1: promote: main-1 is in sync',
      '',
      'MEMBER  ROLE    VERSION  DATABASE  PROCESS  RESTARTS  STATE',
      'main-0  leader  3.5.16   20 KiB    17       2         serves',
    ]);
    expect(lines[5]).toMatch(/^main-1 .* etcd x+…$/);
    expect(lines.filter((line: string) => line.length > 80)).toEqual([]);
  });

  it('shows a message as far as the terminal is wide', () => {
    expect(clusterLines(cluster, pods, plain, 200)[5]).toMatch(/^main-1 .* etcd x{100}$/);
    const narrow = clusterLines(cluster, pods, plain, 40);
    expect(narrow.filter((line: string) => line.length > 40)).toEqual([]);
  });

  it('offers to kill a member only if one serves', () => {
    const files = { environment: '/tmp/env', backup: '/tmp/backup.yaml' };
    const of = (running: object, all: object[]) =>
      hintLines(running, all, { ...files, upgrade: undefined }, plain).join('\n');
    expect(of(cluster, pods)).not.toMatch(/kill|delete/);
    const follower = { name: 'main-1', id: 'b', ready: true, role: 'follower' };
    const serving = { ...cluster, status: { ...cluster.status, members: [follower] } };
    const hints = of(serving, [{ name: 'main-1', pid: 18, restartCount: 0 }]);
    expect(hints).toContain('kill -9 18    # main-1: ');
    expect(hints).toContain('kubectl delete pvc/data-main-1 pod/main-1 ');
    expect(rowsOf(hints.split('\n'), 80)).toBe(hints.split('\n').length);
  });

  it('shows no pods of backups and of other clusters', () => {
    const others = [...pods, { name: 'first-backup', pid: 18 }, { name: 'main-copy-0', pid: 19 }];
    expect(clusterLines(cluster, others, plain)).toEqual(clusterLines(cluster, pods, plain));
  });

  it('says why a new cluster has no members yet', () => {
    expect(activity({ ...cluster, status: undefined })).toBe('its newest spec has not been observed yet');
  });

  it('offers an upgrade only if there is a release', () => {
    const files = { environment: '/tmp/env', backup: '/tmp/backup.yaml' };
    const hints = (upgrade?: string) => hintLines(cluster, pods, { ...files, upgrade }, plain).join('\n');
    expect(hints('3.5.35')).toContain(`--type=merge -p '{"spec":{"version":"v3.5.35"}}'`);
    expect(hints()).not.toContain('--type=merge');
  });

  it.each([
    ['3.5.16', '3.5.35'],
    ['3.5.35', '3.6.16'],
    ['3.6.16', undefined],
  ])('upgrades %s to %s', (from, to) => {
    const found = ['3.5.16', '3.5.35', '3.6.16'].map((version) => ({ version, directory: '' }));
    expect(upgradeFrom(from, found)).toBe(to);
  });
});

describe('the screen', () => {
  const drawn = (columns: number, rows: number, ...views: string[][]) => {
    const written: string[] = [];
    const screen = new Screen({ columns, rows, write: (text: string) => written.push(text) });
    for (const view of views) screen.draw(view);
    return written;
  };

  it('overwrites all rows of lines that the terminal has wrapped', () => {
    const [, second] = drawn(80, 24, ['\u001b[1mone\u001b[22m', 'x'.repeat(80), 'y'.repeat(161)], ['two']);
    expect(second).toBe(`${'\u001b[1A\u001b[2K'.repeat(5)}\rtwo\n`);
  });

  it('leaves out lines for which the terminal has no rows', () => {
    expect(drawn(80, 4, ['one', 'x'.repeat(81), 'three'])).toEqual([`\rone\n${'x'.repeat(81)}\n`]);
  });

  it('writes nothing if nothing has changed', () => {
    expect(drawn(80, 24, ['one'], ['one'])).toEqual(['\rone\n']);
  });
});
