/** The simulated platform: load, and nodes that run out of memory and disk. */
export const simulator = {
  folder: 'packages/ecsm-simulator/src/platform',
  tests: ['capacity.test.ts'],
  mutants: [
    {
      name: 'shared demand is divided by all instances, also by those that do not run',
      file: 'demand.ts',
      find: 'if (isServing(world, other)) serving++;',
      replace: 'if (isServing(world, other) || !isServing(world, other)) serving++;',
      tests: ['demand.test.ts'],
    },
    {
      name: 'totals of a node with shared demand are cached',
      file: 'usage.ts',
      find: 'if (load !== undefined && isShared(load)) isCacheable = false;',
      replace: 'if (load !== undefined && isShared(load)) isCacheable = true;',
      tests: ['demand.test.ts'],
    },
    {
      name: 'a wave does not start when it is set',
      file: 'services.ts',
      find: '{ waveStartMs: world.nowMs }',
      replace: '{ waveStartMs: 0 }',
      tests: ['demand.test.ts'],
    },
    {
      name: 'a container starts although 1 MiB of memory is missing',
      file: 'capacity.ts',
      find: 'if (free.memoryBytes < needs.memoryBytes) {',
      replace: 'if (free.memoryBytes < needs.memoryBytes - 1024 ** 2) {',
    },
    {
      name: 'two deployments that do not fit together both fail',
      file: 'capacity.ts',
      find: "return other !== starting && (!isLater || other.deployStatus === 'success');",
      replace: 'return other !== starting;',
    },
    {
      name: 'a redeployed container has to fit beside itself',
      file: 'admission.ts',
      find: 'for (const container of redeployed) removed.add(container);',
      replace: 'for (const container of redeployed) removed.delete(container);',
    },
    {
      name: 'a refusal does not count the other instances of the same call',
      file: 'admission.ts',
      find: 'added.push({ nodeId: node.id, ...needsOf(world, spec.image, node) });',
      replace: 'needsOf(world, spec.image, node);',
    },
    {
      name: 'the disk limits of other containers do not count',
      file: 'capacity.ts',
      find: 'if (limits?.isDiskDeclared === true) diskBytes -= container.diskLimitBytes;',
      replace: '',
    },
    {
      name: 'an instance is placed on a full node while another has room',
      file: 'placement.ts',
      find: 'return first === undefined || hasRoom(first) ? first : best(world, nodes.filter(hasRoom), change);',
      replace: 'return first === undefined || hasRoom(first) ? first : first;',
    },
    {
      name: 'an instance of a lost node is not moved when a container makes room',
      file: 'instances.ts',
      find: 'if (isNodeOnline(world, container)) retryMoves(world);',
      replace: '',
    },
    {
      name: 'the factor of a static service is always stored',
      file: 'services.ts',
      find: "world.behaviour.staticFactor === 'keep';",
      replace: "world.behaviour.staticFactor !== 'keep';",
      tests: ['services.update.test.ts'],
    },
  ],
};
