import { describe, expect, it } from 'vitest';
import { decimalId, idAt, integerAt, parseAnswer } from './answer.ts';
import { connectionFailure, reportedFailure } from './failure.ts';

describe('a failure that etcd reports', () => {
  it.each([
    ['etcdserver: re-configuration failed due to not enough started members', 9, 'NotEnoughStarted'],
    ['etcdserver: unhealthy cluster', 14, 'Unhealthy'],
    ['etcdserver: too many learner members in cluster', 9, 'TooManyLearners'],
    ['etcdserver: can only promote a learner member which is in sync with leader', 9, 'LearnerNotReady'],
    ['etcdserver: can only promote a learner member', 9, 'NotLearner'],
    ['etcdserver: Peer URLs already exists', 9, 'PeerUrlExists'],
    ['etcdserver: member not found', 5, 'MemberNotFound'],
    ['etcdserver: not leader', 9, 'NotLeader'],
    ['etcdserver: no leader', 14, 'NoLeader'],
    ['etcdserver: leader changed', 14, 'NoLeader'],
    ['etcdserver: request timed out', 14, 'Timeout'],
    ['etcdserver: request timed out, possibly due to previous leader failure', 14, 'NoLeader'],
    ['etcdserver: rpc not supported for learner', 9, 'NotSupportedForLearner'],
    ['etcdserver: mvcc: database space exceeded', 8, 'NoSpace'],
    ['etcdserver: corrupt cluster', 15, 'Corrupt'],
    ['etcdserver: permission denied', 7, 'Denied'],
    ['etcdserver: server stopped', 14, 'Unavailable'],
    ['something new', 2, 'Unavailable'],
    ['etcdserver: bad leader transferee', 9, 'Other'],
  ])('%s is %i %s', (message, number, code) => {
    expect(reportedFailure(message, number)).toMatchObject({ code, message });
  });
});

describe('a failure of the connection', () => {
  it('has one line, also with the text of OpenSSL, which ends with a line break', () => {
    const text = '00F1:error:0A000418:SSL routines:tlsv1 alert unknown ca:\r\nssl/record.c:1605:SSL alert number 48\n';
    const error = Object.assign(new Error(text), { code: 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA' });
    const { message } = connectionFailure(error, 'etcd at a');
    expect(message).toContain('unknown ca: ssl/record.c:1605:SSL alert number 48');
    expect(message).not.toMatch(/[\r\n]|\s$/);
  });

  it.each([
    ['ECONNREFUSED', 'Unavailable', false],
    ['ECONNRESET', 'Unavailable', false],
    ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'Denied', true],
    ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', 'Denied', true],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'Denied', true],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'Denied', true],
    ['CERT_HAS_EXPIRED', 'Denied', true],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'Denied', true],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'Denied', true],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'Unavailable', true],
    ['EPROTO', 'Unavailable', true],
  ])('%s is %s; of TLS: %s', (code, expected, isTlsFailure) => {
    const failure = connectionFailure(Object.assign(new Error('broken'), { code }), 'etcd at a');
    expect(failure).toMatchObject({ code: expected, isTlsFailure });
  });

  it('is of TLS if it ended in the handshake', () => {
    const message = 'Client network socket disconnected before secure TLS connection was established';
    const failure = connectionFailure(Object.assign(new Error(message), { code: 'ECONNRESET' }), 'etcd at a');
    expect(failure).toMatchObject({ code: 'Unavailable', isTlsFailure: true });
  });
});

describe('ids', () => {
  it('keep all 64 bits', () => {
    const answer = parseAnswer('{"id":"18249187646912138824"}');
    expect(idAt(answer, 'id')).toBe('fd422379fda50e48');
    expect(decimalId('fd422379fda50e48')).toBe('18249187646912138824');
  });

  it('are refused if they are not hexadecimal', () => {
    expect(() => decimalId('FD42')).toThrow('is not the id of a member');
    expect(() => decimalId('')).toThrow('is not the id of a member');
  });

  it('of an absent field are zero', () => {
    expect([idAt({}, 'id'), integerAt({}, 'id')]).toEqual(['0', 0n]);
  });
});
