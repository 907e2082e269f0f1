/** Priorities and preemption: the placement of all services, and what follows its answers. */
export const placement = {
  folder: 'packages/ecsm-operator/src',
  tests: ['service/placement/placement.test.ts', 'service/placement/placement.random.test.ts'],
  mutants: [
    {
      name: 'an equal priority is preempted',
      file: 'service/placement/victims.ts',
      find: 'if (entry.state.service.priority >= priority ||',
      replace: 'if (entry.state.service.priority > priority ||',
    },
    {
      name: 'the preemption policy Never has no effect',
      file: 'service/placement/victims.ts',
      find: '  if (mayPreempt) {',
      replace: '  if (mayPreempt || entries.length > 0) {',
    },
    {
      name: 'a small instance is given up beside a large one that is enough',
      file: 'service/placement/victims.ts',
      find: 'if (room.fits(node, limits, gained)) return false;',
      replace: 'if (room.fits(node, limits, gained) && chosen.length > 99) return false;',
    },
    {
      name: 'a node where a higher priority has to give up instances is preferred',
      file: 'service/placement/victims.ts',
      find: 'return option.highestPriority < best.highestPriority;',
      replace: 'return option.highestPriority > best.highestPriority;',
    },
    {
      name: 'a service grows before the instances of others are deleted',
      file: 'service/placement/room.ts',
      find: 'return isMemory && isEnough(this.#nowDisk[node] ?? 0, diskBytes) && this.fits(node, limits);',
      replace: 'return (isMemory || diskBytes !== 0) && this.fits(node, limits);',
    },
    {
      name: 'instances that were requested do not count',
      file: 'service/placement/placement.ts',
      find: 'state.homeless += state.service.floating;',
      replace: 'state.homeless += Math.min(state.service.floating, 0);',
    },
    {
      name: 'instances are restored at once',
      file: 'service/placement/outcome.ts',
      find: 'if (dueMs > 0) return {',
      replace: 'if (dueMs > restoreMs) return {',
    },
    {
      name: 'the wait for room does not start again when the room is taken',
      file: 'service/placement/outcome.ts',
      find: 'if (full.allowed <= target) return { placement: { ...held(state, kept, hold.by), ...victims } };',
      replace:
        'if (full.allowed <= target) return { placement: { ...held(state, kept, hold.by, hold.roomSinceMs), ...victims } };',
    },
    {
      name: 'a static instance is assumed on another node',
      file: 'service/placement/state.ts',
      find: 'if (!state.isStatic) entry.movable++;',
      replace: 'entry.movable++;',
    },
    {
      name: 'instances of a lost node keep the room that a higher priority needs',
      file: 'service/placement/placement.ts',
      find: 'taker !== undefined && taker.service.priority > service.priority',
      replace: 'taker !== undefined && taker.service.priority < service.priority',
    },
    {
      name: 'a service that is held back counts as available',
      file: 'service/conditions.ts',
      find: 'Math.max(desired.readyMin, 1) : desired.replicas;',
      replace: 'Math.max(desired.readyMin, 1) : context.wanted.replicas;',
      tests: ['service/allocation.test.ts'],
    },
  ],
};

export const allocations = {
  folder: 'packages/ecsm-operator/src/controller',
  tests: ['operator.priorities.test.ts'],
  mutants: [
    {
      name: 'a restarted operator does not know what is held back',
      file: 'allocations.ts',
      find: 'this.#holds.get(key) : holdOf(service)),',
      replace: 'this.#holds.get(key) : undefined),',
    },
    {
      name: 'instances are held back for a service that was deleted',
      file: 'allocations.ts',
      find: 'if (other !== undefined && !other.isBeingDeleted) return hold;',
      replace: "if (other?.name !== '') return hold;",
    },
    {
      name: 'a lost node keeps its capacity',
      file: 'allocations.ts',
      find: '.filter(({ name }) => !offlineNodes.has(name))',
      replace: ".filter(({ name }) => !offlineNodes.has('') || name === '')",
    },
    {
      name: 'a class that is the default does not apply to services without a class',
      file: 'priority-classes.ts',
      find: 'return this.#fallback ?? noPriority;',
      replace: 'return noPriority;',
    },
    {
      name: 'the capacity is read although no service has a priority',
      file: 'allocations.ts',
      find: 'return this.#isRunning && (this.#namedCount > 0 || this.#classes.hasDefault);',
      replace: 'return this.#isRunning && (this.#namedCount >= 0 || this.#classes.hasDefault);',
    },
  ],
};
