import type { KubeObject } from '@rxlet/kube-api/client';
import type { Pod, Secret } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { copyKey, type KeptCopy } from './kept-copy.ts';
import { selectKept } from './select-kept.ts';
import { configMapCopy } from './test-support.ts';

const pod = (name: string, more: Partial<Pod> = {}): Pod => ({
  metadata: { name, namespace: 'default', uid: name, ...more.metadata },
  spec: {
    containers: [{ name: 'app', image: 'app:1', envFrom: [{ configMapRef: { name: 'settings' } }] }],
    volumes: [
      { name: 'secret', secret: { secretName: 'password' } },
      { name: 'token', secret: { secretName: 'token' } },
    ],
  },
  ...(more.status && { status: more.status }),
});
const copyOf = (plural: string, ...objects: readonly KubeObject[]): KeptCopy => ({ plural, objects });
const secretCopy = (name: string, type: string): KeptCopy => ({
  ...configMapCopy(name),
  plural: 'secrets',
  objects: [{ metadata: { name, namespace: 'default' }, type } as Secret],
});
const kept = (...copies: readonly KeptCopy[]): string[] => selectKept(copies).map(copyKey);

describe('selectKept', () => {
  it('keeps what pods refer to, and no credentials of service accounts', () => {
    const copies = [
      copyOf('pods', pod('web')),
      configMapCopy('settings'),
      configMapCopy('other'),
      secretCopy('password', 'Opaque'),
      secretCopy('token', 'kubernetes.io/service-account-token'),
    ];
    expect(kept(...copies)).toEqual([
      'pods||',
      'configmaps|default|metadata.name=settings',
      'secrets|default|metadata.name=password',
    ]);
  });

  it('keeps that an object does not exist', () => {
    const absent = { ...configMapCopy('settings'), objects: [] };
    expect(selectKept([copyOf('pods', pod('web')), absent])).toContainEqual(absent);
  });

  it('keeps pods that have not ended, without mirror pods', () => {
    const ended = pod('ended', { status: { phase: 'Succeeded' } });
    const mirror = pod('mirror', { metadata: { annotations: { 'kubernetes.io/config.mirror': 'h' } } });
    const [copy] = selectKept([copyOf('pods', pod('web'), ended, mirror)]);
    expect(copy?.objects.map(({ metadata }) => metadata?.name)).toEqual(['web']);
  });

  it('keeps no pod that has ended although its copy does not show it', () => {
    const [copy] = selectKept([copyOf('pods', pod('web'), pod('ended'))], new Set(['ended']));
    expect(copy?.objects.map(({ metadata }) => metadata?.name)).toEqual(['web']);
  });

  it('keeps the services of the namespaces of pods, and that of the API server', () => {
    const service = (namespace: string): KubeObject => ({ metadata: { name: 'service', namespace } });
    const [, services] = selectKept([
      copyOf('pods', pod('web', { metadata: { namespace: 'shop' } })),
      copyOf('services', service('shop'), service('default'), service('other')),
    ]);
    expect(services?.objects.map(({ metadata }) => metadata?.namespace)).toEqual(['shop', 'default']);
  });
});
