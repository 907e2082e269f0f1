/** A private key and its certificate in one file, so that the two always belong together. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { ApiError } from '@ecsm/runtime';
import { readPrivateFile } from './files.ts';

export interface KeyPair {
  readonly privateKey: KeyObject;
  readonly certificate: X509Certificate;
  /** In PEM. */
  readonly keyPem: string;
  readonly certificatePem: string;
}

const keyBlock = /-----BEGIN (?:EC )?PRIVATE KEY-----\n[\s\S]+?-----END (?:EC )?PRIVATE KEY-----\n?/;
const certificateBlock = /-----BEGIN CERTIFICATE-----\n[\s\S]+?-----END CERTIFICATE-----\n?/;

export function keyPairOf(privateKey: KeyObject, certificatePem: string): KeyPair {
  return {
    privateKey,
    certificate: new X509Certificate(certificatePem),
    keyPem: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    certificatePem,
  };
}

export function formatKeyPair({ keyPem, certificatePem }: KeyPair): string {
  return `${keyPem}${certificatePem}`;
}

/** Returns undefined if there is no such file. Throws `Corrupt` if it does not have a key and its certificate. */
export function readKeyPair(path: string): KeyPair | undefined {
  const text = readPrivateFile(path);
  return text === undefined ? undefined : parseKeyPair(path, text);
}

/** `path` is for messages. Throws `Corrupt` if the text does not have a key and its certificate. */
export function parseKeyPair(path: string, text: string): KeyPair {
  const keyPem = keyBlock.exec(text)?.[0];
  const certificatePem = certificateBlock.exec(text)?.[0];
  if (keyPem === undefined || certificatePem === undefined) {
    throw damaged(path, 'it does not have a private key and a certificate in PEM');
  }
  try {
    const privateKey = createPrivateKey(keyPem);
    const certificate = new X509Certificate(certificatePem);
    if (certificate.checkPrivateKey(privateKey)) return { privateKey, certificate, keyPem, certificatePem };
  } catch (error) {
    throw damaged(path, 'its private key or its certificate cannot be read', error);
  }
  throw damaged(path, 'its private key does not belong to its certificate');
}

/** Nothing is overwritten: the file may be the only copy of a key. */
export function damaged(path: string, problem: string, cause?: unknown): ApiError<'Corrupt'> {
  return new ApiError('Corrupt', { what: path, reason: `${problem}; move it away to have a new one created` }, cause);
}
