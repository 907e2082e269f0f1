/** `apply` from files to a real registry, and what it says on the way. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ECSMService } from '@ecsm/operator';
import { Lease } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { usedByOperator } from '../shared/registry.kit.ts';
import { inRealTime, serviceText, writeKit } from './write.kit.ts';

const labelled = (name: string, app: string, more = '') =>
  serviceText(name, { metadata: `  labels: { app: ${app}${more} }\n` });

describe.each(['sqlite', 'file'] as const)('apply to a registry of %s', (scheme) => {
  const kit = writeKit(scheme, 'absent');
  const unused = `! warning: no operator has ever used this registry: start one with --registry ${kit.url}, or name the registry of yours\n`;
  kit.write('fleet.yaml', `${serviceText('telemetry')}---\n${serviceText('camera')}`);

  it('creates nothing on a dry run', async () => {
    expect(await kit.shown('apply -f fleet.yaml --dry-run')).toBe(
      'ecsmservice/telemetry created (dry run)\necsmservice/camera created (dry run)\n',
    );
    expect(existsSync(join(kit.directory, 'registry'))).toBe(false);
  });

  it('tells where it creates the registry, and warns until an operator has used it', async () => {
    expect(await kit.shown('apply -f fleet.yaml')).toBe(
      `ecsmservice/telemetry created\necsmservice/camera created\n! created the registry ${kit.url}\n${unused}`,
    );
    const unchanged = 'ecsmservice/telemetry unchanged\necsmservice/camera unchanged\n';
    expect(await kit.shown('apply -f fleet.yaml')).toBe(`${unchanged}${unused}`);
    await usedByOperator(await kit.open());
    expect(await kit.shown('apply -f fleet.yaml')).toBe(unchanged);
  });

  it('updates what has changed', async () => {
    kit.write('fleet.yaml', `${serviceText('telemetry', { spec: '  paused: true\n' })}---\n${serviceText('camera')}`);
    expect(await kit.shown('apply -f fleet.yaml --dry-run=client')).toBe(
      'ecsmservice/telemetry configured (dry run)\necsmservice/camera unchanged (dry run)\n',
    );
    expect(await kit.shown('apply -f fleet.yaml')).toBe(
      'ecsmservice/telemetry configured\necsmservice/camera unchanged\n',
    );
    expect((await kit.inside((registry) => registry.resource(ECSMService).get('telemetry'))).spec.paused).toBe(true);
  });
});

describe('apply', () => {
  const kit = writeKit();
  kit.write('one.yaml', serviceText('one'));

  it('prints objects in the formats of -o', async () => {
    expect(await kit.shown('apply -f one.yaml -o name')).toBe('ecsmservice/one\n');
    expect(await kit.shown("apply -f one.yaml -o jsonpath='{.metadata.name} {.metadata.generation}'")).toBe('one 1');
    const yaml = await kit.shown('apply -f one.yaml -o yaml');
    expect(yaml).toMatch(/^apiVersion: ecsm.sh\/v1\nkind: ECSMService\n/);
    expect(yaml).toContain('password: hunter2');
  });

  it('reads standard input, and uses the given namespace for objects without one', async () => {
    expect(await kit.shown('apply -f - -n orbit', { input: serviceText('piped') })).toBe('ecsmservice/piped created\n');
    expect(await kit.shown('get services -n orbit -o name')).toBe('ecsmservice/piped\n');
  });

  it('keeps the finalizer of the operator after get -o yaml | apply -f - and an apply of the original file', async () => {
    const finalizers = ['ecsm.sh/platform-service'];
    kit.write('kept.yaml', serviceText('kept').replace('{ password: hunter2 }', '{ port: 4001 }'));
    await kit.shown('apply -f kept.yaml');
    await kit.inside((registry) => registry.resource(ECSMService).patch('kept', { metadata: { finalizers } }));
    const input = await kit.shown('get service kept -o yaml');
    expect(input).toContain(finalizers[0]);
    expect(await kit.shown('apply -f -', { input })).toBe('ecsmservice/kept configured\n');
    expect(await kit.shown('apply -f kept.yaml')).toBe('ecsmservice/kept configured\n');
    const kept = await kit.inside((registry) => registry.resource(ECSMService).get('kept'));
    expect(kept.metadata.finalizers).toEqual(finalizers);
    await kit.shown('delete service kept --wait=false');
    const marked = await kit.inside((registry) => registry.resource(ECSMService).get('kept'));
    expect(marked.metadata.deletionTimestamp).toBeDefined();
  });

  it('checks all files before it writes anything', async () => {
    kit.write('fine.yaml', serviceText('fine'));
    kit.write('bad.yaml', serviceText('bad', { spec: '  pausd: true\n' }));
    expect(await kit.shown('apply -f fine.yaml -f bad.yaml')).toBe(
      '! ecsmctl: bad.yaml:7:3: spec.pausd: Unknown field: did you mean "paused"?\n= 1\n',
    );
    expect(await kit.shown('get service fine')).toContain('there is no ecsmservice "fine"');
  });

  it('continues after an object that cannot be applied, and fails at the end', async () => {
    kit.write('scaled.yaml', serviceText('scaled'));
    await kit.shown('apply -f scaled.yaml');
    await kit.shown('scale service scaled --replicas 5');
    kit.write('after.yaml', serviceText('after'));
    expect(await kit.shown('apply -f one.yaml -f scaled.yaml -f after.yaml')).toBe(
      'ecsmservice/one unchanged\necsmservice/after created\n' +
        '! ecsmctl: ecsmservice/scaled has fields of other managers: .spec.deploymentStrategy.replicas (ecsmctl-scale); omit these fields in the file, or take them over with --force-conflicts\n' +
        '! ecsmctl: 1 of 3 objects could not be applied\n= 1\n',
    );
  });

  it('warns about an object that is being deleted', async () => {
    await kit.inside(async (registry) => {
      const services = registry.resource(ECSMService);
      await services.create({
        metadata: { name: 'leaving', finalizers: ['example.com/hold'] },
        spec: {
          deploymentStrategy: { type: 'Static', nodes: ['node-1'] },
          template: { image: 'a@1' },
        },
      });
      await services.delete('leaving');
    });
    kit.write(
      'leaving.yaml',
      serviceText('leaving').replace(
        /deploymentStrategy: .*/,
        'deploymentStrategy: { type: Static, nodes: [node-1], replicas: null, nodePool: null }',
      ),
    );
    expect(await kit.shown('apply -f leaving.yaml --dry-run --force-conflicts')).toBe(
      'ecsmservice/leaving configured (dry run)\n! warning: ecsmservice/leaving is being deleted, and the applied changes will be lost\n',
    );
  });

  it('warns if no operator holds the lease, and only if there is something to reconcile', async () => {
    const lease = { holderIdentity: '', leaseDurationSeconds: 15, leaseTransitions: 1 };
    await kit.inside((registry) =>
      registry.resource(Lease).create({ metadata: { name: 'ecsm-operator' }, spec: lease }),
    );
    kit.write('two.yaml', serviceText('two'));
    expect(await kit.shown('apply -f two.yaml')).toBe(
      'ecsmservice/two created\n! warning: no operator seems to be running: the lease "ecsm-operator" has no holder\n',
    );
    expect(await kit.shown('apply -f two.yaml')).toBe('ecsmservice/two unchanged\n');
    await kit.inside((registry) => registry.resource(Lease).delete('ecsm-operator'));
  });

  it('stops between two objects when it is interrupted, and reports its progress', async () => {
    kit.write('many.yaml', ['m1', 'm2', 'm3'].map((name) => serviceText(name)).join('---\n'));
    const { test, code } = kit.start('apply -f many.yaml');
    const { write } = test.out;
    test.out.write = (text) => {
      write.call(test.out, text);
      test.interrupt();
    };
    expect(await code).toBe(130);
    expect(test.out.text).toBe('ecsmservice/m1 created\n');
    expect(test.err.text).toBe('interrupted: 1 of 3 objects was applied\n');
  });

  it('continues when its output is closed', async () => {
    kit.write('unheard.yaml', ['u1', 'u2', 'u3'].map((name) => serviceText(name)).join('---\n'));
    const { test, code } = kit.start('apply -f unheard.yaml');
    test.out.isClosed = true;
    expect(await code).toBe(0);
    expect(test.err.text).toBe('');
    expect(await kit.shown('get services u1 u2 u3 -o name')).toBe('ecsmservice/u1\necsmservice/u2\necsmservice/u3\n');
  });
});

