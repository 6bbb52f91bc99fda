import { spawnWithoutDescriptors } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { connectInNamespace } from './connect-in-namespace.ts';

describe('connectInNamespace', () => {
  it('rejects when no descriptor is left for the helper process', async () => {
    using _failing = spawnWithoutDescriptors();
    await expect(connectInNamespace(process.pid, 80)).rejects.toThrow('spawn nsenter EMFILE');
  });
});
