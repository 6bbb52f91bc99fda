import { spawnWithoutDescriptors } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { runProcess } from './run-process.ts';

describe('runProcess', () => {
  it('rejects when no descriptor is left for the program', async () => {
    using _failing = spawnWithoutDescriptors();
    const request = { path: '/opt/cni/bin/bridge', environment: {}, stdin: '', maxOutputBytes: 1024 };
    await expect(runProcess(request, new AbortController().signal)).rejects.toThrow('spawn /opt/cni/bin/bridge EMFILE');
  });
});
