/**
 * The import rules: every source folder ("room", as `package/folder`), lowest layer first, and what it may import from.
 * `check-imports.mjs` enforces them, and the table in ARCHITECTURE.md is generated from them. Folders and imports that are
 * not listed fail the build.
 *
 * `doors` are the Node.js modules with side effects, and `libraries` the external packages, that a folder may use; `tests`
 * are folders that only its tests may import from, and `types` folders of which it may import types only.
 */
export const rooms = {
  'runtime/ports': { imports: [], doors: ['node:crypto'] },
  'runtime/lib': { imports: ['runtime/ports'] },
  'runtime/shape': { imports: [] },
  'runtime/redact': { imports: [] },
  'runtime/api': { imports: ['runtime/redact', 'runtime/lib'], libraries: ['yaml'] },
  'runtime/cron': { imports: ['runtime/lib', 'runtime/ports'], tests: ['runtime/api'], libraries: ['croner'] },
  'runtime/store': {
    imports: ['runtime/api', 'runtime/lib', 'runtime/ports'],
    doors: ['node:fs', 'node:path', 'node:zlib', 'node:http', 'node:https', 'node:url', 'node:crypto', 'node:timers'],
    libraries: ['@photostructure/sqlite', 'yaml'],
  },
  'runtime/registry': { imports: ['runtime/store', 'runtime/api', 'runtime/ports'] },
  'runtime/transfer': { imports: ['runtime/registry', 'runtime/store', 'runtime/api', 'runtime/ports'] },
  'runtime/testing': { imports: ['runtime/api', 'runtime/ports'], doors: ['node:timers', 'node:v8', 'node:vm'] },
  'runtime/simulation': {
    imports: ['runtime/registry', 'runtime/store', 'runtime/api', 'runtime/ports'],
    doors: ['node:process', 'node:timers'],
  },
  'runtime/informer': {
    imports: ['runtime/registry', 'runtime/api', 'runtime/lib', 'runtime/ports'],
    tests: ['runtime/store'],
  },
  'runtime/workqueue': { imports: ['runtime/api', 'runtime/lib', 'runtime/ports'] },
  'runtime/manager': {
    imports: ['runtime/informer', 'runtime/registry', 'runtime/api', 'runtime/redact', 'runtime/lib', 'runtime/ports'],
    tests: ['runtime/store'],
    doors: ['node:fs', 'node:http', 'node:process'],
  },
  'runtime/controller': {
    imports: [
      'runtime/manager',
      'runtime/workqueue',
      'runtime/informer',
      'runtime/registry',
      'runtime/api',
      'runtime/redact',
      'runtime/lib',
      'runtime/ports',
    ],
    tests: ['runtime/store'],
  },

  'command-line/text': { imports: [] },
  'command-line/command': { imports: ['command-line/text', 'runtime'], doors: ['node:path'] },
  'command-line/terminal': {
    imports: ['command-line/command', 'command-line/text', 'runtime'],
    doors: ['node:child_process', 'node:fs', 'node:os', 'node:path', 'node:process', 'node:readline'],
  },

  'apiserver/kinds': { imports: ['runtime'] },
  'apiserver/response': { imports: ['runtime'], doors: ['node:zlib'] },
  'apiserver/protobuf': { imports: ['apiserver/response', 'runtime'] },
  'apiserver/request': { imports: ['apiserver/protobuf', 'apiserver/response', 'runtime'] },
  'apiserver/patch': { imports: ['apiserver/response', 'runtime'] },
  'apiserver/discovery': { imports: ['runtime'], tests: ['apiserver/response'], doors: ['node:crypto'] },
  'apiserver/verbs': {
    imports: ['apiserver/request', 'apiserver/response', 'apiserver/patch', 'apiserver/kinds', 'runtime'],
  },
  'apiserver/tls': { imports: ['runtime'], doors: ['node:crypto', 'node:fs', 'node:path'] },
  'apiserver/auth': { imports: ['apiserver/tls', 'apiserver/kinds', 'runtime'], doors: ['node:crypto'] },
  'apiserver/audit': { imports: ['runtime'], doors: ['node:fs', 'node:path'] },
  'apiserver/http': {
    imports: [
      'apiserver/verbs',
      'apiserver/discovery',
      'apiserver/audit',
      'apiserver/auth',
      'apiserver/tls',
      'apiserver/request',
      'apiserver/response',
      'apiserver/patch',
      'apiserver/kinds',
      'runtime',
    ],
    tests: ['apiserver/protobuf'],
    doors: ['node:events', 'node:http', 'node:https', 'node:timers', 'node:tls', 'node:zlib'],
  },

  'kubernetes/config': {
    imports: ['runtime'],
    doors: ['node:child_process', 'node:crypto', 'node:fs', 'node:os', 'node:path', 'node:process'],
    libraries: ['yaml'],
  },
  'kubernetes/rest': { imports: ['kubernetes/config', 'runtime'], doors: ['node:http', 'node:https', 'node:zlib'] },
  'kubernetes/registry': { imports: ['kubernetes/config', 'kubernetes/rest', 'runtime'] },
  'kubernetes/kinds': { imports: ['runtime'] },
  'kubernetes/crd': { imports: ['kubernetes/kinds', 'runtime'], libraries: ['yaml'] },
  'process-node/controllers': { imports: ['kubernetes', 'runtime'] },
  'process-node/node': {
    imports: ['process-node/controllers', 'kubernetes', 'apiserver', 'runtime'],
    doors: [
      'node:child_process',
      'node:fs',
      'node:http',
      'node:https',
      'node:net',
      'node:os',
      'node:path',
      'node:process',
    ],
  },
  'etcd-operator/apis': { imports: ['kubernetes', 'runtime'] },
  'etcd-operator/client': {
    imports: ['kubernetes', 'apiserver', 'runtime'],
    doors: ['node:crypto', 'node:fs', 'node:http', 'node:http2', 'node:https', 'node:path', 'node:tls'],
  },
  'etcd-operator/snapshot': {
    imports: ['runtime'],
    tests: ['etcd-operator/client'],
    doors: ['node:crypto', 'node:fs', 'node:timers', 'node:zlib'],
  },
  'etcd-operator/agent': {
    imports: ['etcd-operator/snapshot', 'etcd-operator/client', 'runtime'],
    doors: ['node:crypto', 'node:fs', 'node:http', 'node:path'],
  },
  'etcd-operator/resource': {
    imports: [
      'etcd-operator/agent',
      'etcd-operator/client',
      'etcd-operator/apis',
      'kubernetes',
      'apiserver',
      'runtime',
    ],
    doors: ['node:crypto'],
  },
  // Decisions without I/O: of what calls something, only the types are known.
  'etcd-operator/service': {
    imports: ['etcd-operator/resource', 'etcd-operator/apis', 'kubernetes', 'apiserver', 'runtime'],
    types: ['etcd-operator/agent', 'etcd-operator/client'],
    tests: ['etcd-operator/agent', 'etcd-operator/client', 'process-node'],
  },
  'etcd-operator/controller': {
    imports: [
      'etcd-operator/agent',
      'etcd-operator/service',
      'etcd-operator/resource',
      'etcd-operator/client',
      'etcd-operator/apis',
      'kubernetes',
      'apiserver',
      'runtime',
    ],
    tests: ['process-node'],
  },
  'etcd-operator/program': {
    imports: [
      'etcd-operator/controller',
      'etcd-operator/service',
      'etcd-operator/resource',
      'etcd-operator/agent',
      'etcd-operator/snapshot',
      'etcd-operator/client',
      'etcd-operator/apis',
      'kubernetes',
      'command-line',
      'runtime',
    ],
    doors: ['node:fs', 'node:os', 'node:path', 'node:process'],
  },

  'ecsm-client/rest': { imports: ['runtime'], doors: ['node:http', 'node:https', 'node:zlib'] },
  'ecsm-client/clientset': { imports: ['ecsm-client/rest', 'runtime'], doors: ['node:crypto'] },

  'ecsm-simulator/platform': { imports: ['runtime'] },
  'ecsm-simulator/api': { imports: ['ecsm-simulator/platform', 'runtime'], doors: ['node:crypto'] },
  'ecsm-simulator/link': {
    imports: ['ecsm-simulator/api', 'ecsm-simulator/platform', 'runtime'],
    doors: ['node:crypto', 'node:zlib'],
  },
  'ecsm-simulator/control': {
    imports: ['ecsm-simulator/link', 'ecsm-simulator/api', 'ecsm-simulator/platform', 'runtime'],
  },
  'ecsm-simulator/http': {
    imports: [
      'ecsm-simulator/control',
      'ecsm-simulator/link',
      'ecsm-simulator/api',
      'ecsm-simulator/platform',
      'runtime',
    ],
    doors: ['node:http'],
  },
  'ecsm-simulator/program': {
    imports: [
      'ecsm-simulator/http',
      'ecsm-simulator/control',
      'ecsm-simulator/link',
      'ecsm-simulator/api',
      'ecsm-simulator/platform',
      'command-line',
      'runtime',
    ],
    doors: ['node:fs', 'node:path', 'node:http'],
  },

  'ecsm-operator/apis': { imports: ['runtime'] },
  'ecsm-operator/resource': { imports: ['ecsm-operator/apis', 'ecsm-client', 'runtime'] },
  'ecsm-operator/fleet': { imports: ['ecsm-operator/apis', 'runtime'] },
  'ecsm-operator/service': {
    imports: ['ecsm-operator/fleet', 'ecsm-operator/resource', 'ecsm-operator/apis', 'ecsm-client', 'runtime'],
  },
  'ecsm-operator/observe': { imports: ['ecsm-operator/resource', 'ecsm-operator/apis', 'ecsm-client', 'runtime'] },
  'ecsm-operator/views': {
    imports: ['ecsm-operator/observe', 'ecsm-operator/resource', 'ecsm-operator/apis', 'ecsm-client', 'runtime'],
  },
  'ecsm-operator/controller': {
    imports: [
      'ecsm-operator/views',
      'ecsm-operator/observe',
      'ecsm-operator/fleet',
      'ecsm-operator/service',
      'ecsm-operator/resource',
      'ecsm-operator/apis',
      'ecsm-client',
      'runtime',
    ],
  },
  'ecsm-operator/program': {
    imports: [
      'ecsm-operator/controller',
      'ecsm-operator/views',
      'ecsm-operator/observe',
      'ecsm-operator/service',
      'ecsm-operator/resource',
      'ecsm-operator/apis',
      'ecsm-client',
      'apiserver',
      'command-line',
      'runtime',
    ],
    doors: ['node:fs', 'node:os', 'node:path', 'node:process', 'node:v8'],
  },

  'cli/print': { imports: ['command-line', 'runtime'], libraries: ['yaml'] },
  'cli/ecsmctl': {
    imports: ['cli/print', 'kubernetes', 'command-line', 'ecsm-operator', 'ecsm-client', 'apiserver', 'runtime'],
  },
  'cli/ecsm-cli': {
    imports: ['cli/print', 'command-line', 'ecsm-operator', 'ecsm-client', 'runtime'],
    doors: ['node:crypto'],
  },
};

/** Node.js modules without side effects, which every folder may use. */
export const harmless = ['node:util', 'node:buffer'];

/** The folders of packages by name: `@ecsm/client` is packages/ecsm-client. */
export const folders = { client: 'ecsm-client', simulator: 'ecsm-simulator', operator: 'ecsm-operator' };
