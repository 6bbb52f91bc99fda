import { createHash } from 'node:crypto';
import type { PullCredential } from '@rxlet/agent-api/images';

/** Digest that identifies a list of credentials without keeping them. It stays in memory and is never shown. */
export interface CredentialsDigest {
  /** Digest of those from pull secrets, which change only when a user changes them. */
  readonly secrets: string;
  /** Digest of the others; a credential provider may return new ones each time. */
  readonly others: string;
}

/** Returns the {@link CredentialsDigest} of the credentials of one request. */
export function digestCredentials(credentials: readonly PullCredential[]): CredentialsDigest {
  const [secrets, others] = [true, false].map((isSecret) =>
    digest(credentials.filter(({ origin }) => (origin.kind === 'secret') === isSecret)),
  );
  return { secrets: secrets!, others: others! };
}

function digest(credentials: readonly PullCredential[]): string {
  const fields = credentials.map(({ auth }) => [
    auth.username,
    auth.password,
    auth.auth,
    auth.serverAddress,
    auth.identityToken,
    auth.registryToken,
  ]);
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex');
}