describe('apply of what get has printed', () => {
  const kit = writeKit();

  it('changes nothing, also where it contains secrets', async () => {
    const env =
      '    env: [{ name: DB, value: "postgres://admin:hunter2@db/main" }]\n    command: [run, "--pin=4711"]\n';
    kit.write('db.yaml', `${serviceText('db')}${env}`);
    await kit.shown('apply -f db.yaml');
    const before = await kit.inside((registry) => registry.resource(ECSMService).get('db'));
    const { out: input } = await kit.run('get service db -o yaml');
    expect((await kit.run('apply -f -', { input })).code).toBe(0);
    const { spec } = await kit.inside((registry) => registry.resource(ECSMService).get('db'));
    expect(spec).toEqual(before.spec);
  });

  it('is refused where it was printed as text', async () => {
    const input = serviceText('text').replace('hunter2', '<hidden>');
    expect(await kit.shown('apply -f -', { input })).toMatch(
      /spec\.template\.vsoa\.password: "<hidden>" is a placeholder for a secret: .*\n= 1\n$/,
    );
  });
});

describe('apply to an object of several managers', () => {
  const kit = writeKit();
  const paused = serviceText('shared', { spec: '  paused: false\n' });
  const conflict =
    'ecsmservice/shared has fields of other managers: .spec.paused (ecsmctl-rollout); .spec.deploymentStrategy.replicas (ecsmctl-scale); omit these fields in the file, or take them over with --force-conflicts\n';
  const managers = async () => {
    const { metadata } = await kit.inside((registry) => registry.resource(ECSMService).get('shared'));
    return metadata.managedFields?.map(({ manager, operation }) => `${manager} ${operation}`);
  };
  kit.write('shared.yaml', paused);

  it('names the owners of fields that differ, and writes nothing', async () => {
    await kit.shown('apply -f shared.yaml');
    await kit.shown('scale service shared --replicas 7');
    await kit.shown('rollout pause service/shared');
    expect(await kit.shown('apply -f shared.yaml')).toBe(`! ecsmctl: ${conflict}= 1\n`);
    expect(await kit.shown('apply -f shared.yaml --dry-run')).toBe(`! ecsmctl: ${conflict}= 1\n`);
    expect(await managers()).toEqual(['ecsmctl Apply', 'ecsmctl-rollout Update', 'ecsmctl-scale Update']);
  });

  it('is printed with its managers only if they are requested', async () => {
    expect(await kit.shown('get service shared -o yaml')).not.toContain('managedFields');
    expect(await kit.shown('get services -o json')).not.toContain('managedFields');
    const yaml = await kit.shown('get service shared -o yaml --show-managed-fields');
    expect(yaml).toContain('manager: ecsmctl-scale');
    expect(yaml).toContain('f:replicas: {}');
  });

  it('is shown by diff with a warning', async () => {
    const shown = await kit.shown('diff -f shared.yaml');
    expect(shown).toContain('-    replicas: 7\n+    replicas: 2\n');
    expect(shown).toContain(`! warning: ${conflict}= 1\n`);
  });

  it('takes fields over with --force-conflicts', async () => {
    expect(await kit.shown('apply -f shared.yaml --force-conflicts')).toBe('ecsmservice/shared configured\n');
    const { spec } = await kit.inside((registry) => registry.resource(ECSMService).get('shared'));
    expect([spec.deploymentStrategy.replicas, spec.paused]).toEqual([2, false]);
    expect(await managers()).toEqual(['ecsmctl Apply']);
    expect(await kit.shown('apply -f shared.yaml')).toBe('ecsmservice/shared unchanged\n');
  });

  it('leaves fields that are not in the file to their managers', async () => {
    kit.write('shared.yaml', serviceText('shared'));
    await kit.shown('patch service shared -p \'{"spec":{"revisionHistoryLimit":3}}\'');
    expect(await kit.shown('apply -f shared.yaml')).toBe('ecsmservice/shared configured\n');
    expect(await kit.shown('apply -f shared.yaml')).toBe('ecsmservice/shared unchanged\n');
    const { spec } = await kit.inside((registry) => registry.resource(ECSMService).get('shared'));
    expect(spec.revisionHistoryLimit).toBe(3);
  });
});

