/** Formats of secrets, and formats that only look like them. */

/** The secret in every entry that has no secret of its own. */
export const secret = 'Hunter2+xyz';

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N';
const pem = '-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7\nb3BlbnNzaC1rZXktdjE\n-----END RSA PRIVATE KEY-----';

/** Names of variables, fields, headers and flags whose values are secrets. */
export const secretNames: readonly string[] = [
  ...['password', 'PASSWORD', 'Password', 'dbPassword', 'db_password', 'pass_word', 'vsoaPassword', 'passwordHash'],
  ...['passwd', 'htpasswd', 'passphrase', 'pass-phrase', 'PASSPHRASE', 'passcode', 'PASSWORD2', 'DB_PASSWORD_1'],
  ...['DB_PASS', 'PGPASS', 'PGPASSWORD', 'MYSQL_PASS', 'pass', 'userPass', 'SSHPASS', 'smtp_pass', 'DBPASS', 'PASS1'],
  ...['pwd', 'Pwd', 'DB_PWD', 'dbpwd', 'pw', 'REDIS_PW', 'pswd'],
  ...[
    'secret',
    'SECRET',
    'clientSecret',
    'client_secret',
    'clientsecret',
    'SECRET_KEY_BASE',
    'APP_SECRETS',
    'secret_id',
  ],
  ...['token', 'TOKEN', 'accessToken', 'access_token', 'authtoken', 'X-Auth-Token', 'csrf-token', 'tokens', 'TOKEN_2'],
  ...['apiKey', 'API_KEY', 'x-api-key', 'apikey', 'APIKey', 'OPENAI_API_KEY', 'STRIPE_KEY', 'appKey'],
  ...['S3_ACCESS_KEY', 'AWS_ACCESS_KEY_ID', 'AccessKeyId', 'accesskey', 'AWS_SECRET_ACCESS_KEY', 'S3SecretKey'],
  ...[
    'ENCRYPTION_KEY',
    'SSH_KEY',
    'sshKey',
    'SSHKEY',
    'SIGNING_KEY',
    'privateKey',
    'PRIVATE_KEY',
    'privkey',
    'TLS_KEY',
  ],
  ...['AccountKey', 'SharedAccessKey', 'MASTER_KEY', 'HMAC_KEY', 'session_key', 'AES_KEYS', 'ENCRYPTION_KEY_OLD'],
  ...[
    'Authorization',
    'Proxy-Authorization',
    'auth',
    'REDIS_AUTH',
    'basicAuth',
    'Cookie',
    'Set-Cookie',
    'SESSION_COOKIE',
  ],
  ...['credentials', 'DB_CREDENTIAL', 'creds', 'JWT', 'id_jwt', 'GITHUB_PAT', 'WIFI_PSK', '.dockerconfigjson'],
  ...['密码', '数据库密码', '口令', '密钥', '令牌'],
];

/** Names that are not, although they contain parts of such names. */
export const plainNames: readonly string[] = [
  ...['name', 'image', 'path', 'node', 'key', 'keys', 'value', 'KEYBOARD', 'KEYBOARD_LAYOUT', 'keyPath', 'KEY_ID'],
  ...['PASSENGER_COUNT', 'passengers', 'COMPASS', 'compassHeading', 'bypass', 'BYPASS', 'passed', 'PASS_THROUGH'],
  ...['lowPass', 'band-pass', 'first_pass', 'passive', 'PASSIVE_MODE', 'passport', 'trespass'],
  ...['TOKENIZER', 'tokenizer_path', 'tokenize', 'TOKENIZATION', 'max_tokens', 'MAX_TOKENS', 'tokenType', 'token_ttl'],
  ...['primary_key', 'PRIMARY_KEY', 'foreignKey', 'partition_key', 'sortKey', 'routingKey', 'cache_key', 'publicKey'],
  ...['topologyKey', 'labelKey', 'objectKey', 'hotkey', 'keystore', 'keyring', 'monkey', 'TURKEY', 'donkeys'],
  ...[
    'secretName',
    'SECRET_NAME',
    'secretary',
    'PASSWORD_FILE',
    'passwordPolicy',
    'PASSWORD_MIN_LENGTH',
    'secretKeyRef',
  ],
  ...['TOKEN_URL', 'apiKeyHeader', 'cookieDomain', 'authorizationEndpoint', 'passwordless', 'SSH_KEY_PATH'],
  ...['author', 'AUTHOR', 'authority', 'AUTH_MODE', 'authentication', 'oauth_provider', 'accessory', 'radio_bearer'],
  ...['pwdless', 'spwdx', 'pattern', 'PATH', 'pathToken_file', 'crew', 'screds', 'ACCESS_LOG', 'privateNetwork'],
];

const h = '<hidden>';

