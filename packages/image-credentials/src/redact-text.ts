const REDACTED = '[redacted]';
/** Minimum length of a redacted value; shorter ones would match ordinary words. */
const MIN_SECRET_LENGTH = 4;
/** Maximum length of the text that is scanned. */
const MAX_TEXT_LENGTH = 8192;

/** Matches the text after a word that precedes secrets. */
const announced =
  /((?:password|passwd|secret|token|credentials?|api[-_]?key|access[-_]?key|authorization|auth|bearer|basic)["']?\s*[:=\s]\s*(?:bearer\s+|basic\s+)?)(?:"[^"]*"?|'[^']*'?|[^\s"',;]+)/gi;
/** User and password in a URL. */
const userInfo = /(:\/\/)[^\s/@]+@/g;
/** Long words without a dot or slash that have both letters and digits: keys, hashes, and the parts of a JWT. */
const tokenLike = /\b(?=[\w+=-]*\d)(?=[\w+=-]*[a-zA-Z])[\w+=-]{20,}/g;

/**
 * Formats a foreign program's output for a log: one line of at most `maxLength` characters, without `secrets` and their likes. It redacts too much rather than
 * too little.
 */
export function redactText(text: string, secrets: readonly string[], maxLength: number): string {
  // A word that is cut in two could be half a secret.
  let redacted = text.length < MAX_TEXT_LENGTH ? text : text.slice(0, MAX_TEXT_LENGTH).replace(/\S+$/, '');
  // Longest first, so that no rest of a secret remains where another one is a part of it.
  const known = secrets.filter(({ length }) => length >= MIN_SECRET_LENGTH).sort((a, b) => b.length - a.length);
  for (const secret of known) redacted = redacted.replaceAll(secret, REDACTED);
  redacted = redacted
    .replace(userInfo, `$1${REDACTED}@`)
    .replace(announced, `$1${REDACTED}`)
    .replace(tokenLike, REDACTED)
    .replace(/[\s\u0000-\u001f\u007f]+/g, ' ')
    .trim();
  return redacted.length > maxLength ? `${redacted.slice(0, maxLength)}…` : redacted;
}
