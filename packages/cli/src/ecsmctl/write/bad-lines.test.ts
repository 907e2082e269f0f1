/** Bad command lines, each with the one line that it gets. Nothing may be written for any of them. */
import { Lease } from '@ecsm/runtime';
import { beforeAll, describe, expect, it } from 'vitest';
import { fillRegistry, pluralsText } from '../shared/registry.kit.ts';
import { inRealTime, serviceText, writeKit } from './write.kit.ts';

const kit = writeKit();
let revision = 0;

beforeAll(async () => {
  await fillRegistry(kit);
  const spec = { holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 1 };
  await kit.inside((registry) => registry.resource(Lease).create({ metadata: { name: 'x' }, spec }));
  kit.write('fine.yaml', serviceText('fine'));
  kit.write('telemetry.yaml', serviceText('telemetry'));
  kit.write('orbit.yaml', serviceText('far', { metadata: '  namespace: orbit\n' }));
  revision = await kit.inside((registry) => registry.revision());
});

const badLines: readonly (readonly [line: string, code: number, message: string])[] = [
  ['apply', 2, 'specify the manifests: -f FILE, -f DIR, or -f - for standard input'],
  ['apply fleet.yaml', 2, 'to read "fleet.yaml", write -f fleet.yaml'],
  ['apply -f', 2, '-f needs a value: -f FILE|DIR|-'],
  ["apply -f ''", 2, 'the value of -f is empty: omit -f, or set a value'],
  ['apply -f fine.yaml --dry-run=maybe', 2, '--dry-run has to be none, client or server, not "maybe"'],
  ['apply -f fine.yaml --dryrun', 2, 'unknown flag --dryrun. Did you mean "--dry-run"?'],
  [
    'apply -f fine.yaml --prune',
    2,
    '--prune requires -l SELECTOR, which limits the objects that may be deleted, or --all for all that were applied',
  ],
  ['apply -f fine.yaml --all', 2, '--all requires --prune'],
  ['apply -f fine.yaml --prune --all -l a=b', 2, 'use --all or -l, not both'],
  [
    'apply -k overlays/x',
    2,
    '-k is not supported, because ecsmctl contains no kustomize: run "kustomize build overlays/x | ecsmctl apply -f -"',
  ],
  [
    'delete -k .',
    2,
    '-k is not supported, because ecsmctl contains no kustomize: run "kustomize build . | ecsmctl delete -f -"',
  ],
  [
    'create ns orbit',
    2,
    'a namespace need not be created: apply objects with -n NAME, or with metadata.namespace. On a Kubernetes API server, use kubectl',
  ],
  ['create deployment web', 2, 'objects are read from files: write -f FILE, not "deployment"'],
  ['replace -f nowhere.yaml', 1, 'there is no file "nowhere.yaml"'],
  ['set env service/telemetry', 2, 'specify the variables: NAME=VALUE to set one, NAME- to remove it'],
  ['set env service/telemetry =x', 2, '"=x" has no name: write NAME=VALUE, or NAME- to remove one'],
  ['set env rev/telemetry-2f7fefde A=b', 2, 'servicerevisions have no environment: only ecsmservices have'],
  ['set resources service/telemetry', 2, 'specify the limits: --limits=memory=1Gi,disk=512Mi'],
  [
    'set resources service/telemetry --limits=cpu=1',
    2,
    '--limits: the platform cannot limit cpu, only memory and disk',
  ],
  [
    'set resources service/telemetry --requests=memory=1Gi',
    2,
    'the platform has no requests, only limits: use --limits',
  ],
  ['apply -f fine.yaml --prune=yes', 2, '--prune has to be true or false, not "yes"'],
  [
    "apply -f fine.yaml -l 'app in (a'",
    2,
    'label selector "app in (a": at character 10: found the end, expected "," or ")"',
  ],
  ['apply -f fine.yaml -l app=nobody', 1, 'no object in the files matches -l app=nobody'],
  ['apply -f fine.yaml --timeout 5m', 2, '--timeout requires --wait'],
  ['apply -f fine.yaml --wait --timeout 5', 2, '--timeout has to be a time such as 90s, 5m or 1h30m, not "5"'],
  ['apply -f fine.yaml --wait --timeout -1s', 2, '--timeout has to be a time such as 90s, 5m or 1h30m, not "-1s"'],
  [
    'apply -f fine.yaml --wait --timeout 200h',
    2,
    '--timeout has to be at most a week (168h), not "200h"; 0 means no timeout',
  ],
  ['apply -f fine.yaml --wait --timeout soon', 2, '--timeout has to be a time such as 90s, 5m or 1h30m, not "soon"'],
  [
    'apply -f fine.yaml -o xml',
    2,
    '--output: there is no format "xml". Use -o table, wide, yaml, json, name, jsonpath=TEMPLATE or custom-columns=NAME:PATH,...',
  ],
  ['apply -f fine.yaml -o jsonpath', 2, "--output: the format jsonpath needs a value: -o jsonpath='{.metadata.name}'"],
  [
    'apply -f fine.yaml -o jsonpath={.a',
    2,
    '--output: the path "{.a" is invalid at character 4: expected "}", but found the end',
  ],
  ['apply -f fine.yaml -o name=x', 2, '--output: the format name takes no value: -o name'],
  [
    'apply -f fine.yaml -n Orbit',
    2,
    '--namespace: "Orbit" is not a valid namespace: use a-z, 0-9 and "-", at most 63 characters',
  ],
  [
    'apply -f orbit.yaml -n ground',
    1,
    'orbit.yaml:5:3: metadata.namespace: the object is in the namespace "orbit", but -n is "ground": omit one of them',
  ],
  [
    'apply -f fine.yaml --registry nowhere',
    2,
    '--registry: registry URL "nowhere": it has to be sqlite:<directory>, file:<directory>, etcd://host:2379/prefix or memory:',
  ],
  ['apply -f fine.yaml --registry sqlite:', 2, '--registry: registry URL "sqlite:": it has no directory'],
  [
    'apply -f fine.yaml --registry redis://x',
    2,
    '--registry: registry URL "redis://x": it has to be sqlite:<directory>, file:<directory>, etcd://host:2379/prefix or memory:',
  ],
  [
    'apply -f fine.yaml --registry etcd://root:secret@:0/x',
    1,
    'etcd endpoint "http://:0" is not host:port or http(s)://host:port',
  ],
  ['apply -f - -f -', 2, 'standard input can be read only once: -f -'],
  ['apply -f -', 2, 'standard input is a terminal: name a file'],
  ['create', 2, 'specify the manifests: -f FILE, -f DIR, or -f - for standard input'],
  ['create service telemetry', 2, 'objects are read from files: write -f FILE, not "service"'],
  ['create -f telemetry.yaml', 1, 'ECSMService "telemetry" already exists'],
  ['delete', 2, 'specify a kind, such as ecsmservices, or KIND/NAME'],
  ['delete telemetry', 2, `there is no kind "telemetry". There are ${pluralsText}.`],
  [
    'delete pods',
    2,
    'there is no kind "pods" in the registry: containers are on the platform, use "ecsm-cli get containers"',
  ],
  ['delete things', 2, `there is no kind "things". There are ${pluralsText}.`],
  ['delete services', 2, 'which ecsmservices? Specify names, -l SELECTOR or --all'],
  [
    'delete service telemetri',
    1,
    'there is no ecsmservice "telemetri" in the namespace "default". Did you mean "telemetry"?',
  ],
  [
    'delete service radar',
    1,
    'there is no ecsmservice "radar" in the namespace "default": there is one in "orbit", use -n orbit',
  ],
  ['delete service telemetry --all', 2, 'use names or --all, not both'],
  ['delete service telemetry -l app=x', 2, 'use names or -l, not both'],
  ['delete service telemetry -A', 2, 'names require a single namespace: use -n, not -A'],
  ['delete services --all -f fine.yaml', 2, 'use names or -f, not both: "services"'],
  ['delete services -f fine.yaml', 2, 'use names or -f, not both: "services"'],
  [
    'delete service/telemetry camera',
    2,
    '"camera" is not KIND/NAME, but other arguments are: write KIND NAME... or KIND/NAME KIND/NAME...',
  ],
  [
    'delete service/telemetry/x',
    2,
    '"service/telemetry/x" is not KIND/NAME: write KIND NAME... or KIND/NAME KIND/NAME...',
  ],
  ['delete service a,b', 2, '"a,b" is not a valid object name: separate names with spaces'],
  ['delete service telemetry --cascade=foreground', 2, '--cascade has to be background or orphan, not "foreground"'],
  ['delete service telemetry --wait=maybe', 2, '--wait has to be true or false, not "maybe"'],
  ['delete service telemetry --wait=false --timeout 5s', 2, '--timeout cannot be used with --wait=false'],
  ['delete service telemetry -o yaml', 2, '-o has to be name, not "yaml"'],
  ['delete service telemetry --force', 2, 'unknown flag --force.'],
  ["delete services -l '='", 2, 'label selector "=": at character 1: found "=", expected a label key'],
  ['diff', 2, 'diff requires -f FILE, or --live to show what the operator would do'],
  ['diff -f fine.yaml service/telemetry', 2, 'use names or -f, not both: "service/telemetry"'],
  ['diff -f fine.yaml -A', 2, 'use -A or -f, not both'],
  ['diff -f fine.yaml --ecsm http://127.0.0.1:1', 2, '--ecsm requires --live'],
  ['diff --live revisions', 2, 'servicerevisions do not exist on the platform: --live supports only ecsmservices'],
  ['diff --live service/nobody', 3, 'there is no ecsmservice "nobody" in the namespace "default"'],
  ['diff --live --ecsm ftp://x', 2, '--ecsm has to be a URL such as http://127.0.0.1:3001, not "ftp://x"'],
  ['diff --live --ecsm http://root:secret@x', 2, '--ecsm must not hold a user or password: send them with --header'],
  ['diff --live --header secret', 2, "--header has to be 'NAME: VALUE', of printable ASCII characters"],
  ['diff --live --tls-ca nowhere.pem', 3, '--tls-ca: there is no file "nowhere.pem"'],
  ['diff --live --tls-ca fine.yaml', 3, '--tls-ca: "fine.yaml" does not contain a PEM certificate'],
  ['edit', 2, 'specify a kind, such as ecsmservices, or KIND/NAME'],
  ['edit service', 2, 'which ecsmservices? Specify names'],
  ['edit service nobody', 1, 'there is no ecsmservice "nobody" in the namespace "default"'],
  ['edit services --all', 2, 'unknown flag --all.'],
  ['patch', 2, 'specify a kind, such as ecsmservices, or KIND/NAME'],
  ['patch service telemetry', 2, 'specify a patch: -p \'{"spec":{"paused":true}}\', or --patch-file FILE'],
  ['patch service telemetry -p', 2, '-p needs a value: -p JSON|YAML'],
  ["patch service telemetry -p '{}'", 2, '--patch: the patch is empty: it would change nothing'],
  ['patch service telemetry -p \'{"spec":\'', 2, '--patch:1:9: Flow map must end with a }'],
  ["patch service telemetry -p '[1]'", 2, '--patch:1:2: expected an object, found the number 1'],
  ['patch service telemetry -p hello', 2, '--patch:1:1: expected an object, found the string "hello"'],
  [
    'patch service telemetry -p \'{"status":{"replicas":1}}\'',
    2,
    '--patch: the status cannot be patched: only the operator writes it',
  ],
  [
    'patch service telemetry -p \'{"metadata":{"name":"x"}}\'',
    1,
    'ECSMService "x" is invalid: metadata.name: Forbidden: cannot be changed',
  ],
  [
    'patch service telemetry -p \'{"spec":{"pausd":true}}\'',
    1,
    'ECSMService "telemetry" is invalid: spec.pausd: Unknown field: did you mean "paused"?',
  ],
  [
    'patch service telemetry -p \'{"spec":{"template":{"vsoa":{"password":"<hidden>"}}}}\'',
    2,
    '--patch: spec.template.vsoa.password: "<hidden>" is a placeholder for a secret: write the secret itself',
  ],
  ["patch service telemetry -p '{}' --patch-file x", 2, 'use -p or --patch-file, not both'],
  ['patch service telemetry --patch-file nowhere.json', 1, 'there is no file "nowhere.json"'],
  ['patch service telemetry --patch-file -', 2, 'standard input is a terminal: name a file'],
  ["patch service telemetry --type strategic -p '{}'", 2, '--type has to be merge or json, not "strategic"'],
  [
    "patch service telemetry --type json -p '{}'",
    2,
    '--patch: a patch of the type json is a list: [{"op": "replace", "path": "/spec/paused", "value": true}]',
  ],
  [
    `patch service telemetry --type json -p '[{"op":"remove","path":"/status"}]'`,
    2,
    '--patch: the status cannot be patched: only the operator writes it',
  ],
  ["patch service telemetry -p 'a: 1' -p 'b: 2'", 2, '-p is given twice'],
  ['patch services -p \'{"spec":{"paused":true}}\'', 2, 'which ecsmservices? Specify names'],
  ['label', 2, 'specify the label: KEY=VALUE to set it, KEY- to remove it'],
  ['label service telemetry', 2, 'specify the label: KEY=VALUE to set it, KEY- to remove it'],
  ['label service telemetry =x', 2, '"=x" has no key: write KEY=VALUE, or KEY- to remove one'],
  ['label service telemetry -', 2, '"-" has no key: write KEY=VALUE, or KEY- to remove one'],
  ['label service telemetry a=1 a=2', 2, 'the label "a" is set twice: "a=2"'],
  ['label service telemetry a=1 a-', 2, 'the label "a" is set twice: "a-"'],
  [
    'label service telemetry tier=space',
    1,
    'ecsmservice/telemetry already has the label tier=ground: use --overwrite to change it',
  ],
  [
    "label service telemetry 'a b=c'",
    2,
    "labels: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName', or 'my.name', or '123-abc')",
  ],
  [
    'label service telemetry a=!',
    2,
    "labels.a: \"!\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName', or 'my.name', or '123-abc')",
  ],
  ['label service telemetry a=b --list', 2, '--list cannot be used with changes'],
  ['label services a=b', 2, 'which ecsmservices? Specify names, -l SELECTOR or --all'],
  ['label a=b', 2, 'specify a kind, such as ecsmservices, or KIND/NAME'],
  ['annotate service telemetry', 2, 'specify the annotation: KEY=VALUE to set it, KEY- to remove it'],
  [
    "annotate service telemetry 'a b=c'",
    2,
    "annotations: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName', or 'my.name', or '123-abc')",
  ],
  ['annotate service nobody a=b', 1, 'there is no ecsmservice "nobody" in the namespace "default"'],
  ['scale service telemetry', 2, 'specify the number of instances: --replicas N'],
  ['scale service telemetry 5', 2, 'specify the number of instances: --replicas N'],
  ['scale service telemetry --replicas many', 2, '--replicas has to be a number from 0 to 1000000, not "many"'],
  ['scale service telemetry --replicas -1', 2, '--replicas has to be a number from 0 to 1000000, not "-1"'],
  ['scale service telemetry --replicas 1.5', 2, '--replicas has to be a number from 0 to 1000000, not "1.5"'],
  [
    'scale service telemetry --replicas 10001',
    1,
    'ECSMService "telemetry" is invalid: spec.deploymentStrategy.replicas: Invalid value: 10001: must be less than or equal to 10000',
  ],
  ['scale service telemetry --replicas 99999999', 2, '--replicas has to be a number from 0 to 1000000, not "99999999"'],
  [
    'scale service camera --replicas 1',
    1,
    'ecsmservice/camera is Static: it runs one instance on each of its 2 nodes. Change spec.deploymentStrategy.nodes instead, with "ecsmctl edit ecsmservice camera"',
  ],
  ['scale leases --all --replicas 1', 2, 'leases cannot be scaled: only ecsmservices can'],
  ['scale lease/x --replicas 1', 2, 'leases cannot be scaled: only ecsmservices can'],
  [
    'scale service telemetry --replicas 1 --current-replicas 7',
    1,
    'ecsmservice/telemetry is scaled to 2, not to 7 as --current-replicas requires',
  ],
  ['scale service telemetry --replica 1', 2, 'unknown flag --replica. Did you mean "--replicas"?'],
  ['set', 2, 'set needs a command: image, env or resources'],
  ['set imgae service/telemetry x@1', 2, 'unknown command "set imgae". Did you mean "image"?'],
  [
    'set image',
    2,
    'specify objects and an image: write ecsmctl set image KIND/NAME IMAGE, as in ecsmctl set image service/telemetry telemetry@1.1.0',
  ],
  [
    'set image service/telemetry',
    2,
    '"service/telemetry" alone is not enough: write ecsmctl set image KIND/NAME IMAGE, as in ecsmctl set image service/telemetry telemetry@1.1.0',
  ],
  [
    'set image telemetry@1.1.0',
    2,
    '"telemetry@1.1.0" alone is not enough: write ecsmctl set image KIND/NAME IMAGE, as in ecsmctl set image service/telemetry telemetry@1.1.0',
  ],
  [
    'set image service/telemetry telemetry:1.1.0',
    2,
    '"telemetry:1.1.0" is not a valid image reference: the last argument has to be NAME@TAG or NAME@TAG#OS, such as telemetry@1.1.0#sylixos',
  ],
  [
    'set image service/telemetry telemetry=telemetry@1.1.0',
    2,
    'a service has one container, so write the image alone: "telemetry@1.1.0" instead of "telemetry=telemetry@1.1.0"',
  ],
  [
    'set image service/telemetry telemetry@1.1.0#',
    1,
    'ECSMService "telemetry" is invalid: spec.template.image: Invalid value: "telemetry@1.1.0#": must be an image such as telemetry@1.2.0 or telemetry@1.2.0#sylixos',
  ],
  ['set image lease/x x@1', 2, 'leases have no image: only ecsmservices have'],
  ['set image service/nobody x@1', 1, 'there is no ecsmservice "nobody" in the namespace "default"'],
  ['validate', 2, 'specify the manifests: -f FILE, -f DIR, or -f - for standard input'],
  ['validate fine.yaml', 2, 'to read "fine.yaml", write -f fine.yaml'],
  ['validate -f fine.yaml --registry', 2, '--registry needs a value: --registry URL'],
];

describe('a bad command line', () => {
  it.each(badLines)('%s', async (line, code, message) => {
    const told = await kit.run(line, inRealTime);
    const help = code === 2 ? expect.stringMatching(/^Try: ecsmctl ([a-z]+ )+--help$/) : '';
    expect(told.err.split('\n')).toEqual([`ecsmctl: ${message}`, help, ...(code === 2 ? [''] : [])]);
    expect([told.code, told.out]).toEqual([code, '']);
    expect(await kit.inside((registry) => registry.revision())).toBe(revision);
  });

  it('is reported without secrets', async () => {
    for (const [line] of badLines.filter(([one]) => one.includes('secret'))) {
      const { err } = await kit.run(line, inRealTime);
      expect(err.replaceAll(/instead of a secret|the secret itself/g, '')).not.toContain('secret');
    }
  });
});
