import type { AuthConfig } from '@rxlet/cri-api';
import type { FakeCredential } from './fake-image.ts';

/** Credentials of a caller for a registry. */
export type Presented = FakeCredential | 'none' | 'malformed';

/**
 * Returns the credentials in a request, as containerd reads them: a username and its password, else an identity token, else `auth`, which is base64 of
 * `username:password`, else a registry token. Credentials for another registry than `host` are not sent to it.
 */
export function presentedCredentials(auth: AuthConfig | undefined, host: string): Presented {
  if (auth === undefined || !isFor(auth.serverAddress, host)) return 'none';
  if (auth.username !== '') return { username: auth.username, password: auth.password };
  if (auth.identityToken !== '') return { token: auth.identityToken };
  if (auth.auth !== '') return decodeAuth(auth.auth);
  return auth.registryToken === '' ? 'none' : { token: auth.registryToken };
}

/** Reports whether `presented` is one of `accepted`. */
export function isAccepted(presented: Presented, accepted: readonly FakeCredential[]): boolean {
  if (typeof presented === 'string') return false;
  return accepted.some((credential) =>
    'token' in credential
      ? 'token' in presented && presented.token === credential.token
      : 'username' in presented &&
        presented.username === credential.username &&
        presented.password === credential.password,
  );
}

/** A server address may have a scheme and a path, as Docker's configuration has `https://index.docker.io/v1/`. */
function isFor(serverAddress: string, host: string): boolean {
  if (serverAddress === '') return true;
  const server = serverAddress.replace(/^[a-z]+:\/\//, '').replace(/\/.*$/, '');
  return server === host || (host === 'docker.io' && /^(?:index|registry-1)\.docker\.io$/.test(server));
}

function decodeAuth(auth: string): Presented {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(auth)) return 'malformed';
  const text = Buffer.from(auth, 'base64').toString();
  const colon = text.indexOf(':');
  // Some writers of such files end them with NUL bytes.
  return colon < 0
    ? 'malformed'
    : { username: text.slice(0, colon), password: text.slice(colon + 1).replace(/\0+$/, '') };
}
