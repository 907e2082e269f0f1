/** Error messages: one line that states the problem and what to do. */

import type { TestTerminalOptions } from '@ecsm/command-line/testing';
import { describe, expect, test } from 'vitest';
import { argumentsOf, createService, markOf, simulated } from './platform.kit.ts';

type Case = readonly [line: string, message: string, options?: TestTerminalOptions];

const file = (text: string): TestTerminalOptions => ({ files: { 'x.yaml': text } });
const config = (text: string): TestTerminalOptions => ({ files: { '.ecsm-cli.yaml': text }, env: { ECSMCLI_URL: '' } });
const env = (variables: Record<string, string>): TestTerminalOptions => ({ env: { ECSMCLI_URL: '', ...variables } });
const good = 'name: x\nimage: {ref: worker@1.0.0#sylixos, action: run, config: {}}\nnode: {names: [node-1]}\n';

/** Exit code 2: invalid on every platform. */
const usageErrors: readonly Case[] = [
  // Commands, flags and arguments.
  ['gte nodes', 'unknown command "gte". Did you mean "get"?'],
  ['node ad x', 'unknown command "node ad". Did you mean "add"?'],
  ['node', 'node needs a command: add, remove or check'],
  ['top', 'top needs a command: nodes or containers'],
  ['create', 'create needs a command: service'],
  ['create node -f x', 'unknown command "create node". There are service.'],
  ['get', 'get needs KIND [NAME...]: ecsm-cli get KIND [NAME...]'],
  ['get nodes --naem x', 'unknown flag --naem. Did you mean "--name"?'],
  ['get nodes -x', 'unknown flag -x.'],
  ['get nodes --name', '--name needs a value: --name TEXT'],
  ['get nodes --name a --name b', '--name is given twice'],
  ['get nodes --basic=maybe', '--basic has to be true or false, not "maybe"'],
  ['get nodes --name=', 'the value of --name is empty: omit --name, or set a value'],
  ['version now', 'version takes no arguments, but got "now"'],
  ['image upload', 'image upload needs FILE: ecsm-cli image upload FILE'],
  ['image upload a b', 'unexpected argument "b": ecsm-cli image upload FILE'],
  ['raw GET', 'raw needs more than "GET": ecsm-cli raw METHOD PATH'],
  // Kinds and names.
  ['get pods', 'there is no kind "pods". There are nodes, services, containers, images, records.'],
  ['get deployments', 'there is no kind "deployments". There are nodes, services, containers, images, records.'],
  ['get servces', 'there is no kind "servces". Did you mean "services"?'],
  ['get services/', '"services/" has no name after the slash'],
  ['get service/a b', '"b" has no kind: write KIND/NAME for all of them, or KIND NAME...'],
  ['get services service/a', '"service/a" repeats the kind: write KIND NAME... or KIND/NAME...'],
  ['get nodes,services a', 'names can be given for one kind only, not for "nodes,services"'],
  ['get nodes,pods', 'there is no kind "pods". There are nodes, services, containers, images, records.'],
  ['describe service', 'name a service: "ecsm-cli get services" lists them'],
  ['describe thing x', 'there is no kind "thing". There are nodes, services, containers, images, records.'],
  ['stop container', 'a name is required: container NAME'],
  ['stop node node-1', 'this command is for services or containers, not for nodes'],
  ['delete image x', 'this command is for services or records or nodes, not for images'],
  ['scale node/x --replicas 1', 'this command is for services, not for nodes'],
  ['scale service a b --replicas 1', 'unexpected argument "b": ecsm-cli scale [service] NAME'],
  ['scale a b --replicas 1', 'only one service is allowed: "b" is another one'],
  // Filters that do not apply.
  ['get nodes --os linux', '--os cannot be used with nodes, only with images'],
  ['get services --key x', '--key cannot be used with services, only with containers'],
  ['get images --node node-1', '--node cannot be used with images, only with services and containers'],
  ['get nodes -n orbit', '--namespace cannot be used with nodes, only with services and containers'],
  ['get service a --name b', '--name filters a list of services and cannot be combined with the name "a"'],
  ['get containers --service a --node b', '--service and --node cannot be combined: use one of them'],
  ['get containers -n a --node node-1', '--namespace and --node cannot be combined'],
  ['get records', 'records belong to a service: add --service NAME'],
  ['get services -n Orbit', '"Orbit" is not a valid namespace: use lower-case letters, digits and dashes'],
  ['get services --image nope@1.0.0', '--image: there is no image "nope@1.0.0": "ecsm-cli get images" lists them'],
  // Formats, numbers, times.
  [
    'get nodes -o xml',
    'there is no format "xml". Use -o table, wide, yaml, json, name, jsonpath=TEMPLATE or custom-columns=NAME:PATH,...',
  ],
  ['get nodes -o jsonpath', "the format jsonpath needs a value: -o jsonpath='{.metadata.name}'"],
  ['get nodes -o jsonpath={.name', 'the path "{.name" is invalid at character 7: expected "}", but found the end'],
  ['get nodes -o custom-columns=A', '"A" is not a column: write NAME:PATH, such as NAME:.metadata.name'],
  ['raw GET /x -o wide', 'the format "wide" is not supported by this command. Use -o json, yaml or jsonpath=TEMPLATE'],
  ['watch -o json', 'the format "json" is not supported by this command. Use -o table or wide'],
  ['get nodes --sort-by .a[', '.a['],
  ['get nodes --limit 0', '--limit has to be a whole number from 1 to 1000000, not "0"'],
  ['get nodes --limit ten', '--limit has to be a whole number from 1 to 1000000, not "ten"'],
  ['scale x', '--replicas COUNT is required'],
  ['scale x --replicas -1', '--replicas has to be a whole number from 0 to 100000, not "-1"'],
  ['scale x --replicas 2.5', '--replicas has to be a whole number from 0 to 100000, not "2.5"'],
  ['rollback x', '--to RECORD is required: "ecsm-cli get records --service x" lists them'],
  ['get nodes --timeout soon', '--timeout has to be a duration of up to one day, such as 30s or 5m, not "soon"'],
  ['get nodes --timeout 0s', '--timeout has to be a duration of up to one day, such as 30s or 5m, not "0s"'],
  ['get nodes --timeout 48h', '--timeout has to be a duration of up to one day, such as 30s or 5m, not "48h"'],
  ['top nodes --interval 5x', '--interval has to be a duration of up to one day, such as 30s or 5m, not "5x"'],
  ['watch --for never', '--for has to be a duration of up to one day, such as 30s or 5m, not "never"'],
  ['watch images', 'images cannot be watched: watch services, containers, nodes'],
  ['watch nodes,services', 'only one kind is allowed: service is another one'],
  ['watch nodes -n orbit', '--namespace cannot be used with nodes, only with services and containers'],
  ['get nodes --zone here', '--zone has to be a time zone such as +08:00 or UTC, not "here"'],
  // The address of the platform.
  ['get nodes --url nowhere', '--url has to be a URL such as http://127.0.0.1:3001, not "nowhere"'],
  ['get nodes --url ftp://x', '--url has to be a URL such as http://127.0.0.1:3001, not "ftp://x"'],
  ['get nodes --url http://x/?a=b', '--url has to be a URL such as http://127.0.0.1:3001, not "http://x/?a=b"'],
  ['get nodes --url http://me:hunter2@x', '--url must not hold a user or password: send them with --header'],
  ['get nodes --url http://x --port 3', '--url and --port conflict: use only one of them'],
  ['get nodes --host http://x', '--host takes only a host, but "http://x" is a URL: use --url', env({})],
  ['get nodes --host x:3001', '--host takes only a host, but "x:3001" has a port: use --port', env({})],
  ["get nodes --host 'a b'", '--host has to be a host such as 10.0.0.1 or ecsm.site, not "a b"', env({})],
  ['get nodes --port 70000', '--port has to be a whole number from 1 to 65535, not "70000"', env({})],
  ['get nodes', 'ECSMCLI_PORT has to be a whole number from 1 to 65535, not "http"', env({ ECSMCLI_PORT: 'http' })],
  [
    'get nodes',
    'ECSMCLI_PROTOCOL has to be http or https, not "htpp". Did you mean "http"?',
    env({ ECSMCLI_PROTOCOL: 'htpp' }),
  ],
  ['get nodes --protocol ftp', '--protocol has to be http or https, not "ftp"', env({})],
  ['get nodes --header nonsense', "--header has to be 'NAME: VALUE', of printable ASCII characters"],
  ["get nodes --header 'Host: x'", '--header: the header Host is set by the transport and cannot be overridden'],
  ["get nodes --header 'A: 1' --header 'a: 2'", '--header: the header a is set twice'],
  [
    'get nodes --tls-ca ca.pem',
    '--tls-ca requires https, but http://127.0.0.1:30001 does not use it: add --protocol https',
  ],
  ['get nodes --url https://127.0.0.1:1 --tls-ca ca.pem', '--tls-ca: there is no file "ca.pem"'],
  ['get nodes --url https://127.0.0.1:1 --tls-ca x.yaml', '--tls-ca: x.yaml contains no PEM certificate', file('x')],
  // The config file.
  ['get nodes --config my.yaml', '--config: there is no file "my.yaml"'],
  ['get nodes', '.ecsm-cli.yaml:2:1: unknown setting "hots". Did you mean "host"?', config('port: 3001\nhots: x\n')],
  [
    'get nodes',
    '.ecsm-cli.yaml:1:1: port has to be a whole number from 1 to 65535, not "many"',
    config('port: many\n'),
  ],
  ['get nodes', '.ecsm-cli.yaml:1:1: host has to be a single value, not a list', config('host: [a, b]\n')],
  [
    'get nodes',
    '.ecsm-cli.yaml:2:1: url and .ecsm-cli.yaml:1:1: host conflict: use only one of them',
    config('host: a\nurl: http://b\n'),
  ],
  ['config view', '.ecsm-cli.yaml:2:1', config('host: a\n\thost: b\n')],
  // Files of services.
  ['create service', '-f FILE is required, or -f - for standard input'],
  ['create service -f -', 'standard input is a terminal: name a file'],
  ['create service -f x.yaml', 'x.yaml is empty: it should contain a service', file('# nothing\n')],
  ['create service -f x.yaml', 'x.yaml:1:1: expected an object, found the string "hello"', file('hello\n')],
  ['create service -f x.yaml', 'x.yaml:1:7: Nested mappings are not allowed', file('name: x\n  image: [}\n')],
  [
    'create service -f x.yaml',
    'x.yaml:5: this is a second service: a file can contain only one',
    file(`${good}---\n${good}`),
  ],
  [
    'create service -f x.yaml',
    'x.yaml:1:1: this is a registry object, not a service of the platform: use "ecsmctl apply -f x.yaml"',
    file('kind: ECSMService\napiVersion: ecsm.sh/v1\n'),
  ],
  [
    'create service -f x.yaml',
    'x.yaml:4:1: a service has no field "polcy". Did you mean "policy"?',
    file(`${good}polcy: static\n`),
  ],
  ['create service -f x.yaml', 'x.yaml:1:1: image is missing', file('name: x\n')],
  [
    'create service -f x.yaml',
    'x.yaml:1:1: name should be a name, but is ""',
    file(good.replace('name: x', 'name: ""')),
  ],
  [
    'create service -f x.yaml',
    'x.yaml:1:1: name should be a string, but is 7',
    file(good.replace('name: x', 'name: 7')),
  ],
  [
    'create service -f x.yaml',
    'image.ref should be an image reference such as worker@1.0.0#sylixos, but is "worker"',
    file(good.replace('worker@1.0.0#sylixos', 'worker')),
  ],
  [
    'create service -f x.yaml',
    'image.action should be run or load, but is "go"',
    file(good.replace('action: run', 'action: go')),
  ],
  ['create service -f x.yaml', 'image.config is missing', file(good.replace(', config: {}', ''))],
  [
    'create service -f x.yaml',
    'x.yaml:3:16: node.names[0] should be a string, but is 5',
    file(good.replace('[node-1]', '[5]')),
  ],
  [
    'create service -f x.yaml',
    'x.yaml:4:1: factor should be a whole number, 0 or more, but is -1',
    file(`${good}factor: -1\n`),
  ],
  [
    'create service -f x.yaml',
    'x.yaml:4:1: policy should be static or dynamic, but is "both"',
    file(`${good}policy: both\n`),
  ],
  [
    'create service -f x.yaml',
    'image.vsoa.password is "<hidden>", a placeholder for a secret, and there is no present value to keep: write the real value',
    file(good.replace('config: {}', 'config: {}, vsoa: {password: <hidden>}')),
  ],
  [
    'update service -f x.yaml',
    'prepull can be set only at creation: remove it for an update',
    file(`${good.replace('name: x', 'name: telemetry')}prepull: true\n`),
  ],
  // Nodes, images, raw calls.
  ['node add x', "--address HOST:PORT of the node's agent is required"],
  [
    'node add x --address 10.0.0.9',
    `--address has to be HOST:PORT of the node's agent, such as 10.0.0.9:1112, not "10.0.0.9"`,
  ],
  [
    'node add x --address 10.0.0.9:1112',
    "the node's password is required: set ECSMCLI_NODE_PASSWORD or --password TEXT",
  ],
  ['image upload x --chunk-size 0', '--chunk-size has to be a whole number from 1 to 1024, not "0"'],
  ['image upload x --hash crc', '--hash has to be sha256, sha1 or md5, not "crc"'],
  ['image sync radar', '--registry ID is required: "ecsm-cli raw GET /image/count" lists registries'],
  ['raw FETCH /service', 'there is no method "FETCH". There are GET, POST, PUT, DELETE.'],
  ['raw GET service', 'the path has to start with a slash, such as /service, not "service"'],
  ['raw GET /a%zz', '"a%zz" in the path is not valid percent-encoding: write a percent sign as %25'],
  ['raw GET /service -d {}', 'GET takes no data: omit -d, or use POST or PUT'],
  ['raw POST /service -d {', 'the data of -d is not valid JSON'],
  ['raw POST /service -d @no.json', '-d: there is no file "no.json"'],
  ['raw POST /service -d @x.yaml', 'the data in x.yaml is not valid JSON', file('name: x')],
  [
    'raw POST /service -d @-',
    '-d: standard input is not UTF-8: save it as UTF-8',
    { input: Buffer.from([0x22, 0xfc, 0x22]) },
  ],
  ['completion tcsh', 'there is no completion for "tcsh": use bash, zsh, fish'],
];

