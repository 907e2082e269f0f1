/** Detects secrets by their format, under any name: credentials in URLs and headers, JWTs, private keys, cloud keys. */
import { Buffer } from 'node:buffer';
import { hidden } from './mark.ts';

/**
 * `user:password@` of a URL. Of any length: a token of a cloud's image registry has thousands of characters. It cannot
 * contain the start of another one, so the time stays proportional to the length of the text.
 */
const userinfo = /(?<=:\/\/)[^\s/"'<>]+(?=@)/g;
/** The same where the text is truncated before the `@`; a number is a port. */
const cutUserinfo = /(?<=:\/\/[^\s/@:"'<>]{0,256}:)(?!\d{0,5}["'\\\u2026]*$)[^\s/@:"'\\<>[\]]+(?=["'\\\u2026]{0,8}$)/;
/** `user:password@tcp(host)` of a Go data source name. */
const dataSource = /(?<=(?:^|[\s"'=])[\w.-]{1,64}:)[^\s@/"'<>]{1,256}(?=@(?:tcp|udp|unix)\()/g;
const bearer = /(?<=\bBearer {1,4})[^\s"',;<>]{4,}/gi;
const basic = /(?<=\bBasic {1,4})[A-Za-z0-9+/_-]{4,}={0,2}/gi;
/** Prose after the word: `Bearer token`, `bearer authentication`. */
const prose = /^[a-z]{1,15}[.:]?$/;
const jwt = /(?<![\w-])eyJ[\w-]{5,}\.[\w-]{2,}(?:\.[\w-]*)*/g;
const signature = /(?<=[?&](?:sig|signature|x-amz-signature|x-goog-signature)=)[^&\s"'<>]+/gi;
/** Keys of AWS, Google, GitHub, GitLab, Slack, Stripe, OpenAI, npm, Vault and age, by their prefixes. */
const knownKeys =
  /(?<![A-Za-z0-9])(?:(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])|AIza[\w-]{35}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|[sr]k_live_\w{16,}|sk-[\w-]{20,}|npm_[A-Za-z0-9]{36}|hv[sb]\.[\w-]{20,}|AGE-SECRET-KEY-1[A-Z0-9]{20,})/g;
const privateKey = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const endOfKey = /-----END [A-Z0-9 ]{0,40}-----/g;

/** Private keys only: they span several lines, so they are hidden first. */
export function hidePrivateKeys(text: string): string {
  if (!text.includes('PRIVATE KEY')) return text;
  let result = '';
  let kept = 0;
  privateKey.lastIndex = 0;
  for (let begin = privateKey.exec(text); begin; begin = privateKey.exec(text)) {
    endOfKey.lastIndex = privateKey.lastIndex;
    const isWhole = endOfKey.exec(text) !== null;
    result += text.slice(kept, begin.index) + hidden;
    kept = isWhole ? endOfKey.lastIndex : text.length;
    privateKey.lastIndex = kept;
  }
  return result + text.slice(kept);
}

export function hideShapes(text: string): string {
  return text
    .replace(userinfo, hidden)
    .replace(cutUserinfo, hidden)
    .replace(dataSource, hidden)
    .replace(bearer, (token) => (prose.test(token) ? token : hidden))
    .replace(basic, (token) => (isCredentials(token) ? hidden : token))
    .replace(jwt, hidden)
    .replace(signature, hidden)
    .replace(knownKeys, hidden);
}

/** The credentials of `Basic` are `user:password` in base64. */
function isCredentials(token: string): boolean {
  return Buffer.from(token, 'base64').includes(':');
}
