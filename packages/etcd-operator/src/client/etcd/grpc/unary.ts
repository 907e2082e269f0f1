/** A gRPC call with one message in each direction. Nothing is repeated: the caller knows whether it may be. */
import type { ClientHttp2Session } from 'node:http2';
import type { Clock } from '@ecsm/runtime';
import type { EtcdCallOptions, EtcdCredentials, EtcdEndpoint } from '../contract.ts';
import { EtcdError } from '../error.ts';
import { type Answer, malformed } from '../gateway/answer.ts';
import { answerBytesMax, timeoutMsDefault } from '../gateway/request.ts';
import type { Method } from './messages.ts';
import { decodeMessage, encodeMessage } from './protobuf.ts';
import { describeEndpoint, GrpcStream, prefixBytes } from './stream.ts';

const windowBytes = 256 * 1024;

interface UnaryCall extends EtcdCallOptions {
  readonly endpoint: EtcdEndpoint;
  readonly credentials: EtcdCredentials | undefined;
  readonly method: Method;
  /** With the fields of the request, as the gateway expects them. */
  readonly body: Answer;
  readonly isLed: boolean;
  readonly clock: Clock;
  readonly session?: ClientHttp2Session | undefined;
}

/** Returns what the gateway would answer. */
export function callUnary(call: UnaryCall): Promise<Answer> {
  const { endpoint, method, body, signal, timeoutMs = timeoutMsDefault, clock } = call;
  const what = describeEndpoint(endpoint);
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(aborted(what));
    const pieces: Buffer[] = [];
    let sizeBytes = 0;
    const finish = (end: () => void) => {
      cancelTimer();
      signal?.removeEventListener('abort', onAbort);
      end();
      stream.close();
    };
    const onFailure = (error: EtcdError) => finish(() => reject(error));
    const onAbort = () => onFailure(aborted(what));
    const cancelTimer = clock.after(timeoutMs, () =>
      onFailure(new EtcdError('Timeout', `${what}: no answer within ${timeoutMs} ms`)),
    );
    signal?.addEventListener('abort', onAbort, { once: true });
    const stream = new GrpcStream(
      { ...call, path: method.path, message: encodeMessage(body, method.request), windowBytes },
      {
        onFailure,
        onData: (piece) => {
          sizeBytes += piece.byteLength;
          if (sizeBytes <= answerBytesMax) pieces.push(piece);
          else onFailure(new EtcdError('Unavailable', `${what}: the answer is over ${answerBytesMax} bytes`));
        },
        onEnd: (refusal) => {
          if (refusal) return onFailure(refusal);
          try {
            const answer = decodeMessage(messageIn(Buffer.concat(pieces)), method.response);
            finish(() => resolve(answer));
          } catch (error) {
            finish(() => reject(error));
          }
        },
      },
    );
  });
}

function messageIn(bytes: Buffer): Buffer {
  const isWhole = bytes.byteLength >= prefixBytes && bytes.byteLength === prefixBytes + bytes.readUInt32BE(1);
  if (!isWhole || bytes[0] !== 0) throw malformed('it is not one message');
  return bytes.subarray(prefixBytes);
}

function aborted(what: string): EtcdError {
  return new EtcdError('Unavailable', `${what}: the call was aborted`);
}
