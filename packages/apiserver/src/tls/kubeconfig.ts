/** Writes kubeconfig files, as YAML in the order and style of `kubectl config view`. */
import { ApiError } from '@ecsm/runtime';

export type KubeconfigOptions = {
  /** `https://host:6443` */
  readonly server: string;
  readonly caPem: string;
  readonly user: string;
  /** Default: none, which kubectl reads as `default`. */
  readonly namespace?: string;
  /** Of the context and the cluster. Default `ecsm`. */
  readonly contextName?: string;
} & ({ readonly token: string } | { readonly certificatePem: string; readonly keyPem: string });

export function kubeconfigFor(options: KubeconfigOptions): string {
  const { server, caPem, user, namespace, contextName = 'ecsm' } = options;
  const credentials =
    'token' in options
      ? [`token: ${quote(options.token)}`]
      : [`client-certificate-data: ${base64(options.certificatePem)}`, `client-key-data: ${base64(options.keyPem)}`];
  const lines = [
    'apiVersion: v1',
    'kind: Config',
    'clusters:',
    '- cluster:',
    `    certificate-authority-data: ${base64(caPem)}`,
    `    server: ${quote(server)}`,
    `  name: ${quote(contextName)}`,
    'contexts:',
    '- context:',
    `    cluster: ${quote(contextName)}`,
    ...(namespace === undefined ? [] : [`    namespace: ${quote(namespace)}`]),
    `    user: ${quote(user)}`,
    `  name: ${quote(contextName)}`,
    `current-context: ${quote(contextName)}`,
    'preferences: {}',
    'users:',
    `- name: ${quote(user)}`,
    '  user:',
    ...credentials.map((line) => `    ${line}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** A text that no YAML parser reads as anything but this string: not a number, a boolean, null or a comment. */
const plain = /^(?!(?:true|false|yes|no|on|off|null|y|n)$)[A-Za-z_][A-Za-z0-9_.@/-]*$/i;
const url = /^https:\/\/[A-Za-z0-9.:[\]-]+(\/[A-Za-z0-9._~/-]*)?$/;

const loneSurrogate = /[\ud800-\udfff]/u;

/** Other texts are quoted as JSON, which is valid YAML. */
function quote(text: string): string {
  // A lone surrogate has no UTF-8 encoding; in JSON it is an escape that YAML does not allow.
  if (loneSurrogate.test(text)) throw new ApiError('BadRequest', { reason: 'a kubeconfig needs valid Unicode' });
  return plain.test(text) || url.test(text)
    ? text
    : JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029]/g, escapeSequence);
}

function escapeSequence(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');
