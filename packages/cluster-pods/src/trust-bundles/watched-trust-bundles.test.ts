import { KubeError } from '@rxlet/kube-api/client';
import { createMemoryKube } from '@rxlet/kube-api/testing';
import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { resources } from '@rxlet/kube-api/resources';
import { describe, expect, it } from 'vitest';
import { encodePem } from '../pem/pem.ts';
import { createWatchedTrustBundles } from './watched-trust-bundles.ts';

const anchor = (text: string): string => encodePem('CERTIFICATE', Buffer.from(text));
const SIGNER = 'example.com/signer';

function createBench() {
  const kube = createMemoryKube();
  const put = (name: string, trustBundle: string, labels: Record<string, string> = {}, signerName = SIGNER): void =>
    void kube.put(resources.clusterTrustBundles, { metadata: { name, labels }, spec: { signerName, trustBundle } });
  const ports = { client: kube.main, clock: createVirtualClock(), logger: recordingLogger() };
  return { kube, put, create: (seed = 1) => createWatchedTrustBundles({ ...ports, random: seededRandom(seed) }) };
}

describe('trust bundles of the cluster', () => {
  it('watches bundles from their first use on and finds them by name', async () => {
    const { kube, put, create } = createBench();
    put('roots', `about this file\n${anchor('a')}${anchor('b')}${anchor('a')}`);
    const bundles = create();
    expect(kube.requests).toEqual([]);
    const text = await bundles.byName('roots', false);
    expect(text.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    expect(text).toContain(anchor('b'));
    expect(text).not.toContain('about');
    put('roots', anchor('c'));
    expect(await bundles.byName('roots', false)).toBe(anchor('c'));
    expect(kube.openWatches).toBe(1);
    await bundles[Symbol.asyncDispose]();
    expect(kube.openWatches).toBe(0);
  });

  it('keeps the order of bundles until another agent changes it', async () => {
    const { put, create } = createBench();
    put('roots', ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(anchor).join(''));
    const [one, other] = [create(), create(2)];
    const first = await one.byName('roots', false);
    expect(await one.byName('roots', false)).toBe(first);
    expect(await other.byName('roots', false)).not.toBe(first);
  });

  it('selects the bundles of a signer by labels', async () => {
    const { put, create } = createBench();
    put('one', anchor('a'), { env: 'prod', zone: 'x' });
    put('two', anchor('b'), { env: 'test' });
    put('three', anchor('c'), { env: 'prod' }, 'example.com/other');
    const bundles = create();
    const find = (selector: object) => bundles.bySigner(SIGNER, selector, true);
    expect(await find({ matchLabels: { env: 'prod' } })).toBe(anchor('a'));
    const matchExpressions = [
      { key: 'env', operator: 'In', values: ['prod', 'test'] },
      { key: 'zone', operator: 'DoesNotExist' },
    ];
    expect(await find({ matchExpressions })).toBe(anchor('b'));
    expect((await find({})).length).toBe(anchor('a').length * 2);
    expect(await bundles.bySigner(SIGNER, undefined, true)).toBe('');
    await expect(bundles.bySigner(SIGNER, undefined, false)).rejects.toThrow(
      'combination of signerName and labelSelector matched zero ClusterTrustBundles',
    );
  });

  it('fails for missing bundles unless they are optional', async () => {
    const { create } = createBench();
    const bundles = create();
    expect(await bundles.byName('none', true)).toBe('');
    await expect(bundles.byName('none', false)).rejects.toThrow(
      'while getting ClusterTrustBundle: clustertrustbundle.certificates.k8s.io "none" not found',
    );
  });

  it('fails while the API server does not serve bundles', async () => {
    const { kube, put, create } = createBench();
    let code: 'NotFound' | 'Unreachable' = 'NotFound';
    kube.onRequest = () => {
      throw new KubeError(code, 'the server could not find the requested resource');
    };
    const bundles = create();
    await expect(bundles.byName('roots', true)).rejects.toThrow('is not supported');
    code = 'Unreachable';
    await expect(bundles.byName('roots', true)).rejects.toThrow('failed to determine which informer manager');
    kube.onRequest = undefined;
    put('roots', anchor('a'));
    expect(await bundles.byName('roots', false)).toBe(anchor('a'));
  });
});
