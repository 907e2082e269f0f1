/** `diff` against a real registry, and with `--live` against a real simulator over HTTP. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { httpTransport } from '@ecsm/client';
import { ECSMService, Operator } from '@ecsm/operator';
import { systemClock } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { Simulator } from '@ecsm/simulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inRealTime, serviceText, writeKit } from './write.kit.ts';

const changed = serviceText('telemetry', { spec: '  paused: true\n' })
  .replace('hunter2', 'hunter3')
  .replace('@1.0.0', '@1.1.0');

const diffText = `--- live/default/ecsmservice/telemetry.yaml
+++ wanted/default/ecsmservice/telemetry.yaml
@@ -11,9 +11,9 @@
       - node-1
       - node-2
   template:
-    image: telemetry@1.0.0#sylixos
+    image: telemetry@1.1.0#sylixos
     vsoa:
-      password: <hidden>
+      password: <hidden> (changed)
       port: 0
     prepull: false
     platformSpecific:
@@ -23,5 +23,5 @@
   updateStrategy:
     type: InPlace
     progressDeadlineSeconds: 600
-  paused: false
+  paused: true
   revisionHistoryLimit: 10
`;

describe('diff', () => {
  const kit = writeKit('sqlite', 'absent');
  kit.write('telemetry.yaml', serviceText('telemetry'));
  kit.write('changed.yaml', changed);

  it('shows new objects, and creates no registry', async () => {
    const { code, out, err } = await kit.run('diff -f telemetry.yaml');
    expect(out).toMatch(/^--- \/dev\/null\n\+\+\+ wanted\/default\/ecsmservice\/telemetry.yaml\n@@ -0,0 \+1,27 @@\n/);
    expect(out).toContain('+      password: <hidden>\n');
    expect([code, err]).toEqual([1, '']);
    expect(existsSync(join(kit.directory, 'registry'))).toBe(false);
  });

  it('exits with 0 without changes, and with 1 with changes', async () => {
    await kit.run('apply -f telemetry.yaml');
    expect(await kit.shown('diff -f telemetry.yaml')).toBe('');
    expect(await kit.shown('diff -f changed.yaml')).toBe(`${diffText}= 1\n`);
  });

  it('changes nothing', async () => {
    const { spec } = await kit.inside((registry) => registry.resource(ECSMService).get('telemetry'));
    expect(spec.paused).toBe(false);
  });

  it('is coloured on a terminal', async () => {
    const { out } = await kit.run('diff -f changed.yaml', { terminal: { columns: 80, rows: 24 }, coloured: true });
    expect(out).toContain('\u001b[1m--- live/default/ecsmservice/telemetry.yaml\u001b[22m\n');
    expect(out).toContain('\u001b[36m@@ -11,9 +11,9 @@\u001b[39m\n');
    expect(out).toContain('\u001b[31m-    image: telemetry@1.0.0#sylixos\u001b[39m\n');
    expect(out).toContain('\u001b[32m+    image: telemetry@1.1.0#sylixos\u001b[39m\n');
  });

  it('shows Chinese unchanged, and escapes control characters', async () => {
    const text = serviceText('telemetry', { metadata: '  annotations: { note: "地面站\\e[2J" }\n' });
    const { out } = await kit.run('diff -f -', { input: text });
    expect(out).toContain('+    note: "地面站\\e[2J"\n');
  });

  it('exits with 3 if the comparison fails', async () => {
    expect(await kit.shown('diff -f nowhere.yaml')).toBe('! ecsmctl: there is no file "nowhere.yaml"\n= 3\n');
  });
});

describe('diff --live', () => {
  const kit = writeKit();
  const simulator = new Simulator({ clock: systemClock, random: new SeededRandom(7), nodes: 3 });
  let url = '';
  kit.write('telemetry.yaml', serviceText('telemetry'));
  kit.write('changed.yaml', changed.replace('paused: true', 'paused: false'));
  kit.write('camera.yaml', serviceText('camera'));

  /** An operator that works until the service is as it should be. */
  const operate = () =>
    kit.inside(async (registry) => {
      const transport = httpTransport({ url, clock: systemClock });
      const stop = new AbortController();
      const operator = new Operator({ registry, transport, clock: systemClock });
      const running = operator.run({ signal: stop.signal });
      while (!(await operator.settled())) await new Promise((resolve) => setTimeout(resolve, 50));
      stop.abort();
      await running;
      transport.close();
    });
  const live = (line: string) => kit.shown(line, { ...inRealTime, env: { ECSM_URL: url } });

  beforeAll(async () => {
    ({ url } = await simulator.listen());
    await kit.run('apply -f telemetry.yaml');
  });
  afterAll(() => simulator.close());

  it('shows what the operator would do for existing objects', async () => {
    expect(await live('diff --live')).toBe(`default/telemetry
  1. create telemetry: telemetry@1.0.0#sylixos, 2 among node-1, node-2
     it does not exist yet
  instances: 0 existing, 0 ready, 0 up to date
  Available=False (NotEnoughReady): 0 of 2 instances are ready, 2 required
  Progressing=True (Creating): 0 of 2 instances have revision 8e819cbf, 0 are ready in total
  Degraded=False (AsExpected): no problems
  requeue after 2 s
= 1
`);
  });

  it('shows that there is nothing to do after it was done', async () => {
    await operate();
    const text = await live('diff --live service/telemetry');
    expect(text).toMatch(/^default\/telemetry\n {2}nothing to do\n {2}instances: 2 existing, 2 ready, 2 up to date\n/);
    expect(text).not.toContain('= 1');
  });

  it('shows what the operator would do for files, and recognises its own services', async () => {
    const text = await live('diff --live -f changed.yaml -f camera.yaml');
    expect(text).toContain('+    image: telemetry@1.1.0#sylixos\n');
    expect(text).toContain(
      'default/telemetry\n  1. update telemetry: telemetry@1.1.0#sylixos, 2 among node-1, node-2\n',
    );
    expect(text).toContain('default/camera\n  1. create camera: camera@1.0.0#sylixos, 2 among node-1, node-2\n');
    expect(text).not.toContain('hunter');
    expect(text.endsWith('= 1\n')).toBe(true);
    expect(await kit.shown('get services -o name')).toBe('ecsmservice/telemetry\n');
  });

  it('shows the requests to the platform with -v', async () => {
    const { err } = await kit.run(`diff --live -v --ecsm ${url} --header 'X-Token: hunter6'`, inRealTime);
    expect(err).toMatch(/^called the platform .*"GET \/service"/m);
    expect(err).not.toContain('hunter');
  });

  it('reports a server that is not the platform', async () => {
    expect(await kit.shown(`diff --live --ecsm ${url}/other`, inRealTime)).toBe(
      `! ecsmctl: ${url}/other has no endpoint GET /service: check the platform, and its URL in --ecsm or ECSM_URL\n= 3\n`,
    );
  });

  it('reports an unreachable platform', async () => {
    expect(await kit.shown('diff --live --ecsm http://127.0.0.1:1', inRealTime)).toBe(
      '! ecsmctl: http://127.0.0.1:1 is unavailable: connection refused (ECONNREFUSED): check the platform, and its URL in --ecsm or ECSM_URL\n= 3\n',
    );
  });
});
