import { createHash } from 'node:crypto';
import type { RegistryAuth } from '@rxlet/agent-api/images';
import { goJson } from '@rxlet/pod-model/hash';
import { hide } from './hidden.ts';

/**
 * Creates a {@link RegistryAuth} of a user name and a password, the only fields that a kubelet reads from a docker config. JSON, `inspect()` and spread omit
 * all fields, because a user name may be a token.
 */
export function createRegistryAuth(username: string, password: string): RegistryAuth {
  const redacted = { redacted: true };
  return hide(redacted, { username, password, auth: '', serverAddress: '', identityToken: '', registryToken: '' });
}

/**
 * Returns the hex SHA-256 of a credential for pull records. It equals the kubelet's, the hash of its auth config as JSON, so that either reads the
 * other's records.
 */
export function hashRegistryAuth(auth: RegistryAuth): string {
  // Empty fields are omitted, and names are in this order.
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
