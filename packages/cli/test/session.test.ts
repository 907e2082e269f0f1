/**
 * A newcomer's first hour, in one terminal: two programs in the background, two services, something broken by hand and
 * healed, a rollout and the way back, and at the end nothing is left. What is asserted is what a person sees.
 */
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { deliveredPrograms, root } from './programs.kit.ts';
import { hasTerminal, type Seen, Terminal } from './terminal.kit.ts';

const programs = deliveredPrograms();
const { directory, env } = programs;

const ctrlC = '\u0003';
/** The session takes less than one minute. */
const sessionMsMax = 900_000;
const head = /^NAME +READY +STATUS +RESTARTS +UP-TO-DATE +STRATEGY +IMAGE +AGE$/;
const row = (name: string, ready: string) => new RegExp(`^${name} +${ready} `, 'm');

async function openTerminal(): Promise<Terminal> {
  cpSync(join(root, 'examples', 'quickstart'), join(directory, 'fleet'), { recursive: true });
  const terminal = await Terminal.open({ cwd: directory, env });
  onTestFinished(async () => {
    await terminal.close();
    // Only after a failure there are any.
    for (const id of programs.leftOver()) process.kill(id, 'SIGKILL');
  });
  return terminal;
}

/** Whatever was painted to show how far it is, is gone, and the cursor is where it was. */
function expectRestored({ text, isCursorShown }: Seen): void {
  expect(text).not.toContain('waiting for');
  expect(isCursorShown).toBe(true);
}

