/**
 * Parts of a name that mark a secret at any position. The look-arounds exempt common words that contain such a part.
 */
const SECRET_PARTS = new RegExp(
  [
    'secret|passw(?:or[dt]|d)|passphrase|passcode|passkey|ps?wd|token|jwt|private|credential|webhook|cookie|hmac|bearer',
    'signature|(?<!de|as|con|re)signing', // not designing
    'auth(?!or(?!i[sz]))', // not author, authority
    '(?<!con)cert|(?<!ob|pos)session', // not concert, possession
    'cv[cvn]2?$|cvv|cvc|securitycode|accesscode|recoverycode|backupcode|mnemonic|seedphrase|keystore',
    '^t?otp|onetimecode|^pin(?:code|hash|number)?$|(?:user|card|admin|device|access|security)pin$',
    'connectionstring|connstr|connectionur[il]',
    '(?:api|access|encrypt(?:ion)?|decrypt(?:ion)?|licen[cs]e|master|shared|account|server|service)key(?!word|board|note)',
    '(?:ssh|ssl|tls|aes|rsa|ecdsa|pgp|gpg|merchant|consumer|client|app)key(?!word|board|note)',
    '(?<!com|by|tres|sur|over|under)pass$',
  ].join('|'),
);

/** Matches a name that ends in `key`, except for keys that are public by design, look-up keys, and plain words. */
const KEY_AT_END = new RegExp(
  '.(?<!public|publishable|site|sort|group|locale|label|text|message|translation|i18n|template|icon|theme' +
    '|hot|low|turn|mon|don|tur|whis|hoc|joc|lac|mic)keys?(?:v?\\d+)?$',
);

/** These words are too short to match inside a name (`shipping` contains `pin`), so they match whole words only. */
const SECRET_WORDS = new Set('pin,pass,pw,psk,otp,totp,hotp,sig,cred,creds,dsn,pem,pfx'.split(','));

/** Marks, zero-width and other characters that change a name's spelling but not its look. */
const INVISIBLE = /[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** Prefixes that only keys have come first, then formats that carry a credential. */
const SECRET_VALUES: readonly RegExp[] = [
  /(?<![A-Za-z0-9])(?:[sr]k_(?:live|test)_|[sr]k_[A-Za-z0-9]{20}|whsec_|svc_(?:live|test)_)/i,
  /(?<![A-Za-z0-9])(?:AKIA[0-9A-Z]{8}|A(?:SIA|ROA|IDA)(?=[A-Z]{0,15}\d)[0-9A-Z]{12})/,
  /(?<![A-Za-z0-9])(?:gh[oprsu]_[A-Za-z0-9]{10}|github_pat_|glpat-|xox[a-z]-|xapp-\d|AIza[\w-]{20}|ya29\.)/,
  /(?<![A-Za-z0-9])(?:SG\.[\w-]{16,64}\.|GOCSPX-|shp(?:at|ca|pa|ss)_\w{8}|sq0[a-z]{3}-|npm_[A-Za-z0-9]{30})/,
  /(?<![A-Za-z0-9])(?:c[ks]_[0-9a-f]{20}|key-[0-9a-f]{32}|[0-9a-f]{32}-us\d|dop_v1_|\d{8,10}:AA[\w-]{30})/,
  /(?<![A-Za-z0-9])(?:access_token\$(?:production|sandbox)\$|SK[0-9a-f]{32}(?![0-9a-f]))|hooks\.slack\.com\/services\//,
  /(?<![\w-])sk-(?=[\w-]{0,80}\d)(?=[\w-]{0,80}[A-Z])[\w-]{20}/,
  /(?<![A-Za-z0-9])eyJ[\w-]{8,1024}\.[\w-]{2}/, // JWT
  /-{4,5} ?BEGIN [A-Z0-9]|BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY|PuTTY-User-Key-File/i,
  /(?<![A-Za-z0-9+/])MI[IG][A-Za-z0-9+/]{60}/, // DER in base64: a PEM without its armour
  /\$2[abxy]?\$\d\d\$|\$argon2|\$pbkdf2|\$scrypt|\$[56]\$[\w./=]{6}/, // password hashes
  /\/\/[^\s/?#@:]{0,256}:(?!\d{1,5}(?:[/?#]|$))[^\s@]{1,256}@/, // ://user:password@host, but not ://host:80/@x
  // A sentence may mention the bearer of something: in lower case, only text that looks random counts.
  /^\s*bearer\s+\S{4,}\s*$|\bbearer\s+(?:(?=[\w.~+/-]{0,80}\d)[\w.~+/-]{6}|[\w.~+/-]{20})/i,
  /\bB(?:earer|EARER)\s+[\w.~+/-]{6}/,
  /\b(?:authorization|set-cookie)\s?[:=]\s?\S/i,
  /(?:passw(?:or)?d|passphrase|pwd|secret|(?:api|access|account|private|signing)[-_]?key)["']?\s?=\s?["']?[^\s"'&;]{3}/i,
  /(?:(?:access|refresh|auth|session|bearer|id)[-_]?token|signature|[?&]sig)["']?\s?=\s?["']?[^\s"'&;]{3}/i,
];

/** Most settings are a word, a number or a colour. No pattern matches so short a text without a separator. */
const SHORT_WORD = /^#?[A-Za-z0-9]{0,11}$/;

const BASIC = /\bbasic\s+([A-Za-z0-9+/_-]{4,2048}={0,2})/gi;
const JSON_NAME = /["']([^"'\\\n]{1,64})\\{0,8}["']\s{0,8}:/g;

/** Ignores separators, case and invisible characters. */
export function isSecretName(name: string): boolean {
  const folded = fold(name);
  const letters = folded.replace(/[^A-Za-z0-9]/g, '').toLowerCase();
  if (SECRET_PARTS.test(letters) || KEY_AT_END.test(letters)) return true;
  const words = folded.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g)?.map((word) => word.toLowerCase()) ?? [];
  if (words.some((word) => SECRET_WORDS.has(word))) return true;
  // In `images_alt`, the letters `salt` appear only without the separator.
  return words.includes('salt') || (/(?<!ba)salt/.test(letters) && !words.includes('alt'));
}

/** Whether the text holds a key, a credential, a connection URL, or JSON with a secret member. */
export function holdsSecret(text: string): boolean {
  if (SHORT_WORD.test(text)) return false;
  const folded = fold(text);
  return (
    SECRET_VALUES.some((pattern) => pattern.test(folded)) ||
    Array.from(folded.matchAll(BASIC), ([, encoded = '']) => encoded).some(isBasicCredential) ||
    Array.from(folded.matchAll(JSON_NAME), ([, name = '']) => name).some(isSecretName)
  );
}

/** `Basic` starts many harmless phrases; credentials decode to printable text with a colon. */
function isBasicCredential(encoded: string): boolean {
  return (
    encoded.endsWith('=') || /^[ -~\x80-\xff]*:[ -~\x80-\xff]*$/.test(Buffer.from(encoded, 'base64').toString('latin1'))
  );
}

function fold(text: string): string {
  return /^[ -~]*$/.test(text) ? text : text.normalize('NFKD').replace(INVISIBLE, '');
}
