/**
 * Detects names of secrets: fields, environment variables, headers, flags. A name is split into words at separators and
 * at changes of case, and classified by its words, so that `DB_PASS` is a secret and `COMPASS` is not.
 */

/** Of a longer name only the end is checked. It bounds the work for hostile input. */
export const NAME_CHARACTERS_MAX = 128;

const set = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

/** Secret at any place in a name. */
const secretWords = set('pwd pswd psw pw secret token cred cookie passcode passkey psk');
/** Secret as the last of several words: `REDIS_AUTH`, `GITHUB_PAT`, but not `AUTH_MODE`. */
const secretLastWords = set('auth authorization jwt pat');
/** Secret as the whole name. */
const secretNames = set('auth authorization jwt');
/**
 * Secret in a name of one word or several: `x-api-key`, `AccessKeyId`, `dbpassword`, and in Chinese 密码, 口令, 密钥, 令牌.
 * Escaped, because the single-file bundle is ASCII, and bundlers do not escape regular expressions.
 */
const secretParts =
  /password(?!less)|passphrase|passwd|(?:api|access|secret|private|priv|account)_?key(?:s|id)?(?![a-z])|credential|dockerconfigjson|\u5bc6\u7801|\u53e3\u4ee4|\u5bc6\u94a5|\u4ee4\u724c/;
const dividedParts = /password(?!less)|passphrase/;
/** At the end of a compound word: `clientsecret`, `authtoken`, `sshkey`. */
const secretEnding = /(?:secret|token|pwd|(?:auth|crypt|encryption|host|master|shared|sign|signing|ssh|ssl|tls)key)s?$/;
const passEnding = /pass$/;
/** Words that end in `pass` but are not passwords. */
const otherPass = set(`
  compass bypass trespass surpass encompass overpass underpass lowpass highpass bandpass multipass singlepass renderpass
`);
/** Words before a `pass` that is not a password: `first_pass`, `low-pass`. */
const beforeOtherPass = set(`
  by low high band all over under first second third last next each one two three single double multi render build test
`);

/** Words before `key` that make it a key of data, or a public key. Any other `…_KEY` is a secret. */
const plainKeys = set(`
  primary foreign partition sort routing public pub cache map index object group lookup row column label annotation
  topology registry field config message hot unique composite surrogate candidate natural range shard bucket item sub
  parent child query dedup dedupe deduplication idempotency translation event metric tag header param parameter option
  setting env json yaml dict entry first last next previous start end by any press up down left right arrow enter escape
  lease fence request work queue trace span order list set record document name known unknown duplicate missing the a
`);

/** Words before `tokens` that count them. */
const beforeCounted = set('max min num number total prompt completion input output used count');

/** As the last word they describe a secret and are not one: `PASSWORD_FILE`, `tokenType`, `secretName`. */
const aboutSecrets = set(`
  name names file files filename path dir directory url uri endpoint host port type kind ttl expiry expires expiration
  expire age length len count min max size policy ref reference version enabled disabled required optional timeout
  format algorithm issuer audience provider label rotation interval header field prefix suffix mode limit limits rate
  bucket window domain secure samesite days hours minutes seconds ms changed updated at used usage status exists
  fingerprint
`);

/** A fast filter: no other name can be that of a secret, so most names need no further check. */
const trigger = /pass|pwd|pw|psw|secret|token|cred|cookie|psk|auth|jwt|pat|key|docker|[\u5bc6\u53e3\u4ee4]/i;

/** Whether a field, variable, header or flag of this name holds a secret. */
export function isSecretName(name: string): boolean {
  if (!trigger.test(name)) return false;
  const words = wordsOf(name);
  const last = words.at(-1);
  if (last === undefined || aboutSecrets.has(last)) return false;
  if (words.length === 1 && secretNames.has(last)) return true;
  if (secretParts.test(words.join('_')) || dividedParts.test(words.join(''))) return true;
  return words.some((word, index) => isSecretWord(word, words[index - 1], index === words.length - 1));
}

/** Whether the value of a flag of this name is a secret. `--key` has no other meaning. */
export function isSecretFlag(flag: string): boolean {
  const name = flag.replace(/^-+/, '');
  return /^keys?$/i.test(name) || isSecretName(name);
}

/** `PWD` is also the variable of every shell that holds the working directory. */
export function isWorkingDirectory(name: string, value: string): boolean {
  return /^(?:OLD)?PWD$/.test(name) && value.startsWith('/');
}

function isSecretWord(word: string, before: string | undefined, isLast: boolean): boolean {
  const single = word.length > 3 ? word.replace(/s$/, '') : word;
  if (word === 'tokens' && before !== undefined && beforeCounted.has(before)) return false;
  if (secretWords.has(word) || secretWords.has(single) || secretEnding.test(word)) return true;
  if (isLast && before !== undefined && secretLastWords.has(word)) return true;
  if (single === 'key') return before !== undefined && !plainKeys.has(before);
  return isLast && passEnding.test(word) && !otherPass.has(word) && !(word === 'pass' && isOtherPass(before));
}

function isOtherPass(before: string | undefined): boolean {
  return before !== undefined && beforeOtherPass.has(before);
}

/** `S3AccessKey2` is `s3 access key`: trailing numbers of a word are dropped. */
function wordsOf(name: string): readonly string[] {
  return name
    .slice(-NAME_CHARACTERS_MAX)
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .map((word) => (word.length > 2 ? word.replace(/(?<=\D)\d+$/, '') : word))
    .filter((word) => word !== '' && !/^\d+$/.test(word));
}