/** Values and texts with a secret in them, and how they are shown. */
export const hiddenShapes: readonly (readonly [value: unknown, shown: unknown])[] = [
  // Fields.
  [{ vsoa: { port: 1, password: secret } }, { vsoa: { port: 1, password: h } }],
  [
    { token: 42, tokens: [secret], credentials: { user: 'a', pass: secret } },
    { token: h, tokens: h, credentials: h },
  ],
  [{ Authorization: `Bearer ${secret}` }, { Authorization: h }],
  [JSON.parse(`{"__proto__":{"password":"${secret}"}}`), JSON.parse(`{"__proto__":{"password":"${h}"}}`)],
  // Environments.
  [
    { name: 'DB_PASS', value: secret },
    { name: 'DB_PASS', value: h },
  ],
  [
    { Name: 'S3_ACCESS_KEY', Value: secret },
    { Name: 'S3_ACCESS_KEY', Value: h },
  ],
  [
    { key: '/db/password', value: secret },
    { key: '/db/password', value: h },
  ],
  [
    ['RATE=10', `DB_PASS=${secret} and=more`],
    ['RATE=10', `DB_PASS=${h}`],
  ],
  [[`ENCRYPTION_KEY=${secret}`], [`ENCRYPTION_KEY=${h}`]],
  [[`X-Api-Key: ${secret}, and more`], [`X-Api-Key: ${h}`]],
  [`A=1\nPGPASS=${secret}\nB=2`, `A=1\nPGPASS=${h}\nB=2`],
  [`export AWS_SECRET_ACCESS_KEY=${secret}; run`, `export AWS_SECRET_ACCESS_KEY=${h}; run`],
  // Arguments and command lines.
  [
    ['run', '--password', secret, '-v'],
    ['run', '--password', h, '-v'],
  ],
  [
    ['run', '--key', secret, `--token=${secret}`],
    ['run', '--key', h, `--token=${h}`],
  ],
  [`run --password ${secret} -v`, `run --password ${h} -v`],
  [`run --key=${secret} -v`, `run --key=${h} -v`],
  [`run --key ${secret}`, `run --key ${h}`],
  [`run -password ${secret} -v`, `run -password ${h} -v`],
  [`run --db-pass '${secret} with spaces' -v`, `run --db-pass '${h}' -v`],
  [`run --db-pass 'a'\\''${secret}' -v`, `run --db-pass '${h}' -v`],
  [`sh -c "run --api-key ${secret}"`, `sh -c "run --api-key ${h}"`],
  [`sh -c "export DB_PASSWORD=${secret}; run"`, `sh -c "export DB_PASSWORD=${h}; run"`],
  [`["run","--password","${secret}","-v"`, `["run","--password","${h}","-v"`],
  [`curl -H 'X-Api-Key: ${secret}, x' http://host`, `curl -H 'X-Api-Key: ${h}' http://host`],
  // Connection strings.
  [`Server=db;Uid=sa;Pwd=${secret};Encrypt=yes`, `Server=db;Uid=sa;Pwd=${h};Encrypt=yes`],
  [`DRIVER=x;UID=sa;PWD=${secret};`, `DRIVER=x;UID=sa;PWD=${h};`],
  [`Server=db;Password="${secret};x";Encrypt=yes`, `Server=db;Password="${h}";Encrypt=yes`],
  [`AccountName=a;AccountKey=${secret}==;Suffix=x`, `AccountName=a;AccountKey=${h};Suffix=x`],
  [`host=db user=a password=${secret} sslmode=require`, `host=db user=a password=${h} sslmode=require`],
  [`user:${secret}@tcp(db:3306)/main`, `user:${h}@tcp(db:3306)/main`],
  [`Server=db;Password="a""${secret}";Encrypt=yes`, `Server=db;Password="${h}";Encrypt=yes`],
  // URLs.
  [`https://admin:${secret}@host:80/path`, `https://${h}@host:80/path`],
  [`redis://:${secret}@cache:6379/0`, `redis://${h}@cache:6379/0`],
  [`https://${secret}@github.com/a/b`, `https://${h}@github.com/a/b`],
  [`postgres://a:${secret}@b@db/x`, `postgres://${h}@db/x`],
  [`connect to amqp://a:${secret}`, `connect to amqp://a:${h}`],
  [`GET /x?token=${secret}&page=1`, `GET /x?token=${h}&page=1`],
  [`/blob?sv=1&sig=${secret}&se=2`, `/blob?sv=1&sig=${h}&se=2`],
  [`/o?X-Amz-Signature=${secret}`, `/o?X-Amz-Signature=${h}`],
  // Headers.
  [`authorization: Digest username="a", response="${secret}"`, `authorization: ${h}`],
  [`GET / authorization=Bearer ${secret}`, `GET / authorization=${h}`],
  [`/ authorization=Digest username="a", response="${secret}"\nHost: x`, `/ authorization=${h}\nHost: x`],
  [`the header Bearer ${secret} is wrong`, `the header Bearer ${h} is wrong`],
  [`Basic ${Buffer.from(`admin:${secret}`).toString('base64')} is wrong`, `Basic ${h} is wrong`],
  [`Cookie: a=1; session=${secret}\nHost: x`, `Cookie: ${h}\nHost: x`],
  // By their shape.
  [`got ${jwt} from`, `got ${h} from`],
  [jwt, h],
  [`file:\n${pem}\nend`, `file:\n${h}\nend`],
  [pem.slice(0, 60), h],
  [{ pem: pem.replaceAll('\n', '\\n') }, { pem: h }],
  ['key AKIAIOSFODNN7EXAMPLE is used', `key ${h} is used`],
  ['ASIAIOSFODNN7EXAMPLE', h],
  ['AIzaSyA1234567890abcdefghijklmnopqrstuv', h],
  ['ghp_16C7e42F292c6912E7710c838347Ae178B4a', h],
  ['glpat-ABCdefGHIjklMNOpqrst', h],
  ['xoxb-123456789012-abcdefABCDEF', h],
  ['sk-proj-abcdefghijklmnopqrstuv', h],
  // JSON, complete, within strings, and truncated.
  [`{"vsoa":{"password":"${secret}","port":1}}`, `{"vsoa":{"password":"${h}","port":1}}`],
  [{ raw: `{"env":[{"name":"DB_PASS","value":"${secret}"}]}` }, { raw: `{"env":[{"name":"DB_PASS","value":"${h}"}]}` }],
  [`{"port":1,"password":"${secret}`, `{"port":1,"password":"${h}`],
  [`answer {"dbPassword":"a\\"${secret}","port":1`, `answer {"dbPassword":"${h}","port":1`],
  [`answer {"token":42,"port":1}`, `answer {"token":${h},"port":1}`],
  [`answer {'password': '${secret}'}`, `answer {'password': '${h}'}`],
  [`answer {"c":"{\\"password\\":\\"${secret}\\",\\"a\\":1}"`, `answer {"c":"{\\"password\\":\\"${h}\\",\\"a\\":1}"`],
  [`answer {"env":["A=b","DB_PASS=with ${secret} spaces"]`, `answer {"env":["A=b","DB_PASS=${h}"]`],
  [`answer {"name":"DB_PASS","value":"${secret}"`, `answer {"name":"DB_PASS","value":"${h}"`],
  [`answer {"secrets":["${secret}"]}`, `answer {"secrets":${h}`],
  // YAML and prose.
  [`vsoa:\n  password: ${secret}\n  port: 1`, `vsoa:\n  password: ${h}\n  port: 1`],
  [`- name: DB_PASS\n  value: ${secret}\n`, `- name: DB_PASS\n  value: ${h}\n`],
  [`token: |\n  ${secret}\n`, `token: ${h}`],
  [`password: 'it''s ${secret}'\nport: 1`, `password: '${h}'\nport: 1`],
  [`password = "${secret}"`, `password = "${h}"`],
  [`password = """${secret}"""`, `password = "${h}"`],
  [`spec.password: Invalid value: "${secret}": must be longer`, `spec.password: Invalid value: "${h}": must be longer`],
  [`the password: ${secret}`, `the password: ${h}`],
  [`password: wrong-${secret}`, `password: ${h}`],
  [`password: Forbidden${secret}`, `password: ${h}`],
  [`密码：${secret}`, `密码：${h}`],
];

