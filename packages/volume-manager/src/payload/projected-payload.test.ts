import type { ConfigMap, Secret, VolumeProjection } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { projectedPayload } from './projected-payload.ts';

describe('projectedPayload', () => {
  const text = 'x'.repeat(100_000);
  const secret: Secret = { metadata: { name: 's' }, data: { key: Buffer.from(text).toString('base64') } };
  const configMap: ConfigMap = { metadata: { name: 'c' }, data: { key: text } };
  const sources = {
    objects: { secret: async () => secret, configMap: async () => configMap },
    allocatable: () => ({}),
  };

  it.each<[string, (path: string) => VolumeProjection]>([
    ['a Secret', (path) => ({ secret: { name: 's', items: [{ key: 'key', path }] } })],
    ['a ConfigMap', (path) => ({ configMap: { name: 'c', items: [{ key: 'key', path }] } })],
    ['a field', (path) => ({ downwardAPI: { items: [{ path, fieldRef: { fieldPath: 'metadata.annotations' } }] } })],
  ])('has the content of %s once, however many sources name it', async (_, sourceOf) => {
    const pod = testPod({ annotations: { note: text } });
    const projections = Array.from({ length: 1000 }, (__, index) => sourceOf(`f${String(index)}`));
    const files = await projectedPayload(pod, 'all', { sources: projections, defaultMode: 0o644 }, sources);
    expect(files.size).toBe(1000);
    expect(new Set(Array.from(files.values(), ({ content }) => content)).size).toBe(1);
  });

  it('takes of a key that a ConfigMap has twice the text where it is chosen, otherwise the bytes', async () => {
    const twice: ConfigMap = { data: { key: 'text' }, binaryData: { key: Buffer.from('bytes').toString('base64') } };
    const objects = { ...sources.objects, configMap: async () => twice };
    const projections = [
      { configMap: { name: 'c' } },
      { configMap: { name: 'c', items: [{ key: 'key', path: 'chosen' }] } },
    ];
    const pod = testPod({});
    const files = await projectedPayload(
      pod,
      'all',
      { sources: projections, defaultMode: 0o644 },
      { ...sources, objects },
    );
    const shown = Array.from(files, ([path, { content }]) => [path, Buffer.from(content).toString()]);
    expect(shown).toEqual([
      ['key', 'bytes'],
      ['chosen', 'text'],
    ]);
  });
});
