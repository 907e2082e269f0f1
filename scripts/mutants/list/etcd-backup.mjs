/** The operator of etcd: its controllers, and of backups the stores, the content of snapshots, and the agent. */

export const backupStorage = {
  folder: 'packages/etcd-operator/src/client/storage',
  tests: ['s3/scripted.test.ts'],
  mutants: [
    {
      name: 'a read that was cut continues with another object if the store does not compare it',
      file: 's3/download.ts',
      find: 'if (factsOf(answer).etag !== this.#etag) {',
      replace: "if (factsOf(answer).etag === '') {",
    },
    {
      name: 'a read that was cut continues without comparing the object',
      file: 's3/download.ts',
      find: 'const headers = { range: `bytes=${this.#readBytes}-`, \'if-match\': `"${this.#etag}"` };',
      replace: 'const headers = { range: `bytes=${this.#readBytes}-` };',
    },
    {
      name: 'a read that was cut continues at the wrong byte',
      file: 's3/download.ts',
      find: 'if (!result.done) this.#readBytes += result.value.byteLength;',
      replace: 'if (!result.done) this.#readBytes = result.value.byteLength;',
    },
    {
      name: 'a read is continued without limit',
      file: 's3/download.ts',
      find: 'this.#resumes < this.#requests.limits.resumesMax',
      replace: 'this.#resumes < 10 * this.#requests.limits.resumesMax',
    },
    {
      name: 'an uploaded object is not compared with what was sent',
      file: 's3/upload.ts',
      find: "if (comparison !== 'different') return facts;",
      replace: 'if (comparison.length > 0) return facts;',
    },
    {
      name: 'the object of another writer counts as that of a put whose answer was lost',
      file: 's3/publication.ts',
      find: ': facts.putId === this.#putId;',
      replace: ": facts.putId !== '';",
    },
    {
      name: 'an error in the body of a completion is not seen',
      file: 's3/publication.ts',
      find: "if (parseXml(text)?.name !== 'Error') return undefined;",
      replace: "if (parseXml(text)?.name !== '') return undefined;",
    },
    {
      name: 'a backup on a volume gets its name before it is reviewed',
      file: 'volume/upload.ts',
      find: 'if (review) await body.run(() => review(at));',
      replace: 'if (review) void body.run(() => review(at)).catch(() => {});',
      tests: ['volume/storage.test.ts'],
    },
    {
      name: 'chunks are still used after the next one was requested',
      file: 'volume/file-writer.ts',
      find: 'this.#buffer.set(part, this.#filledBytes);',
      replace:
        'if (this.#filledBytes === 0 && part.byteLength < bufferBytes) this.#buffer = Buffer.from(part.buffer);\n      this.#buffer.set(part, this.#filledBytes);',
      tests: ['volume/storage.test.ts'],
    },
    {
      name: 'a file that exists is replaced',
      file: 'volume/upload.ts',
      find: "if (code === 'EEXIST') throw alreadyExists(file);",
      replace: "if (code === 'EEXIST') return rename(temporary, file);",
      tests: ['volume/storage.test.ts'],
    },
    {
      name: 'a file that is cut while it is read ends without an error',
      file: 'volume/download.ts',
      find: 'if (bytesRead === 0) {',
      replace: 'if (bytesRead === 0) return done;\n    if (bytesRead < 0) {',
      tests: ['volume/storage.test.ts'],
    },
  ],
};

export const snapshots = {
  folder: 'packages/etcd-operator/src/snapshot',
  tests: ['codecs.test.ts'],
  mutants: [
    {
      name: 'an encrypted backup can be cut after a frame',
      file: 'encryption.ts',
      find: 'nonce[nonceBytes - 1] = isLast ? 1 : 0;',
      replace: 'nonce[nonceBytes - 1] = isLast ? 0 : 0;',
    },
    {
      name: 'the header of an encrypted backup is not authenticated',
      file: 'encryption.ts',
      find: 'createDecipheriv(algorithm, fileKey, nonceOf(index, isLast)).setAAD(header);',
      replace: 'createDecipheriv(algorithm, fileKey, nonceOf(index, isLast));',
    },
    {
      name: 'the rest of a frame is kept in memory that is used again',
      file: 'encryption.ts',
      find: 'pending = Buffer.from(pending);',
      replace: '',
    },
    {
      name: 'a compressed backup that is cut is whole',
      file: 'gzip.ts',
      find: "if (typeof code !== 'string' || !code.startsWith('Z_')) throw error;",
      replace:
        "if (typeof code !== 'string' || !code.startsWith('Z_')) throw error;\n    if (code === 'Z_BUF_ERROR') return;",
    },
    {
      name: 'retention deletes the newest backup if it is too old',
      file: 'retention.ts',
      find: 'index > 0 && (isOver(index)',
      replace: 'index >= 0 && (isOver(index)',
      tests: ['manifest.test.ts'],
    },
    {
      name: 'retention deletes the backups of other schedules',
      file: 'retention.ts',
      find: "manifest.source.scheduleUid === scheduleUid && scheduleUid !== ''",
      replace: "scheduleUid !== ''",
      tests: ['manifest.test.ts'],
    },
    {
      name: 'the CRC of what follows the lanes is that of their start',
      file: 'crc32c.ts',
      find: 'words(crc, dataAt + pairsEnd, dataAt + wordsEnd)',
      replace: 'words(crc, dataAt, dataAt + wordsEnd - pairsEnd)',
      tests: ['crc32c.test.ts'],
    },
    {
      name: 'the CRCs of two lanes are joined as if the second one were shorter',
      file: 'crc32c.ts',
      find: 'crcShift(1 << bit, laneBytes)',
      replace: 'crcShift(1 << bit, laneBytes - 1)',
      tests: ['crc32c.test.ts'],
    },
    {
      name: 'a page of another number is read as this one',
      file: 'bolt/file.ts',
      find: 'if (longAt(bytes, 0) !== id) throw',
      replace: 'if (longAt(bytes, 0) < 0) throw',
      tests: ['facts.test.ts'],
    },
    {
      name: 'keys that were deleted are counted',
      file: 'facts.ts',
      find: 'else this.#keys += isDeletion ? -1 : version === 1 ? 1 : 0;',
      replace: 'else this.#keys += version === 1 ? 1 : 0;',
      tests: ['facts.test.ts'],
    },
  ],
};