/** Exit code 1: a valid command that fails on this platform. */
const failures: readonly Case[] = [
  ['get service telemetri', 'there is no service "telemetri" on http://127.0.0.1:30001. Did you mean "telemetry"?'],
  ['get service zzzzzz', 'there is no service "zzzzzz" on http://127.0.0.1:30001. There are telemetry, orbit.camera.'],
  ['get service path', 'there is no service "path"'],
  ['get node nod-1', 'there is no node "nod-1" on http://127.0.0.1:30001. Did you mean "node-1"?'],
  ['get container nothing', 'there is no container "nothing"'],
  [
    'get image telemetry',
    '"telemetry" is ambiguous: telemetry@1.0.0#sylixos or telemetry@1.1.0#sylixos or telemetry@2.0.0#sylixos. Use name@tag#os',
  ],
  ['get image telemetri@1.0.0#sylixos', 'Did you mean "telemetry@1.0.0#sylixos"?'],
  [
    'get record nothing',
    'there is no record "nothing" on http://127.0.0.1:30001: "ecsm-cli get records --service NAME" lists them',
  ],
  ['get records --service nobody', 'there is no service "nobody"'],
  ['get containers --node nowhere', 'there is no node "nowhere"'],
  ['describe node nod-1', 'Did you mean "node-1"?'],
  ['describe service camera -n nowhere', 'there is no service "camera"'],
  ['create service -f no.yaml', 'there is no file "no.yaml"'],
  [
    'create service -f x.yaml',
    'service "telemetry" exists already: "ecsm-cli update service -f x.yaml" changes it',
    file(good.replace('name: x', 'name: telemetry')),
  ],
  [
    'create service -f x.yaml',
    'POST /service was rejected: 节点不存在: node-9 (code 33004)',
    file(good.replace('node-1', 'node-9')),
  ],
  ['update service -f x.yaml', 'there is no service "x"', file(good)],
  [
    'update service -f x.yaml',
    'service "orbit.camera" is owned by ECSMService orbit/camera',
    file(good.replace('name: x', 'name: orbit.camera')),
  ],
  ['scale nobody --replicas 1', 'there is no service "nobody"'],
  ['scale orbit.camera --replicas 1', 'service "orbit.camera" is static: it has one instance on each of its nodes'],
  ['stop telemetry nobody', 'there is no service "nobody"'],
  ['stop container nobody', 'there is no container "nobody"'],
  ['delete telemetry', 'delete service "telemetry" needs confirmation: add --yes'],
  ['delete node node-1', 'remove node "node-1" needs confirmation: add --yes'],
  ['delete record x --yes', 'there is no record "x"'],
  ['rollback telemetry --to nothing', 'service "telemetry" has no record "nothing"'],
  ['node remove nobody --yes', 'there is no node "nobody"'],
  [
    'node remove node-1 --yes',
    'nothing was removed: node "node-1" is used by telemetry, orbit.camera. Delete these services or move them first',
  ],
  ['node add node-1 --address 10.0.0.9:1 --password x', 'node "node-1" already exists'],
  [
    'node add node-9 --address 10.0.0.2:1112 --password x',
    'a node with the address 10.0.0.2:1112 already exists: "ecsm-cli get nodes -o wide" shows it',
  ],
  ['node check nobody', 'there is no node "nobody"'],
  ['image upload no.tar', 'there is no file "no.tar"'],
  ['image upload x.yaml', 'x.yaml is empty: it contains no image', file('')],
  ['image sync radar --registry nowhere', 'GET /image was rejected: 仓库不存在: nowhere (code 35004)'],
  ['raw GET /nothing', 'the platform responded with code 404: 接口不存在'],
];

