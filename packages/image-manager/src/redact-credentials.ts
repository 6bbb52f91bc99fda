import type { PullCredential, RegistryAuth } from '@rxlet/agent-api/images';

/** Minimum length of a redacted secret; shorter ones occur in every text. */
const MIN_SECRET_LENGTH = 4;

/** Removes the secrets of credentials from a text: a runtime or registry may repeat them in an error. */
export function redactCredentials(text: string, credentials: readonly PullCredential[]): string {
  return createRedaction(credentials)(text);
}

/** Creates the function that removes the secrets of credentials from texts. */
export function createRedaction(credentials: readonly PullCredential[]): (text: string) => string {
  const secrets = new Set(
    credentials
      .flatMap(({ auth }) => secretsOf(auth))
      // Half of a surrogate pair has no encoding in a URI.
      .flatMap((secret) => [secret, encodeURIComponent(secret.toWellFormed()), JSON.stringify(secret).slice(1, -1)])
      .filter((secret) => secret.length >= MIN_SECRET_LENGTH),
  );
  // The longest first: one may be part of another.
  const sorted = [...secrets].sort((one, other) => other.length - one.length);
  return (text) => sorted.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
}

function secretsOf({ username, password, auth, identityToken, registryToken }: RegistryAuth): string[] {
  const decoded = Buffer.from(auth, 'base64').toString();
  const basic = password === '' ? '' : Buffer.from(`${username}:${password}`).toString('base64');
  return [
    password,
    auth,
    decoded.slice(decoded.indexOf(':') + 1).replace(/\0+$/, ''),
    basic,
    identityToken,
    registryToken,
  ];
}