it.skipIf(!hasTerminal)(
  'a session from the first service to the last',
  async () => {
    const terminal = await openTerminal();
    const type: Terminal['type'] = (line, act) => terminal.type(line, act);
    /** A line that works. */
    const works = async (line: string, act?: () => Promise<void>) => {
      const seen = await type(line, act);
      expect([line, seen.code, seen.isCursorShown], seen.text).toEqual([line, 0, true]);
      return seen;
    };
    /** Watches until the screen shows this, then has enough. */
    const watched = async (line: string, pattern: RegExp) => {
      const seen = await type(line, async () => {
        await terminal.until(pattern);
        terminal.press(ctrlC);
      });
      expect(seen.code).toBe(130);
      // What it was about to show may still come behind it.
      expect(seen.text).toContain('\n^C');
      expectRestored(seen);
      return seen;
    };
    const says =
      (answer: string, ...questions: readonly RegExp[]) =>
      async () => {
        for (const question of questions) {
          await terminal.until(question);
          terminal.press(`${answer}\n`);
        }
      };

    // Start.
    await works('ecsm-sim --listen 127.0.0.1:0 > sim.log 2>&1 &');
    await works('until grep -qs http sim.log; do sleep 0.1; done');
    await works(
      'export ECSM_URL=$(grep -o "http://[0-9.:]*" sim.log) ECSMCLI_URL=$(grep -o "http://[0-9.:]*" sim.log)',
    );
    const unmade = await type('ecsmctl get services');
    expect([unmade.code, unmade.text]).toEqual([
      1,
      `ecsmctl: there is no registry at sqlite:${directory}/.ecsm/registry yet: "ecsmctl apply" creates one\n`,
    ]);
    await works('ecsm-operator --listen off --observe-seconds 1 > operator.log 2>&1 &');
    // Before, apply would create the registry, and both warn that no operator has used it.
    await works('until ecsmctl get services > get.log 2>&1 && ! grep -q warning get.log; do sleep 0.1; done');

    // Apply, and watch it come.
    const applied = await works('ecsmctl apply -f fleet/telemetry.yaml -f fleet/camera.yaml');
    expect(applied.text).toBe('ecsmservice/telemetry created\necsmservice/camera created\n');
    expect((await works('ecsmctl apply -f fleet/telemetry.yaml')).text).toBe('ecsmservice/telemetry unchanged\n');
    const coming = await watched('ecsmctl get services -w', /^(?=.*telemetry +3\/3)(?=.*camera +2\/2)/s);
    expect(coming.text.split('\n')[0]).toMatch(head);
    const ready = await works('ecsmctl get services');
    expect(ready.text).toMatch(row('camera', '2/2'));
    expect(ready.text).toMatch(row('telemetry', '3/3'));
    // Bold heads, green for what is as it should be.
    expect(ready.raw).toContain('\u001b[1mNAME\u001b[22m');
    expect(ready.raw).toContain('\u001b[32m3/3\u001b[39m');
    expect((await works('NO_COLOR=1 ecsmctl get services')).isColoured).toBe(false);
    expect((await works('ecsmctl get services | cat')).isColoured).toBe(false);

    // Stop what the operator owns: it warns, and asks.
    const refused = await type('ecsm-cli stop telemetry', says('n', /\[y\/N\]/));
    expect([refused.code, refused.text.split('\n').at(-2)]).toEqual([1, 'ecsm-cli: nothing was changed']);
    const stopped = await works('ecsm-cli stop telemetry', says('y', /\[y\/N\]/));
    expect(stopped.text).toContain(
      'Warning: service "telemetry" is owned by ECSMService default/telemetry: the operator will revert this change. ',
    );
    expect(stopped.raw).toContain('Instead: ecsmctl scale ecsmservice telemetry -n default --replicas 0');
    expect(stopped.text).toMatch(/Continue\? \[y\/N\] y\nservice\/telemetry stopped\n$/);
    const healing = await watched('ecsmctl get services -w', /telemetry +0\/3.*telemetry +3\/3/s);
    expect(healing.raw).toContain('\u001b[31m0/3\u001b[39m');

    // Delete another one behind the operator's back.
    const before = (await works("ecsm-cli get service camera -o jsonpath='{.id}'")).text.trim();
    const deleted = await works('ecsm-cli delete camera --wait', says('y', /Continue\?/));
    expect(deleted.text).toMatch(/service\/camera deleted\n$/);
    expectRestored(deleted);
    await watched('ecsmctl events -w', /ecsmservice\/camera +1 +recreated camera: it was deleted on the platform/);
    expect((await works('ecsmctl wait service/camera --for=condition=Available --timeout 1m')).text).toBe(
      'ecsmservice/camera condition met\n',
    );
    const after = (await works("ecsm-cli get service camera -o jsonpath='{.id}'")).text.trim();
    expect(after).not.toBe(before);
    const events = (await works('ecsmctl events')).text;
    expect(events).toMatch(/Normal +Started +ecsmservice\/telemetry/);
    expect(events).toMatch(/Normal +Created +ecsmservice\/camera +1 +recreated camera: it was deleted on the platform/);

    // Roll out, and go back.
    expect((await works('ecsmctl set image service/telemetry telemetry@1.1.0#sylixos')).text).toBe(
      'ecsmservice/telemetry image updated\n',
    );
    const rolledOut = await works('ecsmctl rollout status service/telemetry');
    expect(rolledOut.text).toBe('"telemetry" successfully rolled out\n');
    expect(rolledOut.raw).toMatch(/waiting for "telemetry" \(\d+ s of 15 min\): \d of 3 /);
    expect(rolledOut.isRepainted).toBe(true);
    const history = await works('ecsmctl rollout history service/telemetry');
    expect(history.text).toMatch(
      /^REVISION .*\n1 +[0-9a-f]{8} +telemetry@1\.0\.0#sylixos +\d+s\n2 +[0-9a-f]{8} +telemetry@1\.1\.0#sylixos +\d+s +current\n$/,
    );
    expect((await works('ecsmctl rollout undo service/telemetry')).text).toMatch(
      /^ecsmservice\/telemetry rolled back to revision 1 \([0-9a-f]{8}, telemetry@1\.0\.0#sylixos\)\n$/,
    );
    expect((await works('ecsmctl rollout status service/telemetry')).text).toBe(
      '"telemetry" successfully rolled out\n',
    );
    expect((await works('ecsmctl rollout history service/telemetry')).text).toMatch(
      /\n2 .*1\.1\.0#sylixos +\d+s\n3 .*1\.0\.0#sylixos +\d+s +current\n$/,
    );

    // Scale, and compare with what is written down.
    expect((await works('ecsmctl diff -f fleet/telemetry.yaml')).text).toBe('');
    expect((await works('ecsmctl scale service telemetry --replicas 2')).text).toBe('ecsmservice/telemetry scaled\n');
    const differs = await type('ecsmctl diff -f fleet/telemetry.yaml');
    expect(differs.code).toBe(1);
    expect(differs.text).toContain('\n-    replicas: 2\n+    replicas: 3\n');
    expect(differs.raw).toContain('\u001b[31m-    replicas: 2\u001b[39m');
    const failed = await type('ecsmctl diff -f nowhere.yaml');
    expect(failed.code).toBe(3);
    await works('ecsmctl rollout status service/telemetry');

    // Leave nothing.
    const gone = await works('ecsmctl delete services --all --wait');
    expect(gone.text.split('\n').sort()).toEqual(['', 'ecsmservice/camera deleted', 'ecsmservice/telemetry deleted']);
    expect(gone.raw).toContain('waiting for 2 objects to be deleted');
    expectRestored(gone);
    expect((await works('ecsm-cli get services')).text).toBe('No services found.\n');
    expect((await works('ecsm-cli get containers')).text).toBe('No containers found.\n');
    expect((await works('ecsmctl get services,revisions -A')).text).toBe('No resources found.\n');
    await works('kill %1 %2; wait');
    await terminal.close();
    expect(programs.leftOver()).toEqual([]);
    expect(readFileSync(join(directory, 'operator.log'), 'utf8')).not.toMatch(/ERROR|\bat .*\.mjs/);
  },
  sessionMsMax,
);
