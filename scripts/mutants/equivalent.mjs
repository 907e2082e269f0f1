/**
 * Generated defects that change nothing that anyone can observe, each with the reason. They are not planted. `find` and
 * `replace` are the changed lines as the generator prints them, without the space around them.
 * @type {{ file: string, find: string, replace: string, why: string }[]}
 */
export const equivalent = [
  {
    file: 'packages/runtime/src/store/file/edit-reader.ts',
    find: 'for (let reads = 1; changing.length > 0; reads++) {',
    replace: 'for (let reads = 1; changing.length >= 0; reads++) {',
    why: 'The loop ends inside when nothing changes; without keys it reads nothing once.',
  },
  {
    file: 'packages/runtime/src/manager/election.ts',
    find: 'await renewing;',
    replace: 'renewing;',
    why: 'The term has ended before: a renewal that waits for its pause or for an answer ends in the same turn.',
  },
  {
    file: 'packages/etcd-operator/src/service/recovery/replacement.ts',
    find: "const alarm = facts.alarms.find(({ memberId, type }) => type === 'CORRUPT' && memberId === operation.memberId);",
    replace: 'const alarm = facts.alarms.find(({ memberId, type }) => memberId === operation.memberId);',
    why: 'While there is an alarm NOSPACE, an earlier rule makes room: only CORRUPT alarms arrive here.',
  },
  {
    file: 'packages/apiserver/src/auth/client-certificate.ts',
    find: 'if (!certificate.checkIssued(this.#authority) || !certificate.verify(this.#authority.publicKey)) {',
    replace: 'if (!certificate || !certificate.verify(this.#authority.publicKey)) {',
    why: 'What the key of the authority has signed names the authority as its issuer: the key signs nothing else.',
  },
  {
    file: 'packages/runtime/src/store/revision-notifier.ts',
    find: 'if (revision <= this.#revision) return;',
    replace: 'if (revision < this.#revision) return;',
    why: 'The first notification has woken every waiter that waits for less, so a repeated one finds none.',
  },
  {
    file: 'packages/runtime/src/registry/keys.ts',
    find: 'if (known !== undefined) return known;',
    replace: ';',
    why: 'The prefixes of a set of kinds never change: they are computed again, with the same result.',
  },
  {
    file: 'packages/runtime/src/store/sqlite/ledger.ts',
    find: 'if (entry && this.#watchers > 0) this.#recent.remember(entry);',
    replace: 'if (entry) this.#recent.remember(entry);',
    why: 'It saves a tenth of the time of a read without watches: what is kept is compared by revision.',
  },
  {
    file: 'packages/runtime/src/store/sqlite/tables.ts',
    find: 'const start = rowNumber(compacted + 1, 0);',
    replace: 'const start = rowNumber(compacted + 0, 0);',
    why: 'A row of the compacted revision is older than the age or ends the search: both give the compacted revision.',
  },
  {
    file: 'packages/runtime/src/store/sqlite/tables.ts',
    find: 'if (target <= compacted) return;',
    replace: 'if (target < compacted) return;',
    why: 'Compacting to the same revision again removes an empty range of rows and stores the same revision.',
  },
  {
    file: 'packages/runtime/src/store/file/watcher.ts',
    find: "watcher.on('error', () => this.#stop(directory));",
    replace: "watcher.on('error', () => this);",
    why: 'Linux reports no error of a watch that was started; the listener keeps other systems from ending the process.',
  },
];