/** Values and texts without a secret. They are shown unchanged. */
export const plainShapes: readonly unknown[] = [
  { password: '', token: null, secret: false, api_key: 'false', pass: undefined },
  { name: 'RATE', value: '10', key: 'app' },
  { labels: { 'app.kubernetes.io/name': 'telemetry', key: 'value' }, primary_key: 'id' },
  { secretKeyRef: { name: 'db', key: 'password' } },
  ['run', '--keyboard', 'us', '--rate', '10', '-p', '8080'],
  ['PWD=/home/satellite', 'OLDPWD=/', 'PATH=/bin:/usr/bin', 'KEYBOARD=us', 'RATE=10', 'TOKEN='],
  { PWD: '/home/satellite' },
  'PASSENGER_COUNT=3 TOKENIZER=bpe KEYBOARD=us',
  'spec.template.vsoa.password: must be text',
  'password: Invalid value: "<hidden>": must be at least 8 characters',
  'spec.token: Unknown field: did you mean "tokens"?',
  'image.vsoa.password: is another (not shown)',
  'env.DB_PASS: none → <hidden>',
  'the password must not be empty',
  'the token= was missing',
  'use --password to set the password',
  '--token needs a value',
  'Basic information, Bearer token, basic authentication',
  'https://host:8443/path@2?x=1&key=value',
  'registry.example.com/telemetry@1.0.0#sylixos',
  'git@github.com:ecsm/operator.git',
  'listening on http://127.0.0.1:8080',
  'http://host:8080',
  '2030-01-01T12:00:00Z INFO key=default/telemetry revision=7',
  'labels: app=telemetry,tier=front,key=value',
  '{"name":"x","port":1}',
  ' { "name" : "kept as written" } ',
  '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
  'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  'd9428888-122b-11e1-b85c-61cd3cbb3210',
  'a → b: c = d; e == f',
  'risk-assessment-of-everything-here',
];
