import type { DownwardAPIVolumeFile } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { downwardApiPayload } from './downward-api-payload.ts';

describe('downwardApiPayload', () => {
  it('has the content of a field once, however many files show it', async () => {
    const pod = testPod({ annotations: { note: 'x'.repeat(100_000) } });
    const shown = (path: string, fieldPath: string): DownwardAPIVolumeFile => ({ path, fieldRef: { fieldPath } });
    const many = Array.from({ length: 3000 }, (_, index) => shown(`f${String(index)}`, 'metadata.annotations'));
    const files = await downwardApiPayload(pod, [...many, shown('name', 'metadata.name')], 0o644, () => ({}));
    expect(files.size).toBe(3001);
    expect(new Set(Array.from(files.values(), ({ content }) => content)).size).toBe(2);
    expect(Buffer.from(files.get('name')!.content).toString()).toBe(pod.metadata!.name);
  });
});