export const agents = {
  folder: 'packages/etcd-operator/src/agent',
  tests: ['agent.test.ts'],
  mutants: [
    {
      name: 'a fetched snapshot is not compared with its manifest',
      file: 'fetch.ts',
      find: 'if (wanted !== undefined && wanted !== found) throw',
      replace: 'if (wanted !== undefined && found.length !== wanted.length) throw',
    },
    {
      name: 'a linked file with another end than the one that was checked is restored',
      file: 'fetch.ts',
      find: 'requireEqual(databaseSha256, end.toString',
      replace: 'requireEqual(undefined, end.toString',
    },
    {
      name: 'the stored file stays open after a fetch that does not read it',
      file: 'fetch.ts',
      find: 'await stored.body[Symbol.asyncIterator]().return?.();',
      replace: '',
    },
    {
      name: 'the snapshot of a member that is not fit stays open',
      file: 'member.ts',
      find: 'abandoning.abort();',
      replace: '',
    },
    {
      name: 'a linked file to which something was appended is restored',
      file: 'fetch.ts',
      find: 'if (foundBytes !== sizeBytes) throw',
      replace: 'if (foundBytes < sizeBytes) throw',
    },
    {
      name: 'a snapshot of a newer version is restored',
      file: 'fetch.ts',
      find: 'minor <= targetMinor)) return;',
      replace: 'minor >= 0)) return;',
    },
    {
      name: 'a member of another cluster is backed up',
      file: 'member.ts',
      find: "if (clusterId !== '' && status.clusterId !== clusterId) return",
      replace: "if (clusterId === '' && status.clusterId === clusterId) return",
    },
    {
      name: 'a backup whose keys differ from those of the member is complete',
      file: 'member.ts',
      find: 'if (found.hash === facts.hashKV) return true;',
      replace: "if (found.hash !== '') return true;",
      tests: ['member.test.ts'],
    },
    {
      name: 'the snapshot of the first member stays open if it is not needed',
      file: 'backup.ts',
      find: 'if (earlier) first?.abandon();',
      replace: '',
    },
    {
      name: 'data of an attempt that failed prevents the next one',
      file: 'backup.ts',
      find: 'await deleteData(storage, keyBase, signal);',
      replace: '',
    },
    {
      name: "another cluster's backup counts as this one",
      file: 'backup.ts',
      find: 'if (manifest.source.backupUid !== source.backupUid) {',
      replace: "if (manifest.source.backupUid === '') {",
    },
    {
      name: 'a backup that exists is reported although its bytes differ',
      file: 'stored.ts',
      find: "return hash.digest('hex') === manifest.stored.sha256;",
      replace: "return hash.digest('hex').length === manifest.stored.sha256.length;",
    },
    {
      name: 'a restore moves its data over data that exists',
      file: 'commit.ts',
      find: 'if (hasData) {',
      replace: 'if (hasData && !hasRestored) {',
      tests: ['run.test.ts'],
    },
    {
      name: 'a restored member with other keys passes a rehearsal',
      file: 'check.ts',
      find: '...(keys === expected.keys ? [] :',
      replace: '...(keys >= 0 ? [] :',
    },
    {
      name: 'a commit removes what is outside of the volume',
      file: 'commit.ts',
      find: 'if (!isInside || isData) throw',
      replace: 'if (isData) throw',
      tests: ['run.test.ts'],
    },
  ],
};