describe('apply --prune', () => {
  const kit = writeKit();
  kit.write('both.yaml', `${labelled('a', 'x')}---\n${labelled('b', 'x')}---\n${labelled('other', 'y')}`);
  kit.write('orbit.yaml', labelled('far', 'x').replace('name: far', 'name: far\n  namespace: orbit'));

  it('requires a selector', async () => {
    expect(await kit.shown('apply -f both.yaml --prune')).toBe(
      '! ecsmctl: --prune requires -l SELECTOR, which limits the objects that may be deleted, or --all for all that were applied\n! Try: ecsmctl apply --help\n= 2\n',
    );
  });

  it('deletes all objects that were applied before with --all', async () => {
    expect(await kit.shown('apply -f both.yaml --prune --all --dry-run')).not.toContain('= ');
  });

  it('deletes objects that were applied before, match the selector and are not in the files, and no others', async () => {
    expect(await kit.shown('apply -f both.yaml -f orbit.yaml')).toContain('ecsmservice/far created\n');
    await kit.inside((registry) =>
      registry.resource(ECSMService).create({
        metadata: { name: 'by-hand', labels: { app: 'x' } },
        spec: { deploymentStrategy: { type: 'Static', nodes: ['n'] }, template: { image: 'a@1' } },
      }),
    );
    kit.write('a.yaml', labelled('a', 'x'));
    expect(await kit.shown('apply -f a.yaml --prune -l app=x --dry-run')).toBe(
      'ecsmservice/a unchanged (dry run)\necsmservice/b pruned (dry run)\n',
    );
    expect(await kit.shown('apply -f a.yaml --prune -l app=x --dry-run -o name')).toBe(
      'ecsmservice/a\n! ecsmservice/b pruned (dry run)\n',
    );
    expect(await kit.shown('apply -f a.yaml --prune -l app=x')).toBe('ecsmservice/a unchanged\necsmservice/b pruned\n');
    expect(await kit.shown('get services -A -o name')).toBe(
      'ecsmservice/a\necsmservice/by-hand\necsmservice/other\necsmservice/far\n',
    );
  });

  it('includes the namespace of -n', async () => {
    expect(await kit.shown('apply -f - -n orbit --prune -l app=x', { input: labelled('near', 'x') })).toBe(
      'ecsmservice/near created\necsmservice/far pruned\n',
    );
  });

  it('keeps objects without a namespace that are in the files, and deletes others once', async () => {
    const priority = (name: string) =>
      `apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: { name: ${name}, labels: { app: p } }\nvalue: 7\n`;
    const inOrbit = labelled('far', 'p').replace('name: far', 'name: far\n  namespace: orbit');
    kit.write('cluster.yaml', `${priority('high')}---\n${inOrbit}---\n${labelled('near', 'p')}`);
    kit.write('low.yaml', priority('low'));
    await kit.shown('apply -f low.yaml');
    expect(await kit.shown('apply -f cluster.yaml --prune -l app=p')).toBe(
      'priorityclass/high created\necsmservice/far created\necsmservice/near created\npriorityclass/low pruned\n',
    );
    expect(await kit.shown('get priorityclasses -o name')).toBe('priorityclass/high\n');
  });

  it('applies only matching objects, and keeps objects that are in the files but do not match', async () => {
    kit.write('relabelled.yaml', `${labelled('a', 'z')}---\n${labelled('c', 'x')}`);
    expect(await kit.shown('apply -f relabelled.yaml --prune -l app=x')).toBe(
      'ecsmservice/c created\n! skipped 1 object in the files: no match for -l app=x\n',
    );
    expect(await kit.shown('apply -f relabelled.yaml -l app=nothing')).toBe(
      '! ecsmctl: no object in the files matches -l app=nothing\n= 1\n',
    );
    expect(await kit.shown('get services -o name')).toContain('ecsmservice/a\n');
  });

  it('deletes nothing if an object could not be applied', async () => {
    kit.write('d.yaml', labelled('d', 'x'));
    await kit.shown('create -f d.yaml');
    kit.write(
      'd-and-e.yaml',
      `${labelled('d', 'x', ', tier: test').replace('1.0.0', '2.0.0')}---\n${labelled('e', 'x')}`,
    );
    const shown = await kit.shown('apply -f d-and-e.yaml --prune -l app=x');
    expect(shown).toContain('! warning: pruning skipped: some objects could not be applied\n');
    expect(shown).toContain('! ecsmctl: 1 of 2 objects could not be applied\n= 1\n');
    expect(await kit.shown('get services -l app=x -o name')).toContain('ecsmservice/c\n');
  });
});

