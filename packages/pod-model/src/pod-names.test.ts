import { describe, expect, it } from 'vitest';
import {
  formatContainerId,
  formatPod,
  parseContainerId,
  parsePodFullName,
  podFullName,
  podLogDirectoryName,
  podUid,
} from './pod-names.ts';
import { testPod } from './testing.ts';

const pod = testPod({ name: 'web', namespace: 'shop', uid: '42' });

describe('names of pods', () => {
  it('combine name, namespace and UID', () => {
    expect(podUid(pod)).toBe('42');
    expect(podUid({})).toBe('');
    expect(podFullName(pod)).toBe('web_shop');
    expect(formatPod(pod)).toBe('web_shop(42)');
    expect(podLogDirectoryName({ namespace: 'shop', name: 'web', uid: '42' })).toBe('shop_web_42');
  });

  it('come from a full name', () => {
    expect(parsePodFullName('web_shop')).toEqual({ name: 'web', namespace: 'shop' });
    for (const text of ['', 'web', 'web_', '_shop', 'web_shop_1']) expect(parsePodFullName(text)).toBeUndefined();
  });
});

describe('container ids', () => {
  it('round-trip through parse and format', () => {
    const id = { type: 'containerd', id: '0123' };
    expect(formatContainerId(id)).toBe('containerd://0123');
    expect(parseContainerId('containerd://0123')).toEqual(id);
    expect(parseContainerId('"containerd://0123"')).toEqual(id);
  });

  it('stay empty for other text', () => {
    const none = { type: '', id: '' };
    expect(formatContainerId({ type: 'containerd', id: '' })).toBe('');
    for (const text of ['', '0123', 'a://b://c']) expect(parseContainerId(text)).toEqual(none);
  });
});
