/** `rollout`, with a history that stands still: what is printed, and what is written. */

import { ECSMService, ServiceRevision } from '@ecsm/operator';
import { settled } from '@ecsm/runtime/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { condition, createManagedHistory, inputOf, kitPool, settle } from '../shared/history.kit.ts';
import { type RegistryKit, registryKit } from '../shared/registry.kit.ts';

const freshKit = kitPool(18);

const history = [
  { image: 'telemetry@1.0.0#sylixos', hash: '11111111' },
  { image: 'telemetry@2.0.0#sylixos', hash: '22222222' },
  { image: 'telemetry@2.0.0#sylixos', hash: '33333333', restartedAt: '2026-01-02T02:04:05Z' },
];

async function serviceIn(kit: RegistryKit): Promise<ECSMService> {
  const registry = await kit.open();
  return registry.resource(ECSMService).get('telemetry');
}

const wide = { terminal: { columns: 120, rows: 40 } };
const narrow = { terminal: { columns: 44, rows: 40 } };

describe('rollout history', () => {
  const kit = registryKit();
  beforeEach(async () => {
    if ((await kit.run('get services')).out === '') await createManagedHistory(kit, history);
  });

  const table = `REVISION   HASH       IMAGE                     AGE    STATUS
1          11111111   telemetry@1.0.0#sylixos   3h
2          22222222   telemetry@2.0.0#sylixos   120m
3          33333333   telemetry@2.0.0#sylixos   60m    current
`;

  it('lists revisions, the newest last, and marks the current one', async () => {
    expect(await kit.run('rollout history service/telemetry')).toEqual({ code: 0, out: table, err: '' });
    expect((await kit.run('rollout history ecsmservices telemetry', wide)).out).toBe(table);
  });

  it('fits a narrow terminal', async () => {
    expect(
      (await kit.run('rollout history es/telemetry', narrow)).out,
    ).toBe(`REVISION   HASH      IMAGE    AGE    STATUS
1          111111…   telem…   3h
2          222222…   telem…   120m
3          333333…   telem…   60m    current
`);
  });

  it('shows restarts with -o wide, and names', async () => {
    expect(
      (await kit.run('rollout history es/telemetry -o wide --no-headers')).out,
    ).toBe(`1   11111111   telemetry@1.0.0#sylixos   3h               <none>
2   22222222   telemetry@2.0.0#sylixos   120m             <none>
3   33333333   telemetry@2.0.0#sylixos   60m    current   2026-01-02T02:04:05Z
`);
    expect((await kit.run('rollout history es/telemetry -o name')).out).toBe(`servicerevision/telemetry-11111111
servicerevision/telemetry-22222222
servicerevision/telemetry-33333333
`);
  });

  it('shows the template of one revision, without its values unless they are asked for', async () => {
    expect(
      (await kit.run('rollout history es/telemetry --revision 2')).out,
    ).toBe(`# ecsmservice/telemetry, revision 2 (22222222)
image: telemetry@2.0.0#sylixos
vsoa:
  password: <hidden>
  port: 0
env:
  - name: TITLE
    value: <hidden>
prepull: false
platformSpecific:
  action: Run
`);
    expect(
      (await kit.run('rollout history es/telemetry --revision 3', wide)).out,
    ).toBe(`# ecsmservice/telemetry, revision 3 (33333333, current, restarted 2026-01-02T02:04:05Z)
image: telemetry@2.0.0#sylixos
vsoa:
  password: <hidden>
  port: 0
env:
  - name: TITLE
    value: <hidden>
prepull: false
platformSpecific:
  action: Run
`);
    const json = await kit.run('rollout history es/telemetry --revision 2 -o json');
    expect(JSON.parse(json.out)).toMatchObject({ image: 'telemetry@2.0.0#sylixos', vsoa: { password: 'hunter2' } });
    expect((await kit.run('rollout history es/telemetry --revision 2 --show-values')).out).toContain('value: 遥测');
  });

  it('shows no secret in a table', async () => {
    for (const format of ['table', 'wide', 'name']) {
      const { code, out } = await kit.run(`rollout history es/telemetry -o ${format}`);
      expect(code).toBe(0);
      expect(out).not.toContain('hunter2');
    }
  });

  it('reports what the operator has not recorded, and prints a heading for each service', async () => {
    const registry = await kit.open();
    await registry.resource(ECSMService).create(inputOf('camera@1.0.0#sylixos', 'camera'));
    await registry.resource(ECSMService).patch('telemetry', { spec: { template: { hostname: 'new' } } });
    expect(await kit.run('rollout history services --all')).toEqual({
      code: 0,
      err: `ecsmservice/camera has no revisions yet: the operator has not recorded any
ecsmservice/telemetry has changes that the operator has not recorded yet
`,
      out: `ecsmservice/telemetry
REVISION   HASH       IMAGE                     AGE    STATUS
1          11111111   telemetry@1.0.0#sylixos   3h
2          22222222   telemetry@2.0.0#sylixos   120m
3          33333333   telemetry@2.0.0#sylixos   60m    current
`,
    });
  });

  it('marks the revision that is being rolled out or pending', async () => {
    const registry = await kit.open();
    const status = { currentRevision: '22222222', updateRevision: '33333333' };
    await settle(registry, 'telemetry', status);
    expect(
      (await kit.run('rollout history es/telemetry --no-headers')).out,
    ).toBe(`1   11111111   telemetry@1.0.0#sylixos   3h
2   22222222   telemetry@2.0.0#sylixos   120m   current
3   33333333   telemetry@2.0.0#sylixos   60m    rolling out
`);
    await registry.resource(ECSMService).patch('telemetry', { spec: { paused: true } });
    expect((await kit.run('rollout history es/telemetry --no-headers')).out).toContain('60m    paused\n');
  });

  it('omits revisions of an earlier service of the same name', async () => {
    const registry = await kit.open();
    await registry.resource(ECSMService).delete('telemetry');
    await registry.resource(ECSMService).create(inputOf('telemetry@9.0.0#sylixos'));
    const { code, out, err } = await kit.run('rollout history es/telemetry');
    expect({ code, out, err }).toEqual({
      code: 0,
      out: '',
      err: 'ecsmservice/telemetry has no revisions yet: the operator has not recorded any\n',
    });
  });
});

