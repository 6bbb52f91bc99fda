import { describe, expect, it } from 'vitest';
import { credentialsOf, mergeCredentials } from './merge-credentials.ts';

const secret = (name: string, credentialHash: string) => ({
  uid: `uid-${name}`,
  namespace: 'ns',
  name,
  credentialHash,
});
const ofSecret = (name: string, hash: string) => credentialsOf({ kind: 'secret', ...secret(name, hash) });
const account = { uid: 'u', namespace: 'ns', name: 'sa' };
const everybody = { kubernetesSecrets: [], kubernetesServiceAccounts: [], nodePodsAccessible: true };

describe('mergeCredentials', () => {
  it('opens an image to every pod that was pulled without a credential or with one of the node', () => {
    expect(credentialsOf(undefined)).toEqual(everybody);
    expect(credentialsOf({ kind: 'node' })).toEqual(everybody);
  });

  it('adds secrets in order, and keeps the new hash of a known one', () => {
    const one = mergeCredentials(undefined, ofSecret('b', '1'));
    const two = mergeCredentials(one, ofSecret('a', '2'));
    const three = mergeCredentials(two, ofSecret('b', '3'));
    expect(three.kubernetesSecrets).toEqual([secret('a', '2'), secret('b', '3')]);
    expect(mergeCredentials(three, ofSecret('a', '2'))).toBe(three);
  });

  it('adds service accounts beside secrets', () => {
    const merged = mergeCredentials(ofSecret('a', '1'), credentialsOf({ kind: 'serviceAccount', ...account }));
    expect(merged).toEqual({
      kubernetesSecrets: [secret('a', '1')],
      kubernetesServiceAccounts: [account],
      nodePodsAccessible: false,
    });
  });

  it('lists no credentials once every pod has access', () => {
    const open = mergeCredentials(ofSecret('a', '1'), credentialsOf(undefined));
    expect(open).toEqual(everybody);
    expect(mergeCredentials(open, ofSecret('a', '1'))).toBe(open);
  });
});
