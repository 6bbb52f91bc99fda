import { timingSafeEqual } from 'node:crypto';
import type { Secret } from '@rxlet/kube-api';
import type { IncomingObject, StoredObject } from '../api-object.ts';
import type { User } from './user.ts';

const TYPE = 'bootstrap.kubernetes.io/token';
const NODE_GROUP = 'system:bootstrappers:kubeadm:default-node-token';

/** Returns the Secret of a bootstrap token `ID.SECRET`, by which node agents may request their certificates. */
export function bootstrapTokenSecret(id: string, secret: string): IncomingObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
    type: TYPE,
    stringData: {
      'token-id': id,
      'token-secret': secret,
      'usage-bootstrap-authentication': 'true',
      'auth-extra-groups': NODE_GROUP,
    },
  };
}

/** Returns the bootstrap token in a Secret; `undefined` when it has none that authenticates at `nowMs`. */
export function bootstrapTokenOf(object: StoredObject, nowMs: number): string | undefined {
  const { type, data = {} } = object as unknown as Secret;
  const value = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString();
  const [id, secret, expiration] = ['token-id', 'token-secret', 'expiration'].map(value);
  const isUsable = type === TYPE && id !== '' && secret !== '' && value('usage-bootstrap-authentication') === 'true';
  if (!isUsable || (expiration !== '' && !(Date.parse(expiration!) > nowMs))) return undefined;
  return `${id!}.${secret!}`;
}

/** Returns the user of a bearer token, if it is a bootstrap token that one of the Secrets in kube-system holds. */
export function bootstrapUserOf(token: string, secrets: readonly StoredObject[], nowMs: number): User | undefined {
  const found = secrets.find((secret) => {
    const known = bootstrapTokenOf(secret, nowMs);
    return known?.length === token.length && timingSafeEqual(Buffer.from(known), Buffer.from(token));
  });
  if (found === undefined) return undefined;
  const { data = {} } = found as unknown as Secret;
  const extra = Buffer.from(data['auth-extra-groups'] ?? '', 'base64').toString();
  const groups = extra.split(',').filter((group) => group.startsWith('system:bootstrappers:'));
  return {
    name: `system:bootstrap:${token.slice(0, token.indexOf('.'))}`,
    groups: ['system:bootstrappers', ...groups, 'system:authenticated'],
  };
}
