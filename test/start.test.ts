/** The quickstart runs on any machine, shows its progress, and removes everything that it creates. */
import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  commandLines,
  eventLines,
  eventsThatFit,
  isDone,
  painter,
  serviceTable,
} from '../examples/quickstart/view.mjs';
import { foreignEnvironment, type RunOptions, run } from './documents.kit.ts';

const start = 'examples/quickstart/start.mjs';
const directoryIn = (output: string) => /\S*\/ecsm-start-\w+/.exec(output)?.[0].replace(/^sqlite:/, '') ?? '';
const processesIn = (output: string) => [...output.matchAll(/process (\d+)/g)].map(([, id]) => Number(id));
const isAlive = (id: number) => {
  try {
    process.kill(id, 0);
    // A process that has ended and has no parent that waits for it, as in a container, is a zombie.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${id}/status`, 'utf8'));
  } catch {
    return false;
  }
};

function expectNothingLeft(output: string): void {
  expect(directoryIn(output)).not.toBe('');
  expect(existsSync(directoryIn(output))).toBe(false);
  expect(processesIn(output)).toHaveLength(2);
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

it('becomes ready without a terminal, repairs failures, and exits', async () => {
  const { code, output } = await run(process.execPath, [start]);
  expect(code, output).toBe(0);
  for (const name of ['camera', 'gateway', 'telemetry', 'thermal', 'worker']) {
    expect(output).toMatch(new RegExp(`^ {2}${name} +(\\d)/\\1 .* Available$`, 'm'));
  }
  expect(output).toMatch(/All services are ready after/);
  expect(output).toMatch(/restarted after/);
  expect(output).toMatch(/recreated after/);
  expect(output).not.toContain('\u001b');
  const directory = directoryIn(output);
  expect(output.split('\n').filter((line) => line.length > 80 && !line.includes(directory))).toEqual([]);
  expectNothingLeft(output);
});

it('stops cleanly when it is interrupted', async () => {
  const { code, output } = await run(process.execPath, [start], {
    onOutput: after('telemetry created', (child) => child.kill('SIGTERM')),
  });
  expect(code, output).toBe(0);
  expect(output).not.toContain('All services are ready');
  expectNothingLeft(output);
});

it('uses other ports if the default ones are in use', async () => {
  const holders = await Promise.all([3001, 8090].map(hold));
  try {
    const { code, output } = await run(process.execPath, [start], {
      onOutput: after('camera created', (child) => child.kill('SIGINT')),
    });
    expect(code, output).toBe(0);
    expect(output).toMatch(/^Platform {3}http:\/\/127\.0\.0\.1:(?!3001)\d+ /m);
    expect(output).toMatch(/^Operator {3}http:\/\/127\.0\.0\.1:(?!8090)\d+\//m);
    expectNothingLeft(output);
  } finally {
    for (const one of holders) one?.close();
  }
});

/** Waits for a port that another test has for seconds. One that stays in use is in use for this test, too. */
async function hold(port: number): Promise<Server | undefined> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const server = createServer().listen({ port, host: '127.0.0.1' });
    const isHeld = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (isHeld) return server;
    await sleep(100);
  }
  return undefined;
}

it('leaves nothing behind when its output is closed, as by a closed terminal', async () => {
  for (const text of ['telemetry created', 'All services', 'Platform ']) {
    const { output } = await run(process.execPath, [start], {
      onOutput: after(text, (child) => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }),
    });
    expect(existsSync(directoryIn(output))).toBe(false);
    expect(processesIn(output).filter(isAlive)).toEqual([]);
  }
});

it('removes what a killed run has left behind', async () => {
  const { output: killed } = await run(process.execPath, [start], {
    onOutput: after('telemetry created', (child) => child.kill('SIGKILL')),
  });
  expect(processesIn(killed).filter(isAlive)).toHaveLength(2);
  const { code, output } = await run(process.execPath, [start], {
    onOutput: after('telemetry created', (child) => child.kill('SIGHUP')),
  });
  expect(code, output).toBe(0);
  expect(output).toContain(`Removed ${directoryIn(killed)}, which a killed run had left.`);
  expect(processesIn(killed).filter(isAlive)).toEqual([]);
  expect(existsSync(directoryIn(killed))).toBe(false);
  expectNothingLeft(output.replace(/^Removed .*/gm, ''));
});

/** See tour.test.ts, also for the `exec`. */
const hasTerminal = spawnSync('script', ['--version']).status === 0;

