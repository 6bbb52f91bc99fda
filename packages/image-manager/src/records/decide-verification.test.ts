import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CredentialOrigin } from '@rxlet/agent-api/images';
import { decideVerification, MAX_LEARNED_SECRETS, type VerificationFacts } from './decide-verification.ts';
import type { ImagePullCredentials, ImagePulledRecord, ImagePullSecret } from './record-format.ts';

const repository = 'quay.io/app';
const secret = (name: string, credentialHash: string): ImagePullSecret => ({
  uid: `uid-${name}`,
  namespace: 'default',
  name,
  credentialHash,
});
const ofSecret = (name: string, hash: string): CredentialOrigin => ({ kind: 'secret', ...secret(name, hash) });
const ofAccount = (name: string): CredentialOrigin => ({
  kind: 'serviceAccount',
  uid: `uid-${name}`,
  namespace: 'default',
  name,
});
const entry = (fields: Partial<ImagePullCredentials>): ImagePullCredentials => ({
  kubernetesSecrets: [],
  kubernetesServiceAccounts: [],
  nodePodsAccessible: false,
  ...fields,
});
const recordOf = (credentialMapping: ImagePulledRecord['credentialMapping']): ImagePulledRecord => ({
  imageRef: 'sha256:abc',
  lastUpdatedMs: 0,
  credentialMapping,
});
const facts: VerificationFacts = { repository, record: undefined, hasIntent: false, origins: [] };
const decide = (given: Partial<VerificationFacts>) => decideVerification(() => true, { ...facts, ...given });
const learned = (item: ImagePullSecret) => ({ step: 'use', why: 'credentialRecordFound', learned: item });
const found = { step: 'use', why: 'credentialRecordFound' };
const mustAuthenticate = { step: 'pull', why: 'mustAuthenticate' };

describe('decideVerification', () => {
  it('passes to the policy whether a kubelet pulled the image: a record, readable or not, or an intent', () => {
    const credentialChecks: boolean[] = [];
    const requires = (_: string, pulledByKubelet: boolean): boolean => {
      credentialChecks.push(pulledByKubelet);
      return false;
    };
    const given: Partial<VerificationFacts>[] = [
      {},
      { hasIntent: true },
      { record: 'unreadable' },
      { record: recordOf({}) },
    ];
    for (const one of given) {
      const step = decideVerification(requires, { ...facts, ...one });
      expect(step).toEqual({ step: 'use', why: 'credentialPolicyAllowed' });
    }
    expect(credentialChecks).toEqual([false, true, true, true]);
  });

  it.each<[string, Partial<VerificationFacts>, object]>([
    ['nothing is known', {}, mustAuthenticate],
    ['its record cannot be read', { record: 'unreadable' }, mustAuthenticate],
    ['only its pull is known', { hasIntent: true }, mustAuthenticate],
    [
      'it was pulled from another repository',
      { record: recordOf({ 'quay.io/other': entry({ nodePodsAccessible: true }) }) },
      mustAuthenticate,
    ],
    ['every pod may use it', { record: recordOf({ [repository]: entry({ nodePodsAccessible: true }) }) }, found],
    ['the record names no credential', { record: recordOf({ [repository]: entry({}) }) }, mustAuthenticate],
    [
      'it is not known yet which credentials the pod has',
      { record: recordOf({ [repository]: entry({ kubernetesSecrets: [secret('a', 'h')] }) }), origins: undefined },
      { step: 'ask-credentials' },
    ],
  ])('when %s', (_, given, expected) => {
    expect(decide(given)).toEqual(expected);
  });

  const onRecord = recordOf({
    [repository]: entry({
      kubernetesSecrets: [secret('a', 'hash-a'), secret('blank', '')],
      kubernetesServiceAccounts: [{ uid: 'uid-sa', namespace: 'default', name: 'sa' }],
    }),
  });
  it.each<[string, readonly CredentialOrigin[], object]>([
    ['no credential', [], mustAuthenticate],
    ['one of the node', [{ kind: 'node' }], mustAuthenticate],
    ['the secret', [ofSecret('a', 'hash-a')], found],
    ['the secret with another content', [ofSecret('a', 'new')], learned(secret('a', 'new'))],
    ['another secret with the same content', [ofSecret('b', 'hash-a')], learned(secret('b', 'hash-a'))],
    ['another secret', [ofSecret('b', 'hash-b')], mustAuthenticate],
    ['another secret with unknown content', [ofSecret('b', '')], mustAuthenticate],
    ['another secret first', [ofSecret('b', 'hash-b'), ofSecret('a', 'hash-a')], found],
    ['the service account', [ofAccount('sa')], found],
    ['another service account', [ofAccount('other')], mustAuthenticate],
  ])('when the pod has %s', (_, origins, expected) => {
    expect(decide({ record: onRecord, origins })).toEqual(expected);
  });

  it('adds no more secrets than the limit of a record', () => {
    const many = Array.from({ length: MAX_LEARNED_SECRETS }, (_, index) => secret(`s${String(index)}`, 'same'));
    const record = recordOf({ [repository]: entry({ kubernetesSecrets: many }) });
    expect(decide({ record, origins: [ofSecret('one-more', 'same')] })).toEqual(found);
    expect(decide({ record, origins: [ofSecret('s0', 'new')] })).toEqual(found);
  });

  it('permits a pod if and only if its credentials are on record', () => {
    const names = fc.constantFrom('a', 'b', 'c');
    const hashes = fc.constantFrom('', 'h1', 'h2');
    const secrets = fc.uniqueArray(fc.tuple(names, hashes), { selector: ([name]) => name });
    const accounts = fc.uniqueArray(names);
    fc.assert(
      fc.property(
        secrets,
        accounts,
        secrets,
        accounts,
        fc.boolean(),
        (known, knownAccounts, own, ownAccounts, open) => {
          const record = recordOf({
            [repository]: entry({
              nodePodsAccessible: open,
              kubernetesSecrets: known.map(([name, hash]) => secret(name, hash)),
              kubernetesServiceAccounts: knownAccounts.map((name) => ({
                uid: `uid-${name}`,
                namespace: 'default',
                name,
              })),
            }),
          });
          const origins = [...own.map(([name, hash]) => ofSecret(name, hash)), ...ownAccounts.map(ofAccount)];
          const sameSecret = own.some(([name]) => known.some(([other]) => other === name));
          const sameContent = own.some(([, hash]) => hash !== '' && known.some(([, other]) => other === hash));
          const sameAccount = ownAccounts.some((name) => knownAccounts.includes(name));
          const mayUse = open || sameSecret || sameContent || sameAccount;
          expect(decide({ record, origins }).step).toBe(mayUse ? 'use' : 'pull');
        },
      ),
    );
  });
});
