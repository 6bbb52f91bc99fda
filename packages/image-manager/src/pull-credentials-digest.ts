import { createHash } from 'node:crypto';
import type { PullCredential } from './credentials/pull-credential.ts';

/** What tells lists of credentials apart without keeping them. In memory alone; never shown. */
export interface CredentialsDigest {
  /** Of those from pull secrets: they change when somebody changes them. */
  readonly secrets: string;
  /** Of the others: a credential provider may give new ones each time. */
  readonly others: string;
}

/** The {@link CredentialsDigest} of the credentials of one request. */
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