const named = (cases: readonly Case[]) => cases.map(([line, message, options = {}]) => ({ line, message, options }));

async function platform() {
  const kit = await simulated();
  await createService(kit, 'telemetry', { factor: 2 });
  await createService(kit, 'orbit.camera', { image: 'camera@1.0.0#sylixos', env: markOf('orbit', 'camera') });
  return kit;
}

describe('usage errors', () => {
  test.each(named(usageErrors))('$line', async ({ line, message, options }) => {
    const kit = await platform();
    const before = JSON.stringify(kit.simulator.platform.snapshot());
    const { code, out, err } = await kit.run(argumentsOf(line), options);
    expect(err).toContain(message);
    expect(err).toMatch(/^ecsm-cli: [^\n]+\nTry: ecsm-cli [^\n]*--help\n$/);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).not.toContain('hunter2');
    expect(JSON.stringify(kit.simulator.platform.snapshot())).toBe(before);
  });
});

describe('failures', () => {
  test.each(named(failures))('$line', async ({ line, message, options }) => {
    const kit = await platform();
    const services = () => JSON.stringify(kit.simulator.platform.services());
    const before = services();
    const { code, err } = await kit.run(argumentsOf(line), options);
    expect(err).toContain(message);
    expect(err).toMatch(/^ecsm-cli: [^\n]+\n$/);
    expect(code).toBe(1);
    expect(services()).toBe(before);
  });
});

test('covers at least 150 errors', () => {
  expect(usageErrors.length + failures.length).toBeGreaterThanOrEqual(150);
});
