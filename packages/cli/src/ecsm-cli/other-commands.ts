/** Commands for nodes and images, for single calls, and for the tool itself, as data. */
import { type Command, completionCommand } from '@ecsm/command-line';
import { complete, imageFilters, nameFilter } from './filters.ts';
import { limitFlag, noHeadersFlag, outputFlag, sortFlag, waitFlag, yesFlag } from './flags.ts';

const group = 'Nodes and images';

const node: Command = {
  name: 'node',
  help: 'add, remove and check nodes',
  examples: [{ help: 'whether all is well with them', line: 'ecsm-cli node check' }],
  group,
  commands: [
    {
      name: 'add',
      help: 'make a node known to the platform',
      more: 'The password in a variable is seen by nobody else; a flag is, by others on this machine.',
      examples: [
        {
          help: 'a node',
          line: 'ECSMCLI_NODE_PASSWORD=secret ecsm-cli node add node-9 --address 10.0.0.9:1112',
        },
      ],
      words: 'NAME',
      flags: [
        { name: 'address', value: 'HOST:PORT', help: "where the node's agent listens; its port is 1112 as a rule" },
        {
          name: 'password',
          value: 'TEXT',
          secret: true,
          variable: 'ECSMCLI_NODE_PASSWORD',
          help: "the node's password",
        },
        { name: 'tls', help: 'the agent speaks TLS' },
      ],
      load: () => import('./node-add.ts'),
    },
    {
      name: 'remove',
      help: 'let the platform forget nodes',
      more: 'It asks first; without a terminal it needs --yes. The platform refuses while services use a node.',
      examples: [{ help: 'a node, without a question', line: 'ecsm-cli node remove node-3 --yes' }],
      words: 'NAME...',
      flags: [yesFlag],
      completeWords: complete('node'),
      load: () => import('./node-remove.ts'),
    },
    {
      name: 'check',
      help: 'whether nodes are reached, and are what they are taken for',
      examples: [
        { help: 'all of them', line: 'ecsm-cli node check' },
        { help: 'one, after its type was asked for again', line: 'ecsm-cli node check node-1 --refresh' },
      ],
      words: '[NAME...]',
      flags: [
        { name: 'refresh', help: 'let the platform ask all nodes for their type again first' },
        outputFlag,
        noHeadersFlag,
      ],
      completeWords: complete('node'),
      exitCodes: [
        { code: 0, help: 'all is well' },
        { code: 1, help: 'something is wrong with a node, or it failed' },
      ],
      load: () => import('./node-check.ts'),
    },
  ],
};

const image: Command = {
  name: 'image',
  help: 'list, upload and sync images',
  examples: [{ help: 'what there is', line: 'ecsm-cli image list' }],
  group,
  commands: [
    {
      name: 'list',
      help: 'show images; the same as "get images"',
      examples: [{ help: 'those of a name', line: 'ecsm-cli image list --name telemetry' }],
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
      help: 'send an image to the registry of the platform',
      more: 'It goes in chunks. An upload that broke off goes on where it stopped when it is begun again, and an image that is there already is not sent.',
      examples: [
        {
          help: 'an image, on a thin link',
          line: 'ecsm-cli image upload examples/ecsm-cli/radar.tar --chunk-size 1 --wait',
        },
        {
          help: 'with a few words about it',
          line: 'ecsm-cli image upload examples/ecsm-cli/radar.tar --description radar@1.0.0#sylixos',
        },
      ],
      words: 'FILE',
      completeWords: async () => [':files'],
      flags: [
        { name: 'description', value: 'TEXT', help: 'what the platform shows with it' },
        { name: 'chunk-size', value: 'MIB', help: 'mebibytes in one request; a thin link wants less. Default 5' },
        {
          name: 'hash',
          value: 'NAME',
          choices: ['sha256', 'sha1', 'md5'],
          default: 'sha256',
          help: 'how the platform checks what came; which one it wants is not documented',
        },
        waitFlag,
      ],
      load: () => import('./image-upload.ts'),
    },
    {
      name: 'sync',
      help: 'bring an image from a remote registry into the one of the platform',
      more: 'ecsm-cli image sync NAME@TAG#OS --registry ID --wait. Tag and system may be left out where one image fits.',
      examples: [{ help: 'which registries there are, with their ids', line: 'ecsm-cli raw GET /image/count' }],
      words: 'IMAGE',
      flags: [{ name: 'registry', value: 'ID', help: 'the remote registry' }, waitFlag],
      load: () => import('./image-sync.ts'),
    },
  ],
};

const raw: Command = {
  name: 'raw',
  help: 'make one call of the platform, and print the answer',
  more: 'The path is that below /api/v1. Secrets in the answer are hidden. Nothing is asked before it changes something.',
  examples: [
    { help: 'a call', line: 'ecsm-cli raw GET /service/summary' },
    { help: 'with a query', line: "ecsm-cli raw GET '/node?pageNum=1&pageSize=10' -o jsonpath='{.data.total}'" },
    { help: 'with data', line: `ecsm-cli raw POST /configmap -d '{"key":"/rate","type":"string","value":"20"}'` },
  ],
  words: 'METHOD PATH',
  group: 'Other',
  flags: [
    { name: 'data', short: 'd', value: 'JSON|@FILE', help: 'the body; @- is standard input' },
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
  examples: [{ help: 'what is set, and where', line: 'ecsm-cli config view' }],
  group: 'Other',
  commands: [
    {
      name: 'view',
      help: 'show the settings, and who said them',
      examples: [{ help: 'what is set, and where', line: 'ecsm-cli config view' }],
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