describe('rollout undo', () => {
  it('reverts to the previous revision, with its restart, and reports it', async () => {
    const kit = freshKit();
    await createManagedHistory(kit, history);
    expect(await kit.run('rollout undo service/telemetry')).toEqual({
      code: 0,
      out: 'ecsmservice/telemetry rolled back to revision 2 (22222222, telemetry@2.0.0#sylixos)\n',
      err: '',
    });
    const { spec, metadata } = await serviceIn(kit);
    expect(spec.template).toMatchObject({ image: 'telemetry@2.0.0#sylixos', vsoa: { password: 'hunter2' } });
    expect(metadata.annotations ?? {}).not.toHaveProperty(['ecsm.sh/restartedAt']);
    expect((await kit.run('rollout undo service/telemetry')).out).toContain('rolled back to revision 3 ');
    expect((await serviceIn(kit)).metadata.annotations).toMatchObject({
      'ecsm.sh/restartedAt': '2026-01-02T02:04:05Z',
    });
  });

  it('reverts to any revision, and does not change a service that has it already', async () => {
    const kit = freshKit();
    await createManagedHistory(kit, history);
    for (const flag of ['--dry-run', '--dry-run=client', '--dry-run=server']) {
      const dry = await kit.run(`rollout undo service telemetry --to-revision 1 ${flag}`);
      expect(dry.out).toBe(
        'ecsmservice/telemetry rolled back to revision 1 (11111111, telemetry@1.0.0#sylixos) (dry run)\n',
      );
    }
    expect((await serviceIn(kit)).spec.template.image).toBe('telemetry@2.0.0#sylixos');
    const before = await serviceIn(kit);
    await kit.run('rollout undo service telemetry --to-revision 1');
    const after = await serviceIn(kit);
    expect(after.spec).toEqual({
      ...before.spec,
      template: { ...before.spec.template, image: 'telemetry@1.0.0#sylixos' },
    });
    expect(await kit.run('rollout undo service telemetry --to-revision 1')).toEqual({
      code: 0,
      out: 'ecsmservice/telemetry unchanged: it already uses revision 1 (11111111, telemetry@1.0.0#sylixos)\n',
      err: '',
    });
    expect((await serviceIn(kit)).metadata.resourceVersion).toBe(after.metadata.resourceVersion);
  });

  it('reverts a change that no operator has observed', async () => {
    const kit = freshKit();
    await createManagedHistory(kit, history);
    const registry = await kit.open();
    await registry
      .resource(ECSMService)
      .patch('telemetry', { spec: { template: { image: 'telemetry@6.6.6#sylixos' } } });
    expect((await kit.run('rollout undo service/telemetry --to-revision 0')).out).toContain(
      'rolled back to revision 3 ',
    );
  });

  it('reports that a paused service is not rolled out yet', async () => {
    const kit = freshKit();
    await createManagedHistory(kit, history);
    await kit.run('rollout pause service/telemetry');
    expect((await kit.run('rollout undo service/telemetry')).err).toBe(
      'the rollout is paused; resume it with "ecsmctl rollout resume ecsmservice/telemetry"\n',
    );
  });

  it('refuses a template that is no longer valid', async () => {
    const kit = freshKit();
    await createManagedHistory(kit, history);
    const registry = await kit.open();
    const revisions = registry.resource(ServiceRevision);
    await revisions.patch('telemetry-22222222', { spec: { template: { image: 7 } } });
    const { code, err } = await kit.run('rollout undo service/telemetry');
    expect(code).toBe(1);
    expect(err).toContain('ECSMService "telemetry" is invalid: spec.template.image: Invalid value: 7');
  });
});