export const etcdGrpc = {
  folder: 'packages/etcd-operator/src/client/etcd',
  tests: ['grpc/protobuf.test.ts'],
  mutants: [
    {
      name: 'negative numbers of etcd are read as large ones',
      file: 'grpc/protobuf.ts',
      find: "if (type === 'int64') return String(BigInt.asIntN(64, content));",
      replace: "if (type === 'int64') return String(content);",
    },
    {
      name: 'only the last one of a repeated field is kept',
      file: 'grpc/protobuf.ts',
      find: '[...((answer[field.name] as readonly unknown[] | undefined) ?? []), value]',
      replace: '[value]',
    },
    {
      name: 'a snapshot that ends within a message is accepted',
      file: 'snapshot/decoder.ts',
      find: "if (this.#state !== 'prefix' || this.#prefixFilled > 0) throw",
      replace: "if (this.#state === 'tag' && this.#prefixFilled > 0) throw",
      tests: ['snapshot/decoder.test.ts'],
    },
    {
      name: 'an error of etcd has the line breaks of OpenSSL',
      file: 'error.ts',
      find: "super(message.replaceAll(/\\s+/gu, ' ').trim());",
      replace: 'super(message.trim());',
      tests: ['gateway/failure.test.ts'],
    },
    {
      name: 'a restore waits in silence for an image that cannot be pulled',
      file: '../../service/restore/transition.ts',
      find: "step.isImageMissing ? 'ImageNotPulled' : reason",
      replace: "step.isImageMissing === false ? 'ImageNotPulled' : reason",
      tests: ['../../service/restore/decision.test.ts'],
    },
    {
      name: 'a restore that has failed keeps its finalizer',
      file: '../../service/restore/transition.ts',
      find: 'const hold = status.step !== undefined && !isRestoreEnded(status);',
      replace: 'const hold = status.step !== undefined;',
      tests: ['../../controller/backups.test.ts'],
    },
    {
      name: 'a run gets its finalizer again after its schedule has removed it',
      file: '../../service/backup/decision.ts',
      find: 'return !isEnded(status) || (metadata.finalizers?.includes(BACKUP_FINALIZER) ?? false);',
      replace: 'return !isEnded(status) || metadata.finalizers?.length !== 1_000;',
      tests: ['../../controller/backups.test.ts'],
    },
    {
      name: 'a worker is asked for its progress in each pass',
      file: '../worker/progress.ts',
      find: 'if (asked?.address === address && atMs - asked.atMs < intervalMs) return asked.answer;',
      replace: 'if (asked?.address === address && asked.atMs > atMs) return asked.answer;',
      tests: ['../../controller/backups.test.ts'],
    },
    {
      name: 'what Kubernetes refuses of a backup is no event',
      file: '../../service/backup/outcome.ts',
      find: 'return { status, events, requeueAfterMs: workerRetryMs };',
      replace: 'return { status, events: events.slice(1), requeueAfterMs: workerRetryMs };',
      tests: ['../../controller/backups.test.ts'],
    },
    {
      name: 'a restore whose spec is not valid is done',
      file: '../../service/restore/restore.ts',
      find: "if (happened.is === 'invalid') return invalid(restore, happened.errors, nowMs);",
      replace: "if (happened.is === 'invalid') return invalid(restore, [], nowMs) && undefined;",
      tests: ['../../controller/backups.test.ts'],
    },
    {
      name: 'a cluster grows into a pod of another owner',
      file: '../../controller/cluster-access.ts',
      find: '      ...taken.pods,\n',
      replace: '      ...taken.pods.slice(1),\n',
      tests: ['../../controller/cluster-access.test.ts'],
    },
  ],
};

export const etcdControllers = {
  folder: 'packages/etcd-operator/src/controller',
  tests: ['operator.test.ts'],
  mutants: [
    {
      name: 'a deleted Service of a cluster of etcd is not noticed',
      file: 'cluster-triggers.ts',
      find: 'names: [names.clientService, names.peerService] },',
      replace: 'names: [] },',
    },
    {
      name: 'what was read from a deleted Secret is used',
      file: 'cluster-triggers.ts',
      find: '    for (const cluster of clusters) changed(cluster);\n',
      replace: '',
    },
    {
      name: 'a Secret that is deleted during a pass is not noticed',
      file: 'cluster.ts',
      find: '  memory.certificates = { read: observed.security, uses: 0 };\n',
      replace: '  memory.certificates = { read: observed.security, uses: 0 };\n  memory.hasChanged = false;\n',
      tests: ['cluster.test.ts'],
    },
    {
      name: 'what was read from Secrets is used for a spec that was not observed',
      file: 'cluster.ts',
      find: 'pass.mayUseCache && isAtRest && certificates',
      replace: 'pass.mayUseCache && certificates',
      tests: ['cluster.test.ts'],
    },
    {
      name: 'volumes are enlarged in each pass although Kubernetes has refused it',
      file: 'cluster.ts',
      find: 'resizeRefused: isRefused ? refusal.message : undefined',
      replace: 'resizeRefused: undefined',
      tests: ['cluster.test.ts'],
    },
    {
      name: 'the permission to recover stays after the recovery',
      file: 'cluster.ts',
      find: 'if (isRecovered && input.wanted.recoverFrom !== undefined) {',
      replace: 'if (false) {',
      tests: ['cluster.test.ts'],
    },
    {
      name: 'an operation that takes long is looked at as often as at its start',
      file: 'cluster-triggers.ts',
      find: 'Math.max(busyMs, (nowMs - startedAtMs) / elapsedPart)',
      replace: 'busyMs',
      tests: ['cluster-triggers.test.ts'],
    },
  ],
};
