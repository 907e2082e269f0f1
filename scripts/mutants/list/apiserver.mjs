/** The API server: options, bodies and patches of requests, users and their rules, limits, watches. */
export const requests = {
  folder: 'packages/apiserver/src',
  tests: ['request/options.test.ts'],
  mutants: [
    {
      name: 'a dry run of a deletion that only the query asks for is executed',
      file: 'request/options.ts',
      find: "[...(fields.list('dryRun') ?? []), ...query.getAll('dryRun')]",
      replace: "[...(fields.list('dryRun') ?? [])]",
    },
    {
      name: 'an update takes fields over by force',
      file: 'request/options.ts',
      find: "force: operation === 'apply' && force === true,",
      replace: 'force: force === true,',
    },
    {
      name: 'a quote after a backslash ends a string in the search for duplicate keys',
      file: 'request/duplicate-keys.ts',
      find: "text[index] === '\\\\' ? 2 : 1",
      replace: '1',
      tests: ['request/duplicate-keys.test.ts'],
    },
    {
      name: 'a test of a JSON patch accepts any value',
      file: 'patch/json-patch.ts',
      find: "if (!deepEqual(actual, value)) throw fail('the value differs');",
      replace: "if (!deepEqual(actual, value) && actual === undefined) throw fail('the value differs');",
      tests: ['patch/json-patch.test.ts'],
    },
    {
      name: 'a JSON patch moves a value into itself',
      file: 'patch/json-patch.ts',
      find: 'isPrefix && from.length < path.length',
      replace: 'isPrefix && from.length > path.length',
      tests: ['patch/json-patch.test.ts'],
    },
    {
      name: 'a strategic merge keeps the fields that $retainKeys does not list',
      file: 'patch/strategic.ts',
      find: 'retained === undefined || retained.has(key)',
      replace: 'retained === undefined || retained.has(key) || true',
      tests: ['patch/strategic.test.ts'],
    },
    {
      name: 'messages in protobuf are read one level too deep',
      file: 'protobuf/reader.ts',
      find: '++this.#depth > readerLimits.depthMax',
      replace: '++this.#depth > readerLimits.depthMax + 1',
      tests: ['protobuf/reader.test.ts'],
    },
    {
      name: 'a scale of another version than the one that was read is written',
      file: 'verbs/scale.ts',
      find: '    ...(resourceVersion === undefined ? {} : { resourceVersion }),\n',
      replace: '',
      tests: ['http/server.test.ts'],
    },
  ],
};

export const access = {
  folder: 'packages/apiserver/src',
  tests: ['auth/authenticator.test.ts', 'auth/tokens.test.ts'],
  mutants: [
    {
      name: 'a token with the wrong secret is accepted',
      file: 'auth/bearer.ts',
      find: 'if (!isSecretOf(text.secret, record?.hash) || !record)',
      replace: 'if ((!isSecretOf(text.secret, record?.hash) && !record) || !record)',
    },
    {
      name: 'a revoked token is accepted for as long as it is used',
      file: 'auth/bearer.ts',
      find: 'this.#cache.set(id, { untilMs: nowMs + bearerLimits.cacheMs, record });',
      replace: 'this.#cache.set(id, { untilMs: Number.POSITIVE_INFINITY, record });',
    },
    {
      name: 'a server certificate authenticates a client',
      file: 'auth/client-certificate.ts',
      find: '!certificate.keyUsage?.includes(clientAuth)',
      replace: 'certificate.keyUsage === undefined',
    },
    {
      name: 'the user of a certificate that has expired is known on an open connection',
      file: 'auth/client-certificate.ts',
      find: 'verified && this.#isValidNow(verified) ? verified.user : undefined',
      replace: 'verified ? verified.user : undefined',
    },
    {
      name: 'a large response omits what does not fit into the first piece',
      file: 'http/respond.ts',
      find: 'for (let at = 0; at < bytes.byteLength; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);',
      replace: 'yield bytes.subarray(0, pieceBytes);',
      tests: ['http/server.test.ts'],
    },
    {
      name: 'a rule for a resource allows its subresources',
      file: 'auth/rbac/rules.ts',
      find: "if (subresource === '') return has(resources, resource);",
      replace: "if (subresource === '' || has(resources, resource)) return has(resources, resource);",
      tests: ['auth/rbac/authorizer.test.ts', 'auth/rbac/policy.test.ts'],
    },
    {
      name: 'a rule for names allows requests without a name',
      file: 'auth/rbac/rules.ts',
      find: '(isEmpty(rule.resourceNames) || rule.resourceNames.includes(request.name))',
      replace: "(isEmpty(rule.resourceNames) || request.name === '' || rule.resourceNames.includes(request.name))",
      tests: ['auth/rbac/rules.test.ts'],
    },
    {
      name: 'a request that ended twice frees two places',
      file: 'http/limits.ts',
      find: '      isOver = true;\n',
      replace: '',
      tests: ['http/limits.test.ts'],
    },
    {
      name: 'one user takes one request too many',
      file: 'http/limits.ts',
      find: 'own >= this.#perUserMax',
      replace: 'own > this.#perUserMax',
      tests: ['http/limits.test.ts'],
    },
    {
      name: 'a watch of a table sends its columns with every event',
      file: 'http/stream.ts',
      find: "if (event.type !== 'ERROR') columnDefinitions = false;",
      replace: "if (event.type === 'ERROR') columnDefinitions = false;",
      tests: ['http/server.test.ts'],
    },
  ],
};
