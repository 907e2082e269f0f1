/** Commands for nodes, images, raw requests and the tool itself, as data. */
import { type Command, completionCommand } from '@ecsm/command-line';
import { complete, imageFilters, nameFilter } from './filters.ts';
import { limitFlag, noHeadersFlag, outputFlag, sortFlag, waitFlag, yesFlag } from './flags.ts';

const group = 'Nodes and images';

const node: Command = {
  name: 'node',
  help: 'add, remove and check nodes',
  examples: [{ help: 'check all nodes', line: 'ecsm-cli node check' }],
  group,
  commands: [
    {
      name: 'add',
      help: 'add a node to the platform',
      more: 'Set the password by its variable: other users of this machine can see a flag.',
      examples: [
        {
          help: 'a node',
          line: 'ECSMCLI_NODE_PASSWORD=secret ecsm-cli node add node-9 --address 10.0.0.9:1112',
        },
      ],
      words: 'NAME',
      flags: [
        { name: 'address', value: 'HOST:PORT', help: "address of the node's agent; its usual port is 1112" },
        {
          name: 'password',
          value: 'TEXT',
          secret: true,
          variable: 'ECSMCLI_NODE_PASSWORD',
          help: "the node's password",
        },
        { name: 'tls', help: 'the agent uses TLS' },
      ],
      load: () => import('./node-add.ts'),
    },
    {
      name: 'remove',
      help: 'remove nodes from the platform',
      more: 'Asks for confirmation; without a terminal it needs --yes. The platform refuses while services use a node.',
      examples: [{ help: 'a node, without confirmation', line: 'ecsm-cli node remove node-3 --yes' }],
      words: 'NAME...',
      flags: [yesFlag],
      completeWords: complete('node'),
      load: () => import('./node-remove.ts'),
    },
    {
      name: 'check',
      help: 'check that nodes are reachable, of the recorded type, and have memory and disk left',
      examples: [
        { help: 'all nodes', line: 'ecsm-cli node check' },
        { help: 'one node, after a refresh of its type', line: 'ecsm-cli node check node-1 --refresh' },
      ],
      words: '[NAME...]',
      flags: [
        { name: 'refresh', help: 'let the platform read the type of all nodes again first' },
        outputFlag,
        noHeadersFlag,
      ],
      completeWords: complete('node'),
      exitCodes: [
        { code: 0, help: 'no problem was found' },
        { code: 1, help: 'a node has a problem, or the check failed' },
      ],
      load: () => import('./node-check.ts'),
    },
  ],
};

const image: Command = {
  name: 'image',
  help: 'list, upload and sync images',
  examples: [{ help: 'all images', line: 'ecsm-cli image list' }],
  group,
  commands: [
    {
      name: 'list',
      help: 'show images; the same as "get images"',
      examples: [{ help: 'images by name', line: 'ecsm-cli image list --name telemetry' }],
      words: '[IMAGE...]',
      flags: [
        outputFlag,
        { ...nameFilter, help: 'names that look like it' },
        ...imageFilters,
        limitFlag,
        sortFlag,
        noHeadersFlag,
      ],
      completeWords: complete('image'),
      load: () => import('./image-list.ts'),
    },
    {
      name: 'upload',
      help: 'upload an image to the registry of the platform',
      more: 'The file is sent in chunks. Repeating an interrupted upload resumes it, and an image that already exists is not sent.',
      examples: [
        {
          help: 'an image, over a slow link',
          line: 'ecsm-cli image upload examples/ecsm-cli/radar.tar --chunk-size 1 --wait',
        },
        {
          help: 'with a description',
          line: 'ecsm-cli image upload examples/ecsm-cli/radar.tar --description radar@1.0.0#sylixos',
        },
      ],
      words: 'FILE',
      completeWords: async () => [':files'],
      flags: [
        { name: 'description', value: 'TEXT', help: 'description of the image' },
        {
          name: 'chunk-size',
          value: 'MIB',
          help: 'size of one request in mebibytes; use less on a slow link. Default 5',
        },
        {
          name: 'hash',
          value: 'NAME',
          choices: ['sha256', 'sha1', 'md5'],
          default: 'sha256',
          help: 'hash algorithm of the integrity check; which one the platform expects is not documented',
        },
        waitFlag,
      ],
      load: () => import('./image-upload.ts'),
    },
    {
      name: 'sync',
      help: 'copy an image from a remote registry to the registry of the platform',
      more: 'ecsm-cli image sync NAME@TAG#OS --registry ID --wait. Tag and OS are optional if only one image matches.',
      examples: [{ help: 'list the registries with their ids', line: 'ecsm-cli raw GET /image/count' }],
      words: 'IMAGE',
      flags: [{ name: 'registry', value: 'ID', help: 'id of the remote registry' }, waitFlag],
      load: () => import('./image-sync.ts'),
    },
  ],
};

const raw: Command = {
  name: 'raw',
  help: 'send one API request and print the response',
  more: 'The path is relative to /api/v1. Secrets in the response are hidden. Changes are made without confirmation.',
  examples: [
    { help: 'a request', line: 'ecsm-cli raw GET /service/summary' },
    { help: 'with a query', line: "ecsm-cli raw GET '/node?pageNum=1&pageSize=10' -o jsonpath='{.data.total}'" },
    { help: 'with data', line: `ecsm-cli raw POST /configmap -d '{"key":"/rate","type":"string","value":"20"}'` },
  ],
  words: 'METHOD PATH',
  group: 'Other',
  flags: [
    { name: 'data', short: 'd', value: 'JSON|@FILE', help: 'request body; @- is standard input' },
    {
      ...outputFlag,
      help: 'json, yaml or jsonpath=TEMPLATE. Default json',
      complete: async () => ['json', 'yaml', 'jsonpath='],
    },
  ],
  completeWords: async ({ words }) => (words.length === 0 ? ['GET', 'POST', 'PUT', 'DELETE'] : []),
  load: () => import('./raw.ts'),
};

const config: Command = {
  name: 'config',
  help: 'show the settings',
  examples: [{ help: 'all settings with their sources', line: 'ecsm-cli config view' }],
  group: 'Other',
  commands: [
    {
      name: 'view',
      help: 'show the settings and their sources',
      examples: [{ help: 'all settings with their sources', line: 'ecsm-cli config view' }],
      flags: [outputFlag, noHeadersFlag],
      load: () => import('./config-view.ts'),
    },
  ],
};

const version: Command = {
  name: 'version',
  help: 'print the version',
  examples: [{ help: 'the version', line: 'ecsm-cli version' }],
  group: 'Other',
  load: () => import('./version.ts'),
};

export const otherCommands: readonly Command[] = [
  node,
  image,
  raw,
  config,
  { ...completionCommand('ecsm-cli'), group: 'Other' },
  version,
];