describe('rollout pause, resume and restart', () => {
  it('write the change, and report it', async () => {
    const kit = freshKit();
    await createManagedHistory(kit, history);
    const lines: string[] = [];
    for (const word of ['pause', 'pause', 'resume', 'resume', 'restart', 'restart']) {
      const { code, out, err } = await kit.run(`rollout ${word} service/telemetry`);
      lines.push(`${code} ${out}${err}`);
    }
    expect(lines.join('')).toBe(`0 ecsmservice/telemetry paused
0 ecsmservice/telemetry unchanged: it is already paused
0 ecsmservice/telemetry resumed
0 ecsmservice/telemetry unchanged: it is not paused
0 ecsmservice/telemetry restarted
0 ecsmservice/telemetry unchanged: it was already restarted in this second
`);
    const { spec, metadata } = await serviceIn(kit);
    expect(spec.paused).toBe(false);
    expect(metadata.annotations).toMatchObject({ 'ecsm.sh/restartedAt': '2026-01-02T03:04:05Z' });
  });

  it('accept several services, by label or from a file', async () => {
    const kit = freshKit();
    await createManagedHistory(kit, history);
    await createManagedHistory(kit, [{ image: 'camera@1.0.0#sylixos', hash: '44444444' }], 'camera');
    expect((await kit.run('rollout pause services -l tier=ground')).out).toBe(
      'ecsmservice/camera paused\necsmservice/telemetry paused\n',
    );
    const input =
      'apiVersion: ecsm.sh/v1\nkind: ECSMService\nmetadata: { name: camera }\nspec:\n  deploymentStrategy: { type: Static, nodes: [node-1] }\n  template: { image: camera@1.0.0 }\n';
    const { out, err } = await kit.run('rollout restart -f -', { input });
    expect(out).toBe('ecsmservice/camera restarted\n');
    expect(err).toBe('the rollout is paused; resume it with "ecsmctl rollout resume ecsmservice/camera"\n');
  });

  it('change all services when the output is closed, and none after Ctrl-C', async () => {
    const kit = freshKit();
    const registry = await kit.open();
    const services = registry.resource(ECSMService);
    for (const name of ['a', 'b', 'c']) await services.create(inputOf('a@1#sylixos', name));
    const paused = async () => (await services.list()).items.map(({ spec }) => spec.paused);
    const unheard = kit.start('rollout pause services --all');
    unheard.test.out.isClosed = true;
    expect([await unheard.code, await paused()]).toEqual([0, [true, true, true]]);
    const stopped = kit.start('rollout resume services --all');
    const write = stopped.test.out.write;
    stopped.test.out.write = (text) => {
      write.call(stopped.test.out, text);
      stopped.test.interrupt();
    };
    expect([await stopped.code, await paused()]).toEqual([130, [false, true, true]]);
    expect(stopped.test.err.text).toBe('interrupted: 1 of 3 services done\n');
  });

  it('do not change an object that is being deleted', async () => {
    const kit = freshKit();
    await createManagedHistory(kit, history);
    const registry = await kit.open();
    await registry.resource(ECSMService).patch('telemetry', { metadata: { finalizers: ['ecsm.sh/platform-service'] } });
    await registry.resource(ECSMService).delete('telemetry');
    for (const word of ['pause', 'resume', 'restart', 'undo']) {
      expect(await kit.run(`rollout ${word} service/telemetry`)).toEqual({
        code: 1,
        out: '',
        err: 'ecsmctl: ecsmservice/telemetry is being deleted\n',
      });
    }
  });
});

