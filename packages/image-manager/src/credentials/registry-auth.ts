import { createHash } from 'node:crypto';
import { goJson } from '@rxlet/pod-model';
import { hide } from './hidden.ts';
import type { RegistryAuth } from './pull-credential.ts';

/**
 * A {@link RegistryAuth} of a user name and a password, the only fields that a kubelet takes from a docker config. None of its fields shows in JSON or
 * `inspect()`, and a spread copies none: also a user name may be a token.
 */
export function createRegistryAuth(username: string, password: string): RegistryAuth {
  const redacted = { redacted: true };
  return hide(redacted, { username, password, auth: '', serverAddress: '', identityToken: '', registryToken: '' });
}

/**
 * The hex SHA-256 by which pull records tell one credential from another. It is that of the JSON which a kubelet writes of its auth config, so that
 * records written by the one hold for the other.
 */
export function hashRegistryAuth(auth: RegistryAuth): string {
  // Empty fields are left out, and names are in this order.
  const json = goJson({
    username: auth.username || undefined,
    password: auth.password || undefined,
    auth: auth.auth || undefined,
    serveraddress: auth.serverAddress || undefined,
    identitytoken: auth.identityToken || undefined,
    registrytoken: auth.registryToken || undefined,
  });
  return createHash('sha256').update(json).digest('hex');
}
