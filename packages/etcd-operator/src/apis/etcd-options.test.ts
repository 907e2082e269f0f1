import { describe, expect, it } from 'vitest';
import { etcdOptions, optionProblem, optionValue } from './etcd-options.ts';

describe('the settings of etcd', () => {
  it.each([
    ['snapshot-count', 10_000],
    ['max-txn-ops', '256'],
    ['grpc-keepalive-timeout', '20s'],
    ['experimental-watch-progress-notify-interval', '5m'],
    ['watch-progress-notify-interval', '5m'],
    ['pre-vote', 'false'],
  ])('accept %s', (name, value) => {
    expect(optionProblem(name, value)).toBeUndefined();
  });

  it.each([
    ['name', 'name and its data directory'],
    ['initial-cluster', 'how members start'],
    ['initial-corrupt-check', 'enables it'],
    ['experimental-initial-corrupt-check', 'enables it'],
    ['listen-client-urls', 'fixed'],
    ['advertise-client-urls', 'how members start'],
    ['auto-tls', 'spec.security.tls'],
    ['peer-auto-tls', 'spec.security.tls'],
    ['cert-file', 'spec.security.tls'],
    ['client-transport-security', 'spec.security.tls'],
    ['quota-backend-bytes', 'spec.etcd.quotaBackendBytes'],
    ['auto-compaction-retention', 'spec.etcd.autoCompactionRetention'],
    ['force-new-cluster', 'etcd.ecsm.sh/recover-quorum-from'],
    ['unsafe-no-fsync', 'acknowledged writes'],
    ['max-learners', 'one learner'],
    ['experimental-max-learners', 'one learner'],
  ])('refuse %s with the reason', (name, reason) => {
    expect(optionProblem(name, '1')).toContain(reason);
    expect(optionProblem(name, '1')).toContain('it cannot be set here');
  });

  it('refuse what they do not know', () => {
    expect(optionProblem('heartbeat', 1)).toBe('it is not a setting that can be changed');
    expect(optionProblem('constructor', 1)).toBe('it is not a setting that can be changed');
  });

  it.each([
    ['snapshot-count', 'many', 'must be an integer'],
    ['pre-vote', 1, 'must be "true" or "false"'],
    ['grpc-keepalive-timeout', '20', 'must be a duration such as 100ms or 10s'],
    ['log-level', 'a b', 'must be one word'],
  ])('check the value of %s', (name, value, message) => {
    expect(optionProblem(name, value)).toBe(message);
  });

  it('have the types that the config file needs', () => {
    expect(optionValue('snapshot-count', '100')).toBe(100);
    expect(optionValue('pre-vote', 'true')).toBe(true);
    expect(optionValue('log-level', 'debug')).toBe('debug');
    expect(etcdOptions.size).toBeGreaterThan(30);
  });
});