it.skipIf(!hasTerminal)('shows a live table, and commands that work for a user of another cluster', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ecsm-foreign-'));
  const env = foreignEnvironment(directory);
  const problems: unknown[] = [];
  const ran: string[] = [];
  let isTried = false;
  const { code, output } = await run('script', ['-qefc', `exec ${process.execPath} ${start}`, '/dev/null'], {
    env,
    onOutput: (soFar, child) => {
      const now = stripVTControlCharacters(soFar.slice(soFar.lastIndexOf('NAME ')));
      if (isTried || (now.match(/Available/g) ?? []).length !== 5 || !now.includes('/restore')) return;
      isTried = true;
      runShownCommands(now, env, ran)
        .catch((error) => problems.push(error))
        .finally(() => interrupt(child));
    },
  });
  rmSync(directory, { recursive: true });
  expect(problems, output).toEqual([]);
  expect(ran.map((command) => /bin\/(ecsm\S* \w+)/.exec(command)?.[1])).toEqual([
    'ecsm-sim call',
    'ecsm-sim call',
    'ecsmctl set',
    'ecsmctl rollout',
    'ecsm-sim call',
    'ecsm-sim call',
  ]);
  expect(code, output).toBe(0);
  const screens = stripVTControlCharacters(output);
  expect(screens).toMatch(/telemetry +3\/3 +3 +Dynamic +telemetry@2\.0\.0#sylixos/);
  expect(screens).toContain('RolloutStep');
  expectNothingLeft(output);
});

function interrupt(child: ChildProcess): void {
  child.stdin?.write('\u0003');
}

/** Runs the commands that the screen shows, in their order, and adds each to `ran`. Rejects at the first that fails. */
async function runShownCommands(screen: string, env: Readonly<Record<string, string>>, ran: string[]): Promise<void> {
  const lines = screen.replace(/ \\\r?\n +/g, ' ').split(/\r?\n/);
  for (const command of lines.map((line) => line.trim()).filter((line) => /\bbin\/ecsm/.test(line))) {
    const { code, output } = await run('/bin/sh', ['-c', command], { env });
    if (code !== 0) throw new Error(`${command}: ${output}`);
    ran.push(command);
  }
}

describe('the view', () => {
  const plain = painter(false);
  const condition = (type: string, status: string, reason: string) => ({ type, status, reason });
  const service = (status?: object) => ({
    metadata: { name: 'telemetry', generation: 1 },
    spec: { deploymentStrategy: { type: 'Dynamic', replicas: 3 }, template: { image: 'telemetry@1.0.0#sylixos' } },
    ...(status ? { status } : {}),
  });
  const counts = { observedGeneration: 1, replicas: 3, readyReplicas: 3, updatedReplicas: 3 };
  const available = condition('Available', 'True', 'EnoughReady');

  it.each([
    ['new', undefined, '0/3    0           Dynamic   telemetry@1.0.0#sylixos  Pending'],
    ['done', { ...counts, conditions: [available] }, '3/3    3           Dynamic   telemetry@1.0.0#sylixos  Available'],
    [
      'rolling out',
      { ...counts, updatedReplicas: 1, conditions: [available, condition('Progressing', 'True', 'RollingOut')] },
      '3/3    1           Dynamic   telemetry@1.0.0#sylixos  RollingOut',
    ],
    [
      'degraded',
      { ...counts, readyReplicas: 2, conditions: [available, condition('Degraded', 'True', 'CrashLoop')] },
      '2/3    3           Dynamic   telemetry@1.0.0#sylixos  CrashLoop',
    ],
  ])('shows a service that is %s', (_is, status, expected) => {
    expect(serviceTable([service(status)], plain)).toEqual([
      'NAME       READY  UP-TO-DATE  STRATEGY  IMAGE                    STATUS',
      `telemetry  ${expected}`,
    ]);
  });

  it('does not report a service as done after an edit', () => {
    expect(isDone(service({ ...counts, conditions: [available] }))).toBe(true);
    expect(isDone(service({ ...counts, observedGeneration: 0, conditions: [available] }))).toBe(false);
  });

  it('shortens a long event and removes control characters', () => {
    const event = (message: string) => ({
      lastTimestamp: '2026-01-01T12:03:04Z',
      type: 'Normal',
      reason: 'Created',
      involvedObject: { name: 'a' },
      message,
    });
    const [line = ''] = eventLines([event(`\u001b[2J${'x'.repeat(100)}`)], 6, plain);
    expect(line).toHaveLength(80);
    expect(line).toMatch(/^12:03:04 {2}a {10}Created: {2}\[2Jx+…$/);
    const twenty = Array.from({ length: 20 }, (_, index) => event(`number ${index}`));
    const shown = eventLines(twenty, 3, plain).map((one: string) => one.split(' ').at(-1));
    expect(shown).toEqual(['17', '18', '19']);
  });

  it('shows fewer events on a small terminal', () => {
    expect([10, 24, 30, 80].map((rows) => eventsThatFit(rows, 19))).toEqual([2, 4, 8, 8]);
  });

  it('wraps a long command so that a shell accepts it', () => {
    const words = [
      'bin/ecsm-sim',
      'call',
      'POST',
      `/sim/containers/${'x'.repeat(40)}/kill`,
      '--to',
      'http://127.0.0.1:9',
    ];
    const lines = commandLines(words);
    expect(lines.filter((line: string) => line.length > 80)).toEqual([]);
    expect(
      lines
        .join('\n')
        .replace(/ \\\n +/g, ' ')
        .trim(),
    ).toBe(words.join(' '));
  });
});
