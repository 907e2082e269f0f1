/** The registry on a Kubernetes API server: repeated requests, errors, responses and watches. */
export const kubernetes = {
  folder: 'packages/kubernetes/src',
  tests: ['rest/client.test.ts'],
  mutants: [
    {
      name: 'a write to an API server is repeated after its response was lost',
      file: 'rest/attempts.ts',
      find: "if (repeat === 'never' || (repeat === 'if read' && !isRead)) throw error;",
      replace: "if (repeat === 'never' || (repeat === 'if read' && !isRead && attempts > 1)) throw error;",
    },
    {
      name: 'rejected credentials are discarded without end',
      file: 'rest/attempts.ts',
      find: '        hasNewCredentials = true;\n',
      replace: '',
    },
    {
      name: 'a delay that the server names is ignored',
      file: 'rest/attempts.ts',
      find: 'named ?? backoffMs(',
      replace: '0 * (named ?? 0) + backoffMs(',
    },
    {
      name: 'an incomplete line at the end of a chunk is dropped',
      file: 'rest/exchange.ts',
      find: 'if (rest.byteLength > 0) pending.push(rest);',
      replace: '',
      tests: ['rest/client.test.ts', 'registry/watch.test.ts'],
    },
    {
      name: 'credentials are sent without TLS',
      file: 'rest/client.ts',
      find: "server.startsWith('https:') ? credential.headers : {}",
      replace: 'credential.headers',
    },
    {
      name: 'a watch continues from where it started instead of from the last event',
      file: 'registry/watch.ts',
      find: '        position = event.resourceVersion;\n',
      replace: '',
      tests: ['registry/watch.test.ts'],
    },
    {
      name: 'a version that is too old is treated as a lost connection',
      file: 'registry/watch.ts',
      find: "|| isApiError(error, 'BadAnswer')",
      replace: "|| isApiError(error, 'BadAnswer') || isApiError(error, 'Expired')",
      tests: ['registry/watch.test.ts'],
    },
  ],
};