describe('rollout status', () => {
  it('hides secrets in what the platform has reported, as describe does', async () => {
    const kit = freshKit();
    await createManagedHistory(kit, history);
    const why = condition('Degraded', 'True', 'DeploymentFailed', 'cannot pull https://admin:hunter2@registry/x');
    const progressing = condition('Progressing', 'True', 'RollingOut', 'in progress');
    await settle(await kit.open(), 'telemetry', { readyReplicas: 1, conditions: [why, progressing] });
    for (const line of ['rollout status service/telemetry --watch=false', 'describe service telemetry']) {
      const { out } = await kit.run(line);
      expect(out).toContain('cannot pull https://<hidden>@registry/x');
      expect(out).not.toContain('hunter2');
    }
  });

  it('prints the current state with --watch=false', async () => {
    const kit = freshKit();
    await createManagedHistory(kit, history);
    const line = 'rollout status service/telemetry --watch=false';
    expect(await kit.run(line)).toEqual({ code: 0, out: '"telemetry" successfully rolled out\n', err: '' });
    const registry = await kit.open();
    const conditions = [condition('Progressing', 'True', 'RollingOut', 'x')];
    await settle(registry, 'telemetry', { readyReplicas: 1, conditions });
    expect(await kit.run(line)).toEqual({
      code: 0,
      out: 'waiting for "telemetry": 1 of 2 updated instances are ready\n',
      err: '',
    });
    await kit.run('rollout restart service/telemetry');
    await settle(registry, 'telemetry');
    expect((await kit.run(line)).out).toBe('waiting for "telemetry": the operator has not observed the restart yet\n');
  });

  it('follows to the end, with every state on the error output', async () => {
    const kit = freshKit();
    await createManagedHistory(kit, history);
    const registry = await kit.open();
    const conditions = [condition('Progressing', 'True', 'RollingOut', 'x')];
    await settle(registry, 'telemetry', { updatedReplicas: 1, conditions });
    const { test, code } = kit.start('rollout status service/telemetry');
    await expect.poll(() => test.clock.timers).toBeGreaterThan(1);
    await test.clock.advance(600);
    await settle(registry, 'telemetry', { readyReplicas: 1, conditions });
    await expect.poll(() => test.err.text).toContain('1 of 2 updated');
    await test.clock.advance(4_000);
    await settle(registry, 'telemetry');
    expect(await code).toBe(0);
    expect(test.out.text).toBe('"telemetry" successfully rolled out\n');
    expect(test.err.text).toBe(`waiting for "telemetry" (0 s of 15 min): 1 of 2 instances are updated
waiting for "telemetry" (0 s of 15 min): 1 of 2 updated instances are ready
`);
    expect(test.clock.timers).toBe(0);
  });

  it('repaints one line on a terminal, and clears it at the end', async () => {
    const kit = freshKit();
    await createManagedHistory(kit, history);
    const registry = await kit.open();
    const conditions = [condition('Progressing', 'True', 'RollingOut', 'x')];
    await settle(registry, 'telemetry', { updatedReplicas: 1, conditions });
    const { test, code } = kit.start('rollout status service/telemetry --timeout 60s', {
      terminal: { columns: 60, rows: 9 },
    });
    await expect.poll(() => test.clock.timers).toBeGreaterThan(1);
    await test.clock.advance(12_000);
    expect(test.err.text).toContain('\u001b[?25l');
    expect(test.err.text).toContain('waiting for "telemetry" (11 s of 60 s): 1 of 2 instances a…');
    await settle(registry, 'telemetry');
    expect(await code).toBe(0);
    expect(test.err.text.endsWith('\r\u001b[J\u001b[?25h')).toBe(true);
  });

  it('ends with 1 and the reason at the progress deadline', async () => {
    const kit = freshKit();
    await createManagedHistory(kit, history);
    const registry = await kit.open();
    const { test, code } = kit.start('rollout status service/telemetry');
    expect(await code).toBe(0);
    const conditions = [
      condition('Progressing', 'False', 'ProgressDeadlineExceeded', '地面站一号: no space left on device'),
    ];
    await settle(registry, 'telemetry', { readyReplicas: 1, conditions });
    const again = kit.start('rollout status service/telemetry');
    expect(await again.code).toBe(1);
    expect(again.test.err.text).toBe(
      'ecsmctl: "telemetry" is not rolled out: ProgressDeadlineExceeded: 地面站一号: no space left on device\n',
    );
    expect(test.err.text).toBe('');
  });

  it('fails at the deadline with the last state and a remedy', async () => {
    const kit = freshKit();
    await createManagedHistory(kit, history);
    await kit.run('rollout pause service/telemetry');
    const { test, code } = kit.start('rollout status service/telemetry --timeout 30s');
    await expect.poll(() => test.clock.timers).toBeGreaterThan(1);
    await test.clock.advance(31_000);
    expect(await code).toBe(1);
    expect(test.err.text).toContain(
      'ecsmctl: timed out waiting for "telemetry" after 30 s: the operator has not observed the latest change yet; the rollout is paused, "ecsmctl rollout resume ecsmservice/telemetry" resumes it; look at "ecsmctl describe ecsmservice telemetry"\n',
    );
  });

  it.each(['delete', 'replace'])('ends when the service was deleted: %s', async (how) => {
    const kit = freshKit();
    await createManagedHistory(kit, history);
    await kit.run('rollout pause service/telemetry');
    const registry = await kit.open();
    const { test, code } = kit.start('rollout status service/telemetry');
    await expect.poll(() => test.clock.timers).toBeGreaterThan(1);
    await test.clock.advance(600);
    await registry.resource(ECSMService).delete('telemetry');
    if (how === 'replace') await registry.resource(ECSMService).create(inputOf('telemetry@1.0.0#sylixos'));
    expect(await code).toBe(1);
    expect(test.err.text).toContain('ecsmctl: "telemetry" was deleted\n');
  });

  it('exits with 130 at Ctrl-C, and leaves nothing running', async () => {
    const kit = freshKit();
    await createManagedHistory(kit, history);
    await kit.run('rollout pause service/telemetry');
    const { test, code } = kit.start('rollout status service/telemetry');
    await expect.poll(() => test.clock.timers).toBeGreaterThan(1);
    test.interrupt();
    expect(await code).toBe(130);
    await settled();
    expect(test.clock.timers).toBe(0);
    expect(test.out.text).toBe('');
  });
});