describe('apply --wait', () => {
  const kit = writeKit();
  kit.write('fleet.yaml', `${serviceText('telemetry')}---\n${serviceText('camera')}`);
  kit.write('one.yaml', serviceText('telemetry'));

  const report = (name: string, ready: number) =>
    kit.inside((registry) =>
      registry.resource(ECSMService).updateStatus({
        metadata: { name },
        status: {
          observedGeneration: 1,
          replicas: 2,
          readyReplicas: ready,
          conditions: [
            {
              type: 'Available',
              status: ready === 2 ? 'True' : 'False',
              reason: 'X',
              message: `${ready} of 2 run`,
              lastTransitionTime: '2026-01-02T03:04:05Z',
            },
          ],
        },
      }),
    );

  it('fails at the deadline with what is missing and a remedy', async () => {
    expect(await kit.shown('apply -f one.yaml --wait --timeout 300ms', inRealTime)).toBe(
      'ecsmservice/telemetry created\n! ecsmctl: timed out waiting for ecsmservice/telemetry to be available after 0 s: the operator has not observed it yet; is ecsm-operator running? "ecsmctl describe ecsmservice telemetry" shows details\n= 1\n',
    );
  });

  it('shows its progress, and ends when all are available', async () => {
    const { test, code } = kit.start('apply -f fleet.yaml --wait --timeout 60s', inRealTime);
    const said = async (text: string) => {
      for (let tries = 0; !test.err.text.includes(text); tries++) {
        if (tries > 2_000) throw new Error(`it never said "${text}": ${test.err.text}`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    await said('0 of 2 available; ecsmservice/telemetry: the operator has not observed it yet');
    await report('telemetry', 1);
    await said('0 of 2 available; ecsmservice/telemetry: 1/2 ready, 1 of 2 run');
    await report('telemetry', 2);
    await said('1 of 2 available; ecsmservice/camera: the operator has not observed it yet');
    await report('camera', 2);
    expect(await code).toBe(0);
    expect(test.err.text.split('\n')[0]).toBe(
      'waiting for 2 objects to be available (0 s of 60 s): 0 of 2 available; ecsmservice/telemetry: the operator has not observed it yet',
    );
  });

  it('does not wait for objects that are already available', async () => {
    expect(await kit.shown('apply -f fleet.yaml --wait', inRealTime)).toBe(
      'ecsmservice/telemetry unchanged\necsmservice/camera unchanged\n',
    );
  });

  it('hides secrets in what the platform has refused', async () => {
    kit.write('refused.yaml', serviceText('refused'));
    await kit.shown('apply -f refused.yaml');
    const degraded = {
      type: 'Degraded',
      status: 'True',
      reason: 'PlatformRefused',
      message: 'cannot pull https://admin:hunter2@registry/x',
      observedGeneration: 1,
      lastTransitionTime: '2026-01-02T03:04:05Z',
    } as const;
    await kit.inside((registry) =>
      registry
        .resource(ECSMService)
        .updateStatus({ metadata: { name: 'refused' }, status: { conditions: [degraded] } }),
    );
    expect(await kit.shown('apply -f refused.yaml --wait', inRealTime)).toContain(
      'ecsmservice/refused cannot become available: cannot pull https://<hidden>@registry/x\n',
    );
  });

  it('does not wait for objects that are being deleted', async () => {
    const { test, code } = kit.start('apply -f - --wait', { ...inRealTime, input: serviceText('short') });
    while (!test.out.text.includes('created')) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 100));
    await kit.inside((registry) => registry.resource(ECSMService).delete('short'));
    expect(await code).toBe(1);
    expect(test.err.text).toMatch(/ecsmctl: ecsmservice\/short cannot become available: it was deleted\n$/);
  });
});
